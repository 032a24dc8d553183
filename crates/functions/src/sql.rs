//! SQL on the connection that calls: statements, BLOBs and other tables, for functions and modules of virtual tables.
//!
//! ```text
//!   Context::connection ── sql() ──►┐
//!   a module's method ─────────────►├── &dyn SqlConnection ── prepare, statement, resume ──► SqlStatement ── step, column
//!                                   │                      ── open_blob ──► SqlBlob
//! ```
//!
//! The connection is lent for the length of one call, because it may move to another thread between two calls. What has to
//! outlive a call is a [`Kept`]: the text of a statement, by which the connection finds the compiled statement again, on
//! the row where it stood if it has not been reset.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::{AtomicU64, Ordering};

use lithe_value::ValueRef;

use crate::error::Result;
use crate::row_change::RowChange;

/// A name as SQL has it, in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A connection, as the code sees it that it calls. Statements run nested in the one that is running, within its transaction.
pub trait SqlConnection {
    /// Compiles the first statement of a text. It ends when it is dropped.
    ///
    /// # Errors
    /// Those of the compiler; SQLITE_MISUSE if there is no statement.
    fn prepare<'c>(&'c self, sql: &str) -> Result<Box<dyn SqlStatement + 'c>>;

    /// Whether a database has a table of this name. The authorizer is not asked.
    fn has_table(&self, database: &str, table: &str) -> bool;

    /// A kept statement from its beginning, compiled if it was not yet. Dropping it resets it: it gives up its row and its
    /// locks. Bound values stay, until others are bound.
    ///
    /// Where the same statement is in use already, further up the stack, this is another one of the same text.
    ///
    /// # Errors
    /// As [`SqlConnection::prepare`].
    fn statement<'c>(&'c self, kept: &Kept) -> Result<Box<dyn SqlStatement + 'c>>;

    /// A kept statement where it stands. Dropping it leaves it on its row, for a cursor that goes on with its next call.
    /// It ends when [`SqlStatement::reset`] is called, when the [`Kept`] is dropped, or with the last statement of the application.
    ///
    /// # Errors
    /// As [`SqlConnection::prepare`].
    fn resume<'c>(&'c self, kept: &Kept) -> Result<Box<dyn SqlStatement + 'c>>;

    /// Runs all statements of a text; rows are passed over.
    ///
    /// # Errors
    /// That of the first statement that fails.
    fn execute(&self, sql: &str) -> Result;

    /// Opens the BLOB or text in a column of a row, to be read or written in place. It is closed when it is dropped.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such table, column or row, or the value is neither BLOB nor text.
    fn open_blob<'c>(&'c self, place: &BlobPlace<'_>, rowid: i64) -> Result<Box<dyn SqlBlob + 'c>>;

    /// The pages of a database, as the running transaction sees them.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such database; what beginning to read says.
    fn pages<'c>(&'c self, database: &str) -> Result<Box<dyn PageAccess + 'c>>;

    /// Shows `f` a connected virtual table (`lithe_vtab::VirtualTable` as [`Any`]), which is connected if it was not.
    ///
    /// # Errors
    /// If there is no such table, or it is no virtual one; what its module says.
    fn with_virtual_table(&self, database: &str, table: &str, f: &mut dyn FnMut(&dyn Any)) -> Result;

    /// Shows `f` what is kept for the whole connection under this name; `make` makes it the first time.
    fn with_client_data(&self, name: &'static str, make: &dyn Fn() -> Box<dyn Any + Send>, f: &mut dyn FnMut(&dyn Any));

    /// How many violations of deferred foreign keys the open transaction has.
    fn deferred_violations(&self) -> i64;

    /// Makes all foreign keys behave as if they said NO ACTION, or as they say again; answers what was so before.
    fn set_foreign_keys_no_action(&self, on: bool) -> bool;

    /// Writes to the error log of the process.
    fn log(&self, code: i32, message: &str);

    /// Makes sure that there is a function of this name (sqlite3_overload_function): one that a virtual table puts its own in
    /// the place of, and that is an error elsewhere.
    ///
    /// # Errors
    /// SQLITE_MISUSE if the name is too long.
    fn overload_function(&self, name: &str) -> Result;

    /// A CREATE statement, read as one of this database's schema, its strings in double quotes in single quotes.
    ///
    /// # Errors
    /// If the statement cannot be compiled.
    fn with_single_quotes(&self, database: &str, statement: &[u8]) -> Result<Vec<u8>>;

    /// The rowid of the last row that was inserted.
    fn last_insert_rowid(&self) -> i64;

    /// Sets what `last_insert_rowid()` answers: a table that has inserted rows of its own says which one the application
    /// has inserted.
    fn set_last_insert_rowid(&self, rowid: i64);

    /// How many rows the last statement has changed.
    fn changes(&self) -> i64;

    /// How many rows all statements have changed.
    fn total_changes(&self) -> i64;

    /// A number that is another one whenever what this connection sees of a database may have changed: by a write of the connection
    /// itself, a rollback, or a transaction of others. What a module has read may serve again as long as the number is the
    /// same. None: the connection does not know, because no transaction reads the database or others share its cache.
    fn content_version(&self, database: &str) -> Option<u64>;

    /// The names of the databases: `main`, `temp`, and those that are attached.
    fn databases(&self) -> Vec<String>;

    /// Whether SQLITE_DBCONFIG_DEFENSIVE is on: nothing may write past the tables' own rules.
    fn is_defensive(&self) -> bool;

    /// How long a text or BLOB may be: SQLITE_LIMIT_LENGTH.
    fn length_max(&self) -> usize;

    /// Whether the running statement is interrupted. Long loops without SQL check it now and then.
    fn is_interrupted(&self) -> bool;
}

