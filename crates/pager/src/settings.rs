//! What pragmas and the connection set.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lithe_format::MAX_PAGE_NO;
use lithe_vfs::SyncFlags;

use crate::error::Result;
use crate::options::{CacheSize, JournalMode, LockingMode, OpenOptions, Synchronous};
use crate::pager::{Pager, State, Store};
use crate::wal::Wal;

/// Asked whether to try again when another connection is in the way, with the number of times it was
/// asked before.
pub type BusyHandler = Rc<dyn Fn(u32) -> bool>;

pub(crate) struct Settings {
    pub(crate) reserved: Cell<u8>,
    pub(crate) cache_size: Cell<CacheSize>,
    pub(crate) journal_mode: Cell<JournalMode>,
    synchronous: Cell<Synchronous>,
    full_fsync: Cell<bool>,
    locking_mode: Cell<LockingMode>,
    journal_size_limit: Cell<Option<u64>>,
    checkpoint_on_close: Cell<bool>,
    pub(crate) may_bypass_log: Cell<bool>,
    cache_spill: Cell<bool>,
    spill_pages: Cell<u32>,
    max_page_count: Cell<u32>,
    pub(crate) busy: RefCell<WhenBusy>,
    interrupted: RefCell<Arc<AtomicBool>>,
}

/// What to do when another connection is in the way.
#[derive(Clone, Default)]
pub(crate) enum WhenBusy {
    #[default]
    GiveUp,
    /// Keep trying that long.
    Wait(Duration),
    Ask(BusyHandler),
}

impl Settings {
    pub(crate) fn new(options: &OpenOptions) -> Settings {
        Settings {
            reserved: Cell::new(0),
            cache_size: Cell::new(options.cache_size),
            journal_mode: Cell::default(),
            synchronous: Cell::default(),
            full_fsync: Cell::new(false),
            locking_mode: Cell::default(),
            journal_size_limit: Cell::new(None),
            checkpoint_on_close: Cell::new(true),
            may_bypass_log: Cell::new(false),
            cache_spill: Cell::new(true),
            spill_pages: Cell::new(0),
            max_page_count: Cell::new(MAX_PAGE_NO),
            busy: RefCell::default(),
            interrupted: RefCell::default(),
        }
    }
}

impl Pager {
    /// Sets how much memory may be spent.
    pub fn set_cache_size(&self, size: CacheSize) {
        self.settings.cache_size.set(size);
    }

    /// How much memory may be spent.
    pub fn cache_size(&self) -> CacheSize {
        self.settings.cache_size.get()
    }

    /// Sets how many pages the database may have, and answers what is in force: never less than it has.
    pub fn set_max_page_count(&self, pages: u32) -> u32 {
        self.settings.max_page_count.set(pages.min(MAX_PAGE_NO));
        self.max_page_count()
    }

    /// Sets how many bytes the database may have, in whole pages.
    pub fn set_bytes_max(&self, bytes: u64) -> Result<()> {
        self.begin_read()?;
        let pages = bytes / u64::from(self.page_size().get());
        self.set_max_page_count(u32::try_from(pages).unwrap_or(u32::MAX));
        self.end_read()
    }

    /// How many pages the database may have: no fewer than it has, should others have made it longer.
    pub fn max_page_count(&self) -> u32 {
        self.settings.max_page_count.get().max(self.page_count())
    }

    /// Sets whether pages leave memory before the commit when there are more of them than the cache
    /// holds.
    pub fn set_cache_spill(&self, spill: bool) {
        self.settings.cache_spill.set(spill);
    }

    /// Whether pages leave memory before the commit when there are more of them than the cache holds.
    pub fn cache_spill(&self) -> bool {
        self.settings.cache_spill.get()
    }

    /// Sets how many pages may be dirty before any leaves memory, however small the cache is.
    pub fn set_spill_pages(&self, pages: u32) {
        self.settings.spill_pages.set(pages);
    }

    /// How many pages may be dirty before any leaves memory, however small the cache is.
    pub fn spill_pages(&self) -> u32 {
        self.settings.spill_pages.get()
    }

    /// Sets how many bytes of the file may be mapped; 0 reads through buffers. Heeded from the next transaction on; not at all
    /// while one may hold mapped pages.
    pub fn set_mmap_size(&self, bytes: u64) {
        if let Store::File(file) = &self.store
            && (self.state.get() == State::Idle || file.mmap_size() == 0)
        {
            file.set_mmap_size(bytes);
        }
    }

