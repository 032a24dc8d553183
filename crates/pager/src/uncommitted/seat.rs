//! Commits through a rollback journal among connections of one shared cache.
//!
//! Such a commit writes into the file that others have mapped, and connections of other caches must have left it. Those of its own
//! cache need not: by the locks on tables it changes nothing that they have read, but page 1 and pages that nobody uses.
//! Only they must not read meanwhile, and look anew at size and freelist afterwards. So they rest between the steps of
//! their statements, each in a seat of its own, and a commit waits until all do:
//!
//! ```text
//!   IDLE ───── begins to read ────► ACTIVE ◄──── a step begins ────┐
//!    ▲                               │  └────── a step ends ────► RESTING ◄──────┐
//!    └──────── ends to read ─────────┘                               └─ commit ─► FROZEN
//! ```
//!
//! Nobody takes or gives up a seat's state but its owner, except that the one writer of the cache freezes those who rest and
//! thaws them again. Who wants to go on, or to begin, waits for that. It says beforehand that it wants to commit, so that
//! readers who take one step after the other let it come in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use lithe_vfs::{File, LockLevel};

use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::pager::{Pager, State, Store};

/// No snapshot is held.
const IDLE: u8 = 0;
/// Pages are read.
const ACTIVE: u8 = 1;
/// A snapshot is held, and nothing is read.
const RESTING: u8 = 2;
/// A commit is being written: nothing may be read.
const FROZEN: u8 = 3;

/// How long a commit and who reads wait for each other: longer than a commit takes on a slow device.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_micros(50);

/// When so many tries have found no reader of the cache in the way, it is somebody else.
const REFUSED_MAX: u32 = 3;

/// Where one connection stands, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Seat {
    state: AtomicU8,
    /// The thread that reads.
    thread: AtomicUsize,
    file: Arc<dyn File>,
}

/// All connections of a cache.
#[derive(Debug, Default)]
pub(super) struct Seats {
    all: Mutex<Vec<Arc<Seat>>>,
    /// Somebody commits, or waits for readers to rest.
    is_closed: AtomicBool,
    /// Counts the commits.
    commits: AtomicU64,
    /// A commit waits for readers of other caches, whom it does not let in any more: those of this cache still may come.
    is_pending: AtomicBool,
    /// A commit was left half-way.
    is_broken: AtomicBool,
}

/// Tells this thread from others.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Seats {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        self.all.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn join(&self, file: &Arc<dyn File>) -> Arc<Seat> {
        let seat = Seat { state: AtomicU8::new(IDLE), thread: AtomicUsize::new(0), file: Arc::clone(file) };
        let seat = Arc::new(seat);
        self.all().push(Arc::clone(&seat));
        seat
    }

    pub(super) fn leave(&self, seat: &Arc<Seat>) {
        self.all().retain(|other| !Arc::ptr_eq(other, seat));
    }

    /// Freezes all but `own`. `Err`: one is reading; whether it is worth to wait for.
    fn freeze(&self, own: &Arc<Seat>) -> std::result::Result<(), bool> {
        let all = self.all();
        let frozen = all.iter().filter(|seat| !Arc::ptr_eq(seat, own)).try_for_each(|seat| seat.freeze());
        if frozen.is_err() {
            all.iter().for_each(|seat| seat.thaw());
        }
        frozen
    }

    fn thaw(&self) {
        self.all().iter().for_each(|seat| seat.thaw());
    }

    fn open(&self) {
        self.thaw();
        self.is_closed.store(false, Ordering::SeqCst);
    }
}

