//! Mutexes: the recursive one of each connection, and those that applications ask for (`sqlite3_mutex_*`).

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::code;
use crate::config;
use crate::door::api;

/// A mutex that the thread that holds it may take again.
///
/// ```text
///   state    0 free, 1 held, 2 held and perhaps waited for
///   owner    the thread that holds it; only the owner sees its own number here
///   depth    how often the owner has taken it
/// ```
///
/// Taking a free one is one atomic exchange, because that is what every call on a connection begins with.
#[derive(Debug, Default)]
pub struct RecursiveMutex {
    state: AtomicU32,
    owner: AtomicUsize,
    depth: AtomicU32,
    parking: Mutex<()>,
    unparked: Condvar,
}

const FREE: u32 = 0;
const HELD: u32 = 1;
const AWAITED: u32 = 2;

thread_local! {
    /// Its address is the number of the thread.
    static THREAD: u8 = const { 0 };
}

#[inline]
pub(crate) fn this_thread() -> usize {
    THREAD.with(|here| std::ptr::from_ref(here) as usize)
}

impl RecursiveMutex {
    /// Takes it, waiting for another thread to leave.
    #[inline(always)]
    pub(crate) fn enter(&self) {
        let me = this_thread();
        if self.owner.load(Ordering::Relaxed) == me {
            self.depth.store(self.depth.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return;
        }
        if self.state.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.wait();
        }
        self.owner.store(me, Ordering::Relaxed);
        self.depth.store(1, Ordering::Relaxed);
    }

    #[cold]
    fn wait(&self) {
        let mut parked = self.parking.lock().unwrap_or_else(PoisonError::into_inner);
        while self.state.swap(AWAITED, Ordering::Acquire) != FREE {
            parked = self.unparked.wait(parked).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes it unless another thread has it.
    pub(crate) fn try_enter(&self) -> bool {
        let me = this_thread();
        let is_mine = self.owner.load(Ordering::Relaxed) == me;
        if !is_mine && self.state.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        let depth = if is_mine { self.depth.load(Ordering::Relaxed) } else { 0 };
        self.owner.store(me, Ordering::Relaxed);
        self.depth.store(depth + 1, Ordering::Relaxed);
        true
    }

    /// Leaves it. Only the thread that holds it may.
    #[inline(always)]
    pub(crate) fn leave(&self) {
        let depth = self.depth.load(Ordering::Relaxed).saturating_sub(1);
        self.depth.store(depth, Ordering::Relaxed);
        if depth > 0 {
            return;
        }
        self.owner.store(0, Ordering::Relaxed);
        if self.state.swap(FREE, Ordering::Release) == AWAITED {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // Whoever has announced itself is waiting by the time that the lock can be had.
        drop(self.parking.lock().unwrap_or_else(PoisonError::into_inner));
        self.unparked.notify_one();
    }

    /// Whether this thread holds it.
    pub(crate) fn is_mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == this_thread()
    }
}

/// The handle of the C interface.
#[allow(non_camel_case_types)]
pub type sqlite3_mutex = RecursiveMutex;

const FAST: c_int = 0;
const RECURSIVE: c_int = 1;
/// The first static mutex, and how many there are.
const STATIC_FIRST: c_int = 2;
const STATIC_COUNT: usize = 12;

static STATIC: [RecursiveMutex; STATIC_COUNT] = [const {
    RecursiveMutex {
        state: AtomicU32::new(FREE),
        owner: AtomicUsize::new(0),
        depth: AtomicU32::new(0),
        parking: Mutex::new(()),
        unparked: Condvar::new(),
    }
}; STATIC_COUNT];

fn is_static(mutex: *const sqlite3_mutex) -> bool {
    STATIC.as_ptr_range().contains(&mutex)
}

/// What stands for a mutex in single-threaded mode. Its number is SQLite's: programs ask it to find out about the mode.
const fn no_mutex() -> *mut sqlite3_mutex {
    std::ptr::without_provenance_mut(8)
}

/// The mutex behind a handle, if there is one.
///
/// # Safety
/// `mutex` is null or came from `sqlite3_mutex_alloc`, and was not freed.
unsafe fn real<'a>(mutex: *mut sqlite3_mutex) -> Option<&'a RecursiveMutex> {
    // SAFETY: our caller's promise.
    if mutex == no_mutex() { None } else { unsafe { mutex.as_ref() } }
}

api! {
    fn sqlite3_mutex_alloc(kind: c_int) -> *mut sqlite3_mutex {
        match kind {
            FAST | RECURSIVE if config::is_single_threaded() => no_mutex(),
            FAST | RECURSIVE => Box::into_raw(Box::default()),
            _ => {
                let found = usize::try_from(kind - STATIC_FIRST).ok().and_then(|index| STATIC.get(index));
                found.map_or(std::ptr::null_mut(), |mutex| std::ptr::from_ref(mutex).cast_mut())
            }
        }
    }

    fn sqlite3_mutex_free(mutex: *mut sqlite3_mutex) {
        if !mutex.is_null() && mutex != no_mutex() && !is_static(mutex) {
            drop(Box::from_raw(mutex));
        }
    }

    fn sqlite3_mutex_enter(mutex: *mut sqlite3_mutex) {
        if let Some(mutex) = real(mutex) {
            mutex.enter();
        }
    }

    fn sqlite3_mutex_try(mutex: *mut sqlite3_mutex) -> c_int {
        match real(mutex) {
            Some(mutex) if !mutex.try_enter() => code::BUSY,
            _ => code::OK,
        }
    }

    fn sqlite3_mutex_leave(mutex: *mut sqlite3_mutex) {
        if let Some(mutex) = real(mutex) {
            mutex.leave();
        }
    }

    fn sqlite3_mutex_held(mutex: *mut sqlite3_mutex) -> c_int {
        real(mutex).is_none_or(RecursiveMutex::is_mine).into()
    }

    fn sqlite3_mutex_notheld(mutex: *mut sqlite3_mutex) -> c_int {
        real(mutex).is_none_or(|mutex| !mutex.is_mine()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn one_thread_at_a_time_and_that_one_as_often_as_it_likes() {
        let mutex = RecursiveMutex::default();
        let count = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        mutex.enter();
                        mutex.enter();
                        let seen = count.load(Ordering::Relaxed);
                        std::thread::yield_now();
                        count.store(seen + 1, Ordering::Relaxed);
                        mutex.leave();
                        assert!(mutex.is_mine());
                        mutex.leave();
                    }
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 4000);
        assert!(mutex.try_enter() && mutex.try_enter());
        std::thread::scope(|scope| scope.spawn(|| assert!(!mutex.try_enter())).join().unwrap());
        mutex.leave();
        mutex.leave();
        assert!(!mutex.is_mine());
    }
}
