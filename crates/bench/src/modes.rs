//! Journal modes by the names that rows of charts have.

use crate::frame::results::{Name, Side};
use crate::sql::JournalMode;

/// A rollback journal, deleted at commit: the default.
pub const ROLLBACK: Mode = Mode { id: "delete", words: "rollback journal", journal: JournalMode::Delete };

/// A write-ahead log.
pub const WAL: Mode = Mode { id: "wal", words: "WAL", journal: JournalMode::Wal };

/// A journal mode and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// In the ids of rows.
    pub id: &'static str,
    /// For people.
    pub words: &'static str,
    /// As the pragma has it.
    pub journal: JournalMode,
}

impl Mode {
    /// The name of a row: somebody who does something in this mode.
    pub fn name(self, side: Side, what_id: &str, what: &str) -> Name {
        let label = if what.is_empty() { String::new() } else { format!(", {what}") };
        Name::new(format!("{side}-{}{what_id}", self.id), format!("{}: {}{label}", side.name(), self.words), side)
    }
}
