//! The lock on a read mark, kept for a moment after a transaction.
//!
//! Taking and releasing a lock among processes costs system calls; a point read costs less. A read lock in WAL mode
//! blocks neither readers nor writers, so it stays when a transaction ends. The next one that finds the log unchanged
//! only marks the lock as in use:
//!
//! ```text
//!            lock                   begin, on an unchanged log
//!   Nothing ------> AtWork(mark) <------------------------------ Idle(mark)
//!      ^               '---------------------------------------------^  |
//!      |                                end                             |
//!      '----------------------------------------------------------------'
//!        released: a checkpoint of this process needs it, the log has
//!        changed, or it was idle for a few milliseconds
//! ```
//!
//! A checkpoint of another process cannot release the lock, and if it always finds one it cannot complete. So no lock is
//! kept while another process has the database open. The thread that releases idle locks notices a process that opens the
//! database meanwhile.
//!
//! The state is an atomic of this connection alone; threads that read share no cache line that is written.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use lithe_format::locks::read_slot;
use lithe_vfs::{File, FileId, ShmLock};

use crate::call_policy::CallPolicy;
use crate::error::Result;

const NOTHING: u32 = 0;
/// A thread other than the owner's is releasing the lock.
const LEAVING: u32 = 1;
const IDLE: u32 = 0x100;
const AT_WORK: u32 = 0x200;
const MARK_MASK: u32 = 0xff;

/// How long a lock may be idle: at least this, at most twice.
const IDLE_TIME: Duration = Duration::from_millis(3);

/// The result of releasing an idle lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    GivenBack,
    NothingHeld,
    InUse,
}

/// The read lock of one connection.
#[derive(Debug)]
#[repr(align(128))] // alone on its cache lines, and on those that the processor fetches along
pub(super) struct ReadLock {
    state: AtomicU32,
    /// Counts transactions, so that the watch can tell whether the lock is idle.
    uses: AtomicU32,
    /// The lock is on the list of the thread that releases idle locks.
    watched: AtomicBool,
    /// Another process had the database open at the last check.
    shared: AtomicBool,
    file: Arc<dyn File>,
}

/// While another process has the database open, one lock in this many checks whether it still has.
const LOOK_AGAIN_AFTER: u32 = 64;

/// How many locks are taken until the next check for other processes.
#[derive(Debug, Default)]
pub(super) struct Countdown(Cell<u32>);

impl Countdown {
    fn is_over(&self) -> bool {
        let left = self.0.get();
        self.0.set(if left == 0 { LOOK_AGAIN_AFTER } else { left - 1 });
        left == 0
    }
}

impl ReadLock {
    pub(super) fn new(file: Arc<dyn File>) -> Arc<ReadLock> {
        Arc::new(ReadLock {
            state: AtomicU32::new(NOTHING),
            uses: AtomicU32::new(0),
            watched: AtomicBool::new(false),
            shared: AtomicBool::new(true),
            file,
        })
    }

    /// Takes over a lock that was kept, and answers its mark.
    #[inline]
    pub(super) fn resume(&self) -> Option<usize> {
        let state = self.state.load(Ordering::Relaxed);
        if state & IDLE == 0 {
            return None;
        }
        let mark = state & MARK_MASK;
        let resumed = self.state.compare_exchange(state, AT_WORK | mark, Ordering::Acquire, Ordering::Relaxed);
        resumed.ok().map(|_| mark as usize)
    }

