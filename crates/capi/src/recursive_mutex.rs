//! A recursive mutex that is nearly free of cost as long as one thread alone uses it (a biased lock).
//!
//! ```text
//!   favouring ──another thread wants it──► withdrawing ──the favourite has left──► shared
//!
//!   favourite        the thread that may take it without an atomic exchange: the first one that took it
//!   favourite_depth  how often it holds it so; written by the favourite only
//!
//!   state            shared: 0 free, 1 held, 2 held and perhaps waited for
//!   owner, depth     shared: the thread that holds it (only the owner sees its own number here), and how often
//! ```
//!
//! Every call on a connection begins and ends with its mutex, and nearly all connections are used by one thread only.
//! An atomic exchange at both ends would be a tenth of a short query. The favourite writes its depth, and then reads
//! whether it is still favoured; another thread that needs the mutex withdraws the favour, and then reads the depth. At
//! least one of the two sees the other's write, provided that neither thread's read overtakes its own write: the
//! withdrawing thread makes sure of that for both, by a [`thread::barrier`]. From then on the mutex is shared for good.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering, compiler_fence};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::thread::{self, this_thread};

/// See the picture above.
#[derive(Debug)]
pub struct RecursiveMutex {
    favourite: AtomicUsize,
    favourite_depth: AtomicU32,
    mode: AtomicU8,
    state: AtomicU32,
    owner: AtomicUsize,
    depth: AtomicU32,
    withdrawing: Mutex<()>,
    /// The favourite has left the mutex, or noticed that it is not favoured any more.
    left: Condvar,
    parking: Mutex<()>,
    unparked: Condvar,
}

const NOBODY: usize = 0;

const FAVOURING: u8 = 0;
const WITHDRAWING: u8 = 1;
const SHARED: u8 = 2;

const FREE: u32 = 0;
const HELD: u32 = 1;
const AWAITED: u32 = 2;

/// If the system refuses every barrier (a filter of system calls was installed since; never on x86-64), the withdrawing
/// thread waits until the favourite has noticed, and at most this long: a processor delays a store for less than a
/// thousandth of that.
const HELD_BACK: Duration = Duration::from_millis(10);

impl RecursiveMutex {
    /// A mutex for many threads.
    pub(crate) const fn shared() -> RecursiveMutex {
        RecursiveMutex {
            favourite: AtomicUsize::new(NOBODY),
            favourite_depth: AtomicU32::new(0),
            mode: AtomicU8::new(SHARED),
            state: AtomicU32::new(FREE),
            owner: AtomicUsize::new(NOBODY),
            depth: AtomicU32::new(0),
            withdrawing: Mutex::new(()),
            left: Condvar::new(),
            parking: Mutex::new(()),
            unparked: Condvar::new(),
        }
    }

    /// A mutex that favours the first thread that takes it.
    pub(crate) fn favouring() -> RecursiveMutex {
        let mode = if thread::has_barrier() { FAVOURING } else { SHARED };
        RecursiveMutex { mode: AtomicU8::new(mode), ..RecursiveMutex::shared() }
    }

    /// Takes the mutex, waiting for another thread to leave. Returns whether this thread took it as the favourite, so
    /// that [`RecursiveMutex::leave_as`] need not find out again.
    #[inline(always)]
    pub(crate) fn enter(&self) -> bool {
        let me = this_thread();
        (self.favourite.load(Ordering::Relaxed) == me && self.enter_favoured()) || self.enter_otherwise(me)
    }

    /// Leaves the mutex as it was entered: a thread that entered as the favourite stays the favourite until it has
    /// left.
    #[inline(always)]
    pub(crate) fn leave_as(&self, favourite: bool) {
        if favourite {
            let depth = self.favourite_depth.load(Ordering::Relaxed);
            debug_assert!(depth > 0, "left more often than entered");
            self.favourite_depth.store(depth.wrapping_sub(1), Ordering::Release);
            // As in `enter_favoured`: if the read below overtakes this store, the other thread's barrier comes between
            // them, and that thread sees the store.
            compiler_fence(Ordering::SeqCst);
            if self.mode.load(Ordering::Relaxed) != FAVOURING {
                self.wake_who_withdraws();
            }
        } else {
            self.leave_shared();
        }
    }

    /// Takes the mutex unless another thread holds it.
    pub(crate) fn try_enter(&self) -> bool {
        let me = this_thread();
        if self.favourite.load(Ordering::Relaxed) == me && self.enter_favoured() {
            return true;
        }
        if self.becomes_favourite(me) {
            return self.try_enter();
        }
        self.withdraw(false) && self.try_enter_shared(me)
    }

    /// Leaves the mutex. Only the thread that holds it may call this.
    pub(crate) fn leave(&self) {
        self.leave_as(self.is_favourites(this_thread()));
    }

    /// Whether this thread holds the mutex.
    pub(crate) fn is_mine(&self) -> bool {
        let me = this_thread();
        self.is_favourites(me) || self.owner.load(Ordering::Relaxed) == me
    }

    // ---- for one thread ----

    /// Whether this thread holds the mutex as the favourite.
    fn is_favourites(&self, me: usize) -> bool {
        self.favourite.load(Ordering::Relaxed) == me && self.favourite_depth.load(Ordering::Relaxed) > 0
    }

    /// The favourite takes the mutex. Returns whether it could.
    #[inline(always)]
    fn enter_favoured(&self) -> bool {
        let depth = self.favourite_depth.load(Ordering::Relaxed);
        self.favourite_depth.store(depth.wrapping_add(1), Ordering::Relaxed);
        // The processor may still read first: then the barrier of the withdrawing thread comes in between.
        compiler_fence(Ordering::SeqCst);
        self.mode.load(Ordering::Acquire) == FAVOURING || self.is_still_favoured(depth)
    }

