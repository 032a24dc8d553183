//! Inserting, replacing, deleting; rowids, counters, hooks, STRICT.

use super::{index, table};
use crate::builder::ProgramBuilder;
use crate::insn::{Insn, delete_flags, insert_flags};
use crate::operand::{Addr, AffinityListId, CursorId, OnConflict, Reg, Sequence};
use crate::program::{CursorKind, TableMetadata};
use crate::testing::{TestHost, emit_scan, info, key, load, load_row, rows, show};
use crate::vm::Vm;
use lithe_btree::{Cursor, TreeKind};
use lithe_format::PageNo;
use lithe_format::record::values;
use lithe_value::{Encoding, Value, ValueRef};
use lithe_vfs::ResultCode;
use std::sync::Arc;

const NONE: AffinityListId = AffinityListId::NONE;

fn writable(b: &mut ProgramBuilder, root: PageNo) -> CursorId {
    let mut cursor_info = info(CursorKind::Table, Some(root), None, 2);
    cursor_info.table = Some(Arc::new(TableMetadata { name: "t".into(), ..TableMetadata::default() }));
    let cursor = b.cursor(cursor_info);
    b.emit(Insn::OpenWrite { cursor });
    cursor
}

fn insert(b: &mut ProgramBuilder, cursor: CursorId, flags: u8, rowid: Reg, row: &[Value]) {
    let start = load_row(b, row);
    b.emit(Insn::InsertRow { flags, cursor, count: row.len() as u16, affinities: NONE, rowid, start });
}

