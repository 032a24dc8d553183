//! The pager: one connection's hold on one database.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lithe_format::db_header::{DbHeader, HEADER_LEN};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{FileEvent, OpenFlags, ResultCode, Vfs};

use crate::bypass::Bypass;
use crate::change_log::ChangeLogs;
use crate::concurrent::Concurrent;
use crate::counts::Counts;
use crate::database::Database;
use crate::dirty::DirtySet;
use crate::error::{Error, Result};
use crate::file_store::{FileStore, JOURNAL_SUFFIX};
use crate::in_place::InPlace;
use crate::memory::MemoryStore;
use crate::options::OpenOptions;
use crate::page_holders::PageHolders;
use crate::page_ref::{Epoch, MappedFile, PageRef};
use crate::read_ahead::ReadAhead;
use crate::savepoint::Savepoints;
use crate::settings::Settings;
use crate::spill::{Added, TempSpill};
use crate::uncommitted::{OwnTxn, Sharing};

/// One connection's hold on one database: its transaction, its private copies, its settings.
///
/// Used through `&self`: user functions may re-enter a connection while a statement runs. No
/// borrow of a cell is held while anything outside this crate runs.
pub struct Pager {
    pub(crate) view: View,
    pub(crate) state: Cell<State>,
    pub(crate) txn: OwnTxn,
    pub(crate) store: Store,
    pub(crate) write_version: Cell<u64>,
    pub(crate) settings: Settings,
    /// Counts the changes by others, for `PRAGMA data_version`.
    pub(crate) data_version: Cell<u32>,
    pub(crate) concurrent: Concurrent,
    pub(crate) sharing: Sharing,
    pub(crate) read_ahead: ReadAhead,
    pub(crate) change_logs: ChangeLogs,
    pub(crate) counts: Counts,
    page_holders: Rc<PageHolders>,
    /// Why this transaction can only be rolled back.
    pub(crate) failure: RefCell<Option<Error>>,
}

/// What a transaction sees: the cells that [`Pager::page`] reads.
#[derive(Debug)]
pub(crate) struct View {
    /// Pages up to this one are read from `mapped`, without another look: 0 if there is anything to
    /// look at first (dirty pages, a log), or no transaction.
    pub(crate) direct: Cell<u32>,
    pub(crate) mapped: Cell<MappedFile>,
    pub(crate) epoch: Cell<Epoch>,
    pub(crate) page_size: Cell<PageSize>,
    pub(crate) lock_byte_page: Cell<PageNo>,
    /// The size of the database in pages.
    pub(crate) page_count: Cell<u32>,
}

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// No transaction.
    Idle,
    /// A snapshot is held.
    Reading,
    /// Pages may be written.
    Writing,
}

/// A write transaction.
#[derive(Debug, Default)]
pub(crate) struct WriteTxn {
    pub(crate) dirty: DirtySet,
    pub(crate) savepoints: Savepoints,
    /// What was spilled, in a temporary file.
    pub(crate) temp: TempSpill,
    /// What was spilled into the database file, behind its end.
    pub(crate) added: Added,
    /// Something was spilled.
    pub(crate) spilled: bool,
    /// Pages may be, or were, written to their place before the commit.
    pub(crate) in_place: InPlace,
    /// The page that went to its place last beside what was written past the dirty set.
    pub(crate) rests_in_pool: Option<PageNo>,
    /// In WAL mode: whether pages go past the log.
    pub(crate) bypass: Bypass,
    /// How many pages may be dirty in memory.
    pub(crate) dirty_max: usize,
    /// The page count when it began.
    pub(crate) pages_before: u32,
    /// Page size and reserved bytes when it began, if it has changed them.
    pub(crate) shape_before: Option<(PageSize, u8)>,
    /// Pages that have changed since others last looked at them; `None`: nobody has, or any may have.
    pub(crate) changed: Option<Vec<PageNo>>,
}

/// More changes than these are not listed.
const CHANGED_MAX: usize = 1 << 16;

impl WriteTxn {
    /// Page `no` comes into the dirty set, or its buffer is replaced there.
    #[inline]
    pub(crate) fn note_change(&mut self, no: PageNo) {
        if let Some(changed) = &mut self.changed {
            changed.push(no);
            if changed.len() > CHANGED_MAX {
                self.changed = None;
            }
        }
    }
}

/// Where the committed pages are.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(MemoryStore),
    File(Box<FileStore>),
}

impl Pager {
    /// Opens the database file at `path`.
    pub fn open(vfs: Arc<dyn Vfs>, path: &Path, options: &OpenOptions) -> Result<Pager> {
        let path = vfs.full_path(path)?;
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
        if options.no_follow {
            flags = flags | OpenFlags::NOFOLLOW;
        }
        let opened = vfs.open(Some(&path), flags)?;
        let database = Database::of_file(&*opened.file);
        let store = FileStore::new(vfs, path, opened, database, options);
        let pager = Pager::with_store(Store::File(Box::new(store)), options);
        pager.read_header_to_open()?;
        Ok(pager)
    }

    /// A connection that reads the header as part of page 1 has to know how large that is.
    fn read_header_to_open(&self) -> Result<()> {
        let Store::File(store) = &self.store else { return Ok(()) };
        if store.calls.reads_header_alone {
            return Ok(());
        }
        let mut bytes = [0; HEADER_LEN];
        store.file.read_at(&mut bytes, 0)?;
        if let Ok(header) = DbHeader::read(&bytes) {
            self.adopt_page_size(header.page_size, header.reserved);
            store.had_header.set(true);
        }
        Ok(store.file.event(FileEvent::Opened)?)
    }

    /// Opens a new, empty database in memory.
    pub fn open_in_memory(options: &OpenOptions) -> Pager {
        Pager::with_store(Store::Memory(MemoryStore::new(None, options.read_only)), options)
    }