    /// Another thread needs the mutex. The favourite keeps it if it held it before; else it gives it up.
    #[cold]
    fn is_still_favoured(&self, depth: u32) -> bool {
        if depth == 0 {
            self.favourite_depth.store(0, Ordering::Release);
            self.wake_who_withdraws();
        }
        depth > 0
    }

    /// The favourite has noticed that it is not favoured any more: wakes the withdrawing threads.
    #[cold]
    fn wake_who_withdraws(&self) {
        // A withdrawing thread holds this lock from its read of the depth until it sleeps, so that it cannot miss the
        // notification.
        drop(self.withdrawing.lock().unwrap_or_else(PoisonError::into_inner));
        self.left.notify_all();
    }

    /// Makes this thread the favourite, if it is the first one that takes the mutex.
    fn becomes_favourite(&self, me: usize) -> bool {
        self.mode.load(Ordering::Acquire) == FAVOURING
            && self.favourite.compare_exchange(NOBODY, me, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Withdraws the favour. Waits until the favourite has left, if `waits`; else returns whether it had.
    #[cold]
    fn withdraw(&self, waits: bool) -> bool {
        if self.mode.load(Ordering::Acquire) == SHARED {
            return true;
        }
        let mut withdrawing = self.withdrawing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.mode.load(Ordering::Acquire) == FAVOURING {
            self.mode.store(WITHDRAWING, Ordering::Release);
            if !thread::barrier() {
                withdrawing = self.left.wait_timeout(withdrawing, HELD_BACK).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        while self.favourite_depth.load(Ordering::Acquire) > 0 {
            if !waits {
                return false;
            }
            withdrawing = self.left.wait(withdrawing).unwrap_or_else(PoisonError::into_inner);
        }
        self.mode.store(SHARED, Ordering::Release);
        true
    }

    // ---- for many threads ----

    #[inline(never)]
    fn enter_otherwise(&self, me: usize) -> bool {
        if self.mode.load(Ordering::Acquire) != SHARED {
            if self.becomes_favourite(me) {
                return self.enter();
            }
            self.withdraw(true);
        }
        self.enter_shared(me);
        false
    }

    #[inline]
    fn enter_shared(&self, me: usize) {
        if !self.try_enter_shared(me) {
            self.wait();
            self.owner.store(me, Ordering::Relaxed);
            self.depth.store(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn try_enter_shared(&self, me: usize) -> bool {
        if self.owner.load(Ordering::Relaxed) == me {
            self.depth.store(self.depth.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return true;
        }
        if self.state.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        self.owner.store(me, Ordering::Relaxed);
        self.depth.store(1, Ordering::Relaxed);
        true
    }

    #[cold]
    fn wait(&self) {
        let mut parked = self.parking.lock().unwrap_or_else(PoisonError::into_inner);
        while self.state.swap(AWAITED, Ordering::Acquire) != FREE {
            parked = self.unparked.wait(parked).unwrap_or_else(PoisonError::into_inner);
        }
    }

    #[inline(never)]
    fn leave_shared(&self) {
        let depth = self.depth.load(Ordering::Relaxed).saturating_sub(1);
        self.depth.store(depth, Ordering::Relaxed);
        if depth > 0 {
            return;
        }
        self.owner.store(NOBODY, Ordering::Relaxed);
        if self.state.swap(FREE, Ordering::Release) == AWAITED {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // A thread that has set `AWAITED` is waiting by the time that this lock is free.
        drop(self.parking.lock().unwrap_or_else(PoisonError::into_inner));
        self.unparked.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Threads count under the mutex, sometimes taking it twice, and so does this thread from the beginning.
    fn check_counting(mutex: &RecursiveMutex, threads: u64, rounds: u64) {
        let count = AtomicU64::new(0);
        let work = || {
            for round in 0..rounds {
                mutex.enter();
                if round % 3 == 0 {
                    mutex.enter();
                }
                let seen = count.load(Ordering::Relaxed);
                if round % 64 == 0 {
                    std::thread::yield_now();
                }
                count.store(seen + 1, Ordering::Relaxed);
                if round % 3 == 0 {
                    mutex.leave();
                }
                assert!(mutex.is_mine());
                mutex.leave();
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        assert_eq!(count.load(Ordering::Relaxed), threads * rounds);
        assert!(!mutex.is_mine());
    }

    #[test]
    fn one_thread_at_a_time_and_that_one_as_often_as_it_likes() {
        check_counting(&RecursiveMutex::shared(), 4, 2000);
        check_counting(&RecursiveMutex::favouring(), 1, 2000);
        check_counting(&RecursiveMutex::favouring(), 4, 2000);
    }

    #[test]
    fn a_favour_is_withdrawn_at_any_moment() {
        for _ in 0..300 {
            let mutex = RecursiveMutex::favouring();
            mutex.enter();
            mutex.leave();
            check_counting(&mutex, 3, 40);
        }
    }

    #[test]
    fn trying_waits_for_nobody() {
        for mutex in [RecursiveMutex::shared(), RecursiveMutex::favouring()] {
            assert!(mutex.try_enter() && mutex.try_enter());
            std::thread::scope(|scope| scope.spawn(|| assert!(!mutex.try_enter() && !mutex.is_mine())).join().unwrap());
            // Another thread has asked for the mutex in between.
            mutex.enter();
            (0..3).for_each(|_| mutex.leave());
            assert!(!mutex.is_mine());
            std::thread::scope(|scope| {
                let other = || {
                    assert!(mutex.try_enter() && mutex.is_mine());
                    mutex.leave();
                };
                scope.spawn(other).join().unwrap();
            });
            assert!(mutex.try_enter() && mutex.is_mine());
            mutex.leave();
        }
    }
}
