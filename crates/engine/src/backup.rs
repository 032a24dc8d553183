//! Online backup: copies a database page by page while other connections use it. Also databases as bytes.
//!
//! ```text
//!   step(n)        source: a read transaction for this step   ── n pages ──►  target: one write transaction
//!   between steps  written by its own connection:    those pages are copied again; in memory the copy starts over
//!                  written by another connection:    the copy starts over
//!   the last step  commits the target
//! ```

use std::rc::Rc;
use std::sync::Arc;

use lithe_format::PageNo;
use lithe_format::db_header::{
    CHANGE_COUNTER_AT, HEADER_LEN, Meta, PAGE_COUNT_AT, READ_VERSION_AT, VERSION_VALID_FOR_AT, WRITE_VERSION_AT,
};
use lithe_pager::{BeginKind, ChangeLog, JournalMode, OpenOptions, Pager};
use lithe_sql::ast::Name;
use lithe_vfs::{MemoryVfs, ResultCode, Vfs};
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::database::{Database, while_reading};
use crate::error::{Error, Result};
use crate::generation::Generation;

/// A backup under way. The target belongs to the backup from the first step to the last, or until the backup is dropped: statements on
/// the target answer SQLITE_BUSY meanwhile.
pub struct Backup {
    source: Rc<Database>,
    target: Rc<Database>,
    /// Expires the programs of the target's connection.
    target_generation: Generation,
    state: State,
    /// The next page to be copied.
    next: u32,
    /// The number of the source's pages at the last step.
    page_count: u32,
    remaining: u32,
    /// The data version of the source to which the copied pages belong.
    version: u32,
    /// The schema cookie of the target before the backup.
    target_cookie: u32,
    changes: Rc<ChangeLog>,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// The target is not locked yet.
    New,
    Copying,
    Done,
    Failed(Error),
}

/// How far a step of a backup has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupStep {
    /// There are pages left.
    More,
    /// The target is complete and committed.
    Done,
}

impl Backup {
    /// Prepares to copy the database `source_schema` of `source` over the database `target_schema` of `target`.
    pub fn new(target: &Connection, target_schema: &str, source: &Connection, source_schema: &str) -> Result<Backup> {
        if std::ptr::eq(source, target) {
            return Err(Error::generic("source and destination must be distinct"));
        }
        let find = |connection: &Connection, schema: &str| {
            let name = Name::new(schema.as_bytes());
            connection.databases.get(connection.catalog().database(name)?)
        };
        let (source_database, target_database) = (find(source, source_schema)?, find(target, target_schema)?);
        if target_database.btree().pager().is_reading() || target_database.is_backup_target.replace(true) {
            return Err(Error::generic("destination database is in use"));
        }
        let changes = source_database.btree().pager().log_changes();
        source_database.backups.set(source_database.backups.get() + 1);
        Ok(Backup {
            source: source_database,
            target: target_database,
            target_generation: target.generation.clone(),
            state: State::New,
            next: 1,
            page_count: 0,
            remaining: 0,
            version: 0,
            target_cookie: 0,
            changes,
        })
    }

    /// Copies up to `pages` pages; all that are left when it is negative.
    ///
    /// # Errors
    /// SQLITE_BUSY and SQLITE_LOCKED if another connection holds a conflicting lock: the step can be tried again. After
    /// any other error the backup cannot continue.
    pub fn step(&mut self, pages: i32) -> Result<BackupStep> {
        match &self.state {
            State::Done => return Ok(BackupStep::Done),
            State::Failed(error) => return Err(error.clone()),
            State::New | State::Copying => {}
        }
        let stepped = self.try_step(pages);
        if let Err(error) = &stepped
            && !matches!(error.code().primary(), ResultCode::BUSY | ResultCode::LOCKED)
        {
            self.state = State::Failed(error.clone());
        }
        stepped
    }

    /// The number of pages that were left when the last step ended.
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// The number of the source's pages when the last step ended.
    pub fn page_count(&self) -> u32 {
        self.page_count
    }

