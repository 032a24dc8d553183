//! Cursors on trees and on temporary tables: walking, seeking, reading.

use super::{index, table};
use crate::builder::ProgramBuilder;
use crate::insn::Insn;
use crate::operand::{AffinityListId, CursorId, Reg};
use crate::program::{CursorKind, TableMetadata};
use crate::testing::{TestHost, emit_row, emit_scan, info, key, load, load_row, rows, show};
use crate::vm::Vm;
use lithe_value::{Value, ValueRef};
use std::sync::Arc;

/// A table with the rowids 10, 20 ... 50, whose first column is the rowid, and a cursor open on it.
fn tens(host: &TestHost, b: &mut ProgramBuilder) -> CursorId {
    let content: Vec<_> = (1..=5i64).map(|i| (10 * i, vec![ValueRef::Integer(10 * i)])).collect();
    let root = table(&host.btree, &content);
    let cursor = b.cursor(info(CursorKind::Table, Some(root), None, 1));
    b.emit(Insn::OpenRead { cursor });
    cursor
}

/// The same rows in a temporary table.
fn tens_in_memory(b: &mut ProgramBuilder) -> CursorId {
    let cursor = b.cursor(info(CursorKind::EphemeralTable, None, None, 1));
    b.emit(Insn::OpenEphemeral { cursor });
    for i in 1..=5 {
        let rowid = load(b, 10 * i);
        let row = Insn::InsertRow { flags: 0, cursor, count: 1, affinities: AffinityListId::NONE, rowid, start: rowid };
        b.emit(row);
    }
    cursor
}

type SeekInsn = fn(CursorId, Reg, crate::operand::Addr) -> Insn;

const ROWID_SEEKS: [SeekInsn; 4] = [
    |cursor, key, target| Insn::SeekRowidGe { cursor, key, target },
    |cursor, key, target| Insn::SeekRowidGt { cursor, key, target },
    |cursor, key, target| Insn::SeekRowidLe { cursor, key, target },
    |cursor, key, target| Insn::SeekRowidLt { cursor, key, target },
];

/// Where the four seeks for a key end: a row's number, or "-".
fn emit_seeks(b: &mut ProgramBuilder, cursor: CursorId, keys: &[Value], seeks: &[SeekInsn]) {
    for sought in keys {
        let results = b.registers(seeks.len());
        let sought = load(b, sought.clone());
        for (i, seek) in seeks.iter().enumerate() {
            let (dst, none, end) = (results.at(i), b.label(), b.label());
            b.emit(seek(cursor, sought, none));
            b.emit(Insn::Column { cursor, column: 0, dst });
            b.emit(Insn::Goto { target: end });
            b.place(none);
            let dash = load(b, "-");
            b.emit(Insn::Copy { src: dash, dst, count: 1 });
            b.place(end);
        }
        b.emit(Insn::ResultRow { start: results, count: seeks.len() as u32 });
    }
    b.emit(Insn::Halt {});
}

#[test]
fn seeking_rowids_by_any_value() {
    let keys: Vec<Value> = vec![
        20.into(),
        25.into(),
        5.into(),
        55.into(),
        20.0.into(),
        20.5.into(),
        1e30.into(),
        (-1e30).into(),
        "30".into(),
        "x".into(),
        Value::NULL,
        i64::MAX.into(),
        i64::MIN.into(),
    ];
    let expected = "20,30,20,10 ; 30,30,20,20 ; 10,10,'-','-' ; '-','-',50,50 ; 20,30,20,10 ; 30,30,20,20 ; \
                    '-','-',50,50 ; 10,10,'-','-' ; 30,40,30,20 ; '-','-',50,50 ; '-','-','-','-' ; \
                    '-','-',50,50 ; 10,10,'-','-'";
    let host = TestHost::new();
    let mut b = ProgramBuilder::new();
    let cursor = tens(&host, &mut b);
    emit_seeks(&mut b, cursor, &keys, &ROWID_SEEKS);
    assert_eq!(show(&host.run(b).unwrap()), expected);

    let mut b = ProgramBuilder::new();
    let cursor = tens_in_memory(&mut b);
    emit_seeks(&mut b, cursor, &keys, &ROWID_SEEKS);
    assert_eq!(show(&host.run(b).unwrap()), expected);
}

