//! The numbers of cursors: the column with a table's name reads as the number of its cursor.

use std::sync::atomic::{AtomicI64, Ordering};

/// The number of the last cursor of a connection. Cursors are numbered from 1.
#[derive(Debug, Default)]
pub struct CursorNumbers(AtomicI64);

impl CursorNumbers {
    /// The number of a cursor that is opened now.
    pub fn next(&self) -> i64 {
        self.count(1)
    }

    /// Counts cursors that SQLite opens and Lithe does not need; answers the number of the last.
    pub fn count(&self, cursors: i64) -> i64 {
        self.0.fetch_add(cursors, Ordering::Relaxed).wrapping_add(cursors)
    }
}
