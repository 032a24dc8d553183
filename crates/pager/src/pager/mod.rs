//! The pager: one connection's handle of one database. It decides the order of all steps; the modules that carry them
//! out lie below it.
//!
//! | module | subject |
//! | --- | --- |
//! | `state` | the states of the pager and of a transaction |
//! | `transaction` | beginning and ending to read and to write |
//! | `read` | pages: the hot path |
//! | `write` | private copies of pages |
//! | `in_place` | small changes to pages that were written before |
//! | `spill` | pages that leave memory before the commit |
//! | `commit` | commit, rollback, savepoints, `BEGIN CONCURRENT` |
//! | `shared` | what connections of a shared cache see of each other |
//! | `settings` | what pragmas and the application set, journal modes, checkpoints |
//! | `page_holders` | the readers that hold mapped pages while a commit changes them |
//! | `change_log` | which pages commits change, for backups |
//!
//! `state` draws the states of a pager and of its transaction, and asserts what holds in each.

mod change_log;
mod commit;
mod in_place;
mod page_holders;
mod read;
mod settings;
mod shared;
mod spill;
mod state;
mod transaction;
mod write;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lithe_format::PageSize;
use lithe_format::db_header::{DbHeader, HEADER_LEN};
use lithe_vfs::{FileEvent, Links, OpenFlags, ResultCode, Vfs};

pub use self::change_log::ChangeLog;
use self::change_log::ChangeLogs;
pub use self::in_place::PageInPlace;
pub use self::page_holders::{PageHolder, PageHolders};
pub use self::read::Head;
use self::state::State;
pub use self::write::PageMut;
use crate::concurrent::Concurrent;
use crate::counts::{Counts, PageCounter};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::file_store::{FileStore, JOURNAL_SUFFIX};
use crate::memory::MemoryStore;
use crate::options::{JournalMode, OpenOptions};
use crate::page_ref::{Epoch, PageRef};
use crate::read_ahead::ReadAhead;
use crate::settings::Settings;
use crate::shared_cache::{Member, OwnTxn};
use crate::snapshot::{ChangeCounter, Shape, View};
use crate::write_txn::Pending;

/// One connection's handle of one database: its transaction, its private copies, its settings.
///
/// Used through `&self`: user functions may re-enter a connection while a statement runs. No
/// borrow of a cell is held while anything outside this crate runs.
pub struct Pager {
    view: View,
    state: Cell<State>,
    txn: OwnTxn,
    store: Store,
    settings: Rc<Settings>,
    changes: ChangeCounter,
    concurrent: Concurrent,
    /// The connection's part of a shared cache; empty in nearly all connections.
    member: Member,
    read_ahead: ReadAhead,
    change_logs: ChangeLogs,
    counts: Counts,
    page_holders: Rc<PageHolders>,
    /// Why this transaction can only be rolled back.
    failure: RefCell<Option<Error>>,
}

/// Where the committed pages are.
#[derive(Debug)]
enum Store {
    Memory(MemoryStore),
    File(Box<FileStore>),
}

