//! Times the hot paths of the machine: a scan that sums two columns, and a point query by rowid.
//!
//! `cargo run --release -p lithe-vm --example machine_paths [rounds [scan|point|sort]]`; under `valgrind --tool=callgrind` it
//! shows where the instructions go.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use lithe_btree::{Btree, Cursor, TreeKind};
use lithe_format::PageNo;
use lithe_format::payload::Payload;
use lithe_format::record::Builder;
use lithe_functions::{Lookup, Registry};
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_value::{Collation, ValueRef};
use lithe_vfs::File;
use lithe_vm::builder::ProgramBuilder;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Db};
use lithe_vm::program::{AggregateCall, CursorInfo, CursorKind, SchemaCheck};
use lithe_vm::{ConnectionState, Error, Host, Step, Vm};

/// A path: a host, a table's root, a number of rounds.
type Timed = fn(&ExampleHost, PageNo, u32);

const ROWS: i64 = 100_000;

fn main() {
    let rounds: u32 = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let host = ExampleHost { btree: memory_btree(), state: ConnectionState::default() };
    let root = fill(&host.btree);
    host.btree.pager().commit().unwrap();
    let only = std::env::args().nth(2);
    let paths: [(&str, Timed); 3] = [("scan", time_scan), ("point", time_points), ("sort", time_sort)];
    for (name, time) in paths {
        if only.as_deref().is_none_or(|only| only == name) {
            time(&host, root, rounds);
        }
    }
}

/// SELECT sum(a), sum(b) FROM t
fn time_scan(host: &ExampleHost, root: PageNo, rounds: u32) {
    let mut b = ProgramBuilder::new();
    let cursor = table_cursor(&mut b, root);
    let (row, sums, end) = (b.registers(2), b.registers(2), b.label());
    let registry = Registry::builtin();
    let Lookup::Found(sum) = registry.find(b"sum", 1) else { unreachable!("sum is built in") };
    let aggregate =
        b.aggregate(AggregateCall { function: Arc::clone(sum), argument_count: 1, collation: Collation::Binary });
    b.emit(Insn::Null { start: sums, count: 2 });
    b.emit(Insn::OpenRead { cursor });
    b.emit(Insn::Rewind { cursor, target: end });
    let again = b.here();
    b.emit(Insn::AggColumn { is_real: 0, aggregate, cursor, column: 0, acc: sums });
    b.emit(Insn::AggColumn { is_real: 0, aggregate, cursor, column: 1, acc: sums.at(1) });
    b.emit(Insn::Next { cursor, target: again });
    b.place(end);
    b.emit(Insn::AggFinal { aggregate, acc: sums, dst: row });
    b.emit(Insn::AggFinal { aggregate, acc: sums.at(1), dst: row.at(1) });
    b.emit(Insn::ResultRow { start: row, count: 2 });
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let nanoseconds = best_of(rounds, || {
        assert_eq!(vm.step(host).unwrap(), Step::Row);
        assert_eq!(vm.column(0), ValueRef::Integer(ROWS * (ROWS - 1) / 2));
        vm.step(host).unwrap();
    });
    println!("scan: {:.1} ns a row", nanoseconds / ROWS as f64);
}

/// SELECT a, b, c FROM t WHERE rowid = ?
fn time_points(host: &ExampleHost, root: PageNo, rounds: u32) {
    let mut b = ProgramBuilder::new();
    let cursor = table_cursor(&mut b, root);
    let (rowid, row, end) = (b.register(), b.registers(3), b.label());
    b.uses_parameter(1);
    b.emit(Insn::Transaction { db: Db::MAIN, write: 0 });
    b.emit(Insn::OpenRead { cursor });
    b.emit(Insn::Parameter { number: 1, dst: rowid });
    b.emit(Insn::SeekRowid { cursor, rowid, target: end });
    b.emit(Insn::Columns { cursor, column: 0, dst: row, count: 3 });
    b.emit(Insn::ResultRow { start: row, count: 3 });
    b.place(end);
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    const QUERIES: i64 = 10_000;
    let mut id = 1;
    let nanoseconds = best_of(rounds, || {
        for _ in 0..QUERIES {
            id = (id * 7_919 + 13) % ROWS;
            vm.bind(1, ValueRef::Integer(id)).unwrap();
            assert_eq!(vm.step(host).unwrap(), Step::Row);
            assert_eq!(vm.column(0), ValueRef::Integer(id));
            assert_eq!(vm.step(host).unwrap(), Step::Done);
            vm.reset();
        }
    });
    println!("point: {:.1} ns a query", nanoseconds / QUERIES as f64);
}

