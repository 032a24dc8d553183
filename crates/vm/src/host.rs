//! The interface through which a running program uses its connection.
//!
//! Every method takes `&self`: user functions, collations, hooks and virtual tables may re-enter the connection
//! while a program runs, so the connection keeps its state in cells and lends nothing across a call.

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_format::PageNo;
use lithe_functions::{RowChange, RowTable, SqlConnection};
use lithe_value::{Value, ValueRef};
use lithe_vfs::File;

use crate::connection_state::ConnectionState;
use crate::error::Error;
use crate::operand::{Db, VirtualId};
use crate::virtual_table::VirtualTable;

/// The rows that a table-valued function returned.
#[derive(Debug)]
pub struct TableRows {
    /// The rows, without the hidden columns.
    pub rows: RowTable,
    /// The hidden columns, which are the arguments: the same in each row.
    pub hidden: Vec<Value>,
    /// The number of the first of them.
    pub hidden_at: usize,
    /// The subtype of a column of a row.
    pub subtype: fn(&RowTable, usize, usize) -> u8,
    /// The rowid of the first row.
    pub first_rowid: i64,
}

impl Default for TableRows {
    fn default() -> TableRows {
        let (rows, hidden) = (RowTable::default(), Vec::new());
        TableRows { rows, hidden, hidden_at: 0, subtype: |_, _, _| 0, first_rowid: 1 }
    }
}

/// The connection, as a running program sees it.
pub trait Host {
    /// The B-trees of database `db`.
    fn btree(&self, db: Db) -> Result<Rc<Btree>, Error>;

    /// A private B-tree for temporary tables and indexes of one statement that outgrow memory; bounded by cache_size, on
    /// temporary files. A write transaction on it has begun; it is thrown away with the last reference.
    fn temporary_btree(&self) -> Result<Rc<Btree>, Error>;

    /// An empty temporary file for the runs of a sorter, deleted when it is closed.
    fn temporary_file(&self) -> Result<Arc<dyn File>, Error>;

    /// Bytes that a sorter or hash table may hold in memory before it spills.
    fn memory_budget(&self) -> usize;

    /// Begins the statement's transaction on `db` if needed and checks the schema cookie: a difference is `Error::Schema`.
    fn begin(&self, db: Db, write: u8, check: Option<&SchemaCheck>) -> Result<(), Error>;

    /// Whether [`Host::begin`] has found a database locked, so that the statement may try again.
    fn waits(&self) -> bool {
        false
    }

    /// Opens the statement's own savepoint on every database that it writes.
    fn open_statement_journal(&self) -> Result<(), Error>;

    /// Sets a header meta value; index 1 marks the schema as changed.
    fn set_cookie(&self, db: Db, index: u8, value: u32) -> Result<(), Error>;

    /// Loads the schema rows that match `condition` into the catalog.
    fn parse_schema(&self, db: Db, condition: Option<&str>) -> Result<(), Error>;

    /// Loads the statistics that ANALYZE has written to `db` into the catalog.
    fn load_statistics(&self, _db: Db) -> Result<(), Error> {
        Ok(())
    }

    /// Fails with SQLITE_LOCKED if another statement of the connection reads.
    fn check_no_readers(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Removes a table (0), index (1) or trigger (2) from the catalog.
    fn drop_from_catalog(&self, db: Db, kind: u8, name: &str);

    /// The state of the connection that functions and write instructions use.
    fn state(&self) -> &ConnectionState;

    /// The time in milliseconds since the Julian epoch.
    fn julian_millis(&self) -> i64;

    /// The offset of local time from UTC in seconds, at a time given in seconds since 1970; `None` if it is unknown.
    fn local_offset(&self, unix_seconds: i64) -> Option<i32>;

    /// Fills `bytes` with randomness.
    fn randomness(&self, bytes: &mut [u8]);

    /// Calls the trace hook with a comment, when a trigger or a statement of it begins.
    fn trace_trigger(&self, _comment: &str) {}

    /// Writes to the error log, if there is one.
    fn log(&self, _code: i32, _message: &[u8]) {}

    /// Loads an extension (`load_extension()`); without a file it only checks whether loading is allowed. The error is
    /// a message.
    fn load_extension(&self, _file: Option<&[u8]>, _entry: Option<&[u8]>) -> Result<(), String> {
        Err("not authorized".to_owned())
    }

    /// True when the statement should stop with SQLITE_INTERRUPT. Called every few hundred loop turns.
    fn is_interrupted(&self) -> bool;

    /// Fails if the process exceeds its memory limit.
    fn check_memory(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Whether changes of rows must be reported to [`Host::row_changed`], because a BLOB is open. Called once a run.
    fn watches_rows(&self) -> bool {
        false
    }

    /// Reports that a row of the table with this root has changed or is deleted; without a rowid, all its rows.
    fn row_changed(&self, _db: Db, _root: PageNo, _rowid: Option<i64>) {}

    /// The rows of a table-valued function. An argument is `None` if it is not given. Columns whose bit is not set in
    /// `columns_read` are not read: their values may be anything.
    fn table_rows(
        &self,
        function: &str,
        _arguments: &[Option<ValueRef<'_>>],
        _columns_read: u64,
    ) -> Result<TableRows, Error> {
        Err(Error::unsupported(function))
    }

    /// A virtual table; `None` if it is no longer connected.
    fn virtual_table(&self, _table: VirtualId) -> Option<Rc<dyn VirtualTable>> {
        None
    }

    /// Adds a virtual table to the transaction (xBegin).
    fn begin_virtual(&self, _table: VirtualId) -> Result<(), Error> {
        Err(Error::unsupported("virtual tables"))
    }

    /// CREATE VIRTUAL TABLE: calls xCreate of the module; the table is in the catalog already.
    fn create_virtual(&self, _db: Db, _name: &str) -> Result<(), Error> {
        Err(Error::unsupported("virtual tables"))
    }

    /// DROP TABLE of a virtual table (xDestroy).
    fn destroy_virtual(&self, _db: Db, _name: &str) -> Result<(), Error> {
        Err(Error::unsupported("virtual tables"))
    }

    /// ALTER TABLE RENAME of a virtual table (xRename).
    fn rename_virtual(&self, _db: Db, _name: &str, _to: &str) -> Result<(), Error> {
        Err(Error::unsupported("virtual tables"))
    }

    /// Instructions between two calls of [`Host::progress`]; 0 for none. Called once a step.
    fn progress_interval(&self) -> u32 {
        0
    }

    /// Calls the progress handler: true stops the statement with SQLITE_INTERRUPT.
    fn progress(&self) -> bool {
        false
    }

    /// Whether an update hook (or pre-update hook) is set. Called once a run.
    fn has_update_hook(&self) -> bool;

    /// Calls the pre-update hook before a row changes.
    fn pre_update(&self, _change: &RowChange<'_>) {}

    /// Calls the update hook: `op` is SQLITE_INSERT 18, SQLITE_DELETE 9, SQLITE_UPDATE 23.
    fn update_hook(&self, op: i32, database: &str, table: &str, rowid: i64);

    /// SQL on the connection, for functions and virtual tables.
    fn sql(&self) -> Option<&dyn SqlConnection> {
        None
    }
}

/// The expected schema of one database, which `Transaction` checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaCheck {
    /// Which database.
    pub db: Db,
    /// Its schema cookie at compile time.
    pub cookie: u32,
}
