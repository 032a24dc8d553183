//! Group commit: the writers of one process append one after the other, and one sync serves all that wait for it.
//!
//! ```text
//!   A   write ---- append |  sync .........  |
//!   B              write ---- append |  wait .......  sync ........ |
//!   C                         write ---- append | wait ............ |
//!                                            A is published    B and C are published
//! ```
//!
//! A *writer* is a connection that holds the writer slot of the process. It appends its frames, gives the slot to the next writer,
//! which goes on from those frames, and becomes a *committer*: it waits for a sync that covers its frames. The commit is
//! published, to this process and to others, only after that sync, so that no reader sees what a power loss could take
//! back. The process holds the write lock of the log meanwhile. A handle of its own, the hub, holds the lock, because the lock outlives the
//! transaction of a connection. On a VFS of the application nothing is shared: each connection has a queue of its own,
//! and its own handle is the hub.
//!
//! A committer that is about to sync may wait for the writers that the last sync served ([`super::waiters`]).
//!
//! When a sync fails, all commits that are not published are lost: those that waited for the sync, and
//! those that were built on them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use lithe_format::locks::WRITE_SLOT;
use lithe_format::wal_index::IndexHeader;
use lithe_vfs::{File, ShmLock, SyncFlags};

use super::index::WalIndex;
use super::waiters::{Ticket, Waiters};
use crate::call_policy::CallPolicy;
use crate::error::{Error, Result};

/// Other processes try for the write lock every few milliseconds, and must find it free at times.
const HOLD_MAX: Duration = Duration::from_millis(50);

/// How often a writer tests whether the slot is free before it sleeps: the slot is held for some microseconds, and
/// to sleep and be woken takes longer.
const SPINS: u32 = 100;

/// The writers and committers of one process.
#[derive(Debug)]
pub(super) struct CommitQueue {
    state: Mutex<State>,
    /// A copy of `State::taken` that is read without the mutex.
    taken: AtomicBool,
    /// The writer slot is free.
    free: Condvar,
    /// Commits were published or lost.
    settled: Condvar,
    /// `None`: there is one connection, alone with the database.
    hub: Option<Arc<dyn File>>,
}

#[derive(Debug, Default)]
struct State {
    /// A connection holds the writer slot.
    taken: bool,
    /// The number of connections that wait for the slot.
    waiting: usize,
    /// The number of committers that sleep until a commit is settled. To wake them is a system call, which is left out if there is none.
    asleep: usize,
    /// Since when the process has held the write lock.
    locked: Option<Instant>,
    /// Commits that are appended and not published, oldest first.
    pending: VecDeque<Pending>,
    appended: Ticket,
    /// Commits up to this one are published or lost.
    settled: Ticket,
    /// The commits that were lost, and why. Syncs seldom fail, so the list is short.
    lost: Vec<Loss>,
    syncing: bool,
    /// How many commits the next sync waits for.
    waiters: Waiters,
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

/// A commit that is appended and not published: the next writer builds on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    ticket: Ticket,
    pub(super) header: IndexHeader,
}

