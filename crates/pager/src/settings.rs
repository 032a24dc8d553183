//! The settings of pragmas and the connection, as all parts of the pager read them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use lithe_format::MAX_PAGE_NO;
use lithe_vfs::{SyncFlags, Vfs};

use crate::error::{Error, Result};
use crate::options::{CacheSize, JournalMode, LockingMode, OpenOptions, Synchronous};

/// Decides whether to try again when a lock of another connection conflicts; the argument is the number of times it was
/// called before.
pub type BusyHandler = Rc<dyn Fn(u32) -> bool>;

/// The settings of one connection to one database.
pub(crate) struct Settings {
    pub(crate) cache_size: Cell<CacheSize>,
    /// The mode of rollback journals; the file store knows whether the database has a log.
    pub(crate) journal_mode: Cell<JournalMode>,
    pub(crate) synchronous: Cell<Synchronous>,
    pub(crate) full_fsync: Cell<bool>,
    pub(crate) locking_mode: Cell<LockingMode>,
    pub(crate) journal_size_limit: Cell<Option<u64>>,
    pub(crate) checkpoint_on_close: Cell<bool>,
    /// Pages that make the database much longer may be appended past the log.
    pub(crate) may_append_past_log: Cell<bool>,
    pub(crate) cache_spill: Cell<bool>,
    pub(crate) spill_pages: Cell<u32>,
    pub(crate) max_page_count: Cell<u32>,
    pub(crate) busy: RefCell<WhenBusy>,
    pub(crate) interrupted: RefCell<Arc<AtomicBool>>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("journal_mode", &self.journal_mode).finish_non_exhaustive()
    }
}

/// What to do when a lock of another connection conflicts.
#[derive(Clone, Default)]
pub(crate) enum WhenBusy {
    #[default]
    GiveUp,
    /// Keep trying that long.
    Wait(Duration),
    Ask(BusyHandler),
}

/// Pauses between tries, in microseconds. Most locks are held for less time than a sync takes.
const PAUSES: [u64; 10] = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 25_000];

impl Settings {
    pub(crate) fn new(options: &OpenOptions) -> Settings {
        Settings {
            cache_size: Cell::new(options.cache_size),
            journal_mode: Cell::default(),
            synchronous: Cell::default(),
            full_fsync: Cell::new(false),
            locking_mode: Cell::default(),
            journal_size_limit: Cell::new(None),
            checkpoint_on_close: Cell::new(true),
            may_append_past_log: Cell::new(false),
            cache_spill: Cell::new(true),
            spill_pages: Cell::new(0),
            max_page_count: Cell::new(MAX_PAGE_NO),
            busy: RefCell::default(),
            interrupted: RefCell::default(),
        }
    }

    /// Whether anything is forced to the device.
    pub(crate) fn syncs(&self) -> bool {
        self.synchronous.get() > Synchronous::Off
    }

    pub(crate) fn sync_flags(&self) -> SyncFlags {
        if self.full_fsync.get() { SyncFlags::FULL } else { SyncFlags::NORMAL }
    }

    /// Whether locks outlive transactions.
    pub(crate) fn keeps_locks(&self) -> bool {
        self.locking_mode.get() == LockingMode::Exclusive
    }

    pub(crate) fn interrupt_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted.borrow())
    }

    pub(crate) fn waits_when_busy(&self) -> bool {
        !matches!(*self.busy.borrow(), WhenBusy::GiveUp)
    }

    /// Runs `attempt` until it answers anything but "busy", as long as the setting allows. No cell is borrowed while a
    /// handler runs.
    pub(crate) fn retry_while_busy<T>(
        &self,
        vfs: Option<&dyn Vfs>,
        mut attempt: impl FnMut() -> Result<T>,
    ) -> Result<T> {
        let mut tries = 0;
        let mut begun = None;
        loop {
            let outcome = attempt();
            if !matches!(outcome, Err(Error::Busy | Error::BusyRecovery)) {
                return outcome;
            }
            let policy = self.busy.borrow().clone();
            let again = match policy {
                WhenBusy::GiveUp => false,
                WhenBusy::Ask(handler) => handler(tries),
                WhenBusy::Wait(timeout) => pause(vfs, tries, timeout, *begun.get_or_insert_with(Instant::now)),
            };
            if !again {
                return outcome;
            }
            tries += 1;
        }
    }
}

/// Pauses before the next try. `false`: the timeout has passed.
fn pause(vfs: Option<&dyn Vfs>, tries: u32, timeout: Duration, since: Instant) -> bool {
    let left = timeout.saturating_sub(since.elapsed());
    if left.is_zero() {
        return false;
    }
    let pause = PAUSES.get(tries as usize).unwrap_or(PAUSES.last().unwrap_or(&0));
    let pause = Duration::from_micros(*pause).min(left);
    match vfs {
        Some(vfs) => vfs.sleep(pause),
        None => std::thread::sleep(pause),
    }
    true
}
