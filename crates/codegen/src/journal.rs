//! Whether a statement needs a statement journal.
//!
//! ABORT undoes the statement alone, which needs a journal of its own. It is opened only if the statement may change more than
//! one row *and* may fail after the first change: a single-row INSERT checks all of its constraints before it changes anything.

/// The recorded changes and failures of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JournalNeed {
    /// More than one change may be made.
    pub changes_more_than_once: bool,
    /// An ABORT may come after a change.
    pub may_abort: bool,
}

impl JournalNeed {
    /// Records that the statement may make more than one change.
    pub fn note_more_changes(&mut self) {
        self.changes_more_than_once = true;
    }

    /// Records that an error may follow a change. As in SQLite, every call of a function counts as such an error, and a query
    /// does not. Therefore an aggregate that fails in a transaction, or the type of a STRICT table's column, leaves the rows that
    /// were changed before.
    pub fn note_may_abort(&mut self) {
        self.may_abort = true;
    }

    /// Whether the statement opens a journal.
    pub fn is_needed(&self) -> bool {
        self.changes_more_than_once && self.may_abort
    }
}