#[test]
fn new_rowids() {
    let host = TestHost::new();
    let root = host.btree.create_tree(TreeKind::Table).unwrap();
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let dst = b.register();
    for given in [None, None, Some(41), None, Some(-5), None, Some(i64::MAX), None] {
        match given {
            Some(given) => {
                let given = load(&mut b, given);
                b.emit(Insn::Copy { src: given, dst, count: 1 });
            }
            None => b.emit(Insn::NewRowid { cursor, dst, sequence: Sequence::NONE }),
        }
        insert(&mut b, cursor, insert_flags::LAST_ROWID | insert_flags::COUNT_CHANGE, dst, &[Value::from("x")]);
        b.emit(Insn::ResultRow { start: dst, count: 1 });
    }
    b.emit(Insn::Halt {});
    let mut program = b.finish();
    program.counts_changes = true;
    let found = rows(&mut Vm::new(Arc::new(program)), &host).unwrap();
    let rowids: Vec<i64> = found
        .iter()
        .map(|row| match row[0].as_ref() {
            ValueRef::Integer(rowid) => rowid,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(rowids[..7], [1, 2, 41, 42, -5, 43, i64::MAX]);
    // Past the largest rowid one is taken at random, from the lower half.
    assert!((1..=i64::MAX / 2 + 1).contains(&rowids[7]));
    assert_eq!(host.state.last_insert_rowid.get(), rowids[7]);
    assert_eq!((host.state.changes.get(), host.state.total_changes.get()), (8, 8));
}

#[test]
fn autoincrement_never_goes_back() {
    let host = TestHost::new();
    let root = table(&host.btree, &[(7, vec![])]);
    let sequences = table(&host.btree, &[(1, vec![ValueRef::Text(b"t"), ValueRef::Integer(3)])]);
    let run = |given: i64| {
        let mut b = ProgramBuilder::new();
        let cursor = writable(&mut b, root);
        let of_sequences = writable(&mut b, sequences);
        let (row, sequence) = (b.registers(2), Sequence(0));
        let name = b.constant(ValueRef::Text(b"t"));
        b.emit(Insn::ReadSequence { cursor: of_sequences, name, sequence });
        let rowid = load(&mut b, given);
        b.emit(Insn::RaiseSequence { sequence, rowid });
        b.emit(Insn::NewRowid { cursor, dst: row, sequence });
        b.emit(Insn::WriteSequence { cursor: of_sequences, name, sequence });
        b.emit(Insn::Rewind { cursor: of_sequences, target: Addr::NONE });
        b.emit(Insn::Column { cursor: of_sequences, column: 1, dst: row.at(1) });
        b.emit(Insn::ResultRow { start: row, count: 2 });
        b.emit(Insn::Halt {});
        host.run(b)
    };
    assert_eq!(show(&run(3).unwrap()), "8,8");
    assert_eq!(show(&run(100).unwrap()), "101,101");
    assert_eq!(show(&run(5).unwrap()), "102,102");
    assert_eq!(run(i64::MAX).unwrap_err().code(), ResultCode::FULL);
}

#[test]
fn deleting_while_walking() {
    let host = TestHost::new();
    let rows: Vec<(i64, Vec<ValueRef<'_>>)> = (0..500).map(|i| (i, vec![i.into()])).collect();
    let root = table(&host.btree, &rows);
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (value, end) = (b.register(), b.label());
    let three = load(&mut b, 3);
    b.emit(Insn::Rewind { cursor, target: end });
    let again = b.here();
    let kept = b.label();
    b.emit(Insn::Column { cursor, column: 0, dst: value });
    b.emit(Insn::Remainder { lhs: value, rhs: three, dst: value });
    b.emit(Insn::IfNot { null_jumps: 0, reg: value, target: kept });
    let flags = delete_flags::COUNT_CHANGE | delete_flags::SAVE_POSITION;
    b.emit(Insn::Delete { flags, cursor });
    b.place(kept);
    b.emit(Insn::Next { cursor, target: again });
    b.place(end);
    emit_scan(&mut b, cursor, 1);
    b.emit(Insn::Halt {});
    let expected: Vec<String> = (0..500).step_by(3).map(|i| i.to_string()).collect();
    assert_eq!(show(&host.run(b).unwrap()), expected.join(" ; "));
}

#[test]
fn replacing_a_row_and_reading_it() {
    let host = TestHost::new();
    let root = table(&host.btree, &[(1, vec!["old".into()]), (2, vec!["other".into()])]);
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (rowid, end) = (load(&mut b, 1), b.label());
    b.emit(Insn::SeekRowid { cursor, rowid, target: end });
    let long = "new ".repeat(2000);
    insert(&mut b, cursor, insert_flags::USE_SEEK, rowid, &[Value::from(long.as_str())]);
    emit_scan(&mut b, cursor, 1);
    b.place(end);
    b.emit(Insn::Halt {});
    assert_eq!(host.run(b).unwrap(), [[Value::from(long)], [Value::from("other")]]);
}

#[test]
fn a_million_zeros() {
    let host = TestHost::new();
    let root = host.btree.create_tree(TreeKind::Table).unwrap();
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (rowid, row) = (load(&mut b, 1), b.registers(2));
    b.uses_parameter(1);
    b.emit(Insn::Integer { value: 5, dst: row });
    b.emit(Insn::Parameter { number: 1, dst: row.at(1) });
    b.emit(Insn::InsertRow { flags: 0, cursor, count: 2, affinities: NONE, rowid, start: row });
    emit_scan(&mut b, cursor, 2);
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    vm.bind_zeroblob(1, 1_000_000).unwrap();
    let found = rows(&mut vm, &host).unwrap();
    assert_eq!(found, [[Value::from(5), Value::from(vec![0u8; 1_000_000])]]);

    host.state.length_max.set(999_999);
    assert_eq!(rows(&mut vm, &host).unwrap_err().code(), ResultCode::TOOBIG);
}

#[test]
fn index_entries() {
    let host = TestHost::new();
    let key_info = key(2);
    let root = index(&host.btree, &key_info, &[]);
    let mut b = ProgramBuilder::new();
    let cursor = b.cursor(info(CursorKind::Index, Some(root), Some(key_info), 2));
    b.emit(Insn::OpenWrite { cursor });
    for (word, number) in [("b", 2), ("a", 1), ("c", 3)] {
        let start = load_row(&mut b, &[Value::from(word), Value::from(number)]);
        let record = b.register();
        b.emit(Insn::MakeRecord { count: 2, affinities: NONE, start, dst: record });
        let count = if number == 2 { 0 } else { 2 };
        b.emit(Insn::IdxInsert { flags: 0, cursor, count, record, start });
    }
    let gone = load_row(&mut b, &[Value::from("b"), Value::from(2)]);
    b.emit(Insn::IdxDelete { must_exist: 1, cursor, start: gone, count: 2 });
    emit_scan(&mut b, cursor, 2);
    b.emit(Insn::IdxDelete { must_exist: 0, cursor, start: gone, count: 2 });
    b.emit(Insn::IdxDelete { must_exist: 1, cursor, start: gone, count: 2 });
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let mut words = Vec::new();
    let error = loop {
        match vm.step(&host) {
            Ok(_) => words.push(vm.column(0).to_string()),
            Err(error) => break error,
        }
    };
    assert_eq!((words.join(" "), error.code()), ("'a' 'c'".to_string(), ResultCode::CORRUPT_INDEX));
}

#[test]
fn hooks() {
    let host = TestHost::new();
    host.wants_hook.set(true);
    let root = table(&host.btree, &[(1, vec![]), (2, vec![])]);
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (one, two, three, end) = (load(&mut b, 1), load(&mut b, 2), load(&mut b, 3), b.label());
    insert(&mut b, cursor, insert_flags::COUNT_CHANGE, three, &[Value::NULL]);
    insert(&mut b, cursor, insert_flags::COUNT_CHANGE | insert_flags::IS_UPDATE, one, &[Value::NULL]);
    // A row that is not counted is written by ALTER TABLE.
    insert(&mut b, cursor, insert_flags::IS_UPDATE, one, &[Value::NULL]);
    b.emit(Insn::SeekRowid { cursor, rowid: two, target: end });
    b.emit(Insn::Delete { flags: delete_flags::COUNT_CHANGE, cursor });
    b.emit(Insn::SeekRowid { cursor, rowid: three, target: end });
    b.emit(Insn::Delete { flags: delete_flags::IS_UPDATE, cursor });
    b.place(end);
    b.emit(Insn::Halt {});
    host.run(b).unwrap();
    let expected = [(18, "t".to_string(), 3), (23, "t".to_string(), 1), (9, "t".to_string(), 2)];
    assert_eq!(*host.hooked.borrow(), expected);
}

#[test]
fn strict_tables() {
    let host = TestHost::new();
    let mut b = ProgramBuilder::new();
    let mut cursor_info = info(CursorKind::Table, None, None, 1);
    let types = vec![("a".to_string(), "INT".to_string())];
    let metadata = TableMetadata { name: "t".into(), strict_types: Some(types), ..TableMetadata::default() };
    cursor_info.table = Some(Arc::new(metadata));
    let cursor = b.cursor(cursor_info);
    for value in ["12", "twelve"] {
        let start = load(&mut b, value);
        b.emit(Insn::TypeCheck { cursor, start, count: 1 });
        b.emit(Insn::ResultRow { start, count: 1 });
    }
    let mut vm = Vm::new(Arc::new(b.finish()));
    vm.step(&host).unwrap();
    assert_eq!(vm.column(0), ValueRef::Integer(12));
    let error = vm.step(&host).unwrap_err();
    assert_eq!(error.to_string(), "cannot store TEXT value in INT column t.a");
    assert_eq!((error.code(), error.policy()), (ResultCode::CONSTRAINT_DATATYPE, OnConflict::Abort));
}

#[test]
fn databases_in_utf16() {
    let host = TestHost::new();
    host.state.encoding.set(Encoding::Utf16le);
    let root = host.btree.create_tree(TreeKind::Table).unwrap();
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (one, two) = (load(&mut b, 1), load(&mut b, 2));
    insert(&mut b, cursor, 0, one, &[Value::from("grün"), Value::from(1)]);
    let start = load_row(&mut b, &[Value::from("blau"), Value::from(2)]);
    let record = b.register();
    b.emit(Insn::MakeRecord { count: 2, affinities: NONE, start, dst: record });
    b.emit(Insn::Insert { flags: 0, cursor, rowid: two, record });
    emit_scan(&mut b, cursor, 2);
    b.emit(Insn::RowData { cursor, dst: record });
    b.emit(Insn::Halt {});
    assert_eq!(show(&host.run(b).unwrap()), "'grün',1 ; 'blau',2");
    let mut tree = Cursor::table(root);
    tree.first(&host.btree).unwrap();
    let row = tree.row(&host.btree).unwrap();
    assert_eq!(values(row.local()).unwrap()[0], ValueRef::Text(b"g\0r\0\xfc\0n\0"));
}

#[test]
fn clearing_a_tree_counts_its_rows() {
    let host = TestHost::new();
    let rows: Vec<(i64, Vec<ValueRef<'_>>)> = (0..300).map(|i| (i, vec![i.into()])).collect();
    let root = table(&host.btree, &rows);
    let mut b = ProgramBuilder::new();
    let cursor = writable(&mut b, root);
    let (end, moved) = (b.label(), b.register());
    b.emit(Insn::Rewind { cursor, target: end });
    b.place(end);
    b.emit(Insn::ClearTree { count_changes: 1, cursor });
    emit_scan(&mut b, cursor, 1);
    let created = b.register();
    let db = crate::operand::Db::MAIN;
    b.emit(Insn::CreateTree { db, kind: 1, dst: created });
    b.emit(Insn::DropTree { db, root: created, moved });
    b.emit(Insn::ResultRow { start: moved, count: 1 });
    b.emit(Insn::Halt {});
    let mut program = b.finish();
    program.counts_changes = true;
    let found = crate::testing::rows(&mut Vm::new(Arc::new(program)), &host).unwrap();
    assert_eq!((show(&found).as_str(), host.state.changes.get()), ("0", 300));
}