    /// Marks the lock as idle, and keeps it.
    #[inline]
    pub(super) fn pause(&self, mark: usize) {
        self.uses.store(self.uses.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        self.state.store(IDLE | mark as u32, Ordering::Release);
    }

    /// Takes the lock on `mark`. `false`: another connection holds it exclusively.
    pub(super) fn lock(&self, mark: usize) -> Result<bool> {
        self.give_back_if_idle()?;
        debug_assert_eq!(self.state.load(Ordering::Relaxed), NOTHING);
        let slot = read_slot(mark);
        if !self.file.shm_lock(slot..slot + 1, ShmLock::Shared)? {
            return Ok(false);
        }
        self.state.store(AT_WORK | mark as u32, Ordering::Release);
        Ok(true)
    }

    /// Releases the lock that is in use.
    pub(super) fn unlock(&self, mark: usize) -> Result<()> {
        /// Should the call panic, the threads that wait for the release must not wait forever.
        struct Leaving<'l>(&'l AtomicU32);
        impl Drop for Leaving<'_> {
            fn drop(&mut self) {
                self.0.store(NOTHING, Ordering::Release);
            }
        }
        let slot = read_slot(mark);
        let _leaving = Leaving(&self.state);
        Ok(self.file.shm_unlock(slot..slot + 1, ShmLock::Shared)?)
    }

    /// Releases a lock that is kept but not in use. Any thread may call it.
    pub(super) fn give_back_if_idle(&self) -> Result<Idle> {
        loop {
            let state = self.state.load(Ordering::Acquire);
            if state == NOTHING {
                return Ok(Idle::NothingHeld);
            }
            if state & AT_WORK != 0 {
                return Ok(Idle::InUse);
            }
            if state == LEAVING {
                std::thread::yield_now();
                continue;
            }
            if self.state.compare_exchange(state, LEAVING, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                self.unlock((state & MARK_MASK) as usize)?;
                return Ok(Idle::GivenBack);
            }
        }
    }

    /// Whether the lock, just taken, may be kept: no other process can wait for it, and the watch exists to release it.
    pub(super) fn may_be_kept(self: &Arc<ReadLock>, countdown: &Countdown) -> bool {
        if !CallPolicy::of(&*self.file).shares_log {
            // A VFS of the application gets calls from the connection's own thread only.
            return false;
        }
        if self.shared.load(Ordering::Relaxed) && (!countdown.is_over() || self.look_for_others()) {
            return false;
        }
        if self.watched.load(Ordering::Acquire) {
            return true;
        }
        let Some(watch) = Watch::the() else { return false };
        watch.add(self);
        true
    }

    /// Checks whether another process has the database open.
    fn look_for_others(&self) -> bool {
        // If that fails, no lock is kept.
        let shared = self.file.shm_is_shared().unwrap_or(true);
        self.shared.store(shared, Ordering::Relaxed);
        shared
    }

    /// Whether no other process has come since the lock was taken, as far as is known.
    #[inline]
    pub(super) fn is_unshared(&self) -> bool {
        !self.shared.load(Ordering::Relaxed)
    }
}

/// The thread that releases idle locks.
struct Watch {
    locks: Mutex<Vec<Watched>>,
    wake: Condvar,
    /// A forked child has the memory of the watch, but not its thread.
    process: u32,
}

struct Watched {
    /// Weak: closing a connection must not wait for the watch.
    lock: Weak<ReadLock>,
    /// Its `uses` at the last sweep.
    uses: u32,
}

static WATCH: OnceLock<Option<Watch>> = OnceLock::new();

impl Watch {
    /// The watch of this process; `None` if it has no thread.
    fn the() -> Option<&'static Watch> {
        let watch = WATCH.get_or_init(|| {
            let thread = std::thread::Builder::new().name("lithe-read-locks".to_string());
            thread.spawn(|| Watch::run(WATCH.wait())).ok()?;
            Some(Watch { locks: Mutex::default(), wake: Condvar::new(), process: std::process::id() })
        });
        watch.as_ref().filter(|watch| watch.process == std::process::id())
    }

    fn run(watch: &Option<Watch>) {
        let Some(watch) = watch else { return };
        let mut pause = IDLE_TIME;
        loop {
            drop(watch.wake.wait_while(watch.locks(), |locks| locks.is_empty()));
            std::thread::sleep(pause);
            // Long transactions need not be checked often.
            pause = if watch.sweep() { IDLE_TIME } else { (pause * 2).min(IDLE_TIME * 8) };
        }
    }

    fn locks(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.locks.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn add(&self, lock: &Arc<ReadLock>) {
        let mut locks = self.locks();
        lock.watched.store(true, Ordering::Release);
        locks.push(Watched { lock: Arc::downgrade(lock), uses: lock.uses.load(Ordering::Relaxed) });
        self.wake.notify_one();
    }

    /// Releases the locks that were not used since the last sweep. Answers whether any of them was used or released.
    fn sweep(&self) -> bool {
        let mut moved = false;
        // Each file is checked once.
        let mut looked: Vec<(Option<FileId>, bool)> = Vec::new();
        self.locks().retain_mut(|watched| {
            let Some(lock) = watched.lock.upgrade() else { return false };
            let uses = lock.uses.load(Ordering::Relaxed);
            let was_used = std::mem::replace(&mut watched.uses, uses) != uses;
            if was_used {
                let file = lock.file.id();
                let shared = match looked.iter().find(|(id, _)| file.is_some() && *id == file) {
                    Some((_, shared)) => *shared,
                    None => lock.look_for_others(),
                };
                lock.shared.store(shared, Ordering::Relaxed);
                looked.push((file, shared));
                if !shared {
                    moved = true;
                    return true;
                }
            }
            // The mark is cleared before the release, because the next reader that takes the lock must find it
            // unwatched.
            lock.watched.store(false, Ordering::Release);
            match lock.give_back_if_idle() {
                Ok(Idle::InUse) => {
                    lock.watched.store(true, Ordering::Release);
                    true
                }
                // If the system refuses, the state says that nothing is held, and the next lock on the same mark finds
                // it held already: that does no harm in this process.
                Ok(Idle::GivenBack | Idle::NothingHeld) | Err(_) => {
                    moved = true;
                    false
                }
            }
        });
        moved
    }
}
