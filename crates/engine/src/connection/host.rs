//! The connection as running programs see it.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lithe_btree::Btree;
use lithe_catalog::NewObject;
use lithe_format::PageNo;
use lithe_functions::{RowChange, RowOperation, SqlConnection};
use lithe_pager::CacheSize;
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vfs::{File, OpenFlags, ResultCode};
use lithe_vm::connection_state::ConnectionState;
use lithe_vm::error::Error as VmError;
use lithe_vm::host::{Host, TableRows};
use lithe_vm::operand::{Db, VirtualId};
use lithe_vm::program::SchemaCheck;
use lithe_vm::virtual_table::VirtualTable;

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::database::Database;
use crate::error::Error;

/// See [`fail_local_time`].
static LOCAL_TIME_FAILS: AtomicBool = AtomicBool::new(false);

/// For tests: makes all connections of the process behave as if the rules of local time could not be read.
pub fn fail_local_time(on: bool) {
    LOCAL_TIME_FAILS.store(on, Ordering::Relaxed);
}

/// Bytes that one sorter or hash table may take before it spills to a temporary file, unless `cache_size` was set. The
/// value is generous because pages that are read take no memory of the cache.
const TEMPORARY_MEMORY: usize = 16 << 20;
/// The share of `cache_size` that a sorter or table gets, if it was set: the dirty pages of a transaction may take all
/// of it, and several sorters and tables may be in use beside them.
const TEMPORARY_SHARE: usize = 4;
/// A cache of at most this size is given to a sorter or table as a whole.
const TEMPORARY_MEMORY_SMALL: usize = 1 << 20;
/// A sorter or table gets at least this much, however small the cache is.
const TEMPORARY_MEMORY_MIN: usize = 256 << 10;

/// One running statement's view of its connection.
pub(crate) struct RunHost<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) run: &'c StatementRun,
}

impl RunHost<'_> {
    /// The size that PRAGMA cache_size has set for the main database, in bytes.
    fn cache_bytes(&self) -> Option<usize> {
        let main = self.connection.databases.get(Db::MAIN).ok()?;
        let pager = main.btree().pager();
        let size = Some(pager.cache_size()).filter(|size| *size != CacheSize::default())?;
        Some(size.pages(pager.page_size()) * pager.page_size().get() as usize)
    }

    /// The usual beginning of a statement within a transaction: the database is read or written already, with the schema that the program
    /// was compiled for, and nothing forbids to go on. False, and nothing has happened, if that is not so.
    #[inline]
    fn begun_already(&self, database: &Database, write: bool, check: Option<&SchemaCheck>) -> bool {
        let (connection, run) = (self.connection, self.run);
        let Some(btree) = database.opened().filter(|_| database.is_private()) else { return false };
        let goes_on = if write { connection.writes_on(btree.pager()) } else { connection.reads_on(btree.pager()) };
        let has_schema = |check: &SchemaCheck| !run.is_stale.get() && btree.has_schema_cookie(check.cookie);
        if !goes_on || !check.is_none_or(has_schema) {
            return false;
        }
        connection.note_user(run);
        if write {
            connection.note_writer(run);
        }
        true
    }

    #[inline(never)]
    fn begin_on(&self, db: Db, write: bool, check: Option<&SchemaCheck>) -> Result<(), VmError> {
        let database = self.connection.databases.get(db)?;
        self.connection.begin_on_database(&database, write, self.run).map_err(|e| self.run.failed(e, true))?;
        if write && self.connection.transaction.active_count() == 1 {
            database.btree().pager().begin_statement_alone()?;
        }
        match check {
            Some(check) if database.schema_cookie()? != check.cookie => {
                // The connection may have the schema of the file, and only the program another one.
                if database.schema_cookie()? != self.connection.catalog().schema(db).cookie {
                    if write {
                        let locked = self.connection.lock_to_load_schema(&database, self.run);
                        *self.run.late_error.borrow_mut() = locked.err();
                    }
                    self.connection.databases.forget_schema(db);
                }
                Err(VmError::Schema)
            }
            // The connection knows already that the schema is another one.
            Some(_) if self.run.is_stale.get() => Err(VmError::Schema),
            _ => Ok(()),
        }
    }
}

