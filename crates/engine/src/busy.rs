//! The busy handler: what a connection does while another one holds a lock that it needs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lithe_pager::Pager;
use lithe_vfs::Vfs;

use crate::interrupt::Interrupts;

/// Decides whether to try again; the argument is the number of its calls for this lock so far.
pub type BusyCallback = Rc<dyn Fn(u32) -> bool>;

/// The busy handler of a connection: a callback, a timeout, or none.
pub(crate) struct BusyHandler {
    vfs: Arc<dyn Vfs>,
    timeout: Cell<Duration>,
    /// When the present wait began and what it has slept so far.
    waited: Cell<Duration>,
    callback: RefCell<Option<BusyCallback>>,
    /// How often a VFS has called since the handler last gave up.
    asked_by_vfs: Cell<u32>,
    /// The connection's interrupt flag.
    interrupted: Arc<AtomicBool>,
}

/// The pauses between attempts, in milliseconds; after these the last one repeats.
const PAUSES: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

impl BusyHandler {
    pub(crate) fn new(vfs: Arc<dyn Vfs>, interrupts: &Interrupts) -> BusyHandler {
        BusyHandler {
            vfs,
            timeout: Cell::new(Duration::ZERO),
            waited: Cell::new(Duration::ZERO),
            callback: RefCell::new(None),
            asked_by_vfs: Cell::new(0),
            interrupted: interrupts.flag(),
        }
    }

    /// Registers this handler, and the connection's interrupt flag, with a pager.
    pub(crate) fn serve(self: &Rc<BusyHandler>, pager: &Pager) {
        let busy = Rc::clone(self);
        pager.set_busy_handler(Some(Rc::new(move |asked| busy.should_retry(asked))));
        pager.set_interrupt_flag(Arc::clone(&self.interrupted));
    }

    /// Waits at most this long for a lock; replaces a callback.
    pub(crate) fn set_timeout(&self, timeout: Duration) {
        self.timeout.set(timeout);
        *self.callback.borrow_mut() = None;
    }

    /// The timeout; zero when there is none.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout.get()
    }

    /// Calls `callback` from now on; it replaces a timeout.
    pub(crate) fn set_callback(&self, callback: Option<BusyCallback>) {
        self.timeout.set(Duration::ZERO);
        *self.callback.borrow_mut() = callback;
    }

    /// Whether to try again, after a pause.
    pub(crate) fn should_retry(&self, asked_before: u32) -> bool {
        let callback = self.callback.borrow().clone();
        if let Some(callback) = callback {
            return callback(asked_before);
        }
        self.pause(asked_before)
    }

    /// The same for a VFS that waits by itself.
    pub(crate) fn should_retry_again(&self) -> bool {
        let asked = self.asked_by_vfs.get();
        let again = self.should_retry(asked);
        self.asked_by_vfs.set(if again { asked.saturating_add(1) } else { 0 });
        again
    }

    fn pause(&self, asked_before: u32) -> bool {
        if asked_before == 0 {
            self.waited.set(Duration::ZERO);
        }
        let left = self.timeout.get().saturating_sub(self.waited.get());
        if left.is_zero() {
            return false;
        }
        let step = PAUSES[(asked_before as usize).min(PAUSES.len() - 1)];
        let pause = Duration::from_millis(step).min(left);
        self.vfs.sleep(pause);
        self.waited.set(self.waited.get() + pause);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_vfs::MemoryVfs;

    fn handler() -> BusyHandler {
        BusyHandler::new(Arc::new(MemoryVfs::new()), &Interrupts::default())
    }

    #[test]
    fn a_timeout_is_the_sum_of_its_pauses() {
        let busy = handler();
        assert!(!busy.should_retry(0), "no timeout");
        busy.set_timeout(Duration::from_millis(4));
        let tries: Vec<bool> = (0..4).map(|asked| busy.should_retry(asked)).collect();
        assert_eq!((tries, busy.waited.get()), (vec![true, true, true, false], busy.timeout()));
        assert!(busy.should_retry(0), "another wait");
    }

    #[test]
    fn a_callback_takes_the_place_of_a_timeout() {
        let busy = handler();
        busy.set_timeout(Duration::from_secs(100));
        busy.set_callback(Some(Rc::new(|asked| asked < 2)));
        assert!(busy.timeout().is_zero());
        // A VFS does not count its calls, so the handler does.
        let tries: Vec<bool> = (0..5).map(|_| busy.should_retry_again()).collect();
        assert_eq!(tries, [true, true, false, true, true]);
        busy.set_timeout(Duration::ZERO);
        assert!(!busy.should_retry(0));
    }
}