impl CommitQueue {
    pub(super) fn new(hub: Option<Arc<dyn File>>) -> CommitQueue {
        CommitQueue {
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

    /// Waits for the writer slot, and takes the write lock if the process does not hold it. Returns the newest
    /// commit that is appended and not published, if there is one; `Busy` after `patience`, or if
    /// another process writes.
    pub(super) fn enter(&self, patience: Duration) -> Result<Option<Base>> {
        if !patience.is_zero() {
            self.spin();
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
            // The next waiting writer tries for the lock itself, and gets its own error.
            self.free_slot(state);
            return Err(error);
        }
        assert!(!state.taken, "one writer at a time");
        assert!(state.settled <= state.appended, "more commits are settled than appended");
        state.taken = true;
        self.taken.store(true, Ordering::Relaxed);
        Ok(state.pending.back().map(|pending| Base { ticket: pending.ticket, header: pending.header }))
    }

    fn spin(&self) {
        for _ in 0..SPINS {
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

    /// Waits until no commit is pending. The caller is the writer.
    pub(super) fn wait_until_settled(&self) {
        let mut state = self.state();
        // No other connection can append now.
        state.waiters.expect_none();
        self.wake(state);
        let mut state = self.state();
        while !state.pending.is_empty() {
            state = self.sleep(state);
        }
    }

    /// Sleeps until commits are settled.
    fn sleep<'s>(&'s self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.asleep += 1;
        let mut state = self.settled.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.asleep -= 1;
        state
    }

    /// Wakes all committers after commits were settled: each finds out whether its own is among them, or whether it syncs next. The
    /// mutex is released first, so that no committer wakes up only to wait for the mutex.
    fn wake(&self, state: MutexGuard<'_, State>) {
        let has_sleepers = state.asleep > 0;
        drop(state);
        if has_sleepers {
            self.settled.notify_all();
        }
    }

    /// Frees the writer slot. Only one waiting writer is woken: the others would find the slot taken.
    fn free_slot(&self, mut state: MutexGuard<'_, State>) {
        state.taken = false;
        self.taken.store(false, Ordering::Relaxed);
        let has_waiting = state.waiting > 0;
        drop(state);
        if has_waiting {
            self.free.notify_one();
        }
    }

    /// Leaves the writer slot without a commit.
    pub(super) fn leave(&self) {
        let mut state = self.state();
        assert!(state.taken, "only the writer leaves the slot");
        state.taken = false;
        self.unlock_if_unused(&mut state);
        self.free_slot(state);
    }

    /// Leaves the writer slot with a commit that was built on `base` and appended with `header`. Returns its ticket.
    pub(super) fn append(&self, base: Option<Base>, header: IndexHeader, wants_sync: bool) -> Result<Ticket> {
        let mut state = self.state();
        assert!(state.taken, "only the writer appends");
        let loss = base.and_then(|base| state.loss_of(base.ticket));
        state.taken = false;
        if let Some(loss) = loss {
            self.unlock_if_unused(&mut state);
            self.free_slot(state);
            return Err(loss);
        }
        state.appended += 1;
        let ticket = state.appended;
        state.pending.push_back(Pending { ticket, header, wants_sync });
        self.free_slot(state);
        Ok(ticket)
    }

    /// Waits until the commit `ticket` is published, after a sync if the commit requires one.
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
            } else if state.waiters.expects_more_than(state.pending.len()) {
                state = self.wait_for_group(state, ticket);
                continue;
            } else {
                state = self.sync(state, index, log, flags);
            }
            self.unlock_if_unused(&mut state);
            self.wake(state);
            state = self.state();
        }
    }

    /// Sleeps while the writers of the last sync may be back with their next commit. The committer that completes the group syncs
    /// for all. The first one that sleeps does so with a time limit, so that no group sleeps for long.
    fn wait_for_group<'s>(&'s self, mut state: MutexGuard<'s, State>, ticket: Ticket) -> MutexGuard<'s, State> {
        if state.waiters.timed.is_some() {
            return self.sleep(state);
        }
        state.waiters.timed = Some(ticket);
        state.asleep += 1;
        let before = state.pending.len();
        let pause = state.waiters.pause();
        let (mut state, slept) =
            self.settled.wait_timeout(state, pause).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.asleep -= 1;
        if state.waiters.timed != Some(ticket) {
            return state;
        }
        state.waiters.timed = None;
        let pending = state.pending.len();
        if slept.timed_out() && !state.syncing && pending <= before {
            state.waiters.give_up(pending);
        }
        state
    }

    /// Syncs for all commits that are appended by now.
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
        // The commits that this sync covers, and those appended while it ran.
        let in_flight = state.pending.len();
        state.waiters.note_sync(took, in_flight);
        match synced {
            Ok(()) => state.publish(index, covered),
            Err(error) => state.lose_all(error.into()),
        }
        state
    }

    /// Releases the write lock of the process when no connection needs it, and after [`HOLD_MAX`] even if one
    /// does. If the system refuses to release the lock, the lock ends when the log is closed.
    fn unlock_if_unused(&self, state: &mut State) {
        let Some(since) = state.locked else { return };
        let wanted = state.waiting > 0 && since.elapsed() < HOLD_MAX;
        if state.taken || !state.pending.is_empty() || wanted {
            return;
        }
        state.locked = None;
        if let Some(hub) = &self.hub {
            let _ = hub.shm_unlock(WRITE_SLOT..WRITE_SLOT + 1, ShmLock::Exclusive);
        }
    }
}

/// A sync that runs. If it panics, it has failed, and the commits that waited for it are lost.
struct SyncUnderWay<'t>(&'t CommitQueue);

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
    /// Publishes the newest commit up to `covered`, and thereby those before it.
    fn publish(&mut self, index: &WalIndex, covered: Ticket) {
        // The committer with the time limit may be among those that leave; another one takes its place.
        self.waiters.timed = None;
        let count = self.pending.iter().take_while(|pending| pending.ticket <= covered).count();
        if let Some(newest) = self.pending.drain(..count).next_back() {
            index.publish(&newest.header);
            assert!(newest.ticket > self.settled, "commits are published in their order");
            self.settled = newest.ticket;
        }
    }

    fn lose_all(&mut self, error: Error) {
        self.waiters.timed = None;
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
