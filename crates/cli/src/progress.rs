//! How often the progress handler was called.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What `.progress` has set.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Calls of the handler.
    pub calls: Arc<AtomicU64>,
    /// The calls after which statements are interrupted; 0 never.
    pub limit: Arc<AtomicU64>,
    /// The count begins again with each input.
    pub resets: bool,
}

impl Progress {
    /// A new text of SQL begins.
    pub fn begin_input(&self) {
        if self.resets {
            self.calls.store(0, Ordering::Relaxed);
        }
    }
}