impl Pager {
    /// Opens the database file at `path`.
    pub fn open(vfs: Arc<dyn Vfs>, path: &Path, options: &OpenOptions) -> Result<Pager> {
        let links = if options.no_follow { Links::Refuse } else { Links::Follow };
        let path = vfs.full_path(path, links)?;
        if path.as_os_str().len().saturating_add(JOURNAL_SUFFIX.len()) > vfs.path_max() {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        let mut flags = OpenFlags::MAIN_DB;
        flags = flags | if options.read_only { OpenFlags::READONLY } else { OpenFlags::READWRITE };
        if options.create && !options.read_only {
            flags = flags | OpenFlags::CREATE;
        }
        if options.torn_sectors {
            flags = flags | OpenFlags::TORN_SECTORS;
        }
        if options.read_only_shm {
            flags = flags | OpenFlags::READONLY_SHM;
        }
        if options.no_follow {
            flags = flags | OpenFlags::NOFOLLOW;
        }
        let opened = vfs.open(Some(&path), flags)?;
        let database = Database::of_file(&*opened.file);
        let settings = Rc::new(Settings::new(options));
        let store = FileStore::new(vfs, path, opened, database, Rc::clone(&settings), options);
        let pager = Pager::with_store(Store::File(Box::new(store)), settings, options);
        pager.read_header_to_open()?;
        Ok(pager)
    }

    /// Reads the header when the database is opened, because a connection that reads the header as part of page 1 has
    /// to know the page size.
    fn read_header_to_open(&self) -> Result<()> {
        let Store::File(store) = &self.store else { return Ok(()) };
        if store.calls.reads_header_alone {
            return Ok(());
        }
        let mut bytes = [0; HEADER_LEN];
        store.file.read_at(&mut bytes, 0)?;
        if let Ok(header) = DbHeader::read(&bytes) {
            self.view.set_shape(Shape { page_size: header.page_size, reserved: header.reserved });
            store.access.had_header.set(true);
        }
        Ok(store.file.event(FileEvent::Opened)?)
    }

    /// Opens a new, empty database in memory.
    pub fn open_in_memory(options: &OpenOptions) -> Pager {
        let pager = Pager::with_memory(MemoryStore::new(None, options.read_only), options);
        pager.settings.journal_mode.set(JournalMode::Memory);
        pager
    }

    /// Opens a new, empty database that is deleted when it is closed: in memory up to the cache size, in a temporary
    /// file beyond.
    pub fn open_temporary(vfs: Arc<dyn Vfs>, options: &OpenOptions) -> Pager {
        Pager::with_memory(MemoryStore::new(Some(vfs), options.read_only), options)
    }

    fn with_memory(store: MemoryStore, options: &OpenOptions) -> Pager {
        Pager::with_store(Store::Memory(store), Rc::new(Settings::new(options)), options)
    }

    fn with_store(store: Store, settings: Rc<Settings>, options: &OpenOptions) -> Pager {
        // The first read of a file's state counts as a change.
        let foreign_changes = u32::from(matches!(store, Store::Memory(_)));
        Pager {
            view: View::new(Shape { page_size: options.page_size, reserved: 0 }, Epoch::first()),
            state: Cell::new(State::Idle),
            txn: OwnTxn::default(),
            store,
            settings,
            changes: ChangeCounter::new(foreign_changes),
            concurrent: Concurrent::default(),
            member: Member::default(),
            read_ahead: ReadAhead::new(),
            change_logs: ChangeLogs::default(),
            counts: Counts::default(),
            page_holders: Rc::default(),
            failure: RefCell::new(None),
        }
    }

    /// The size of a page.
    #[inline]
    pub fn page_size(&self) -> PageSize {
        self.view.page_size.get()
    }

    /// The bytes at the end of each page that the format does not use.
    #[inline]
    pub fn reserved(&self) -> u8 {
        self.view.reserved.get()
    }

    /// The bytes of a page that the format uses.
    #[inline]
    pub fn usable_size(&self) -> u32 {
        self.page_size().get() - u32::from(self.reserved())
    }

    /// The size of the database in pages, as this transaction sees it; 0 for a database that nothing
    /// has been written to.
    #[inline]
    pub fn page_count(&self) -> u32 {
        self.view.page_count.get()
    }

    /// Sets page size and reserved bytes, if the database is empty: answers whether.
    pub fn set_page_size(&self, size: PageSize, reserved: u8) -> bool {
        let is_fixed = self.page_count() > 0
            || self.is_shape_fixed()
            || matches!(&self.store, Store::File(file) if file.access.had_header.get());
        if is_fixed || self.state.get() == State::Writing || size.usable(reserved).is_none() {
            return false;
        }
        self.view.set_shape(Shape { page_size: size, reserved });
        if let Store::File(file) = &self.store {
            file.tell_mmap_size();
        }
        true
    }

    /// Whether this connection has begun to write the database while it was empty, which decides the page size and the auto-vacuum mode.
    pub fn is_shape_fixed(&self) -> bool {
        self.view.is_shape_fixed.get()
    }

    /// Keeps the page size and the auto-vacuum mode of an empty database as they are.
    pub fn fix_shape(&self) {
        self.view.is_shape_fixed.set(true);
    }

    /// Whether the page size is known without a read of the file: its header was read when it was opened.
    pub fn knows_page_size(&self) -> bool {
        matches!(&self.store, Store::File(file) if !file.calls.reads_header_alone)
    }

    /// Whether a transaction holds a snapshot.
    pub fn is_reading(&self) -> bool {
        self.state.get() != State::Idle
    }

    /// Whether a transaction may write.
    #[inline]
    pub fn is_writing(&self) -> bool {
        self.state.get() == State::Writing
    }

    /// Whether nothing can be written.
    pub fn is_read_only(&self) -> bool {
        match &self.store {
            Store::Memory(memory) => memory.is_read_only(),
            Store::File(file) => file.is_read_only(),
        }
    }

    /// Whether this transaction has changed anything, even if ROLLBACK TO has undone that since.
    pub fn has_changes(&self) -> bool {
        self.txn.borrow().has_undone || self.has_pending()
    }

    /// Whether this transaction has changes that are not undone.
    fn has_pending(&self) -> bool {
        let txn = self.txn.borrow();
        let has_frames =
            matches!(&self.store, Store::File(file) if self.appends_to_log(file) && file.has_spilled_wal());
        let is_resized = txn.pages_before != self.page_count();
        let is_written = txn.dirty.len() > 0 || txn.spill.has_pages() || txn.spill.overwrites;
        is_written || is_resized || has_frames
    }

    /// The path of the database file; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(file) => Some(file.path()),
        }
    }

    /// Changes whenever content that this connection sees may have changed: at every write, rollback, and new snapshot.
    /// Cursors compare it to know whether to revalidate.
    #[inline]
    pub fn write_version(&self) -> u64 {
        self.changes.all()
    }

    /// Changes when another connection has changed the database, and never by this connection's writes.
    pub fn data_version(&self) -> u32 {
        self.changes.foreign()
    }

    /// Whether the bytes of pages do not change until the transaction ends. If not, a commit or a rollback (and nothing else)
    /// of this connection may change them: in rollback mode, where pages are mapped, both write into the mapped file. A holder
    /// of pages registers with the [`Pager::page_holders`] meanwhile.
    #[inline]
    pub fn borrows_are_stable(&self) -> bool {
        match &self.store {
            Store::Memory(_) => true,
            Store::File(file) => file.borrows_are_stable(),
        }
    }

    /// The registry of the readers that hold pages of this database between steps.
    #[inline]
    pub fn page_holders(&self) -> &Rc<PageHolders> {
        &self.page_holders
    }

    /// Makes a page private if it may change with the mapped file. A page that is not intact stays as it is, because it must not
    /// be read anyway.
    pub fn make_private(&self, page: &mut PageRef) {
        if self.is_intact(page) {
            page.own();
        }
    }

    /// Whether the bytes of `page` may be read. Those of a private page always may; those of a mapped page until the transaction
    /// ends, and unless borrows are stable, until a commit.
    #[inline]
    pub fn is_intact(&self, page: &PageRef) -> bool {
        page.is_intact_in(self.view.epoch.get())
    }

    /// Ends the read transaction's epoch: no holder reads its mapped pages any more.
    fn end_epoch(&self) {
        self.view.epoch.set(self.view.epoch.get().next());
    }

    /// Called before mapped bytes change under the snapshot that is held: every holder copies its pages. Fails if a holder is
    /// in the middle of a read and cannot; then nothing may change.
    fn change_mapped_bytes(&self) -> Result<()> {
        self.page_holders.make_all_private(self)?;
        self.end_epoch();
        Ok(())
    }

    /// Opens a log: from now on every commit of this connection adds the numbers of its pages to it.
    pub fn log_changes(&self) -> Rc<ChangeLog> {
        self.change_logs.open()
    }

    /// The value of a counter, which `reset` sets to 0.
    pub fn count(&self, which: PageCounter, reset: bool) -> u64 {
        let of_file = match &self.store {
            Store::Memory(_) => 0,
            Store::File(file) => file.counts.value(which, reset),
        };
        self.counts.value(which, reset) + of_file
    }

    /// About how many bytes of memory pages take: those that this transaction has written, those of a database in memory,
    /// and those that were read from a file that is not mapped.
    pub fn memory_used(&self) -> u64 {
        let stored = match &self.store {
            Store::Memory(memory) => memory.pages_in_memory(),
            Store::File(file) => file.database.pool.len(),
        };
        let dirty = self.txn.borrow().dirty.len();
        (stored + dirty) as u64 * u64::from(self.page_size().get())
    }

    /// Runs `work` with the transaction and its view. `work` must not call the pager.
    fn with_pending<T>(&self, work: impl FnOnce(&Pending<'_>) -> T) -> T {
        work(&Pending { txn: &self.txn.borrow(), view: &self.view })
    }

    /// Runs `attempt` until it answers anything but "busy", as the busy handler says.
    fn retry_while_busy<T>(&self, attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let vfs = match &self.store {
            Store::Memory(_) => None,
            Store::File(file) => Some(&*file.vfs),
        };
        self.settings.retry_while_busy(vfs, attempt)
    }

    /// The database file, unless the database is in memory.
    fn file_store(&self) -> Option<&FileStore> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(file) => Some(file),
        }
    }

    /// Disables direct reads until the transaction ends: a page may now be elsewhere than in the mapped file.
    fn disable_direct_reads(&self) {
        self.view.direct.set(0);
    }

    /// Asserts the state where a call begins or ends.
    #[inline]
    #[track_caller]
    fn assert_state(&self) {
        state::assert_state(self);
    }

    /// Asserts the state in debug builds, where a call reads or writes a page: the most frequent calls.
    #[inline(always)]
    #[track_caller]
    fn debug_assert_state(&self) {
        if cfg!(debug_assertions) {
            state::assert_state(self);
        }
    }

    fn misuse_unless(&self, right: bool, what: &'static str) -> Result<()> {
        if right { Ok(()) } else { Err(Error::Misuse(what)) }
    }
}

impl fmt::Debug for Pager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pager")
            .field("path", &self.path())
            .field("state", &self.state.get())
            .field("page_count", &self.page_count())
            .finish_non_exhaustive()
    }
}
