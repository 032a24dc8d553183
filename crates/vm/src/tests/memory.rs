//! Temporary tables, sets, hash tables and sorters, in memory and beyond it.

use crate::builder::ProgramBuilder;
use crate::insn::Insn;
use crate::operand::{AffinityListId, CollationId, CompareFlags, Reg, Sequence};
use crate::program::CursorKind;
use crate::testing::{TestHost, emit_row, emit_scan, info, key, load, load_row, show};
use lithe_value::{Value, ValueRef};

const NONE: AffinityListId = AffinityListId::NONE;

/// Runs the program in memory, and with so little of it that all content moves to trees and files.
#[track_caller]
fn check(build: impl Fn(&mut ProgramBuilder), expected: &str) {
    for budget in [1 << 20, 300, 0] {
        let host = TestHost::new();
        host.budget.set(budget);
        let mut b = ProgramBuilder::new();
        build(&mut b);
        b.emit(Insn::Halt {});
        assert_eq!(show(&host.run(b).unwrap()), expected, "budget {budget}");
    }
}

#[test]
fn a_temporary_table() {
    check(
        |b| {
            let cursor = b.cursor(info(CursorKind::EphemeralTable, None, None, 2));
            let second = b.cursor(info(CursorKind::EphemeralTable, None, None, 2));
            b.emit(Insn::OpenEphemeral { cursor });
            b.emit(Insn::OpenDup { cursor: second, original: cursor });
            let (rowid, i, end) = (b.register(), load(b, 40), b.label());
            let again = b.here();
            b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
            b.emit(Insn::InsertRow { flags: 0, cursor, count: 1, affinities: NONE, rowid, start: i });
            b.emit(Insn::DecrementJumpZero { reg: i, target: end });
            b.emit(Insn::Goto { target: again });
            b.place(end);
            let none = b.label();
            b.emit(Insn::Rewind { cursor: second, target: none });
            emit_row(b, second, 1);
            b.place(none);
            let (ten, absent) = (load(b, 10), b.label());
            b.emit(Insn::SeekRowid { cursor, rowid: ten, target: absent });
            emit_row(b, cursor, 1);
            b.emit(Insn::Delete { flags: 0, cursor });
            // The next row after a deletion is the one after it.
            let next = b.label();
            b.emit(Insn::Next { cursor, target: next });
            b.place(next);
            emit_row(b, cursor, 1);
            b.emit(Insn::SeekRowid { cursor, rowid: ten, target: absent });
            b.emit(Insn::Halt {});
            b.place(absent);
            let count = b.register();
            b.emit(Insn::Count { cursor: second, dst: count });
            b.emit(Insn::ResultRow { start: count, count: 1 });
            // Opened again it is empty, for the second cursor too, and both still share it.
            b.emit(Insn::OpenEphemeral { cursor });
            emit_scan(b, cursor, 1);
            emit_scan(b, second, 1);
            b.emit(Insn::InsertRow { flags: 0, cursor, count: 1, affinities: NONE, rowid: ten, start: ten });
            emit_scan(b, second, 1);
        },
        "40 ; 31 ; 30 ; 39 ; 10",
    );
}

#[test]
fn a_cursor_keeps_its_place_when_the_table_moves() {
    check(
        |b| {
            let cursor = b.cursor(info(CursorKind::EphemeralTable, None, None, 1));
            let second = b.cursor(info(CursorKind::EphemeralTable, None, None, 1));
            b.emit(Insn::OpenEphemeral { cursor });
            b.emit(Insn::OpenDup { cursor: second, original: cursor });
            let insert = |b: &mut ProgramBuilder, rowid: i64| {
                let rowid = load(b, rowid);
                b.emit(Insn::InsertRow { flags: 0, cursor, count: 1, affinities: NONE, rowid, start: rowid });
            };
            (1..=3).for_each(|rowid| insert(b, rowid));
            let end = b.label();
            b.emit(Insn::Rewind { cursor: second, target: end });
            let again = b.here();
            emit_row(b, second, 1);
            // While the second cursor moves on, rows are added after it.
            let enough = b.label();
            b.emit(Insn::Once { target: enough });
            (4..=40).for_each(|rowid| insert(b, rowid));
            b.place(enough);
            b.emit(Insn::Next { cursor: second, target: again });
            b.place(end);
        },
        &(1..=40).map(|i| i.to_string()).collect::<Vec<_>>().join(" ; "),
    );
}

