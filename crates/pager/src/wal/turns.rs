//! Group commit: the writers of one process take turns, and one sync serves all who wait for it.
//!
//! ```text
//!   A   write ---- append |  sync .........  |
//!   B              write ---- append |  wait .......  sync ........ |
//!   C                         write ---- append | wait ............ |
//!                                            A is published    B and C are published
//! ```
//!
//! A writer appends its frames, lets the next one go on from there, and waits for a sync that covers
//! them. Only then is its commit published, to this process and to others: nobody sees what a power
//! loss could take back. The process holds the write lock of the log meanwhile; a handle of its own,
//! the hub, does, because it outlives the turn of a connection. On a VFS of the application nothing is
//! shared: each connection has turns of its own, and its own handle is the hub.
//!
//! Who is about to sync may wait for those who come back from the last one (`company`).
//!
//! When a sync fails, all commits that are not published are lost: those that waited for it, and
//! those that went on from them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use lithe_format::locks::WRITE_SLOT;
use lithe_format::wal_index::IndexHeader;
use lithe_vfs::{File, ShmLock, SyncFlags};

use super::company::{Company, Ticket};
use super::index::WalIndex;
use crate::call_policy::CallPolicy;
use crate::error::{Error, Result};

/// Other processes try for the write lock every few milliseconds, and must find it free at times.
const PROCESS_TURN_MAX: Duration = Duration::from_millis(50);

/// How often one looks whether the turn has become free before one sleeps: a turn takes some microseconds, and
/// falling asleep and waking up takes longer.
const LOOKS: u32 = 100;

/// The writers of one process.
#[derive(Debug)]
pub(super) struct Turns {
    state: Mutex<State>,
    /// The turn is somebody's: what `State::taken` says, for those who look without the mutex.
    taken: AtomicBool,
    /// The turn is free.
    free: Condvar,
    /// Commits were published or lost.
    settled: Condvar,
    /// `None`: there is one connection, alone with the database.
    hub: Option<Arc<dyn File>>,
}

#[derive(Debug, Default)]
struct State {
    /// A connection has its turn.
    taken: bool,
    /// How many connections wait for theirs.
    waiting: usize,
    /// How many wait for a commit to be settled: nobody is woken if nobody sleeps, which is a system call.
    asleep: usize,
    /// Since when the process has held the write lock.
    locked: Option<Instant>,
    /// Commits that are appended and not published, oldest first.
    pending: VecDeque<Pending>,
    appended: Ticket,
    /// Commits up to this one are published or lost.
    settled: Ticket,
    /// Which were lost, and why. Syncs seldom fail, so the list is short.
    lost: Vec<Loss>,
    syncing: bool,
    /// Whom the next sync waits for.
    company: Company,
}

#[derive(Debug)]
struct Pending {
    ticket: Ticket,
    header: IndexHeader,
    wants_sync: bool,
}

#[derive(Debug)]
struct Loss {
    first: Ticket,
    last: Ticket,
    error: Error,
}

/// A commit that is appended and not published: what the next turn goes on from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    ticket: Ticket,
    pub(super) header: IndexHeader,
}

