//! The recursive mutex: one thread at a time, whichever is favoured.

use loom::cell::UnsafeCell;
use loom::sync::Arc;

use self::source::RecursiveMutex;

#[allow(dead_code, unused_imports)]
mod source {
    use crate::thread::{self, this_thread};

    include!(concat!(env!("OUT_DIR"), "/recursive_mutex.rs"));
}

/// Something that only the mutex protects: loom reports two threads that come to it at the same time.
struct Shared {
    mutex: RecursiveMutex,
    count: UnsafeCell<u32>,
}

// SAFETY: what this test asks.
unsafe impl Send for Shared {}
// SAFETY: what this test asks.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(mutex: RecursiveMutex) -> Arc<Shared> {
        Arc::new(Shared { mutex, count: UnsafeCell::new(0) })
    }

    fn count_up(&self) {
        // SAFETY: what this test asks.
        self.count.with_mut(|count| unsafe { *count += 1 });
    }

    /// As every call on a connection.
    fn enter_twice(&self) {
        let favourite = self.mutex.enter();
        let again = self.mutex.enter();
        self.count_up();
        self.mutex.leave_as(again);
        self.count_up();
        self.mutex.leave_as(favourite);
    }

    fn try_once(&self) {
        if self.mutex.try_enter() {
            self.count_up();
            self.mutex.leave();
        }
    }
}

fn check(make: fn() -> RecursiveMutex, work: [fn(&Shared); 2]) {
    loom::model(move || {
        let shared = Shared::new(make());
        let other = {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || work[1](&shared))
        };
        work[0](&shared);
        other.join().unwrap();
        shared.enter_twice();
        assert!(!shared.mutex.is_mine());
    });
}

#[test]
fn a_favour_is_withdrawn_at_any_moment() {
    check(RecursiveMutex::favouring, [Shared::enter_twice, Shared::enter_twice]);
}

#[test]
fn who_tries_never_meets_another() {
    check(RecursiveMutex::favouring, [Shared::enter_twice, Shared::try_once]);
    check(RecursiveMutex::favouring, [Shared::try_once, Shared::try_once]);
}

#[test]
fn a_shared_one_from_the_beginning() {
    check(RecursiveMutex::shared, [Shared::enter_twice, Shared::enter_twice]);
    check(RecursiveMutex::shared, [Shared::enter_twice, Shared::try_once]);
}