#[test]
fn seeking_one_rowid() {
    let keys: Vec<Value> =
        vec![20.into(), 25.into(), 20.0.into(), 20.5.into(), "20".into(), "20.0".into(), "x".into(), Value::NULL];
    let seek: SeekInsn = |cursor, rowid, target| Insn::SeekRowid { cursor, rowid, target };
    for in_memory in [false, true] {
        let host = TestHost::new();
        let mut b = ProgramBuilder::new();
        let cursor = if in_memory { tens_in_memory(&mut b) } else { tens(&host, &mut b) };
        emit_seeks(&mut b, cursor, &keys, &[seek]);
        assert_eq!(show(&host.run(b).unwrap()), "20 ; '-' ; 20 ; '-' ; 20 ; 20 ; '-' ; '-'");
    }
}

const KEY_SEEKS: [SeekInsn; 6] = [
    |cursor, start, target| Insn::SeekGe { cursor, count: 1, start, target },
    |cursor, start, target| Insn::SeekGt { cursor, count: 1, start, target },
    |cursor, start, target| Insn::SeekLe { cursor, count: 1, start, target },
    |cursor, start, target| Insn::SeekLt { cursor, count: 1, start, target },
    |cursor, start, target| Insn::NotFound { cursor, count: 1, start, target },
    |cursor, start, target| Insn::NoConflict { cursor, count: 1, start, target },
];

#[test]
fn seeking_keys() {
    // Each entry is (key, number); column 0 is the key.
    let entries: Vec<Vec<ValueRef<'_>>> = vec![
        vec![ValueRef::Null, 1.into()],
        vec![10.into(), 2.into()],
        vec![10.into(), 3.into()],
        vec!["a".into(), 4.into()],
        vec!["b".into(), 5.into()],
    ];
    let keys: Vec<Value> = vec![10.into(), 5.into(), "a".into(), "zz".into(), Value::NULL];
    let expected = "10,'a',10,NULL,10,10 ; 10,10,NULL,NULL,'-','-' ; 'a','b','a',10,'a','a' ; \
                    '-','-','b','b','-','-' ; NULL,10,NULL,'-',NULL,'-'";
    let host = TestHost::new();
    let key_info = key(2);
    let root = index(&host.btree, &key_info, &entries);
    let mut b = ProgramBuilder::new();
    let cursor = b.cursor(info(CursorKind::Index, Some(root), Some(key_info.clone()), 2));
    b.emit(Insn::OpenRead { cursor });
    emit_seeks(&mut b, cursor, &keys, &KEY_SEEKS);
    assert_eq!(show(&host.run(b).unwrap()), expected);

    for budget in [1 << 20, 0] {
        host.budget.set(budget);
        let mut b = ProgramBuilder::new();
        let cursor = b.cursor(info(CursorKind::EphemeralIndex, None, Some(key_info.clone()), 2));
        b.emit(Insn::OpenEphemeral { cursor });
        for entry in &entries {
            let values: Vec<Value> = entry.iter().map(|value| Value::from(*value)).collect();
            let start = load_row(&mut b, &values);
            b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: 2, affinities: AffinityListId::NONE, start });
        }
        emit_seeks(&mut b, cursor, &keys, &KEY_SEEKS);
        assert_eq!(show(&host.run(b).unwrap()), expected, "budget {budget}");
    }
}

#[test]
fn a_range_of_an_index() {
    let host = TestHost::new();
    let key_info = key(2);
    let entries: Vec<Vec<ValueRef<'_>>> = (0..1000i64).map(|i| vec![(i / 10).into(), i.into()]).collect();
    let root = index(&host.btree, &key_info, &entries);
    let mut b = ProgramBuilder::new();
    let cursor = b.cursor(info(CursorKind::Index, Some(root), Some(key_info), 2));
    b.emit(Insn::OpenRead { cursor });
    let (low, high, end) = (load(&mut b, 57), load(&mut b, 58), b.label());
    b.emit(Insn::SeekGt { cursor, count: 1, start: low, target: end });
    let again = b.here();
    b.emit(Insn::IdxGt { cursor, count: 1, start: high, target: end });
    let rowid = b.register();
    b.emit(Insn::IdxRowid { cursor, dst: rowid });
    b.emit(Insn::ResultRow { start: rowid, count: 1 });
    b.emit(Insn::Next { cursor, target: again });
    b.place(end);
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "580 ; 581 ; 582 ; 583 ; 584 ; 585 ; 586 ; 587 ; 588 ; 589");
}