impl Turns {
    pub(super) fn new(hub: Option<Arc<dyn File>>) -> Turns {
        Turns {
            state: Mutex::default(),
            taken: AtomicBool::new(false),
            free: Condvar::new(),
            settled: Condvar::new(),
            hub,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for the turn, and takes the write lock if the process does not hold it. Answers the newest
    /// commit that is appended and not published, if there is one; `Busy` after `patience`, or if
    /// another process writes.
    pub(super) fn take(&self, patience: Duration) -> Result<Option<Base>> {
        if !patience.is_zero() {
            self.look_for_a_moment();
        }
        let mut state = self.state();
        if state.taken {
            state.waiting += 1;
            let (back, _) = self
                .free
                .wait_timeout_while(state, patience, |state| state.taken)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            state = back;
            state.waiting -= 1;
        }
        if state.taken {
            return Err(Error::Busy);
        }
        if let Err(error) = self.lock_if_unlocked(&mut state) {
            // Whoever waits for the turn was not woken, and has to find out for himself.
            self.hand_on(state);
            return Err(error);
        }
        assert!(!state.taken, "one turn at a time");
        assert!(state.settled <= state.appended, "more commits are settled than appended");
        state.taken = true;
        self.taken.store(true, Ordering::Relaxed);
        Ok(state.pending.back().map(|pending| Base { ticket: pending.ticket, header: pending.header }))
    }

    fn look_for_a_moment(&self) {
        for _ in 0..LOOKS {
            if !self.taken.load(Ordering::Relaxed) {
                break;
            }
            std::hint::spin_loop();
        }
    }

    /// The process takes the write lock, if it does not hold it.
    fn lock_if_unlocked(&self, state: &mut State) -> Result<()> {
        if let (Some(hub), None) = (&self.hub, state.locked) {
            if CallPolicy::of(&**hub).shares_log {
                hub.shm_map(0, true)?;
            }
            if !hub.shm_lock(WRITE_SLOT..WRITE_SLOT + 1, ShmLock::Exclusive)? {
                return Err(Error::Busy);
            }
            state.locked = Some(Instant::now());
        }
        Ok(())
    }

    /// Whether connections of this process write, or are about to.
    pub(super) fn are_in_use(&self) -> bool {
        let state = self.state();
        state.taken || state.waiting > 0 || !state.pending.is_empty()
    }

    /// Waits, during one's own turn, until nothing is pending.
    pub(super) fn wait_until_settled(&self) {
        let mut state = self.state();
        // Nobody else can append now.
        state.company.expect_nobody();
        self.wake(state);
        let mut state = self.state();
        while !state.pending.is_empty() {
            state = self.sleep(state);
        }
    }

    /// Sleeps until commits were settled.
    fn sleep<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.asleep += 1;
        let mut state = self.settled.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.asleep -= 1;
        state
    }

    /// Commits were settled. Whoever waits for another one finds out whether it is to sync. The mutex is
    /// given back first: nobody wakes up only to wait for it.
    fn wake(&self, state: MutexGuard<'_, State>) {
        let somebody_sleeps = state.asleep > 0;
        drop(state);
        if somebody_sleeps {
            self.settled.notify_all();
        }
    }

    /// The turn is over, and the next one's. Only one is woken: the others would find the turn taken.
    fn hand_on(&self, mut state: MutexGuard<'_, State>) {
        state.taken = false;
        self.taken.store(false, Ordering::Relaxed);
        let somebody_waits = state.waiting > 0;
        drop(state);
        if somebody_waits {
            self.free.notify_one();
        }
    }

    /// Ends a turn in which nothing was committed.
    pub(super) fn give_up(&self) {
        let mut state = self.state();
        assert!(state.taken, "a turn is given up by who has it");
        state.taken = false;
        self.unlock_if_unused(&mut state);
        self.hand_on(state);
    }

    /// Ends a turn that went on from `base` and appended a commit with `header`. Answers its ticket.
    pub(super) fn append(&self, base: Option<Base>, header: IndexHeader, wants_sync: bool) -> Result<Ticket> {
        let mut state = self.state();
        assert!(state.taken, "who appends has the turn");
        let loss = base.and_then(|base| state.loss_of(base.ticket));
        state.taken = false;
        if let Some(loss) = loss {
            self.unlock_if_unused(&mut state);
            self.hand_on(state);
            return Err(loss);
        }
        state.appended += 1;
        let ticket = state.appended;
        state.pending.push_back(Pending { ticket, header, wants_sync });
        self.hand_on(state);
        Ok(ticket)
    }

    /// Waits until the commit `ticket` is published: after a sync where one is wanted.
    pub(super) fn settle(&self, ticket: Ticket, index: &WalIndex, log: &dyn File, flags: SyncFlags) -> Result<()> {
        let mut state = self.state();
        loop {
            if state.settled >= ticket {
                return state.loss_of(ticket).map_or(Ok(()), Err);
            }
            if state.pending.iter().all(|pending| !pending.wants_sync) {
                state.publish(index, Ticket::MAX);
            } else if state.syncing {
                state = self.sleep(state);
                continue;
            } else if state.company.is_awaited(state.pending.len()) {
                state = self.wait_for_company(state, ticket);
                continue;
            } else {
                state = self.sync(state, index, log, flags);
            }
            self.unlock_if_unused(&mut state);
            self.wake(state);
            state = self.state();
        }
    }

    /// Sleeps while the others of the last sync may come back with their next commit. Whoever completes them syncs
    /// for all; the first one who sleeps looks to it that nobody sleeps for long.
    fn wait_for_company<'s>(&'s self, mut state: MutexGuard<'s, State>, ticket: Ticket) -> MutexGuard<'s, State> {
        if state.company.watch.is_some() {
            return self.sleep(state);
        }
        state.company.watch = Some(ticket);
        state.asleep += 1;
        let before = state.pending.len();
        let pause = state.company.pause();
        let (mut state, slept) =
            self.settled.wait_timeout(state, pause).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.asleep -= 1;
        if state.company.watch != Some(ticket) {
            return state;
        }
        state.company.watch = None;
        let here = state.pending.len();
        if slept.timed_out() && !state.syncing && here <= before {
            state.company.give_up(here);
        }
        state
    }

    /// Syncs for all who have appended by now.
    fn sync<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        index: &WalIndex,
        log: &dyn File,
        flags: SyncFlags,
    ) -> MutexGuard<'s, State> {
        assert!(!state.syncing, "one sync at a time");
        state.syncing = true;
        let covered = state.appended;
        drop(state);
        let start = Instant::now();
        let under_way = SyncUnderWay(self);
        let synced = log.sync(flags);
        std::mem::forget(under_way);
        let took = start.elapsed();
        let mut state = self.state();
        state.syncing = false;
        // Those who are told now, and those who have appended meanwhile.
        let in_flight = state.pending.len();
        state.company.note_sync(took, in_flight);
        match synced {
            Ok(()) => state.publish(index, covered),
            Err(error) => state.lose_all(error.into()),
        }
        state
    }

    /// The process gives the write lock back when nobody needs it, and now and then when somebody
    /// does. A lock that the system does not take back goes when the log is closed.
    fn unlock_if_unused(&self, state: &mut State) {
        let Some(since) = state.locked else { return };
        let wanted = state.waiting > 0 && since.elapsed() < PROCESS_TURN_MAX;
        if state.taken || !state.pending.is_empty() || wanted {
            return;
        }
        state.locked = None;
        if let Some(hub) = &self.hub {
            let _ = hub.shm_unlock(WRITE_SLOT..WRITE_SLOT + 1, ShmLock::Exclusive);
        }
    }
}

