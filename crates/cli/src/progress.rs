//! The state of the progress handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The settings of `.progress`.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The number of calls of the handler.
    pub calls: Arc<AtomicU64>,
    /// The number of calls at which statements are interrupted; 0 means never.
    pub limit: Arc<AtomicU64>,
    /// Whether the count restarts with each input.
    pub resets: bool,
}

impl Progress {
    /// Called before a new text of SQL.
    pub fn begin_input(&self) {
        if self.resets {
            self.calls.store(0, Ordering::Relaxed);
        }
    }
}