#[test]
fn a_queue() {
    // WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 100): one row waits at a time.
    check(
        |b| {
            let queue = b.cursor(info(CursorKind::EphemeralTable, None, None, 1));
            b.emit(Insn::OpenEphemeral { cursor: queue });
            let (rowid, x, hundred, end) = (b.register(), load(b, 1), load(b, 100), b.label());
            let push = |b: &mut ProgramBuilder| {
                b.emit(Insn::NewRowid { cursor: queue, dst: rowid, sequence: Sequence::NONE });
                b.emit(Insn::InsertRow { flags: 0, cursor: queue, count: 1, affinities: NONE, rowid, start: x });
            };
            push(b);
            let again = b.here();
            b.emit(Insn::Rewind { cursor: queue, target: end });
            b.emit(Insn::Column { cursor: queue, column: 0, dst: x });
            b.emit(Insn::Delete { flags: 0, cursor: queue });
            let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
            b.emit(Insn::Ge { flags, collation, lhs: x, rhs: hundred, target: again });
            b.emit(Insn::AddImmediate { reg: x, value: 1 });
            push(b);
            b.emit(Insn::Goto { target: again });
            b.place(end);
            b.emit(Insn::ResultRow { start: x, count: 1 });
        },
        "100",
    );
}

#[test]
fn a_set_keeps_what_is_distinct() {
    let values: Vec<Value> =
        vec![1.into(), 1.0.into(), "a".into(), Value::NULL, "a".into(), Value::NULL, 2.into(), 1.into()];
    check(
        |b| {
            let set = b.cursor(info(CursorKind::EphemeralSet, None, Some(key(1)), 1));
            b.emit(Insn::OpenEphemeral { cursor: set });
            for value in &values {
                let (start, seen) = (load(b, value.clone()), b.label());
                b.emit(Insn::Found { cursor: set, count: 1, start, target: seen });
                b.emit(Insn::IdxInsertRow { flags: 0, cursor: set, count: 1, affinities: NONE, start });
                b.emit(Insn::ResultRow { start, count: 1 });
                b.place(seen);
            }
            let (gone, end) = (load(b, "a"), b.label());
            b.emit(Insn::IdxDelete { must_exist: 1, cursor: set, start: gone, count: 1 });
            b.emit(Insn::NotFound { cursor: set, count: 1, start: gone, target: end });
            b.emit(Insn::ResultRow { start: gone, count: 1 });
            b.place(end);
        },
        "1 ; 'a' ; NULL ; 2",
    );
}

#[test]
fn a_temporary_index_orders_and_replaces() {
    check(
        |b| {
            let index = b.cursor(info(CursorKind::EphemeralIndex, None, Some(key(1)), 2));
            b.emit(Insn::OpenEphemeral { cursor: index });
            for (i, word) in ["d", "a", "c", "b", "a", "e"].into_iter().enumerate() {
                let start = load_row(b, &[Value::from(word), Value::from(i as i64)]);
                let record = b.register();
                b.emit(Insn::MakeRecord { count: 2, affinities: NONE, start, dst: record });
                b.emit(Insn::IdxInsert { flags: 0, cursor: index, count: 0, record, start: Reg::NONE });
            }
            emit_scan(b, index, 2);
            let gone = load(b, "c");
            b.emit(Insn::IdxDelete { must_exist: 0, cursor: index, start: gone, count: 1 });
            b.emit(Insn::IdxDelete { must_exist: 0, cursor: index, start: gone, count: 1 });
            emit_scan(b, index, 1);
        },
        "'a',4 ; 'b',3 ; 'c',2 ; 'd',0 ; 'e',5 ; 'a' ; 'b' ; 'd' ; 'e'",
    );
}