/// A sync for all. One that panics has failed: whoever waits for it is told so.
struct SyncUnderWay<'t>(&'t Turns);

impl Drop for SyncUnderWay<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.syncing = false;
        state.lose_all(Error::Io(lithe_vfs::Error::new(lithe_vfs::Op::Sync)));
        self.0.unlock_if_unused(&mut state);
        self.0.wake(state);
    }
}

impl State {
    /// Publishes the newest commit up to `covered`, and with it those before.
    fn publish(&mut self, index: &WalIndex, covered: Ticket) {
        // Who has watched may leave; of those who stay another one will.
        self.company.watch = None;
        let count = self.pending.iter().take_while(|pending| pending.ticket <= covered).count();
        if let Some(newest) = self.pending.drain(..count).next_back() {
            index.publish(&newest.header);
            assert!(newest.ticket > self.settled, "commits are published in their order");
            self.settled = newest.ticket;
        }
    }

    fn lose_all(&mut self, error: Error) {
        self.company.watch = None;
        self.pending.clear();
        self.lost.push(Loss { first: self.settled + 1, last: self.appended, error });
        self.settled = self.appended;
    }

    /// Why `ticket` was lost, if it was.
    fn loss_of(&self, ticket: Ticket) -> Option<Error> {
        let loss = self.lost.iter().find(|loss| (loss.first..=loss.last).contains(&ticket))?;
        Some(loss.error.clone())
    }
}