#[test]
fn all_kinds_of_columns() {
    let host = TestHost::new();
    let long = "long text ".repeat(20);
    let huge = vec![7u8; 50_000];
    let row = vec![
        ValueRef::Null,
        0.into(),
        1.into(),
        (-5).into(),
        300.into(),
        70_000.into(),
        (1 << 30).into(),
        (1i64 << 40).into(),
        i64::MIN.into(),
        1.5.into(),
        "short".into(),
        long.as_str().into(),
        ValueRef::Blob(&huge),
        "last".into(),
    ];
    let root = table(&host.btree, &[(1, row.clone()), (2, row.clone())]);
    let expected: Vec<Value> = row.iter().map(|value| Value::from(*value)).collect();
    // In order, backwards, and each alone.
    let orders: Vec<Vec<u16>> = vec![(0..14).collect(), (0..14).rev().collect(), vec![12, 3, 13, 11, 12], vec![10]];
    for order in orders {
        let mut b = ProgramBuilder::new();
        let cursor = b.cursor(info(CursorKind::Table, Some(root), None, 14));
        let (start, end) = (b.registers(order.len()), b.label());
        b.emit(Insn::OpenRead { cursor });
        b.emit(Insn::Rewind { cursor, target: end });
        let again = b.here();
        for (place, column) in order.iter().enumerate() {
            b.emit(Insn::Column { cursor, column: *column, dst: start.at(place) });
        }
        b.emit(Insn::ResultRow { start, count: order.len() as u32 });
        b.emit(Insn::Next { cursor, target: again });
        b.place(end);
        b.emit(Insn::Halt {});
        let wanted: Vec<Value> = order.iter().map(|column| expected[usize::from(*column)].clone()).collect();
        assert_eq!(host.run(b).unwrap(), [wanted.clone(), wanted]);
    }
}

#[test]
fn a_header_that_leaves_its_page() {
    let host = TestHost::new();
    // Types of two bytes each: the header alone is longer than a page holds of a row.
    let text = "x".repeat(100);
    let row: Vec<ValueRef<'_>> = (0..3000).map(|_| text.as_str().into()).chain([42.into()]).collect();
    let root = table(&host.btree, &[(1, row)]);
    let mut b = ProgramBuilder::new();
    let cursor = b.cursor(info(CursorKind::Table, Some(root), None, 3001));
    b.emit(Insn::OpenRead { cursor });
    let end = b.label();
    b.emit(Insn::Rewind { cursor, target: end });
    let start = b.registers(4);
    for (place, column) in [3000, 0, 2999, 3001].into_iter().enumerate() {
        b.emit(Insn::Column { cursor, column, dst: start.at(place) });
    }
    b.emit(Insn::ResultRow { start, count: 4 });
    b.place(end);
    b.emit(Insn::Halt {});
    let rows = host.run(b).unwrap();
    let text = Value::from(text);
    assert_eq!(rows, [[Value::from(42), text.clone(), text, Value::NULL]]);
}

#[test]
fn columns_added_later_have_their_defaults() {
    let host = TestHost::new();
    let root = table(&host.btree, &[(1, vec![5.into()])]);
    let mut b = ProgramBuilder::new();
    let mut cursor_info = info(CursorKind::Table, Some(root), None, 3);
    let defaults = vec![Value::NULL, Value::from("added"), Value::NULL];
    cursor_info.table = Some(Arc::new(TableMetadata { defaults, ..TableMetadata::default() }));
    let cursor = b.cursor(cursor_info);
    b.emit(Insn::OpenRead { cursor });
    emit_scan(&mut b, cursor, 4);
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "5,'added',NULL,NULL");
}

