//! What running programs ask of the connection.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lithe_btree::Btree;
use lithe_format::PageNo;
use lithe_functions::{RowChange, RowOperation, SqlConnection};
use lithe_pager::CacheSize;
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vfs::{File, OpenFlags, ResultCode};
use lithe_vm::error::Error as VmError;
use lithe_vm::facts::ConnectionFacts;
use lithe_vm::host::{Host, TableRows};
use lithe_vm::operand::{Db, VirtualId};
use lithe_vm::program::SchemaCheck;
use lithe_vm::virtual_table::VirtualTable;

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::error::Error;

/// See [`fail_local_time`].
static LOCAL_TIME_FAILS: AtomicBool = AtomicBool::new(false);

/// For tests: makes all connections of the process behave as if the rules of local time could not be read.
pub fn fail_local_time(on: bool) {
    LOCAL_TIME_FAILS.store(on, Ordering::Relaxed);
}

/// Bytes that one sorter or hash table may take before it goes to a temporary file, if nobody has set `cache_size`: pages that
/// are read take no memory of ours, so memory is free.
const TEMPORARY_MEMORY: usize = 16 << 20;
/// The share of `cache_size`, if somebody has set it: the dirty pages of a transaction take all of it, and several sorters
/// and tables may be in use beside them.
const TEMPORARY_SHARE: usize = 4;
/// Up to so much, a small cache may be taken as a whole.
const TEMPORARY_MEMORY_SMALL: usize = 1 << 20;
/// However small the cache, so much is worth its while.
const TEMPORARY_MEMORY_MIN: usize = 256 << 10;

/// One running statement's view of its connection.
pub(crate) struct RunHost<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) run: &'c StatementRun,
}

impl RunHost<'_> {
    /// What `cache_size` of the main database says, if somebody has set it.
    fn cache_bytes(&self) -> Option<usize> {
        let main = self.connection.database(Db::MAIN).ok()?;
        let pager = main.btree().pager();
        let size = Some(pager.cache_size()).filter(|size| *size != CacheSize::default())?;
        Some(size.pages(pager.page_size()) * pager.page_size().get() as usize)
    }
}

