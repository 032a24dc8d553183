//! Helpers for the tests of several modules: random numbers, a host, programs run to their end.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use lithe_btree::{Btree, KeyColumn, KeyInfo};
use lithe_format::PageNo;
use lithe_format::db_header::TextEncoding;
use lithe_pager::{BeginKind, OpenOptions, Pager};
use lithe_value::Value;
use lithe_vfs::{File, SyncFlags};

use crate::builder::ProgramBuilder;
use crate::connection_state::ConnectionState;
use crate::error::Error;
use crate::host::Host;
use crate::insn::Insn;
use crate::operand::{CursorId, Db, Reg};
use crate::program::{CursorInfo, CursorKind, SchemaCheck};
use crate::vm::{Step, Vm};

/// Pseudo-random numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 32) as usize * bound) >> 32
    }
}

/// A connection on one database in memory, in a write transaction.
pub struct TestHost {
    pub btree: Rc<Btree>,
    pub state: ConnectionState,
    pub budget: Cell<usize>,
    pub interrupted: Cell<bool>,
    pub wants_hook: Cell<bool>,
    pub hooked: RefCell<Vec<(i32, String, i64)>>,
    pub files: Cell<usize>,
}

impl TestHost {
    pub fn new() -> TestHost {
        TestHost {
            btree: memory_btree(),
            state: ConnectionState::default(),
            budget: Cell::new(1 << 20),
            interrupted: Cell::new(false),
            wants_hook: Cell::new(false),
            hooked: RefCell::default(),
            files: Cell::new(0),
        }
    }

    /// Runs a program to its end; returns its rows.
    pub fn run(&self, mut builder: ProgramBuilder) -> Result<Vec<Vec<Value>>, Error> {
        rows(&mut Vm::new(Arc::new(builder.finish())), self)
    }
}

fn memory_btree() -> Rc<Btree> {
    let pager = Pager::open_in_memory(&OpenOptions::default());
    pager.begin_read().unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let btree = Btree::new(pager);
    btree.initialise().unwrap();
    Rc::new(btree)
}

impl Host for TestHost {
    fn btree(&self, _db: Db) -> Result<Rc<Btree>, Error> {
        Ok(Rc::clone(&self.btree))
    }

    fn temporary_btree(&self) -> Result<Rc<Btree>, Error> {
        Ok(memory_btree())
    }

    fn temporary_file(&self) -> Result<Arc<dyn File>, Error> {
        self.files.set(self.files.get() + 1);
        Ok(Arc::new(MemoryFile::default()))
    }

    fn memory_budget(&self) -> usize {
        self.budget.get()
    }

    fn begin(&self, _db: Db, _write: u8, check: Option<&SchemaCheck>) -> Result<(), Error> {
        if check.is_some_and(|check| check.cookie != 0) { Err(Error::Schema) } else { Ok(()) }
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
        self.interrupted.get()
    }

    fn has_update_hook(&self) -> bool {
        self.wants_hook.get()
    }

    fn update_hook(&self, op: i32, _database: &str, table: &str, rowid: i64) {
        self.hooked.borrow_mut().push((op, table.to_string(), rowid));
    }
}

/// A file without a name.
#[derive(Debug, Default)]
pub struct MemoryFile(Mutex<Vec<u8>>);

impl File for MemoryFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> lithe_vfs::Result<usize> {
        let bytes = self.0.lock().unwrap();
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> lithe_vfs::Result<()> {
        let mut bytes = self.0.lock().unwrap();
        let end = offset as usize + buf.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[offset as usize..end].copy_from_slice(buf);
        Ok(())
    }

    fn truncate(&self, size: u64) -> lithe_vfs::Result<()> {
        self.0.lock().unwrap().truncate(size as usize);
        Ok(())
    }

    fn sync(&self, _flags: SyncFlags) -> lithe_vfs::Result<()> {
        Ok(())
    }

    fn size(&self) -> lithe_vfs::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }
}

/// All rows of a run.
pub fn rows(vm: &mut Vm, host: &dyn Host) -> Result<Vec<Vec<Value>>, Error> {
    let mut rows = Vec::new();
    while vm.step(host)? == Step::Row {
        rows.push((0..vm.column_count()).map(|i| Value::from(vm.column(i))).collect());
    }
    Ok(rows)
}

/// Rows as a text: values by commas, rows by semicolons.
pub fn show(rows: &[Vec<Value>]) -> String {
    let row = |row: &Vec<Value>| row.iter().map(|value| value.as_ref().to_string()).collect::<Vec<_>>().join(",");
    rows.iter().map(row).collect::<Vec<_>>().join(" ; ")
}

/// A key of this number of columns, all ascending under BINARY.
pub fn key(columns: usize) -> Arc<KeyInfo> {
    Arc::new(KeyInfo::new(vec![KeyColumn::default(); columns], TextEncoding::Utf8))
}

/// The description of a cursor.
pub fn info(kind: CursorKind, root: Option<PageNo>, key: Option<Arc<KeyInfo>>, columns: u16) -> CursorInfo {
    CursorInfo { kind, db: Db::MAIN, root, key, column_count: columns, table: None }
}

/// Emits code that puts a value into a new register.
pub fn load(b: &mut ProgramBuilder, value: impl Into<Value>) -> Reg {
    let value = b.constant(value.into().as_ref());
    let dst = b.register();
    b.emit(Insn::Const { value, dst });
    dst
}

/// Emits code that puts several values into registers in a row.
pub fn load_row(b: &mut ProgramBuilder, values: &[Value]) -> Reg {
    let start = b.registers(values.len());
    for (i, value) in values.iter().enumerate() {
        let value = b.constant(value.as_ref());
        b.emit(Insn::Const { value, dst: start.at(i) });
    }
    start
}

/// Emits a loop over a cursor that returns its first columns as rows.
pub fn emit_scan(b: &mut ProgramBuilder, cursor: CursorId, columns: u16) {
    let end = b.label();
    b.emit(Insn::Rewind { cursor, target: end });
    let again = b.here();
    emit_row(b, cursor, columns);
    b.emit(Insn::Next { cursor, target: again });
    b.place(end);
}

/// Emits code that returns the first columns of the row under a cursor.
pub fn emit_row(b: &mut ProgramBuilder, cursor: CursorId, columns: u16) {
    let start = b.registers(usize::from(columns));
    for column in 0..columns {
        b.emit(Insn::Column { cursor, column, dst: start.at(usize::from(column)) });
    }
    b.emit(Insn::ResultRow { start, count: u32::from(columns) });
}
