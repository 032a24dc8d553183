//! Commits through a rollback journal among connections of one shared cache.
//!
//! Such a commit writes into the file that other connections have mapped, and connections of other caches must have ended their
//! reads. Those of its own cache need not: by the locks on tables the commit changes nothing that they have read, except page 1
//! and pages that are not in use. They must only not read meanwhile, and read size and freelist again afterwards. So each pauses
//! between the steps of its statements, in a reader state of its own, and a commit waits until all have paused:
//!
//! ```text
//!   IDLE ───── begins to read ────► ACTIVE ◄──── a step begins ────┐
//!    ▲                               │  └────── a step ends ────► PAUSED ◄──────┐
//!    └──────── ends to read ─────────┘                               └─ commit ─► FROZEN
//! ```
//!
//! Only its owner changes a reader state, except that the one writer of the cache freezes those that have paused and thaws
//! them again. A reader that resumes or begins waits for that. The writer announces its commit beforehand, so that readers
//! with short pauses between their steps let the commit begin.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use lithe_vfs::{File, LockLevel, Vfs};

use crate::error::{Error, Result};
use crate::file_store::FileStore;

/// No snapshot is held.
pub(crate) const IDLE: u8 = 0;
/// Pages are read.
pub(crate) const ACTIVE: u8 = 1;
/// A snapshot is held, and nothing is read.
pub(crate) const PAUSED: u8 = 2;
/// A commit is being written: nothing may be read.
const FROZEN: u8 = 3;

/// How long a commit and readers wait for each other: longer than a commit takes on a slow device.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(50);

/// After this many tries that found no active reader of the cache, a connection of another cache holds the lock.
const REFUSED_MAX: u32 = 3;

/// The state of one connection, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct ReaderState {
    state: AtomicU8,
    /// The thread that reads.
    thread: AtomicUsize,
    file: Arc<dyn File>,
}

/// The reader states of all connections of a cache.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    all: Mutex<Vec<Arc<ReaderState>>>,
    /// A connection commits, or waits for readers to pause.
    pub(crate) is_closed: AtomicBool,
    /// Counts the commits.
    pub(crate) commits: AtomicU64,
    /// A commit waits for readers of other caches, and lets no new ones in; readers of this cache may still begin.
    pub(crate) is_pending: AtomicBool,
    /// A commit was left half-way: its journal has to be played back.
    pub(crate) is_broken: AtomicBool,
}

/// A number that identifies this thread.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Readers {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<ReaderState>>> {
        self.all.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn join(&self, file: &Arc<dyn File>) -> Arc<ReaderState> {
        let reader = ReaderState { state: AtomicU8::new(IDLE), thread: AtomicUsize::new(0), file: Arc::clone(file) };
        let reader = Arc::new(reader);
        self.all().push(Arc::clone(&reader));
        reader
    }

    pub(crate) fn leave(&self, reader: &Arc<ReaderState>) {
        self.all().retain(|other| !Arc::ptr_eq(other, reader));
    }

    /// Freezes all readers but `own`. `Err`: one is reading; `true` if waiting for it may help.
    fn freeze(&self, own: &Arc<ReaderState>) -> std::result::Result<(), bool> {
        let all = self.all();
        let frozen = all.iter().filter(|reader| !Arc::ptr_eq(reader, own)).try_for_each(|reader| reader.freeze());
        if frozen.is_err() {
            all.iter().for_each(|reader| reader.thaw());
        }
        frozen
    }

    fn thaw(&self) {
        self.all().iter().for_each(|reader| reader.thaw());
    }

    pub(crate) fn open(&self) {
        self.thaw();
        self.is_closed.store(false, Ordering::SeqCst);
    }
}

impl ReaderState {
    pub(crate) fn swap(&self, before: u8, after: u8) -> bool {
        self.state.compare_exchange(before, after, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn freeze(&self) -> std::result::Result<(), bool> {
        if self.swap(PAUSED, FROZEN) {
            self.file.stand_aside(true);
        }
        match self.state.load(Ordering::SeqCst) {
            // A reader that begins now either finds that it has to wait, or has a lock that makes the commit wait.
            IDLE | FROZEN => Ok(()),
            PAUSED => Err(true),
            _ => Err(self.thread.load(Ordering::Relaxed) != this_thread()),
        }
    }

    fn thaw(&self) {
        if self.state.load(Ordering::SeqCst) == FROZEN {
            self.file.stand_aside(false);
            // The reader may have ended its transaction meanwhile.
            self.swap(FROZEN, PAUSED);
        }
    }

    /// Records that the owner begins to read.
    pub(crate) fn begin(&self, state: u8) {
        self.note_thread();
        self.state.store(state, Ordering::SeqCst);
    }

    /// Records that the owner has ended reading.
    pub(crate) fn end(&self, state: u8) {
        self.state.store(state, Ordering::SeqCst);
    }

    /// Records the owner's thread, which is about to read.
    pub(crate) fn note_thread(&self) {
        self.thread.store(this_thread(), Ordering::Relaxed);
    }
}

/// Waits while `is_busy`, at most for [`PATIENCE`].
pub(crate) fn wait_while(vfs: &dyn Vfs, is_busy: &dyn Fn() -> bool) -> Result<()> {
    let mut left = PATIENCE;
    while is_busy() {
        left = left.saturating_sub(PAUSE);
        if left.is_zero() {
            return Err(Error::Busy);
        }
        vfs.sleep(PAUSE);
    }
    Ok(())
}

impl Readers {
    /// Takes the EXCLUSIVE lock on the file, while the readers of this cache that do not read are frozen.
    pub(crate) fn lock_beside(&self, own: &Arc<ReaderState>, file: &FileStore) -> Result<()> {
        let mut left = PATIENCE;
        let mut refused = 0;
        loop {
            let frozen = self.freeze(own);
            if frozen.is_ok() {
                let locked = file.lock(LockLevel::Exclusive);
                let Err(Error::Busy) = locked else { return locked };
                self.thaw();
                // A connection of another cache holds a lock, unless one of this cache has just begun to read.
                refused += 1;
            }
            left = left.saturating_sub(PAUSE);
            if frozen == Err(false) || refused == REFUSED_MAX || left.is_zero() {
                return Err(Error::Busy);
            }
            file.vfs.sleep(PAUSE);
        }
    }
}