impl Host for RunHost<'_> {
    fn btree(&self, db: Db) -> Result<Rc<Btree>, VmError> {
        Ok(self.connection.btree(db)?)
    }

    fn temporary_btree(&self) -> Result<Rc<Btree>, VmError> {
        let cache = self.cache_bytes().map(|_| CacheSize::KiB((self.memory_budget() >> 10) as u32));
        Ok(crate::database::temporary_btree(self.connection.temporary_files(), cache)?)
    }

    fn temporary_file(&self) -> Result<Arc<dyn File>, VmError> {
        let flags = OpenFlags::TEMP_JOURNAL | OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::DELETEONCLOSE;
        Ok(self.connection.vfs.open(None, flags)?.file)
    }

    fn memory_budget(&self) -> usize {
        if self.connection.temporary_files().is_none() {
            return usize::MAX;
        }
        let Some(cache) = self.cache_bytes() else { return TEMPORARY_MEMORY };
        (cache / TEMPORARY_SHARE).max(cache.min(TEMPORARY_MEMORY_SMALL)).max(TEMPORARY_MEMORY_MIN)
    }

    fn begin(&self, db: Db, write: u8, check: Option<&SchemaCheck>) -> Result<(), VmError> {
        let database = self.connection.database(db)?;
        self.connection.begin_on_database(db, &database, write != 0, self.run)?;
        match check {
            Some(check) if database.schema_cookie()? != check.cookie => {
                self.connection.forget_schema(db);
                Err(VmError::Schema)
            }
            _ => Ok(()),
        }
    }

    fn auto_commit(&self, on: bool, rollback: bool) -> Result<(), VmError> {
        match (on, rollback) {
            (false, _) => Ok(self.connection.begin()?),
            (true, false) => Ok(self.connection.commit()?),
            (true, true) => Ok(self.connection.rollback()?),
        }
    }

    fn savepoint(&self, op: u8, name: &str) -> Result<(), VmError> {
        match op {
            0 => Ok(self.connection.savepoint(name)?),
            1 => Ok(self.connection.release(name)?),
            _ => Ok(self.connection.rollback_to(name)?),
        }
    }

    fn open_statement_journal(&self) -> Result<(), VmError> {
        Ok(self.connection.open_statement_savepoint(self.run)?)
    }

    fn set_cookie(&self, db: Db, index: u8, value: u32) -> Result<(), VmError> {
        self.connection.set_cookie(db, index, value)?;
        if db == Db::TEMP && index == 1 {
            self.connection.facts.expire_running();
        }
        Ok(())
    }

    fn parse_schema(&self, db: Db, condition: Option<&str>) -> Result<(), VmError> {
        Ok(self.connection.parse_schema(db, condition)?)
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

    fn facts(&self) -> &ConnectionFacts {
        &self.connection.facts
    }

    fn julian_millis(&self) -> i64 {
        self.connection.vfs.julian_millis()
    }

    fn local_offset(&self, unix_seconds: i64) -> Option<i32> {
        if LOCAL_TIME_FAILS.load(Ordering::Relaxed) {
            return None;
        }
        let at = jiff::Timestamp::from_second(unix_seconds).ok()?;
        Some(jiff::tz::TimeZone::system().to_offset(at).seconds())
    }

    fn randomness(&self, bytes: &mut [u8]) {
        self.connection.random.fill(&*self.connection.vfs, bytes);
    }

    fn trace_trigger(&self, comment: &str) {
        self.connection.trace_trigger(comment);
    }

    fn log(&self, code: i32, message: &[u8]) {
        lithe_vfs::log_error(code, message);
    }

    fn load_extension(&self, file: Option<&[u8]>, entry: Option<&[u8]>) -> Result<(), String> {
        let loader = self.connection.hooks.extension_loader().ok_or("not authorized")?;
        file.map_or(Ok(()), |file| loader(file, entry))
    }

    fn is_interrupted(&self) -> bool {
        self.connection.interrupts.is_set()
    }

    fn check_memory(&self) -> Result<(), VmError> {
        Ok(self.connection.check_memory()?)
    }

    fn pre_update(&self, change: &RowChange<'_>) {
        self.connection.tell_preupdate_hooks(change);
    }

    fn has_update_hook(&self) -> bool {
        self.connection.has_update_hook()
    }

    fn update_hook(&self, op: i32, database: &str, table: &str, rowid: i64) {
        let change = RowOperation::from_number(op).unwrap_or(RowOperation::Update);
        self.connection.tell_update_hook(change, database, table, rowid);
    }

    fn watches_rows(&self) -> bool {
        !self.connection.row_watches.is_empty()
    }

    fn row_changed(&self, db: Db, root: PageNo, rowid: Option<i64>) {
        self.connection.row_watches.row_changed(db, root, rowid, self.connection.transaction.rollbacks());
    }

    fn table_rows(&self, function: &str, arguments: &[Option<ValueRef<'_>>]) -> Result<TableRows, VmError> {
        Ok(self.connection.table_functions.rows(self.connection, self.run, function, arguments)?)
    }

    fn virtual_table(&self, table: VirtualId) -> Option<Rc<dyn VirtualTable>> {
        self.connection.virtual_tables.connected.get(table.0)
    }

    fn begin_virtual(&self, table: VirtualId) -> Result<(), VmError> {
        Ok(self.connection.begin_virtual(table)?)
    }

    fn create_virtual(&self, db: Db, name: &str) -> Result<(), VmError> {
        Ok(self.connection.create_virtual(db, Name::new(name.as_bytes()))?)
    }

    fn destroy_virtual(&self, db: Db, name: &str) -> Result<(), VmError> {
        Ok(self.connection.destroy_virtual(db, Name::new(name.as_bytes()))?)
    }

    fn rename_virtual(&self, db: Db, name: &str, to: &str) -> Result<(), VmError> {
        Ok(self.connection.rename_virtual(db, Name::new(name.as_bytes()), to)?)
    }

    fn progress_interval(&self) -> u32 {
        self.connection.progress_interval()
    }

    fn progress(&self) -> bool {
        self.connection.ask_progress_handler()
    }

    fn sql(&self) -> Option<&dyn SqlConnection> {
        Some(self.connection)
    }
}

/// An engine error passes through the machine and comes out as itself.
impl From<Error> for VmError {
    fn from(error: Error) -> VmError {
        if error.code() == ResultCode::SCHEMA {
            return VmError::Schema;
        }
        VmError::with_detail(error.code(), error.message(), error.detail().map(Into::into))
    }
}

impl From<VmError> for Error {
    fn from(error: VmError) -> Error {
        match error {
            VmError::Store(error) => Error::from(*error),
            VmError::Failed(failure) => Error::new(failure.code, failure.message).because(failure.detail),
            VmError::File(error) => {
                let detail = Some(error.detail().to_string().into());
                Error::from_code(error.code()).because(detail).with_errno(error.errno())
            }
            error => Error::new(error.code(), error.to_string()),
        }
    }
}

impl From<lithe_btree::Error> for Error {
    fn from(error: lithe_btree::Error) -> Error {
        let errno = match &error {
            lithe_btree::Error::Io(error) => error.errno(),
            _ => None,
        };
        let plain = Error::from_code(error.code()).with_errno(errno);
        plain.because(match error {
            lithe_btree::Error::Io(error) => Some(error.detail().to_string().into()),
            lithe_btree::Error::Corrupt { page: Some(page), what } => Some(format!("page {page}: {what}").into()),
            lithe_btree::Error::Corrupt { page: None, what } => Some(what.into()),
            _ => None,
        })
    }
}