    /// Ends the backup; an incomplete backup leaves the target as it was. Returns the error that stopped the backup.
    pub fn finish(self) -> Result<()> {
        match &self.state {
            State::Failed(error) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn try_step(&mut self, pages: i32) -> Result<BackupStep> {
        let source = Rc::clone(self.source.btree());
        let source = source.pager();
        if source.is_writing() {
            return Err(Error::from_code(ResultCode::BUSY));
        }
        while_reading(source, || self.step_on_snapshot(source, pages))
    }

    fn step_on_snapshot(&mut self, source: &Pager, pages: i32) -> Result<BackupStep> {
        if self.state == State::Copying && !self.is_shaped_as(source) {
            // The source has another page size now, so the pages copied so far cannot be used.
            self.target.btree().pager().end_read()?;
            self.state = State::New;
        }
        if self.state == State::New {
            self.lock_target(source)?;
            self.version = source.data_version();
            self.next = 1;
            self.changes.take();
            self.state = State::Copying;
        }
        self.catch_up(source)?;
        let count = source.page_count();
        let end = u32::try_from(pages).map_or(count, |pages| count.min((self.next - 1).saturating_add(pages)));
        for no in self.next..=end {
            self.copy(source, no)?;
        }
        assert!(self.state == State::Copying && self.next > 0, "pages are copied once the target is locked");
        source.check_mapping()?;
        self.next = self.next.max(end + 1);
        self.page_count = count;
        self.remaining = (count + 1).saturating_sub(self.next);
        assert!(self.remaining <= count, "more pages are left than there are");
        if self.remaining > 0 {
            return Ok(BackupStep::More);
        }
        self.complete(source)?;
        self.state = State::Done;
        Ok(BackupStep::Done)
    }

    /// Whether the target's page size is the source's.
    fn is_shaped_as(&self, source: &Pager) -> bool {
        let target = self.target.btree().pager();
        (target.page_size(), target.reserved()) == (source.page_size(), source.reserved())
    }

    /// Takes the target's write lock, and gives it the source's page size.
    fn lock_target(&mut self, source: &Pager) -> Result<()> {
        let target = Rc::clone(self.target.btree());
        let target = target.pager();
        assert!(self.target.is_backup_target.get() && self.state == State::New, "the target is this backup's");
        if target.is_reading() {
            return Err(Error::from_code(ResultCode::BUSY));
        }
        self.target.is_locked_by_backup.set(true);
        let locked = self.take_lock(source, target);
        if locked.is_err() {
            target.end_read()?;
            self.target.is_locked_by_backup.set(false);
        }
        locked
    }

    fn take_lock(&mut self, source: &Pager, target: &Pager) -> Result<()> {
        let (size, reserved) = (source.page_size(), source.reserved());
        target.begin_read()?;
        if target.page_count() == 0 {
            target.set_page_size(size, reserved);
        }
        target.end_read()?;
        target.begin_write(BeginKind::Exclusive)?;
        self.shape_target(source)
    }

    fn shape_target(&mut self, source: &Pager) -> Result<()> {
        self.target_cookie = self.target.schema_cookie()?;
        if self.is_shaped_as(source) || self.target.btree().pager().reshape(source.page_size(), source.reserved())? {
            return Ok(());
        }
        Err(Error::from_code(ResultCode::READONLY))
    }

    /// Copies again what was written to the source since the last step.
    fn catch_up(&mut self, source: &Pager) -> Result<()> {
        let changed = self.changes.take();
        if source.data_version() != self.version {
            self.version = source.data_version();
            self.next = 1;
            return Ok(());
        }
        let Some(changed) = changed else {
            self.next = 1;
            return Ok(());
        };
        // As in SQLite, a database in memory is copied from its start again.
        if source.path().is_none() && !changed.is_empty() {
            self.next = 1;
            return Ok(());
        }
        for no in changed.range(1..self.next).filter(|no| **no <= source.page_count()) {
            self.copy(source, *no)?;
        }
        self.next = self.next.min(source.page_count() + 1);
        Ok(())
    }

    fn copy(&self, source: &Pager, no: u32) -> Result<()> {
        let target = self.target.btree().pager();
        debug_assert!(no <= source.page_count(), "a page is copied that the source does not have");
        if let Some(no) = PageNo::new(no).filter(|no| *no != source.page_size().lock_byte_page()) {
            target.new_page(no)?.copy_from_slice(&source.page(no)?);
        }
        Ok(())
    }

    /// All pages are copied: sets the target's size, its mark of the journal mode, and a schema cookie that differs
    /// from the target's old one, so that every connection reads the schema again.
    fn complete(&self, source: &Pager) -> Result<()> {
        let btree = self.target.btree();
        let target = btree.pager();
        assert!(self.remaining == 0 && self.next > source.page_count(), "a page was not copied");
        assert!(
            target.is_writing() && self.is_shaped_as(source),
            "the target is written, in pages of the source's size"
        );
        target.set_page_count(source.page_count())?;
        if source.page_count() == 0 {
            btree.initialise()?;
        } else {
            btree.set_meta(Meta::SchemaCookie, self.target_cookie.wrapping_add(1))?;
            if target.journal_mode() == JournalMode::Wal {
                const WAL: u8 = 2;
                let mut first = target.write(PageNo::FIRST)?;
                [first[WRITE_VERSION_AT], first[READ_VERSION_AT]] = [WAL, WAL];
            }
        }
        target.commit()?;
        target.end_read()?;
        self.target.set_loaded(false);
        self.target_generation.change_schema();
        self.target.is_locked_by_backup.set(false);
        Ok(())
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        if self.target.is_locked_by_backup.replace(false) {
            // An uncommitted backup is rolled back. A destructor has no caller that could take an error.
            let _ = self.target.btree().pager().end_read();
        }
        self.target.is_backup_target.set(false);
        self.source.backups.set(self.source.backups.get().saturating_sub(1));
    }
}

/// The database `schema` as the bytes of its file.
pub(crate) fn serialize(connection: &Connection, schema: &str) -> Result<Vec<u8>> {
    let db = connection.catalog().database(Name::new(schema.as_bytes()))?;
    let database = connection.databases.get(db)?;
    let pager = database.btree().pager();
    while_reading(pager, || image(pager))
}

/// See `Connection::deserialize`.
pub(crate) fn deserialize(connection: &Connection, schema: &str, bytes: &[u8], how: Deserialize) -> Result<()> {
    let db = connection.catalog().find_database(Name::new(schema.as_bytes())).filter(|db| *db != Db::TEMP);
    let Some(db) = db else { return Err(Error::from_code(ResultCode::ERROR)) };
    let database = connection.databases.get(db)?;
    let is_busy = database.opened().is_some_and(|btree| btree.pager().is_reading());
    if is_busy || database.is_backup_target.get() {
        return Err(Error::from_code(ResultCode::BUSY));
    }
    let fresh = Database::with_pager(open_image(bytes, how)?, &connection.busy);
    fresh.is_image.set(true);
    fresh.size_max.set(how.size_max(bytes.len()));
    connection.databases.settings.apply_to(fresh.btree());
    connection.kept_tables.clear();
    connection.databases.replace(db, fresh);
    Ok(())
}

/// The properties of a database that was made from bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deserialize {
    /// The database is read-only.
    pub read_only: bool,
    /// The database may grow.
    pub resizeable: bool,
    /// How many bytes the database may have if it is resizeable; `None`: 1 GiB.
    pub size_max: Option<u64>,
}

impl Deserialize {
    /// The largest size in bytes of a database that was made from `len` bytes.
    fn size_max(self, len: usize) -> u64 {
        if self.resizeable { self.size_max.unwrap_or(SIZE_MAX) } else { len as u64 }
    }
}

/// The largest size in bytes of a resizeable database.
const SIZE_MAX: u64 = 1 << 30;

fn image(pager: &Pager) -> Result<Vec<u8>> {
    let page_size = pager.page_size();
    let len = page_size.bytes().checked_mul(pager.page_count() as usize);
    let mut bytes = Vec::new();
    let len = len.filter(|len| bytes.try_reserve_exact(*len).is_ok());
    let len = len.ok_or_else(|| Error::from_code(ResultCode::NOMEM))?;
    for no in (1..=pager.page_count()).filter_map(PageNo::new) {
        if no == page_size.lock_byte_page() {
            bytes.resize(bytes.len() + page_size.bytes(), 0);
        } else {
            bytes.extend_from_slice(&pager.page(no)?);
        }
    }
    debug_assert_eq!(bytes.len(), len);
    state_page_count(&mut bytes, pager.page_count());
    Ok(bytes)
}

/// Writes the page count into the header, because a database in memory does not keep it there, and marks it as valid.
fn state_page_count(image: &mut [u8], count: u32) {
    let Some(header) = image.first_chunk_mut::<HEADER_LEN>() else { return };
    header[PAGE_COUNT_AT..][..4].copy_from_slice(&count.to_be_bytes());
    header.copy_within(CHANGE_COUNTER_AT..CHANGE_COUNTER_AT + 4, VERSION_VALID_FOR_AT);
}

fn open_image(bytes: &[u8], how: Deserialize) -> Result<Pager> {
    let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
    let path = std::path::Path::new("/image");
    let flags = lithe_vfs::OpenFlags::MAIN_DB | lithe_vfs::OpenFlags::READWRITE | lithe_vfs::OpenFlags::CREATE;
    let file = vfs.open(Some(path), flags).map_err(lithe_pager::Error::from)?.file;
    file.write_at(bytes, 0).map_err(lithe_pager::Error::from)?;
    let options = OpenOptions { read_only: how.read_only, ..OpenOptions::default() };
    let pager = Pager::open(vfs, path, &options)?;
    pager.set_journal_mode(JournalMode::Memory)?;
    // If the bytes are no database, the first statement fails.
    let _ = pager.set_bytes_max(how.size_max(bytes.len()));
    Ok(pager)
}
