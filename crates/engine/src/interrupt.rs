//! Stopping running statements from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The connection's side of the interrupt flag.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    flag: Arc<AtomicBool>,
}

impl Interrupts {
    /// Whether the running statements should stop.
    pub(crate) fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// A statement starts and no other is running: an interrupt of earlier statements has no effect on it.
    pub(crate) fn clear(&self) {
        self.flag.store(false, Ordering::Relaxed);
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    pub(crate) fn handle(&self) -> InterruptHandle {
        InterruptHandle { flag: Arc::clone(&self.flag) }
    }
}

/// Stops the running statements of a connection, from any thread.
#[derive(Clone, Debug)]
pub struct InterruptHandle {
    flag: Arc<AtomicBool>,
}

impl InterruptHandle {
    /// Statements that are running now end with SQLITE_INTERRUPT.
    pub fn interrupt(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether an interrupt was requested and some interrupted statements still run.
    pub fn is_interrupted(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}
