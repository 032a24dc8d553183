//! SQL on the calling connection: statements, BLOBs and other tables, for functions and modules of virtual tables.
//!
//! ```text
//!   Context::connection ── sql() ──►┐
//!   a module's method ─────────────►├── &dyn SqlConnection ── prepare, statement, resume ──► SqlStatement ── step, column
//!                                   │                      ── open_blob ──► SqlBlob
//! ```
//!
//! The connection is borrowed for one call, because it may move to another thread between two calls. State that outlives a call
//! is a [`Kept`]: the text of a statement, by which the connection finds the compiled statement again, on its current row if it
//! has not been reset.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::Weak;

use lithe_value::ValueRef;

use crate::error::Result;
use crate::kept_table::{KeptTable, next_key};
use crate::row_change::RowChange;

/// A name in SQL, in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A connection, as functions and modules see it. Their statements run nested in the running statement, within its transaction.
pub trait SqlConnection {
    /// Compiles the first statement of a text. The statement is finalized when it is dropped.
    ///
    /// # Errors
    /// Those of the compiler; SQLITE_MISUSE if there is no statement.
    fn prepare<'c>(&'c self, sql: &str) -> Result<Box<dyn SqlStatement + 'c>>;

    /// Whether a database has a table of this name. The authorizer is not called.
    fn has_table(&self, database: &str, table: &str) -> bool;

    /// A kept statement, reset; it is compiled at first use. Dropping it resets it, which releases its row and its locks. Bound
    /// values stay until they are replaced.
    ///
    /// If the same statement is already running, further up the stack, this is another statement with the same text.
    ///
    /// # Errors
    /// As [`SqlConnection::prepare`].
    fn statement<'c>(&'c self, kept: &Kept) -> Result<Box<dyn SqlStatement + 'c>>;

    /// A kept statement at its current row. Dropping it leaves it on that row, for a cursor that continues with its next call.
    /// The statement ends when [`SqlStatement::reset`] is called, when the [`Kept`] is dropped, or with the application's last
    /// statement.
    ///
    /// # Errors
    /// As [`SqlConnection::prepare`].
    fn resume<'c>(&'c self, kept: &Kept) -> Result<Box<dyn SqlStatement + 'c>>;

    /// Calls `read` with the value of the row that has this rowid; answers whether there is such a row.
    ///
    /// This and the following four methods do what a statement on the table does, in a fraction of its time, and answer `None`
    /// where only a statement can: if the table has triggers, indexes, constraints or other columns than [`KeptTable`] says, if hooks
    /// are registered, if no transaction is open on the database, … The caller then runs the statement.
    ///
    /// # Errors
    /// Those of reading the table.
    fn read_row(&self, table: &KeptTable, rowid: i64, read: &mut dyn FnMut(ValueRef<'_>)) -> Option<Result<bool>>;

    /// The least rowid from `rowid` on; see [`SqlConnection::read_row`] for `None`.
    ///
    /// # Errors
    /// Those of reading the table.
    fn next_row(&self, table: &KeptTable, rowid: i64) -> Option<Result<Option<i64>>>;

    /// Writes a row with a new rowid, or the row with this rowid, as INSERT OR REPLACE does. The value is an integer or a BLOB; further
    /// columns are NULL. Answers the rowid; see [`SqlConnection::read_row`] for `None`.
    ///
    /// # Errors
    /// Those of writing the table.
    fn write_row(&self, table: &KeptTable, rowid: Option<i64>, value: ValueRef<'_>) -> Option<Result<i64>>;

    /// Calls `edit` with the BLOB of a row, which it may change in place, as INSERT OR REPLACE with the changed BLOB does; `edit`
    /// answers whether it has changed anything, and so does this method. `None` if there is no such row, or see
    /// [`SqlConnection::read_row`].
    ///
    /// # Errors
    /// Those of writing the table.
    fn edit_row(&self, table: &KeptTable, rowid: i64, edit: &mut dyn FnMut(&mut [u8]) -> bool) -> Option<Result<bool>>;

    /// Deletes the row with this rowid, if there is one; see [`SqlConnection::read_row`] for `None`.
    ///
    /// # Errors
    /// Those of writing the table.
    fn delete_row(&self, table: &KeptTable, rowid: i64) -> Option<Result>;

    /// Runs all statements of a text; their rows are ignored.
    ///
    /// # Errors
    /// That of the first statement that fails.
    fn execute(&self, sql: &str) -> Result;

    /// Opens the BLOB or text in a column of a row, to be read or written in place. The result is closed when it is dropped.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such table, column or row, or the value is neither BLOB nor text.
    fn open_blob<'c>(&'c self, place: &BlobPlace<'_>, rowid: i64) -> Result<Box<dyn SqlBlob + 'c>>;

    /// The pages of a database in the running transaction.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such database; errors of beginning a read transaction.
    fn pages<'c>(&'c self, database: &str) -> Result<Box<dyn PageAccess + 'c>>;

    /// Calls `f` with a connected virtual table (`lithe_vtab::VirtualTable` as [`Any`]). The table is connected first if
    /// necessary.
    ///
    /// # Errors
    /// If there is no such table, or it is not a virtual table; errors of its module.
    fn with_virtual_table(&self, database: &str, table: &str, f: &mut dyn FnMut(&dyn Any)) -> Result;

    /// Calls `f` with the value that the connection keeps under this name; `make` creates the value the first time.
    fn with_client_data(&self, name: &'static str, make: &dyn Fn() -> Box<dyn Any + Send>, f: &mut dyn FnMut(&dyn Any));

    /// How many violations of deferred foreign keys the open transaction has.
    fn deferred_violations(&self) -> i64;

    /// Makes all foreign keys behave as NO ACTION, or as declared again; returns the previous setting.
    fn set_foreign_keys_no_action(&self, on: bool) -> bool;

    /// Writes to the error log of the process.
    fn log(&self, code: i32, message: &str);

    /// Makes sure that there is a function of this name (sqlite3_overload_function): virtual tables can overload it, and calls
    /// elsewhere fail.
    ///
    /// # Errors
    /// SQLITE_MISUSE if the name is too long.
    fn overload_function(&self, name: &str) -> Result;

    /// A CREATE statement of this database's schema, with its double-quoted strings changed to single-quoted ones.
    ///
    /// # Errors
    /// If the statement cannot be compiled.
    fn with_single_quotes(&self, database: &str, statement: &[u8]) -> Result<Vec<u8>>;

    /// The rowid of the last row that was inserted.
    fn last_insert_rowid(&self) -> i64;

    /// Sets the result of `last_insert_rowid()`: a virtual table that has inserted rows into its own tables restores the rowid
    /// that the application has inserted.
    fn set_last_insert_rowid(&self, rowid: i64);

    /// How many rows the last statement has changed.
    fn changes(&self) -> i64;

    /// How many rows all statements have changed.
    fn total_changes(&self) -> i64;

    /// A number that changes whenever the content of a database that this connection sees may have changed: by a write of the
    /// connection itself, by a rollback, or by a transaction of another connection. Data that a module has read is valid as long
    /// as the number is the same. `None`: the connection cannot tell, because no transaction reads the database or other
    /// connections share its cache.
    fn content_version(&self, database: &str) -> Option<u64>;

    /// As [`SqlConnection::content_version`], for the database of a table.
    fn content_version_at(&self, table: &KeptTable) -> Option<u64>;

    /// The names of the databases: `main`, `temp`, and those that are attached.
    fn databases(&self) -> Vec<String>;

    /// Whether SQLITE_DBCONFIG_DEFENSIVE is on: writes that bypass the rules of the tables are refused.
    fn is_defensive(&self) -> bool;

    /// The maximum length of a text or BLOB: SQLITE_LIMIT_LENGTH.
    fn length_max(&self) -> usize;

    /// Whether the running statement is interrupted. Long loops without SQL must check it from time to time.
    fn is_interrupted(&self) -> bool;
}

/// Called with a row before it changes, and with the connection that changes it.
pub type ChangeWatcher = Rc<dyn Fn(&dyn SqlConnection, &RowChange<'_>)>;

/// A compiled statement.
pub trait SqlStatement {
    /// Binds a value to the parameter `number`, counted from 1. A statement that is on a row is reset first.
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such parameter; SQLITE_TOOBIG.
    fn bind(&mut self, number: usize, value: ValueRef<'_>) -> Result;

    /// Binds a value that is NULL in SQL, and a [`Pointer`] of that kind to functions and virtual tables. The value stays bound
    /// when the statement ends, so another thread may drop it.
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such parameter.
    fn bind_pointer(&mut self, number: usize, kind: &[u8], value: Box<dyn Any + Send>) -> Result;

    /// Moves to the next row. False at the end; the statement is then reset.
    ///
    /// # Errors
    /// Those of the statement.
    fn step(&mut self) -> Result<bool>;

    /// Ends the run: releases the row and the locks; the next step starts from the beginning. Bound values stay.
    fn reset(&mut self);

    /// A column of the row, counted from 0. NULL if there is no row, or no such column.
    fn column(&self, index: usize) -> ValueRef<'_>;

    /// How many columns the rows have.
    fn column_count(&self) -> usize;

    /// The name of a column.
    fn column_name(&self, index: usize) -> String;

    /// How many parameters the statement has.
    fn parameter_count(&self) -> usize;

    /// Whether the statement changes no database.
    fn is_read_only(&self) -> bool;

    /// The text of the statement.
    fn sql(&self) -> &str;

    /// The offset after the statement in the text that it was compiled from.
    fn tail(&self) -> usize;
}

impl dyn SqlStatement + '_ {
    /// Binds values to the parameters, from the first parameter on.
    ///
    /// # Errors
    /// As [`SqlStatement::bind`].
    pub fn bind_all(&mut self, values: &[ValueRef<'_>]) -> Result {
        values.iter().enumerate().try_for_each(|(at, value)| self.bind(at + 1, *value))
    }

    /// Runs the statement to its end with these values, and resets it.
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
    /// Whether values are also written.
    pub writable: bool,
}

/// A BLOB (or text) in a row.
pub trait SqlBlob {
    /// The size in bytes. Writing does not change it.
    fn len(&self) -> usize;

    /// Whether the BLOB has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads `bytes.len()` bytes at `offset`.
    ///
    /// # Errors
    /// SQLITE_ERROR beyond the end; SQLITE_ABORT if the row was changed or deleted.
    fn read(&mut self, offset: usize, bytes: &mut [u8]) -> Result;

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// As [`SqlBlob::read`]; SQLITE_READONLY if the BLOB was opened for reading.
    fn write(&mut self, offset: usize, bytes: &[u8]) -> Result;

    /// Moves to another row, which is faster than opening the BLOB there.
    ///
    /// # Errors
    /// As [`SqlConnection::open_blob`]. After an error the BLOB can only be dropped.
    fn reopen(&mut self, rowid: i64) -> Result;
}

/// The pages of a database.
pub trait PageAccess {
    /// The size of a page.
    fn page_size(&self) -> usize;

    /// The size of the part of a page that the file format uses.
    fn usable_size(&self) -> usize;

    /// The number of pages.
    fn page_count(&self) -> u32;

    /// Copies a page into `bytes`. The page of the lock bytes is all zeros.
    ///
    /// # Errors
    /// SQLITE_CORRUPT if there is no such page; I/O errors.
    fn read(&self, page: u32, bytes: &mut Vec<u8>) -> Result;

    /// Takes the write lock, before the first write.
    ///
    /// # Errors
    /// SQLITE_BUSY, SQLITE_READONLY.
    fn begin_write(&self) -> Result;

    /// Writes an existing page, or appends a page, within the transaction.
    ///
    /// # Errors
    /// I/O errors; SQLITE_FULL.
    fn write(&self, page: u32, bytes: &[u8]) -> Result;

    /// Truncates the database to `page_count` pages.
    ///
    /// # Errors
    /// I/O errors.
    fn truncate(&self, page_count: u32) -> Result;
}

/// A statement that is prepared once; its connection keeps it until this value is dropped.
#[derive(Debug)]
pub struct Kept {
    sql: Box<str>,
    key: Arc<u64>,
    may_use_virtual_tables: bool,
}

impl Kept {
    /// A statement with this text, which is compiled at first use.
    pub fn new(sql: impl Into<Box<str>>) -> Kept {
        Kept { sql: sql.into(), key: Arc::new(next_key()), may_use_virtual_tables: true }
    }

    /// A statement on ordinary tables: virtual tables do not exist for it and for the triggers that it fires
    /// (SQLITE_PREPARE_NO_VTAB). So nothing that is written into a schema can make a module call itself.
    pub fn of_ordinary_tables(sql: impl Into<Box<str>>) -> Kept {
        Kept { may_use_virtual_tables: false, ..Kept::new(sql) }
    }

    /// Whether virtual tables exist for the statement.
    pub fn may_use_virtual_tables(&self) -> bool {
        self.may_use_virtual_tables
    }

    /// The text of the statement.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The number by which a connection finds the statement.
    pub fn key(&self) -> u64 {
        *self.key
    }

    /// A weak reference to the number; it is dead once this value has been dropped.
    pub fn alive(&self) -> Weak<u64> {
        Arc::downgrade(&self.key)
    }
}