#[test]
fn a_hash_join_gives_rows_in_the_order_they_came() {
    check(
        |b| {
            let hash = b.cursor(info(CursorKind::Hash, None, Some(key(1)), 2));
            b.emit(Insn::OpenEphemeral { cursor: hash });
            for i in 0..30i64 {
                let join_key = if i % 7 == 6 { Value::NULL } else { Value::from(i % 5) };
                let start = load_row(b, &[join_key, Value::from(i)]);
                b.emit(Insn::HashInsert { cursor: hash, start, count: 2 });
            }
            for sought in [Value::from(3.0), Value::from(9), Value::NULL, Value::from(1)] {
                let (start, end) = (load(b, sought), b.label());
                b.emit(Insn::HashFind { cursor: hash, count: 1, start, target: end });
                let again = b.here();
                emit_row(b, hash, 2);
                b.emit(Insn::HashNext { cursor: hash, target: again });
                b.place(end);
            }
            b.emit(Insn::NullRow { cursor: hash });
            emit_row(b, hash, 2);
        },
        "3,3 ; 3,8 ; 3,18 ; 3,23 ; 3,28 ; 1,1 ; 1,11 ; 1,16 ; 1,21 ; 1,26 ; NULL,NULL",
    );
}

#[test]
fn sorting() {
    check(
        |b| {
            let sorter = b.cursor(info(CursorKind::Sorter, None, Some(key(1)), 2));
            b.emit(Insn::SorterOpen { cursor: sorter, limit: Reg::NONE });
            for i in 0..20i64 {
                let start = load_row(b, &[Value::from(i * 7 % 10), Value::from(i)]);
                b.emit(Insn::SorterInsert { cursor: sorter, start, count: 2 });
            }
            let end = b.label();
            b.emit(Insn::SorterSort { cursor: sorter, target: end });
            let again = b.here();
            emit_row(b, sorter, 2);
            b.emit(Insn::SorterNext { cursor: sorter, target: again });
            b.place(end);
            b.emit(Insn::ResetSorter { cursor: sorter });
            let empty = b.label();
            b.emit(Insn::SorterSort { cursor: sorter, target: empty });
            emit_row(b, sorter, 2);
            b.place(empty);
        },
        "0,0 ; 0,10 ; 1,3 ; 1,13 ; 2,6 ; 2,16 ; 3,9 ; 3,19 ; 4,2 ; 4,12 ; 5,5 ; 5,15 ; 6,8 ; 6,18 ; 7,1 ; 7,11 ; \
         8,4 ; 8,14 ; 9,7 ; 9,17",
    );
}

#[test]
fn sequences_count_up() {
    check(
        |b| {
            let cursor = b.cursor(info(CursorKind::EphemeralIndex, None, Some(key(1)), 2));
            b.emit(Insn::OpenEphemeral { cursor });
            for _ in 0..3 {
                let start = b.register();
                b.emit(Insn::Sequence { cursor, dst: start });
                b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: 1, affinities: NONE, start });
            }
            emit_scan(b, cursor, 1);
        },
        "0 ; 1 ; 2",
    );
}

#[test]
fn records_are_records() {
    let host = TestHost::new();
    let mut b = ProgramBuilder::new();
    let start = load_row(&mut b, &[Value::from(3.0), Value::from("x"), Value::NULL]);
    let record = b.register();
    use lithe_value::Affinity::{Blob, Real};
    let affinities = b.affinity_list(&[Real, Blob, Blob]);
    b.emit(Insn::MakeRecord { count: 3, affinities, start, dst: record });
    b.emit(Insn::ResultRow { start: record, count: 1 });
    b.emit(Insn::Halt {});
    // A REAL column stores 3.0 as the integer 3.
    let rows = host.run(b).unwrap();
    assert_eq!(rows[0][0].as_ref(), ValueRef::Blob(&[4, 1, 15, 0, 3, b'x']));
}
