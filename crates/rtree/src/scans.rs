//! Counts the scans of a table that stand on a row: meanwhile, the table cannot be changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{self, Result};

/// The number of such scans of one table.
#[derive(Clone, Debug, Default)]
pub struct ActiveScans(Arc<AtomicUsize>);

impl ActiveScans {
    /// A scan that has not begun.
    pub fn new_scan(&self) -> ScanGuard {
        ScanGuard { scans: self.clone(), is_on_row: false }
    }

    /// Fails if a scan stands on a row, because a change of the table would invalidate its nodes.
    ///
    /// # Errors
    /// SQLITE_LOCKED_VTAB.
    pub fn refuse_change(&self) -> Result {
        if self.0.load(Ordering::Relaxed) > 0 { Err(error::locked()) } else { Ok(()) }
    }
}

/// A scan, which counts while it stands on a row.
#[derive(Debug)]
pub struct ScanGuard {
    scans: ActiveScans,
    is_on_row: bool,
}

impl ScanGuard {
    /// Sets whether the scan stands on a row.
    pub fn set(&mut self, is_on_row: bool) {
        match (is_on_row, self.is_on_row) {
            (true, false) => _ = self.scans.0.fetch_add(1, Ordering::Relaxed),
            (false, true) => _ = self.scans.0.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
        self.is_on_row = is_on_row;
    }
}

impl Drop for ScanGuard {
    fn drop(&mut self) {
        self.set(false);
    }
}