impl Seat {
    fn swap(&self, before: u8, after: u8) -> bool {
        self.state.compare_exchange(before, after, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn freeze(&self) -> std::result::Result<(), bool> {
        if self.swap(RESTING, FROZEN) {
            self.file.stand_aside(true);
        }
        match self.state.load(Ordering::SeqCst) {
            // Who begins to read now either sees that it has to wait, or has a lock that is in the way.
            IDLE | FROZEN => Ok(()),
            RESTING => Err(true),
            _ => Err(self.thread.load(Ordering::Relaxed) != this_thread()),
        }
    }

    fn thaw(&self) {
        if self.state.load(Ordering::SeqCst) == FROZEN {
            self.file.stand_aside(false);
            // It may have left meanwhile.
            self.swap(FROZEN, RESTING);
        }
    }

    /// Its owner is about to read.
    fn note_thread(&self) {
        self.thread.store(this_thread(), Ordering::Relaxed);
    }
}

impl Pager {
    /// Says that the write transaction moves no pages of tables that others read: its commit need not wait for connections of
    /// the same cache to end theirs.
    pub fn set_commits_beside_readers(&self, beside: bool) {
        self.sharing.commits_beside.set(beside);
    }

    fn seats(&self) -> Option<(&Seats, &Arc<Seat>)> {
        Some((&self.sharing.cache.get()?.seats, self.sharing.seat.get()?))
    }

    /// Before it begins to read: waits for a commit of the same cache.
    pub(crate) fn wait_for_seat(&self) -> Result<()> {
        let Some((seats, _)) = self.seats() else { return Ok(()) };
        self.sharing.looked_at.set(seats.commits.load(Ordering::SeqCst));
        self.wait_while(&|| seats.is_closed.load(Ordering::SeqCst))
    }

    /// It has begun to read.
    pub(crate) fn take_seat(&self) {
        let Some((_, seat)) = self.seats() else { return };
        // Commits to a log are in no reader's way.
        if matches!(&self.store, Store::File(file) if !file.is_wal()) {
            self.sharing.is_seated.set(true);
            seat.note_thread();
            seat.state.store(ACTIVE, Ordering::SeqCst);
        }
    }

    /// It has ended to read.
    pub(crate) fn give_seat_up(&self) {
        if self.sharing.is_seated.take()
            && let Some((_, seat)) = self.seats()
        {
            self.sharing.is_resting.set(false);
            seat.state.store(IDLE, Ordering::SeqCst);
        }
    }

    /// Until the next step nothing is read, and what is still borrowed is of tables with locks: a commit of another
    /// connection of the same cache need not wait.
    pub fn rest(&self) {
        let Some((_, seat)) = self.seats() else { return };
        let Store::File(file) = &self.store else { return };
        let may_rest = self.state.get() == State::Reading && !file.is_wal() && !file.keeps_locks(self);
        if may_rest && self.failure.borrow().is_none() && seat.swap(ACTIVE, RESTING) {
            self.sharing.is_resting.set(true);
        }
    }

    /// Whether it rests: [`Pager::go_on`] comes before anything is read.
    #[inline]
    pub fn is_resting(&self) -> bool {
        self.sharing.is_resting.get()
    }

    /// Something is to be read again: what others of the cache have committed meanwhile is looked at.
    pub fn go_on(&self) -> Result<()> {
        if !self.is_resting() {
            return Ok(());
        }
        let Some((seats, seat)) = self.seats() else { return Ok(()) };
        seat.note_thread();
        self.wait_while(&|| seats.is_closed.load(Ordering::SeqCst) || !seat.swap(RESTING, ACTIVE))?;
        let commits = seats.commits.load(Ordering::SeqCst);
        if self.sharing.looked_at.get() != commits {
            let looked = self.look_at_commits();
            if looked.is_err() {
                seat.swap(ACTIVE, RESTING);
                return looked;
            }
            self.sharing.looked_at.set(commits);
        }
        self.sharing.is_resting.set(false);
        Ok(())
    }

    fn look_at_commits(&self) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        let Some((seats, _)) = self.seats() else { return Ok(()) };
        self.lay_nothing_over();
        if seats.is_broken.load(Ordering::SeqCst) {
            file.roll_back_hot_journal(self)?;
            seats.is_broken.store(false, Ordering::SeqCst);
        }
        file.look(self).map(drop)
    }

    /// A commit could neither be made nor undone: a journal is left that the next one who reads has to play back.
    pub(crate) fn note_half_way(&self) {
        if let Some((seats, _)) = self.seats() {
            seats.is_broken.store(true, Ordering::SeqCst);
        }
    }

    fn wait_while(&self, is_busy: &dyn Fn() -> bool) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        let mut left = PATIENCE;
        while is_busy() {
            left = left.saturating_sub(PAUSE);
            if left.is_zero() {
                return Err(Error::Busy);
            }
            file.vfs.sleep(PAUSE);
        }
        Ok(())
    }

    /// Those of the same cache may read again.
    pub(crate) fn let_others_go_on(&self) {
        let Some((seats, _)) = self.seats() else { return };
        if self.sharing.is_pending.take() {
            seats.is_pending.store(false, Ordering::SeqCst);
        }
        if self.sharing.has_closed.take() {
            seats.commits.fetch_add(1, Ordering::SeqCst);
            seats.open();
        }
    }
}

impl FileStore {
    /// Takes the lock that writing into the file needs: from connections of other caches, and from those of the same cache if
    /// they do not rest.
    pub(crate) fn lock_to_commit(&self, pager: &Pager) -> Result<()> {
        let beside = pager.sharing.commits_beside.get() && !self.keeps_locks(pager);
        let Some((seats, own)) = pager.seats().filter(|_| beside && self.level.get() < LockLevel::Exclusive) else {
            return self.lock(LockLevel::Exclusive);
        };
        // Known before anything else can panic: then they are let go on, too.
        pager.sharing.has_closed.set(true);
        seats.is_closed.store(true, Ordering::SeqCst);
        let locked = self.lock_beside(seats, own);
        pager.sharing.is_pending.set(locked.is_err());
        seats.is_pending.store(locked.is_err(), Ordering::SeqCst);
        if locked.is_err() {
            pager.sharing.has_closed.set(false);
            seats.open();
        }
        locked
    }

    fn lock_beside(&self, seats: &Seats, own: &Arc<Seat>) -> Result<()> {
        let mut left = PATIENCE;
        let mut refused = 0;
        loop {
            let frozen = seats.freeze(own);
            if frozen.is_ok() {
                let locked = self.lock(LockLevel::Exclusive);
                let Err(Error::Busy) = locked else { return locked };
                seats.thaw();
                // By somebody who is not of this cache, unless one of it has just begun to read.
                refused += 1;
            }
            left = left.saturating_sub(PAUSE);
            if frozen == Err(false) || refused == REFUSED_MAX || left.is_zero() {
                return Err(Error::Busy);
            }
            self.vfs.sleep(PAUSE);
        }
    }

    /// Takes the lock for reading; beside a commit of the same cache that waits for readers of others.
    pub(crate) fn lock_shared(&self, pager: &Pager) -> Result<()> {
        match self.lock(LockLevel::Shared) {
            Err(Error::Busy) => {}
            locked => return locked,
        }
        let is_pending = pager.seats().is_some_and(|(seats, _)| seats.is_pending.load(Ordering::SeqCst));
        if !is_pending || !self.locks_beside()? {
            return Err(Error::Busy);
        }
        Ok(())
    }
}