#[test]
fn a_deferred_seek_happens_when_a_column_is_wanted() {
    let host = TestHost::new();
    let rows: Vec<(i64, Vec<ValueRef<'_>>)> = (1..=3).map(|i| (i, vec![(i * 100).into()])).collect();
    let root = table(&host.btree, &rows);
    let key_info = key(2);
    let entries = vec![vec![7.into(), 3.into()], vec![8.into(), 1.into()], vec![9.into(), 77.into()]];
    let index_root = index(&host.btree, &key_info, &entries);
    let program = |reads: bool| {
        let mut b = ProgramBuilder::new();
        let table = b.cursor(info(CursorKind::Table, Some(root), None, 1));
        let index = b.cursor(info(CursorKind::Index, Some(index_root), Some(key_info.clone()), 2));
        let (row, end) = (b.registers(2), b.label());
        b.emit(Insn::OpenRead { cursor: table });
        b.emit(Insn::OpenRead { cursor: index });
        b.emit(Insn::Rewind { cursor: index, target: end });
        let again = b.here();
        b.emit(Insn::DeferredSeek { index, table });
        b.emit(Insn::Rowid { cursor: table, dst: row });
        if reads {
            b.emit(Insn::Column { cursor: table, column: 0, dst: row.at(1) });
        }
        b.emit(Insn::ResultRow { start: row, count: 2 });
        b.emit(Insn::Next { cursor: index, target: again });
        b.place(end);
        b.emit(Insn::Halt {});
        b
    };
    assert_eq!(show(&host.run(program(false)).unwrap()), "3,NULL ; 1,NULL ; 77,NULL");
    // The last entry has no row: the index is corrupt.
    let mut vm = Vm::new(Arc::new(program(true).finish()));
    assert_eq!(rows_until_error(&mut vm, &host), "3,300 ; 1,100 | database disk image is malformed");
}

fn rows_until_error(vm: &mut Vm, host: &TestHost) -> String {
    let mut rows = Vec::new();
    loop {
        match vm.step(host) {
            Ok(crate::vm::Step::Row) => {
                rows.push((0..vm.column_count()).map(|i| Value::from(vm.column(i))).collect::<Vec<_>>());
            }
            Ok(crate::vm::Step::Done) => return show(&rows),
            Err(error) => return format!("{} | {error}", show(&rows)),
        }
    }
}

#[test]
fn null_rows() {
    for in_memory in [false, true] {
        let host = TestHost::new();
        let mut b = ProgramBuilder::new();
        let cursor = if in_memory { tens_in_memory(&mut b) } else { tens(&host, &mut b) };
        let end = b.label();
        b.emit(Insn::Rewind { cursor, target: end });
        b.emit(Insn::NullRow { cursor });
        emit_row(&mut b, cursor, 1);
        let null = b.label();
        b.emit(Insn::IfNullRow { cursor, target: null });
        b.emit(Insn::Halt {});
        b.place(null);
        b.emit(Insn::Last { cursor, target: end });
        emit_row(&mut b, cursor, 1);
        b.place(end);
        b.emit(Insn::Halt {});
        assert_eq!(show(&host.run(b).unwrap()), "NULL ; 50");
    }
}

#[test]
fn walking_both_ways_and_counting() {
    for in_memory in [false, true] {
        let host = TestHost::new();
        let mut b = ProgramBuilder::new();
        let cursor = if in_memory { tens_in_memory(&mut b) } else { tens(&host, &mut b) };
        emit_scan(&mut b, cursor, 1);
        let (end, count) = (b.label(), b.register());
        b.emit(Insn::Last { cursor, target: end });
        let again = b.here();
        emit_row(&mut b, cursor, 1);
        b.emit(Insn::Previous { cursor, target: again });
        b.place(end);
        b.emit(Insn::Count { cursor, dst: count });
        b.emit(Insn::ResultRow { start: count, count: 1 });
        b.emit(Insn::Halt {});
        assert_eq!(show(&host.run(b).unwrap()), "10 ; 20 ; 30 ; 40 ; 50 ; 50 ; 40 ; 30 ; 20 ; 10 ; 5");
    }
}

#[test]
fn pseudo_cursors_read_registers() {
    let host = TestHost::new();
    let mut b = ProgramBuilder::new();
    let cursor = b.cursor(info(CursorKind::Pseudo, None, None, 2));
    let start = load_row(&mut b, &[Value::from(1), Value::from("two")]);
    b.emit(Insn::OpenPseudo { cursor, start, count: 2 });
    emit_row(&mut b, cursor, 3);
    b.emit(Insn::NullRow { cursor });
    emit_row(&mut b, cursor, 2);
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "1,'two',NULL ; NULL,NULL");
}

#[test]
fn a_statement_runs_again_and_again() {
    let host = TestHost::new();
    let mut b = ProgramBuilder::new();
    let cursor = tens(&host, &mut b);
    emit_scan(&mut b, cursor, 1);
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    for _ in 0..3 {
        assert_eq!(show(&rows(&mut vm, &host).unwrap()), "10 ; 20 ; 30 ; 40 ; 50");
        vm.step(&host).unwrap();
        assert!(vm.is_running());
        vm.reset();
    }
    let counters = vm.counters();
    assert_eq!((counters.runs, counters.fullscan_steps, counters.sorts), (6, 12, 0));
    assert!(counters.vm_steps > 0);
}