/// SELECT a FROM t ORDER BY b, without returning the rows.
fn time_sort(host: &ExampleHost, root: PageNo, rounds: u32) {
    let mut b = ProgramBuilder::new();
    let table = table_cursor(&mut b, root);
    let key = lithe_btree::KeyInfo::new(vec![lithe_btree::KeyColumn::default()], Default::default());
    let sorter = b.cursor(info(CursorKind::Sorter, None, Some(Arc::new(key)), 2));
    let (row, end) = (b.registers(2), b.label());
    b.emit(Insn::OpenRead { cursor: table });
    b.emit(Insn::SorterOpen { cursor: sorter, limit: lithe_vm::operand::Reg::NONE });
    b.emit(Insn::Rewind { cursor: table, target: end });
    let again = b.here();
    b.emit(Insn::Column { cursor: table, column: 1, dst: row });
    b.emit(Insn::Column { cursor: table, column: 0, dst: row.at(1) });
    b.emit(Insn::SorterInsert { cursor: sorter, start: row, count: 2 });
    b.emit(Insn::Next { cursor: table, target: again });
    b.emit(Insn::SorterSort { cursor: sorter, target: end });
    let next = b.here();
    b.emit(Insn::Column { cursor: sorter, column: 1, dst: row });
    b.emit(Insn::SorterNext { cursor: sorter, target: next });
    b.place(end);
    b.emit(Insn::Halt {});
    let mut vm = Vm::new(Arc::new(b.finish()));
    let nanoseconds = best_of(rounds, || {
        assert_eq!(vm.step(host).unwrap(), Step::Done);
    });
    println!("sort: {:.1} ns a row", nanoseconds / ROWS as f64);
}

/// The shortest of several rounds, in nanoseconds.
fn best_of(rounds: u32, mut run: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min)
}

fn info(
    kind: CursorKind,
    root: Option<PageNo>,
    key: Option<Arc<lithe_btree::KeyInfo>>,
    column_count: u16,
) -> CursorInfo {
    CursorInfo { kind, db: Db::MAIN, root, key, column_count, table: None }
}

fn table_cursor(b: &mut ProgramBuilder, root: PageNo) -> CursorId {
    b.cursor(info(CursorKind::Table, Some(root), None, 3))
}

/// t(a, b, c): a number that counts up, a pseudo-random number, a text of 100 bytes.
fn fill(btree: &Btree) -> PageNo {
    let root = btree.create_tree(TreeKind::Table).unwrap();
    let mut cursor = Cursor::table(root);
    let mut builder = Builder::new();
    let text = [b'x'; 100];
    for rowid in 0..ROWS {
        let other = rowid.wrapping_mul(2_654_435_761) % 1_000_003;
        let row = [rowid.into(), other.into(), ValueRef::Text(&text)];
        cursor.insert_table(btree, rowid, &Payload::from_bytes(builder.build(&row)), None).unwrap();
    }
    root
}

fn memory_btree() -> Rc<Btree> {
    let pager = Pager::open_in_memory(&OpenOptions::default());
    pager.begin_read().unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let btree = Btree::new(pager);
    btree.initialise().unwrap();
    Rc::new(btree)
}

/// A connection on one database in memory.
struct ExampleHost {
    btree: Rc<Btree>,
    state: ConnectionState,
}

impl Host for ExampleHost {
    fn btree(&self, _db: Db) -> Result<Rc<Btree>, Error> {
        Ok(Rc::clone(&self.btree))
    }

    fn temporary_btree(&self) -> Result<Rc<Btree>, Error> {
        Ok(memory_btree())
    }

    fn temporary_file(&self) -> Result<Arc<dyn File>, Error> {
        unreachable!("the budget is large enough")
    }

    fn memory_budget(&self) -> usize {
        1 << 30
    }

    fn begin(&self, _db: Db, _write: u8, _check: Option<&SchemaCheck>) -> Result<(), Error> {
        Ok(())
    }

    fn open_statement_journal(&self) -> Result<(), Error> {
        Ok(())
    }

    fn set_cookie(&self, _db: Db, _index: u8, _value: u32) -> Result<(), Error> {
        Ok(())
    }

    fn parse_schema(&self, _db: Db, _condition: Option<&str>) -> Result<(), Error> {
        Ok(())
    }

    fn drop_from_catalog(&self, _db: Db, _kind: u8, _name: &str) {}

    fn state(&self) -> &ConnectionState {
        &self.state
    }

    fn julian_millis(&self) -> i64 {
        0
    }

    fn local_offset(&self, _unix_seconds: i64) -> Option<i32> {
        None
    }

    fn randomness(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn is_interrupted(&self) -> bool {
        false
    }

    fn has_update_hook(&self) -> bool {
        false
    }

    fn update_hook(&self, _op: i32, _database: &str, _table: &str, _rowid: i64) {}
}
