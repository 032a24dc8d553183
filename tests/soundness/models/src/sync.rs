//! `std::sync` as the sources see it.

use std::sync::LockResult;
use std::time::Duration;

pub use loom::sync::{Mutex, MutexGuard};
pub use std::sync::{Arc, PoisonError};

pub mod atomic {
    pub use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    /// Where the product has a fence of the compiler, another thread's [`crate::thread::barrier`] makes a fence of the
    /// processor of it: together they order as two fences do.
    pub fn compiler_fence(order: Ordering) {
        loom::sync::atomic::fence(order);
    }
}

/// Loom knows no time. A short wait is over at once, a long one never before somebody comes.
#[derive(Debug, Default)]
pub struct Condvar(loom::sync::Condvar);

/// What a wait with a limit answers.
pub struct TimeOut(bool);

impl TimeOut {
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    pub fn new() -> Condvar {
        Condvar::default()
    }

    pub fn wait<'g, T>(&self, guard: MutexGuard<'g, T>) -> LockResult<MutexGuard<'g, T>> {
        self.0.wait(guard)
    }

    pub fn wait_timeout<'g, T>(
        &self,
        guard: MutexGuard<'g, T>,
        _short: Duration,
    ) -> LockResult<(MutexGuard<'g, T>, TimeOut)> {
        Ok((guard, TimeOut(true)))
    }

    pub fn wait_timeout_while<'g, T>(
        &self,
        mut guard: MutexGuard<'g, T>,
        _long: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'g, T>, TimeOut)> {
        while condition(&mut guard) {
            guard = self.0.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        Ok((guard, TimeOut(false)))
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
