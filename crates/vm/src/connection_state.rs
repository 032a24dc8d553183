//! The state of a connection that a running program reads and changes.

use std::cell::Cell;

use lithe_value::Encoding;

/// Counters, settings and limits of one connection. Cells: user code may re-enter the connection while
/// a program runs, so nothing is ever borrowed.
#[derive(Debug)]
pub struct ConnectionState {
    /// `changes()`: rows changed by the last INSERT, UPDATE or DELETE that completed.
    pub changes: Cell<i64>,
    /// `total_changes()`: rows changed since the connection opened, triggers included.
    pub total_changes: Cell<i64>,
    /// `last_insert_rowid()`.
    pub last_insert_rowid: Cell<i64>,
    /// Counts events that may have changed a page of any database of the connection: steps of statements that write, rollbacks,
    /// and the like. A statement reads its current row again if the count has changed.
    pub writes: Cell<u64>,
    /// Counts events that expire running statements: they may continue with their open cursors, but open no further ones.
    pub expirations: Cell<u64>,
    /// The number of the last expiration, or 0 if a later event has cancelled it.
    pub last_expiration: Cell<u64>,
    /// A transaction is open that may be rolled back, with pages that cursors need to find their places again.
    pub in_transaction: Cell<bool>,
    /// A statement that writes is running: its changes may be rolled back without BEGIN, too.
    pub has_writer: Cell<bool>,
    /// Violations of deferred foreign keys in the open transaction. COMMIT needs 0.
    pub deferred_violations: Cell<i64>,
    /// Violations of immediate foreign keys while `defer_foreign_keys` is on. COMMIT needs 0.
    pub deferred_immediate_violations: Cell<i64>,
    /// The settings.
    pub flags: Cell<Flags>,
    /// The longest text, blob or row (`SQLITE_LIMIT_LENGTH`).
    pub length_max: Cell<u32>,
    /// The longest pattern of LIKE and GLOB (`SQLITE_LIMIT_LIKE_PATTERN_LENGTH`).
    pub like_pattern_length_max: Cell<u32>,
    /// How deep triggers may fire triggers (`SQLITE_LIMIT_TRIGGER_DEPTH`).
    pub trigger_depth_max: Cell<u32>,
    /// The encoding of text in the databases of the connection.
    pub encoding: Cell<Encoding>,
    /// PRAGMA analysis_limit; 0 is none.
    pub analysis_limit: Cell<i64>,
    /// The time of the current step, in milliseconds of the Julian day number: `now` is the same for one step.
    /// The machine clears it before each step; the first function that reads it sets it.
    pub now: Cell<Option<i64>>,
    /// Bytes of sorts that were written to temporary files.
    pub temporary_spilled: Cell<u64>,
}

/// Settings of a connection, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// A trigger may fire itself.
    pub const RECURSIVE_TRIGGERS: Flags = Flags(1);
    /// Foreign keys are enforced.
    pub const FOREIGN_KEYS: Flags = Flags(1 << 1);
    /// All foreign keys are deferred until the transaction ends.
    pub const DEFER_FOREIGN_KEYS: Flags = Flags(1 << 2);
    /// LIKE distinguishes cases.
    pub const CASE_SENSITIVE_LIKE: Flags = Flags(1 << 3);
    /// INSERT, UPDATE and DELETE return a row with the number of changed rows.
    pub const COUNT_CHANGES: Flags = Flags(1 << 4);
    /// SELECT without ORDER BY runs backwards.
    pub const REVERSE_UNORDERED_SELECTS: Flags = Flags(1 << 5);
    /// CHECK constraints are not checked.
    pub const IGNORE_CHECK_CONSTRAINTS: Flags = Flags(1 << 6);

    /// Whether all of `flags` are set.
    pub const fn contains(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These flags, with `flags` set or cleared.
    pub const fn with(self, flags: Flags, on: bool) -> Flags {
        Flags(if on { self.0 | flags.0 } else { self.0 & !flags.0 })
    }
}

/// SQLite's limit on the length of a value.
pub const LENGTH_MAX: u32 = 1_000_000_000;
/// SQLite's limit on patterns.
pub(crate) const LIKE_PATTERN_LENGTH_MAX: u32 = 50_000;
/// SQLite's limit on the depth of triggers.
pub(crate) const TRIGGER_DEPTH_MAX: u32 = 1000;

impl Default for ConnectionState {
    fn default() -> Self {
        ConnectionState {
            changes: Cell::default(),
            total_changes: Cell::default(),
            last_insert_rowid: Cell::default(),
            writes: Cell::default(),
            expirations: Cell::default(),
            last_expiration: Cell::default(),
            in_transaction: Cell::default(),
            has_writer: Cell::default(),
            deferred_violations: Cell::default(),
            deferred_immediate_violations: Cell::default(),
            flags: Cell::default(),
            length_max: Cell::new(LENGTH_MAX),
            like_pattern_length_max: Cell::new(LIKE_PATTERN_LENGTH_MAX),
            trigger_depth_max: Cell::new(TRIGGER_DEPTH_MAX),
            encoding: Cell::new(Encoding::Utf8),
            analysis_limit: Cell::default(),
            now: Cell::default(),
            temporary_spilled: Cell::new(0),
        }
    }
}

impl ConnectionState {
    /// Whether written pages may be rolled back while statements stand on rows.
    pub(crate) fn may_roll_back(&self) -> bool {
        self.in_transaction.get() || self.has_writer.get()
    }

    /// Records a write through the connection, before or after it.
    #[inline]
    pub fn note_write(&self) {
        self.writes.set(self.writes.get().wrapping_add(1));
    }

    /// Expires running statements, which must not open further cursors: a setting or the temporary schema has changed, or a
    /// rollback has reverted the schema.
    pub fn expire_running(&self) {
        self.expirations.set(self.expirations.get().wrapping_add(1));
        self.last_expiration.set(self.expirations.get());
        self.note_write(); // so that statements check for it
    }

    /// Lets running statements open cursors again. SQLite marks them to be compiled again at their next start, when an index was
    /// created; this replaces an earlier expiration.
    pub fn let_running_continue(&self) {
        self.last_expiration.set(0);
        self.note_write();
    }

    /// Whether a setting is on.
    pub fn has(&self, flags: Flags) -> bool {
        self.flags.get().contains(flags)
    }

    /// Whether ANALYZE takes samples: only if it reads whole indexes.
    pub(crate) fn takes_samples(&self) -> bool {
        self.analysis_limit.get() == 0
    }

    /// Removes the changes of the last statement from the counters, because they are undone.
    pub fn take_back_changes(&self, changes: i64) {
        self.changes.set(0);
        self.total_changes.set(self.total_changes.get().wrapping_sub(changes));
    }

    /// Records the rows that a statement (or one inside a trigger) has changed, when it completes.
    pub fn set_changes(&self, changes: i64) {
        self.changes.set(changes);
        self.total_changes.set(self.total_changes.get().wrapping_add(changes));
    }
}
