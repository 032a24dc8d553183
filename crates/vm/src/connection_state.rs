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
    /// Counts what may have changed a page of any database of the connection: steps of statements that write, rollbacks, and the
    /// like. A statement that stands on a row looks at it again if this has changed.
    pub writes: Cell<u64>,
    /// Counts what makes statements that run useless: they may go on with the cursors that they have, but open no others.
    pub expirations: Cell<u64>,
    /// The number of the last one, or 0 if what came after it has made them useful again.
    pub last_expiration: Cell<u64>,
    /// A transaction was begun that may be rolled back, and with it pages that cursors need to find their places again.
    pub in_transaction: Cell<bool>,
    /// A statement that writes has begun and has not ended: what it has written may be rolled back without BEGIN, too.
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
    /// The machine forgets it before each step; the first function that asks sets it.
    pub now: Cell<Option<i64>>,
    /// Bytes of sorts that did not fit memory.
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
    /// INSERT, UPDATE and DELETE give a row with the number of rows changed.
    pub const COUNT_CHANGES: Flags = Flags(1 << 4);
    /// SELECT without ORDER BY runs backwards.
    pub const REVERSE_UNORDERED_SELECTS: Flags = Flags(1 << 5);
    /// CHECK constraints are not checked.
    pub const IGNORE_CHECK_CONSTRAINTS: Flags = Flags(1 << 6);

    /// Whether all of `flags` are set.
    pub const fn contains(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// With `flags` set or not.
    pub const fn with(self, flags: Flags, on: bool) -> Flags {
        Flags(if on { self.0 | flags.0 } else { self.0 & !flags.0 })
    }
}

/// SQLite's limit on the length of a value.
pub const LENGTH_MAX: u32 = 1_000_000_000;
/// SQLite's limit on patterns.
pub const LIKE_PATTERN_LENGTH_MAX: u32 = 50_000;
/// SQLite's limit on triggers that fire triggers.
pub const TRIGGER_DEPTH_MAX: u32 = 1000;

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
    /// Whether pages that were written may be rolled back under statements that stand on rows.
    pub fn may_roll_back(&self) -> bool {
        self.in_transaction.get() || self.has_writer.get()
    }

    /// Something is about to be written through the connection, or was.
    #[inline]
    pub fn note_write(&self) {
        self.writes.set(self.writes.get().wrapping_add(1));
    }

    /// Statements that run must not open further cursors: a setting is another one now, or the temporary schema, or a rollback has taken
    /// the schema back.
    pub fn expire_running(&self) {
        self.expirations.set(self.expirations.get().wrapping_add(1));
        self.last_expiration.set(self.expirations.get());
        self.note_write(); // so that they look
    }

    /// Statements that run may open cursors again: they are compiled anew when they next begin, which is what SQLite asks of them last
    /// when an index was created, whatever it has asked before.
    pub fn let_running_continue(&self) {
        self.last_expiration.set(0);
        self.note_write();
    }

    /// Whether a setting is on.
    pub fn has(&self, flags: Flags) -> bool {
        self.flags.get().contains(flags)
    }

    /// Whether ANALYZE takes samples: only where it looks at everything.
    pub fn takes_samples(&self) -> bool {
        self.analysis_limit.get() == 0
    }

    /// What the last statement has changed is undone after all.
    pub fn take_back_changes(&self, changes: i64) {
        self.changes.set(0);
        self.total_changes.set(self.total_changes.get().wrapping_sub(changes));
    }

    /// A statement (or one inside a trigger) has completed: it changed so many rows.
    pub fn set_changes(&self, changes: i64) {
        self.changes.set(changes);
        self.total_changes.set(self.total_changes.get().wrapping_add(changes));
    }
}
