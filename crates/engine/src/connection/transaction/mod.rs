//! Transactions of a connection: when they begin and end, savepoints, and what is undone when a statement fails.
//!
//! ```text
//!             BEGIN, SAVEPOINT
//!  autocommit ───────────────► explicit ── SAVEPOINT ──► deeper …
//!      ▲                         │   ▲                      │
//!      └── COMMIT, ROLLBACK,     │   └── RELEASE, ROLLBACK TO
//!          RELEASE of the first ─┘
//! ```
//!
//! In autocommit mode the transaction ends with the last statement that writes (commit) or runs (locks given back).
//!
//! Savepoints of the databases are one stack: the user's first, then those of running statements. A database that starts to
//! write later opens as many as there are, so that positions in the stack mean the same everywhere.

mod control;
mod savepoints;
mod statement_savepoints;
mod statements;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_catalog::Catalog;
use lithe_vm::operand::Db;

use self::statement_savepoints::StatementSavepoints;
use crate::database::Database;
use crate::error::Error;

/// Where a connection stands between transactions, statements and savepoints.
pub(crate) struct TransactionState {
    /// No BEGIN or SAVEPOINT is open.
    pub(crate) autocommit: Cell<bool>,
    /// The open SAVEPOINTs, the oldest first.
    savepoints: RefCell<Vec<Savepoint>>,
    /// BEGIN CONCURRENT began it.
    pub(crate) concurrent: Cell<bool>,
    /// The first SAVEPOINT began the transaction: its RELEASE is a COMMIT.
    pub(crate) first_savepoint_began: Cell<bool>,
    /// Statements that run, and those of them that write.
    active: Cell<usize>,
    /// Steps that are under way: more than one where user code runs statements of its own.
    pub(crate) executing: Cell<u32>,
    active_writers: Cell<usize>,
    /// Statements that run under locks on tables of shared caches: who changes other tables is not in their way.
    pub(crate) active_under_locks: Cell<usize>,
    /// Statements that have begun to use a database.
    active_users: Cell<usize>,
    /// Virtual tables that are being dropped: what they store they drop by statements of their own.
    pub(crate) destroying: Cell<usize>,
    /// Savepoints of running statements.
    statement_savepoints: StatementSavepoints,
    /// The catalog before the first schema change of the transaction: what a rollback goes back to.
    catalog_before: RefCell<Option<Arc<Catalog>>>,
    /// A ROLLBACK TO, or a statement that failed, took the schema back: each later ROLLBACK TO, and ROLLBACK, stops every statement of
    /// the transaction, whatever there is to be taken back by then.
    schema_was_taken_back: Cell<bool>,
    /// Calls that are under way, from their beginning to the commit.
    pub(crate) under_way: Cell<u32>,
    /// A panic went through a call on this connection: nobody knows what it has left behind.
    pub(crate) is_broken: Cell<bool>,
    /// Nothing of it is open any more.
    pub(crate) is_abandoned: Cell<bool>,
    /// A statement of the transaction has found a database malformed: nothing may be written any more, and a COMMIT rolls back.
    found_malformed: Cell<bool>,
    /// Counts rollbacks: a statement that writes and began before one must stop.
    rollbacks: Cell<u64>,
    /// Counts rollbacks to savepoints: they end BLOB handles for writing, as rollbacks do.
    savepoint_rollbacks: Cell<u64>,
    /// Counts those of them that took the schema back: every statement that began before one must stop.
    schema_rollbacks: Cell<u64>,
    /// Databases that were committed to, of which the hook of commits to logs has not heard yet.
    pub(crate) committed: RefCell<Vec<(Db, Rc<Database>)>>,
}

/// Violations of deferred foreign keys, and of immediate ones that `defer_foreign_keys` has deferred.
type Violations = (i64, i64);

struct Savepoint {
    name: String,
    catalog: Arc<Catalog>,
    violations: Violations,
}

/// A running statement's part in its connection's transaction.
#[derive(Debug, Default)]
pub(crate) struct StatementRun {
    is_writer: Cell<bool>,
    /// It has begun to use a database.
    is_user: Cell<bool>,
    /// The position in the stack of savepoints of its own one.
    savepoint: Cell<Option<u64>>,
    violations_before: Cell<Violations>,
    rollbacks_before: Cell<u64>,
    schema_rollbacks_before: Cell<u64>,
    catalog_before: RefCell<Option<Arc<Catalog>>>,
    /// Of an incremental vacuum between two rows: how many pages it has freed.
    pub(crate) vacuumed: Cell<Option<u32>>,
    /// With what a statement of the engine ends after its rows.
    pub(crate) late_error: RefCell<Option<Error>>,
}

impl StatementRun {
    /// Whether it writes, or may.
    pub(crate) fn is_writer(&self) -> bool {
        self.is_writer.get()
    }
}

impl TransactionState {
    pub(crate) fn new() -> TransactionState {
        TransactionState {
            autocommit: Cell::new(true),
            savepoints: RefCell::default(),
            concurrent: Cell::new(false),
            first_savepoint_began: Cell::new(false),
            active: Cell::new(0),
            executing: Cell::new(0),
            active_writers: Cell::new(0),
            active_under_locks: Cell::new(0),
            active_users: Cell::new(0),
            destroying: Cell::new(0),
            statement_savepoints: StatementSavepoints::default(),
            catalog_before: RefCell::default(),
            schema_was_taken_back: Cell::new(false),
            found_malformed: Cell::new(false),
            under_way: Cell::new(0),
            is_broken: Cell::new(false),
            is_abandoned: Cell::new(false),
            rollbacks: Cell::new(0),
            savepoint_rollbacks: Cell::new(0),
            schema_rollbacks: Cell::new(0),
            committed: RefCell::default(),
        }
    }

    /// How many rollbacks there have been, of transactions and to savepoints.
    pub(crate) fn rollbacks(&self) -> u64 {
        self.rollbacks.get() + self.savepoint_rollbacks.get()
    }

    /// How many rollbacks to savepoints there have been.
    pub(crate) fn savepoint_rollbacks(&self) -> u64 {
        self.savepoint_rollbacks.get()
    }

    /// What the counts and the savepoints have to do with each other, where a statement or a transaction begins or ends.
    #[track_caller]
    pub(crate) fn assert_transaction_state(&self) {
        let active = self.active.get();
        assert!(self.active_writers.get() <= active, "more statements write than run");
        assert!(self.active_users.get() <= active, "more statements use a database than run");
        assert!(self.active_under_locks.get() <= active, "more statements have locks on tables than run");
        if self.autocommit.get() {
            assert!(self.savepoints.borrow().is_empty(), "a savepoint outside a transaction");
            assert!(!self.concurrent.get(), "a concurrent transaction in autocommit mode");
            assert!(!self.first_savepoint_began.get(), "a savepoint has begun a transaction that is none");
        }
    }

    /// Whether any statement, or BLOB handle, writes.
    pub(crate) fn has_writers(&self) -> bool {
        self.active_writers.get() > 0
    }

    /// Whether any statement runs.
    pub(crate) fn has_active(&self) -> bool {
        self.active.get() > 0
    }

    /// How many statements run.
    pub(crate) fn active_count(&self) -> usize {
        self.active.get()
    }

    /// How deep the stack of savepoints is.
    pub(crate) fn depth(&self) -> usize {
        self.savepoints.borrow().len() + self.statement_savepoints.len()
    }
}