impl Host for RunHost<'_> {
    fn btree(&self, db: Db) -> Result<Rc<Btree>, VmError> {
        Ok(self.connection.databases.btree(db)?)
    }

    fn temporary_btree(&self) -> Result<Rc<Btree>, VmError> {
        let cache = self.cache_bytes().map(|_| CacheSize::KiB((self.memory_budget() >> 10) as u32));
        Ok(crate::database::temporary_btree(self.connection.databases.temporary_files(), cache)?)
    }

    fn temporary_file(&self) -> Result<Arc<dyn File>, VmError> {
        let flags = OpenFlags::TEMP_JOURNAL | OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::DELETEONCLOSE;
        Ok(self.connection.databases.vfs().open(None, flags)?.file)
    }

    fn memory_budget(&self) -> usize {
        if self.connection.databases.temporary_files().is_none() {
            return usize::MAX;
        }
        let Some(cache) = self.cache_bytes() else { return TEMPORARY_MEMORY };
        (cache / TEMPORARY_SHARE).max(cache.min(TEMPORARY_MEMORY_SMALL)).max(TEMPORARY_MEMORY_MIN)
    }

    fn begin(&self, db: Db, write: u8, check: Option<&SchemaCheck>) -> Result<(), VmError> {
        if self.connection.databases.look(db, |database| self.begun_already(database, write != 0, check)) {
            return Ok(());
        }
        self.begin_on(db, write != 0, check)
    }

    fn waits(&self) -> bool {
        self.run.waits.get()
    }

    fn open_statement_journal(&self) -> Result<(), VmError> {
        Ok(self.connection.open_statement_savepoint(self.run)?)
    }

    fn set_cookie(&self, db: Db, index: u8, value: u32) -> Result<(), VmError> {
        self.connection.set_cookie(db, index, value)?;
        if db == Db::TEMP && index == 1 {
            self.connection.expire_other_statements(self.run);
        }
        Ok(())
    }

    fn parse_schema(&self, db: Db, condition: Option<&str>) -> Result<(), VmError> {
        let unknown = || VmError::from(Error::from_code(ResultCode::INTERNAL));
        let object = condition.map(|condition| NewObject::parse(condition).ok_or_else(unknown)).transpose()?;
        Ok(self.connection.parse_schema(db, object)?)
    }

    fn load_statistics(&self, db: Db) -> Result<(), VmError> {
        Ok(self.connection.load_statistics(db)?)
    }

    fn check_no_readers(&self) -> Result<(), VmError> {
        Ok(self.connection.check_no_readers()?)
    }

    fn drop_from_catalog(&self, db: Db, kind: u8, name: &str) {
        self.connection.drop_from_catalog(db, kind, name);
    }

    fn state(&self) -> &ConnectionState {
        &self.connection.state
    }

    fn julian_millis(&self) -> i64 {
        self.connection.databases.vfs().julian_millis()
    }

    fn local_offset(&self, unix_seconds: i64) -> Option<i32> {
        if LOCAL_TIME_FAILS.load(Ordering::Relaxed) {
            return None;
        }
        lithe_vfs::local_offset(unix_seconds)
    }

    fn randomness(&self, bytes: &mut [u8]) {
        self.connection.random.fill(&**self.connection.databases.vfs(), bytes);
    }

    fn trace_trigger(&self, comment: &str) {
        self.connection.hooks.call_trigger_trace(comment);
    }

    fn log(&self, code: i32, message: &[u8]) {
        lithe_vfs::log_error(code, message);
    }

    fn load_extension(&self, file: Option<&[u8]>, entry: Option<&[u8]>) -> Result<(), String> {
        let loader = self.connection.hooks.loader()?;
        file.map_or(Ok(()), |file| loader(file, entry))
    }

    fn is_interrupted(&self) -> bool {
        self.connection.interrupts.is_set()
    }

    fn check_memory(&self) -> Result<(), VmError> {
        Ok(self.connection.check_memory()?)
    }

    fn pre_update(&self, change: &RowChange<'_>) {
        self.connection.hooks.preupdate.call(self.connection, change);
    }

    fn has_update_hook(&self) -> bool {
        self.connection.hooks.update.is_set()
    }

    fn update_hook(&self, op: i32, database: &str, table: &str, rowid: i64) {
        let change = RowOperation::from_number(op).unwrap_or(RowOperation::Update);
        self.connection.hooks.call_update_hook(change, database, table, rowid);
    }

    fn watches_rows(&self) -> bool {
        !self.connection.row_watches.is_empty()
    }

    fn row_changed(&self, db: Db, root: PageNo, rowid: Option<i64>) {
        self.connection.row_watches.row_changed(db, root, rowid, self.connection.transaction.rollbacks());
    }

    fn table_rows(
        &self,
        function: &str,
        arguments: &[Option<ValueRef<'_>>],
        columns_read: u64,
    ) -> Result<TableRows, VmError> {
        Ok(self.connection.table_functions.rows(self.connection, self.run, function, (arguments, columns_read))?)
    }

    fn virtual_table(&self, table: VirtualId) -> Option<Rc<dyn VirtualTable>> {
        self.connection.virtual_tables.connected.get_to_run(table.0)
    }

    fn begin_virtual(&self, table: VirtualId) -> Result<(), VmError> {
        let connection = self.connection;
        Ok(connection.virtual_tables.begin(connection, table, connection.virtual_savepoints())?)
    }

    fn create_virtual(&self, db: Db, name: &str) -> Result<(), VmError> {
        let connection = self.connection;
        let (name, savepoints) = (Name::new(name.as_bytes()), connection.virtual_savepoints());
        Ok(connection.virtual_tables.create(connection.module_context(), db, name, savepoints)?)
    }

    fn destroy_virtual(&self, db: Db, name: &str) -> Result<(), VmError> {
        let name = Name::new(name.as_bytes());
        Ok(self.connection.virtual_tables.destroy(self.connection.module_context(), db, name)?)
    }

    fn rename_virtual(&self, db: Db, name: &str, to: &str) -> Result<(), VmError> {
        let name = Name::new(name.as_bytes());
        Ok(self.connection.virtual_tables.rename(self.connection.module_context(), db, name, to)?)
    }

    fn progress_interval(&self) -> u32 {
        self.connection.hooks.progress_interval()
    }

    fn progress(&self) -> bool {
        self.connection.hooks.call_progress_handler()
    }

    fn sql(&self) -> Option<&dyn SqlConnection> {
        Some(self.connection)
    }
}