/// Told of a row before it changes, with the connection that changes it.
pub type ChangeWatcher = Rc<dyn Fn(&dyn SqlConnection, &RowChange<'_>)>;

/// A compiled statement.
pub trait SqlStatement {
    /// Binds a value to the parameter `number`, counted from 1. A statement that stands on a row is reset first.
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such parameter; SQLITE_TOOBIG.
    fn bind(&mut self, number: usize, value: ValueRef<'_>) -> Result;

    /// Binds something that SQL sees as NULL, and functions and virtual tables as a [`Pointer`] of that kind. It stays bound
    /// after the statement, so another thread may be the one to drop it.
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such parameter.
    fn bind_pointer(&mut self, number: usize, kind: &[u8], value: Box<dyn Any + Send>) -> Result;

    /// Goes to the next row. False at the end, where the statement is reset.
    ///
    /// # Errors
    /// Those of the statement.
    fn step(&mut self) -> Result<bool>;

    /// Ends the run: the row and the locks are given up, and the next step begins anew. Bound values stay.
    fn reset(&mut self);

    /// A column of the row, counted from 0. NULL if there is no row, or no such column.
    fn column(&self, index: usize) -> ValueRef<'_>;

    /// How many columns its rows have.
    fn column_count(&self) -> usize;

    /// The name of a column.
    fn column_name(&self, index: usize) -> String;

    /// How many parameters it has.
    fn parameter_count(&self) -> usize;

    /// Whether it changes no database.
    fn is_read_only(&self) -> bool;

    /// Its text.
    fn sql(&self) -> &str;

    /// Where the text goes on that it was compiled from.
    fn tail(&self) -> usize;
}

impl dyn SqlStatement + '_ {
    /// Binds values to the parameters from the first on.
    ///
    /// # Errors
    /// As [`SqlStatement::bind`].
    pub fn bind_all(&mut self, values: &[ValueRef<'_>]) -> Result {
        values.iter().enumerate().try_for_each(|(at, value)| self.bind(at + 1, *value))
    }

    /// Runs it to its end with these values, and resets it.
    ///
    /// # Errors
    /// As [`SqlStatement::bind`] and [`SqlStatement::step`].
    pub fn run(&mut self, values: &[ValueRef<'_>]) -> Result {
        self.bind_all(values)?;
        while self.step()? {}
        Ok(())
    }
}

/// A column whose values are read or written in place.
#[derive(Clone, Copy, Debug)]
pub struct BlobPlace<'p> {
    /// The name of the database.
    pub database: &'p str,
    /// The table.
    pub table: &'p str,
    /// The column.
    pub column: &'p str,
    /// Whether it is also written.
    pub writable: bool,
}

/// A BLOB (or text) in a row.
pub trait SqlBlob {
    /// Its size in bytes. Writing does not change it.
    fn len(&self) -> usize;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads from `offset` on, as many bytes as the buffer has.
    ///
    /// # Errors
    /// SQLITE_ERROR beyond the end; SQLITE_ABORT if the row was changed or deleted.
    fn read(&mut self, offset: usize, bytes: &mut [u8]) -> Result;

    /// Writes from `offset` on.
    ///
    /// # Errors
    /// As [`SqlBlob::read`]; SQLITE_READONLY if it was opened to be read.
    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result;

    /// Goes to another row, which is faster than opening anew.
    ///
    /// # Errors
    /// As [`SqlConnection::open_blob`]. After an error it can only be dropped.
    fn reopen(&mut self, rowid: i64) -> Result;
}

/// The pages of a database.
pub trait PageAccess {
    /// The size of a page.
    fn page_size(&self) -> usize;

    /// How much of a page the format uses.
    fn usable_size(&self) -> usize;

    /// How many pages there are.
    fn page_count(&self) -> u32;

    /// Copies a page. The page of the lock bytes is all zeros.
    ///
    /// # Errors
    /// SQLITE_CORRUPT if there is no such page; I/O errors.
    fn read(&self, page: u32, bytes: &mut Vec<u8>) -> Result;

    /// Takes the write lock, before anything is written.
    ///
    /// # Errors
    /// SQLITE_BUSY, SQLITE_READONLY.
    fn begin_write(&self) -> Result;

    /// Writes a page that there is, or the first one behind the end, within the transaction.
    ///
    /// # Errors
    /// I/O errors; SQLITE_FULL.
    fn write(&self, page: u32, bytes: &[u8]) -> Result;

    /// Makes the database so many pages long, which is shorter than it is.
    ///
    /// # Errors
    /// I/O errors.
    fn truncate(&self, page_count: u32) -> Result;
}

/// A statement that is prepared once and kept by its connection, for as long as this is not dropped.
#[derive(Debug)]
pub struct Kept {
    sql: Box<str>,
    key: Arc<u64>,
    may_use_virtual_tables: bool,
}

impl Kept {
    /// A statement of this text, which is compiled when it is first used.
    pub fn new(sql: impl Into<Box<str>>) -> Kept {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Kept { sql: sql.into(), key: Arc::new(NEXT.fetch_add(1, Ordering::Relaxed)), may_use_virtual_tables: true }
    }

    /// A statement on ordinary tables: to it, and to triggers that it fires, virtual tables are not there
    /// (SQLITE_PREPARE_NO_VTAB). So nothing that is written into a schema makes a module call itself.
    pub fn of_ordinary_tables(sql: impl Into<Box<str>>) -> Kept {
        Kept { may_use_virtual_tables: false, ..Kept::new(sql) }
    }

    /// Whether virtual tables are there for the statement.
    pub fn may_use_virtual_tables(&self) -> bool {
        self.may_use_virtual_tables
    }

    /// The text.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The number under which a connection finds the statement.
    pub fn key(&self) -> u64 {
        *self.key
    }

    /// Tells whether this still exists: a weak reference to its number.
    pub fn alive(&self) -> Weak<u64> {
        Arc::downgrade(&self.key)
    }
}