    /// Opens a new, empty database that vanishes when it is closed: in memory as far as the cache
    /// goes, in a temporary file beyond.
    pub fn open_temporary(vfs: Arc<dyn Vfs>, options: &OpenOptions) -> Pager {
        Pager::with_store(Store::Memory(MemoryStore::new(Some(vfs), options.read_only)), options)
    }

    fn with_store(store: Store, options: &OpenOptions) -> Pager {
        let page_size = options.page_size;
        // The first look at a file counts as a change.
        let data_version = u32::from(matches!(store, Store::Memory(_)));
        Pager {
            view: View {
                direct: Cell::new(0),
                mapped: Cell::new(MappedFile::NONE),
                epoch: Cell::new(Epoch::first()),
                page_size: Cell::new(page_size),
                lock_byte_page: Cell::new(page_size.lock_byte_page()),
                page_count: Cell::new(0),
            },
            state: Cell::new(State::Idle),
            txn: OwnTxn::default(),
            store,
            write_version: Cell::new(0),
            settings: Settings::new(options),
            data_version: Cell::new(data_version),
            concurrent: Concurrent::default(),
            sharing: Sharing::default(),
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

    /// The bytes at the end of each page that the format leaves alone.
    #[inline]
    pub fn reserved(&self) -> u8 {
        self.settings.reserved.get()
    }

    /// What the format uses of a page.
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

    /// Sets page size and reserved bytes. Heeded while the database is empty only: answers whether.
    pub fn set_page_size(&self, size: PageSize, reserved: u8) -> bool {
        let is_fixed = self.page_count() > 0 || matches!(&self.store, Store::File(file) if file.had_header.get());
        if is_fixed || self.state.get() == State::Writing || size.usable(reserved).is_none() {
            return false;
        }
        self.adopt_page_size(size, reserved);
        true
    }

    /// Whether the page size is known without a look at the file: its header was read when it was opened.
    pub fn knows_page_size(&self) -> bool {
        matches!(&self.store, Store::File(file) if !file.calls.reads_header_alone)
    }

    pub(crate) fn adopt_page_size(&self, size: PageSize, reserved: u8) {
        self.view.page_size.set(size);
        self.view.lock_byte_page.set(size.lock_byte_page());
        self.settings.reserved.set(reserved);
    }

    /// Whether a transaction holds a snapshot.
    pub fn is_reading(&self) -> bool {
        self.state.get() != State::Idle
    }

    /// Whether a transaction may write.
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

    /// The size of the database when this transaction began.
    pub(crate) fn pages_before(&self) -> u32 {
        self.txn.borrow().pages_before
    }

    /// Whether this transaction has made the database longer or shorter.
    pub(crate) fn is_resized(&self) -> bool {
        self.pages_before() != self.page_count()
    }

    /// Whether this transaction has changed anything.
    pub fn has_changes(&self) -> bool {
        let txn = self.txn.borrow();
        txn.dirty.len() > 0
            || txn.pages_before != self.page_count()
            || self.has_spilled(&txn)
            || txn.in_place == InPlace::Done
    }

    /// The path of the database file; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(file) => Some(file.path()),
        }
    }

    /// Changes whenever content that this connection sees may have: at every write, rollback, and
    /// new snapshot. Cursors compare it to know whether to revalidate.
    #[inline]
    pub fn write_version(&self) -> u64 {
        self.write_version.get()
    }

    #[inline]
    pub(crate) fn bump_write_version(&self) {
        self.write_version.set(self.write_version.get().wrapping_add(1));
    }

    /// Changes when another connection has changed the database, and never by our own writing.
    pub fn data_version(&self) -> u32 {
        self.data_version.get()
    }

    pub(crate) fn note_foreign_change(&self) {
        self.data_version.set(self.data_version.get().wrapping_add(1));
        self.bump_write_version();
    }

    /// Whether bytes of pages stand still until the transaction ends. If not, a commit or a rollback (and nothing else) of this
    /// connection may change them: in rollback mode, where pages are mapped, they write into the mapped file. Whoever holds pages
    /// meanwhile is one of the [`Pager::page_holders`].
    #[inline]
    pub fn borrows_are_stable(&self) -> bool {
        match &self.store {
            Store::Memory(_) => true,
            Store::File(file) => file.borrows_are_stable(),
        }
    }

    /// Who holds pages of this database between steps.
    #[inline]
    pub fn page_holders(&self) -> &Rc<PageHolders> {
        &self.page_holders
    }

    /// Makes a page private that may change with the mapped file. One that is not intact is left as it is: nobody may look at it
    /// anyway.
    pub fn own_page(&self, page: &mut PageRef) {
        if self.is_intact(page) {
            page.own();
        }
    }

    /// Whether the bytes of `page` may be looked at. Those of a private one always may; of a mapped one until the transaction ends,
    /// and unless borrows are stable, until a commit.
    #[inline]
    pub fn is_intact(&self, page: &PageRef) -> bool {
        page.is_intact_in(self.view.epoch.get())
    }

    /// The read transaction is over: nobody holds a mapped page who would look at it again.
    pub(crate) fn end_epoch(&self) {
        self.view.epoch.set(self.view.epoch.get().next());
    }

    /// Mapped bytes are about to change under the snapshot that is held: whoever holds pages owns them from here on. Fails if
    /// somebody cannot be told; then nothing may change.
    pub(crate) fn change_mapped_bytes(&self) -> Result<()> {
        self.page_holders.own_all(self)?;
        self.end_epoch();
        Ok(())
    }

    pub(crate) fn misuse_unless(&self, right: bool, what: &'static str) -> Result<()> {
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