    /// How many bytes of the file may be mapped.
    pub fn mmap_size(&self) -> u64 {
        match &self.store {
            Store::Memory(_) => 0,
            Store::File(file) => file.mmap_size_wanted(),
        }
    }

    /// How transactions are made durable.
    pub fn journal_mode(&self) -> JournalMode {
        match &self.store {
            Store::File(file) if file.is_wal() || file.enters_wal.get() => JournalMode::Wal,
            _ => self.settings.journal_mode.get(),
        }
    }

    /// Sets how much is forced to the device, and when.
    pub fn set_synchronous(&self, synchronous: Synchronous) {
        self.settings.synchronous.set(synchronous);
    }

    /// How much is forced to the device, and when.
    pub fn synchronous(&self) -> Synchronous {
        self.settings.synchronous.get()
    }

    /// Sets whether syncs go through the device's own cache, where the system has two kinds.
    pub fn set_full_fsync(&self, full: bool) {
        self.settings.full_fsync.set(full);
    }

    /// Whether syncs go through the device's own cache.
    pub fn full_fsync(&self) -> bool {
        self.settings.full_fsync.get()
    }

    pub(crate) fn sync_flags(&self) -> SyncFlags {
        if self.settings.full_fsync.get() { SyncFlags::FULL } else { SyncFlags::NORMAL }
    }

    /// Sets whether locks outlive transactions, and answers what is in force: a log that was opened
    /// in exclusive mode has no shared memory, so the mode stays as long as the log is open.
    pub fn set_locking_mode(&self, mode: LockingMode) -> LockingMode {
        let stays = match &self.store {
            Store::File(file) => file.is_wal() && file.with_wal(Wal::is_alone),
            Store::Memory(_) => false,
        };
        if !stays {
            self.settings.locking_mode.set(mode);
        }
        self.locking_mode()
    }

    /// Whether locks outlive transactions.
    pub fn locking_mode(&self) -> LockingMode {
        self.settings.locking_mode.get()
    }

    /// Sets how long a journal or log may be that is left behind; `None`: as long as it is.
    pub fn set_journal_size_limit(&self, bytes: Option<u64>) {
        self.settings.journal_size_limit.set(bytes);
    }

    /// How long a journal or log may be that is left behind.
    pub fn journal_size_limit(&self) -> Option<u64> {
        self.settings.journal_size_limit.get()
    }

    /// Sets who is asked whether to try again when another connection is in the way.
    pub fn set_busy_handler(&self, handler: Option<BusyHandler>) {
        self.settings.busy.replace(handler.map_or(WhenBusy::GiveUp, WhenBusy::Ask));
    }

    /// Sets how long to keep trying when another connection is in the way; it replaces a busy handler.
    pub fn set_busy_timeout(&self, timeout: Duration) {
        self.settings.busy.replace(if timeout.is_zero() { WhenBusy::GiveUp } else { WhenBusy::Wait(timeout) });
    }

    /// Sets the flag that tells whether the application wants what is going on to stop: a checkpoint asks it before each write.
    pub fn set_interrupt_flag(&self, flag: Arc<AtomicBool>) {
        self.settings.interrupted.replace(flag);
    }

    pub(crate) fn interrupt_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.settings.interrupted.borrow())
    }

    pub(crate) fn waits_when_busy(&self) -> bool {
        !matches!(*self.settings.busy.borrow(), WhenBusy::GiveUp)
    }

    /// Sets whether the last connection copies the log into the database when it closes.
    pub fn set_checkpoint_on_close(&self, checkpoint: bool) {
        self.settings.checkpoint_on_close.set(checkpoint);
    }

    pub(crate) fn checkpoint_on_close(&self) -> bool {
        self.settings.checkpoint_on_close.get()
    }

    /// The path of the rollback journal, for a [`crate::SuperJournal`]; `None` if commits have none.
    pub fn journal_path(&self) -> Option<&Path> {
        match (&self.store, self.journal_mode()) {
            (Store::File(file), JournalMode::Delete | JournalMode::Truncate | JournalMode::Persist) => {
                Some(&file.journal_path)
            }
            _ => None,
        }
    }
}
