//! Journal modes with their names in charts.

use crate::frame::results::{Name, Side};
use crate::sql::JournalMode;

/// A rollback journal, deleted at commit: the default.
pub const ROLLBACK: Mode = Mode { id: "delete", words: "rollback journal", journal: JournalMode::Delete };

/// A write-ahead log.
pub const WAL: Mode = Mode { id: "wal", words: "WAL", journal: JournalMode::Wal };

/// A journal mode with its names.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// The name in the ids of rows.
    pub id: &'static str,
    /// The name in output.
    pub words: &'static str,
    /// The value of the pragma.
    pub journal: JournalMode,
}

impl Mode {
    /// The name of a contestant in this mode.
    pub fn name(self, side: Side, what_id: &str, what: &str) -> Name {
        let label = if what.is_empty() { String::new() } else { format!(", {what}") };
        Name::new(format!("{side}-{}{what_id}", self.id), format!("{}: {}{label}", side.name(), self.words), side)
    }
}
