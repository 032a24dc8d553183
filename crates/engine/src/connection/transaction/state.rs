//! The state of a connection's transaction, savepoints and statements.
//!
//! The state knows nothing of databases: it counts, and checks which steps are allowed. Its methods assert the
//! invariants where a transaction, savepoint or statement begins and ends, see [`TransactionState::assert_consistent`].

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_catalog::Catalog;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use super::statement_run::{StatementRun, Violations};
use super::statement_savepoints::StatementSavepoints;
use crate::database::Database;
use crate::error::{Error, Result};

/// The state of a connection's transaction.
pub(crate) struct TransactionState {
    /// No BEGIN or SAVEPOINT is open.
    autocommit: Cell<bool>,
    /// The open SAVEPOINTs, the oldest first.
    savepoints: RefCell<Vec<Savepoint>>,
    /// BEGIN CONCURRENT began the transaction.
    concurrent: Cell<bool>,
    /// The first SAVEPOINT began the transaction: its RELEASE is a COMMIT.
    first_savepoint_began: Cell<bool>,
    /// Statements that run, and how many of them write.
    active: Cell<usize>,
    active_writers: Cell<usize>,
    /// Statements that hold locks on their tables of shared caches: commits to other tables do not disturb them.
    active_under_locks: Cell<usize>,
    /// Statements that have begun to use a database.
    active_users: Cell<usize>,
    /// Steps under way: more than one where user code runs statements of its own.
    executing: Cell<u32>,
    /// Savepoints of running statements.
    pub(super) statement_savepoints: StatementSavepoints,
    /// The catalog before the first schema change of the transaction, restored by a rollback.
    catalog_before: RefCell<Option<Arc<Catalog>>>,
    /// A ROLLBACK TO, or a statement that failed, has restored the schema: from then on each ROLLBACK TO, and ROLLBACK,
    /// stops every statement of the transaction, even if it restores nothing itself.
    schema_was_taken_back: Cell<bool>,
    /// Calls under way, from their beginning to the commit.
    under_way: Cell<u32>,
    /// A panic went through a call on this connection, so that its state may be inconsistent.
    is_broken: Cell<bool>,
    /// The connection was abandoned after a panic.
    is_abandoned: Cell<bool>,
    /// A statement of the transaction has found a database malformed: nothing may be written any more, and a COMMIT rolls back.
    found_malformed: Cell<bool>,
    /// Counts rollbacks: a statement that writes and began before one must stop.
    rollbacks: Cell<u64>,
    /// Counts rollbacks to savepoints: like other rollbacks, they end the access of BLOB handles for writing.
    savepoint_rollbacks: Cell<u64>,
    /// Counts the rollbacks that restored the schema: every statement that began before one must stop.
    schema_rollbacks: Cell<u64>,
    /// Databases that were committed to, for which the WAL hook has not been called yet.
    committed: RefCell<Vec<(Db, Rc<Database>)>>,
}

/// An open SAVEPOINT, and the state that ROLLBACK TO restores.
#[derive(Clone)]
pub(super) struct Savepoint {
    pub(super) name: String,
    pub(super) catalog: Arc<Catalog>,
    pub(super) violations: Violations,
}

impl TransactionState {
    pub(crate) fn new() -> TransactionState {
        TransactionState {
            autocommit: Cell::new(true),
            savepoints: RefCell::default(),
            concurrent: Cell::new(false),
            first_savepoint_began: Cell::new(false),
            active: Cell::new(0),
            active_writers: Cell::new(0),
            active_under_locks: Cell::new(0),
            active_users: Cell::new(0),
            executing: Cell::new(0),
            statement_savepoints: StatementSavepoints::default(),
            catalog_before: RefCell::default(),
            schema_was_taken_back: Cell::new(false),
            under_way: Cell::new(0),
            is_broken: Cell::new(false),
            is_abandoned: Cell::new(false),
            found_malformed: Cell::new(false),
            rollbacks: Cell::new(0),
            savepoint_rollbacks: Cell::new(0),
            schema_rollbacks: Cell::new(0),
            committed: RefCell::default(),
        }
    }

    /// Asserts that counts and savepoints agree where a statement or a transaction begins or ends.
    #[track_caller]
    pub(super) fn assert_consistent(&self) {
        let active = self.active.get();
        assert!(self.active_writers.get() <= active, "more statements write than run");
        assert!(self.active_users.get() <= active, "more statements use a database than run");
        assert!(self.active_under_locks.get() <= active, "more statements have locks on tables than run");
        debug_assert!(self.executing.get() as usize <= active, "more steps are under way than statements run");
        if self.autocommit.get() {
            assert!(self.savepoints.borrow().is_empty(), "a savepoint outside a transaction");
            assert!(!self.concurrent.get(), "a concurrent transaction in autocommit mode");
            assert!(!self.first_savepoint_began.get(), "a savepoint has begun a transaction that is none");
            debug_assert!(!self.found_malformed.get(), "a transaction that is none must not be committed");
        }
    }

    // ---- the transaction ----

    /// Whether no transaction is open that BEGIN or SAVEPOINT has begun.
    #[inline]
    pub(crate) fn is_autocommit(&self) -> bool {
        self.autocommit.get()
    }

    /// BEGIN.
    ///
    /// # Errors
    /// SQLITE_ERROR within a transaction.
    pub(super) fn begin(&self) -> Result<()> {
        self.assert_consistent();
        if !self.autocommit.replace(false) {
            return Err(Error::generic("cannot start a transaction within a transaction"));
        }
        assert!(self.savepoints.borrow().is_empty(), "a transaction begins without savepoints");
        Ok(())
    }

    /// Whether BEGIN CONCURRENT began the transaction.
    pub(super) fn is_concurrent(&self) -> bool {
        self.concurrent.get()
    }

    /// BEGIN CONCURRENT has begun the transaction, or another kind of BEGIN.
    pub(crate) fn set_concurrent(&self, on: bool) {
        assert!(!self.is_autocommit(), "a kind of transaction outside a transaction");
        self.concurrent.set(on);
    }

    /// The transaction has ended: back to autocommit mode. Statements may still run.
    pub(super) fn end(&self) {
        self.autocommit.set(true);
        self.found_malformed.set(false);
        self.concurrent.set(false);
        self.savepoints.borrow_mut().clear();
        self.first_savepoint_began.set(false);
        self.statement_savepoints.clear();
        self.assert_consistent();
    }

    // ---- the schema ----

    /// A COMMIT has succeeded: a later rollback does not undo its schema changes.
    pub(super) fn keep_catalog(&self) {
        let _before = self.catalog_before.take();
        self.schema_was_taken_back.set(false);
    }

    /// The schema is about to change: a rollback restores `catalog`, if this is the first change of the transaction.
    pub(super) fn note_schema_change(&self, catalog: Arc<Catalog>) {
        self.catalog_before.borrow_mut().get_or_insert(catalog);
    }

    /// A statement that failed has restored the schema.
    pub(super) fn note_schema_taken_back(&self) {
        self.schema_was_taken_back.set(true);
    }

    /// Whether `now` has another schema than at the beginning of the transaction, or there was another one within the
    /// transaction. A schema that was only read since then has not changed.
    fn has_changed_schema(&self, now: &Catalog) -> bool {
        let is_other = |before: &Arc<Catalog>| !before.has_schemas_of(now);
        self.schema_was_taken_back.get() || self.catalog_before.borrow().as_ref().is_some_and(is_other)
    }

    /// ROLLBACK TO: returns whether every statement must stop, because the schema has changed since the transaction
    /// began, before or after the savepoint.
    pub(super) fn roll_back_schema_to_savepoint(&self, now: &Catalog) -> bool {
        let is_changed = self.has_changed_schema(now);
        if is_changed {
            self.schema_was_taken_back.set(true);
            self.count_schema_rollback();
        }
        is_changed
    }

    /// ROLLBACK: returns the catalog to restore, if there is one, and whether every statement must stop because the
    /// schema has changed.
    pub(super) fn roll_back_schema(&self, now: &Catalog) -> (Option<Arc<Catalog>>, bool) {
        let is_changed = self.has_changed_schema(now);
        if is_changed {
            self.count_schema_rollback();
        }
        self.schema_was_taken_back.set(false);
        (self.catalog_before.take(), is_changed)
    }

    /// Calls `roll_back`, which undoes the changes of one failed statement. Other statements continue, whatever that
    /// statement did to the schema, until they open another cursor.
    pub(super) fn let_others_continue(&self, roll_back: impl FnOnce()) {
        let before = self.schema_rollbacks.get();
        roll_back();
        self.schema_rollbacks.set(before);
    }

    // ---- what was committed ----

    /// Notes that the WAL hook is to be called for these databases.
    pub(super) fn note_committed(&self, databases: Vec<(Db, Rc<Database>)>) {
        self.committed.borrow_mut().extend(databases);
    }

    /// Whether the WAL hook is to be called.
    #[inline]
    pub(super) fn has_committed(&self) -> bool {
        !self.committed.borrow().is_empty()
    }

    /// The databases for which the WAL hook is to be called; empties the list.
    pub(super) fn take_committed(&self) -> Vec<(Db, Rc<Database>)> {
        self.committed.take()
    }

    // ---- damage ----

    /// A transaction that has found a database malformed writes nothing any more.
    ///
    /// # Errors
    /// SQLITE_CORRUPT.
    pub(super) fn check_sound(&self) -> Result<()> {
        if self.found_malformed.get() { Err(Error::from_code(ResultCode::CORRUPT)) } else { Ok(()) }
    }

    /// Whether a row may be written on behalf of the statement that runs, to a pager with this number of savepoints: the pager has all
    /// that are open, and nothing forbids to write.
    #[inline]
    pub(crate) fn may_write_directly(&self, savepoints: usize) -> bool {
        !self.is_broken() && !self.found_malformed.get() && savepoints == self.depth()
    }

    /// A statement has found a database malformed.
    pub(super) fn note_malformed(&self) {
        if !self.is_autocommit() {
            self.found_malformed.set(true);
        }
    }

    // ---- savepoints ----

    /// How deep the stack of savepoints is.
    pub(crate) fn depth(&self) -> usize {
        self.savepoints.borrow().len() + self.statement_savepoints.len()
    }

    /// The number of SAVEPOINTs that are open.
    pub(super) fn savepoint_count(&self) -> usize {
        self.savepoints.borrow().len()
    }

    /// The number by which virtual tables know the savepoint at that position of the stack. A savepoint that began the
    /// transaction does not count.
    pub(crate) fn virtual_savepoint(&self, position: usize) -> i32 {
        assert!(position <= self.depth(), "a savepoint above the stack");
        i32::try_from(position).unwrap_or(i32::MAX) - i32::from(self.first_savepoint_began.get())
    }

    /// A SAVEPOINT is about to be opened: in autocommit mode it begins a transaction. Returns whether it does.
    ///
    /// # Errors
    /// SQLITE_BUSY while statements write.
    pub(super) fn begin_savepoint(&self) -> Result<bool> {
        self.assert_consistent();
        if self.has_writers() {
            return Err(Error::new(ResultCode::BUSY, "cannot open savepoint - SQL statements in progress"));
        }
        let begins = self.autocommit.replace(false);
        if begins {
            self.first_savepoint_began.set(true);
        }
        Ok(begins)
    }

    /// Puts a SAVEPOINT on the stack.
    pub(super) fn push_savepoint(&self, savepoint: Savepoint) {
        assert!(!self.is_autocommit(), "a savepoint is within a transaction");
        self.savepoints.borrow_mut().push(savepoint);
    }

    /// The position of the newest SAVEPOINT of that name.
    ///
    /// # Errors
    /// SQLITE_ERROR if there is none.
    pub(super) fn find_savepoint(&self, name: &str) -> Result<usize> {
        let savepoints = self.savepoints.borrow();
        let found = savepoints.iter().rposition(|savepoint| savepoint.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::generic(format!("no such savepoint: {name}")))
    }

    /// Whether the SAVEPOINT at that position began the transaction, so that its RELEASE is a COMMIT.
    pub(super) fn began_with(&self, position: usize) -> bool {
        position == 0 && self.first_savepoint_began.get()
    }

    /// RELEASE: removes the SAVEPOINT at that position and those above it.
    pub(super) fn release(&self, position: usize) {
        let mut savepoints = self.savepoints.borrow_mut();
        assert!(position < savepoints.len(), "a savepoint is released that is open");
        savepoints.truncate(position);
    }

    /// ROLLBACK TO: removes the SAVEPOINTs above that position; the one at it stays open. Returns the state to restore.
    pub(super) fn roll_back_to(&self, position: usize) -> Savepoint {
        let mut savepoints = self.savepoints.borrow_mut();
        assert!(position < savepoints.len(), "a savepoint is rolled back to that is open");
        savepoints.truncate(position + 1);
        savepoints[position].clone()
    }

    /// Takes all SAVEPOINTs off the stack, for [`TransactionState::reopen`].
    pub(super) fn take_savepoints(&self) -> Vec<Savepoint> {
        self.savepoints.take()
    }

    /// Puts SAVEPOINTs back after the transaction that the first of them had begun was rolled back, because a database
    /// is malformed: they stay open, and nothing may be written.
    pub(super) fn reopen(&self, savepoints: Vec<Savepoint>) {
        assert!(self.is_autocommit() && !savepoints.is_empty(), "savepoints are opened again after a rollback");
        *self.savepoints.borrow_mut() = savepoints;
        self.autocommit.set(false);
        self.first_savepoint_began.set(true);
        self.found_malformed.set(true);
        self.assert_consistent();
    }

    // ---- rollbacks ----

    /// How many rollbacks there have been, of transactions and to savepoints.
    pub(crate) fn rollbacks(&self) -> u64 {
        self.rollbacks.get() + self.savepoint_rollbacks.get()
    }

    /// How many rollbacks to savepoints there have been.
    pub(crate) fn savepoint_rollbacks(&self) -> u64 {
        self.savepoint_rollbacks.get()
    }

    pub(super) fn count_rollback(&self) {
        self.rollbacks.set(self.rollbacks.get() + 1);
    }

    pub(super) fn count_savepoint_rollback(&self) {
        self.savepoint_rollbacks.set(self.savepoint_rollbacks.get() + 1);
    }

    pub(super) fn count_schema_rollback(&self) {
        self.schema_rollbacks.set(self.schema_rollbacks.get() + 1);
    }

    /// Whether a ROLLBACK since the last call must stop the statement. A statement that only reads continues unless the
    /// schema has changed; one without cursors always continues.
    #[inline]
    pub(crate) fn notice_rollback(&self, run: &StatementRun) -> bool {
        debug_assert!(run.rollbacks_before.get() <= self.rollbacks.get(), "a statement of another connection");
        let is_undone = run.rollbacks_before.replace(self.rollbacks.get()) != self.rollbacks.get();
        let is_other_schema =
            run.schema_rollbacks_before.replace(self.schema_rollbacks.get()) != self.schema_rollbacks.get();
        if is_undone {
            // The statement's savepoint ended with the transaction, and is not in the stack any more.
            run.savepoint.take();
            run.catalog_before.take();
        }
        is_other_schema || is_undone && run.is_writer.get()
    }

    /// Whether there has been a ROLLBACK since the last call of [`TransactionState::notice_rollback`].
    #[inline]
    pub(in crate::connection) fn has_rolled_back_since(&self, run: &StatementRun) -> bool {
        let before = (run.rollbacks_before.get(), run.schema_rollbacks_before.get());
        before != (self.rollbacks.get(), self.schema_rollbacks.get())
    }

    // ---- statements ----

    /// Whether any statement runs.
    #[inline]
    pub(crate) fn has_active(&self) -> bool {
        self.active.get() > 0
    }

    /// How many statements run.
    pub(crate) fn active_count(&self) -> usize {
        self.active.get()
    }

    /// Whether any statement or BLOB handle writes.
    pub(crate) fn has_writers(&self) -> bool {
        self.active_writers.get() > 0
    }

    /// How many statements have begun to use a database.
    pub(crate) fn user_count(&self) -> usize {
        self.active_users.get()
    }

    /// Whether no statement writes except possibly this one.
    pub(super) fn is_last_writer(&self, run: &StatementRun) -> bool {
        self.active_writers.get() == usize::from(run.is_writer.get())
    }

    /// A statement starts to run; its last run has ended.
    #[inline]
    pub(super) fn enter(&self, run: &StatementRun, violations: Violations) {
        self.assert_consistent();
        assert!(!run.is_writer.get() && !run.is_user.get(), "the run before has not ended");
        debug_assert!(run.savepoint.get().is_none(), "the savepoint of the run before is still open");
        self.active.set(self.active.get() + 1);
        run.rollbacks_before.set(self.rollbacks.get());
        run.violations_before.set(violations);
        run.schema_rollbacks_before.set(self.schema_rollbacks.get());
    }

    /// A statement has stopped running. Returns whether no statement is left that uses a database. (A statement that
    /// uses none does not keep the transaction open.)
    pub(super) fn leave(&self, run: &StatementRun) -> bool {
        self.assert_runs("a statement ends that did not run");
        debug_assert!(run.savepoint.get().is_none() || self.is_broken(), "a statement leaves its savepoint open");
        if run.is_writer.replace(false) {
            self.active_writers.set(self.active_writers.get().saturating_sub(1));
        }
        if run.is_user.replace(false) {
            self.active_users.set(self.active_users.get().saturating_sub(1));
        }
        self.active.set(self.active.get().saturating_sub(1));
        assert!(self.active_writers.get() <= self.active.get(), "more statements write than run");
        self.active_users.get() == 0 && self.active_writers.get() == 0
    }

    /// The statement begins to use a database.
    #[inline]
    pub(super) fn note_user(&self, run: &StatementRun) {
        debug_assert!(self.has_active() || self.is_broken(), "a statement uses a database that does not run");
        if !run.is_user.replace(true) {
            self.active_users.set(self.active_users.get() + 1);
        }
    }

    /// The statement begins to write.
    pub(super) fn note_writer(&self, run: &StatementRun) {
        debug_assert!(self.has_active() || self.is_broken(), "a statement writes that does not run");
        if !run.is_writer.replace(true) {
            self.active_writers.set(self.active_writers.get() + 1);
        }
    }

    /// Asserts that some statement runs, except after a panic in a nested call, when the counts are unreliable.
    #[inline]
    #[track_caller]
    pub(super) fn assert_runs(&self, what: &str) {
        assert!(self.has_active() || self.is_broken(), "{what}");
    }

    /// A statement has taken locks on all tables that it uses.
    pub(in crate::connection) fn enter_locks(&self) {
        self.active_under_locks.set(self.active_under_locks.get() + 1);
        debug_assert!(self.active_under_locks.get() <= self.active.get(), "locks on tables of no statement that runs");
    }

    /// A statement releases its locks on tables.
    pub(in crate::connection) fn leave_locks(&self) {
        let under_locks = self.active_under_locks.get();
        assert!(under_locks > 0 || self.is_broken(), "locks on tables are given back that no statement has");
        self.active_under_locks.set(under_locks.saturating_sub(1));
    }

    /// A step begins.
    #[inline]
    pub(in crate::connection) fn enter_step(&self) {
        debug_assert!(self.has_active() || self.is_broken(), "a step begins of a statement that does not run");
        self.executing.set(self.executing.get() + 1);
    }

    /// A step ends.
    #[inline]
    pub(in crate::connection) fn leave_step(&self) {
        // After a panic in a nested call the count is 0 already.
        let executing = self.executing.get();
        assert!(executing > 0 || self.is_broken(), "a step ends that did not begin");
        self.executing.set(executing.saturating_sub(1));
    }

    /// Whether a step is under way.
    #[inline]
    pub(crate) fn is_executing(&self) -> bool {
        self.executing.get() > 0
    }

    /// Whether all running statements hold locks on all their tables, so that other connections of a shared cache may
    /// commit between two steps.
    pub(in crate::connection) fn all_have_locks(&self) -> bool {
        self.active.get() == self.active_under_locks.get()
    }

    // ---- after a panic ----

    /// Whether a panic has gone through a call on this connection.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Fails if a panic has gone through a call on this connection.
    #[inline]
    pub(crate) fn check_unbroken(&self) -> Result<()> {
        if self.is_broken() { Err(broken()) } else { Ok(()) }
    }

    /// Notes that a panic goes through a call on this connection.
    pub(in crate::connection) fn note_panic(&self) {
        self.is_broken.set(true);
    }

    /// A call that may run user code begins, see [`UnderWay`](crate::connection::under_way::UnderWay).
    #[inline]
    pub(in crate::connection) fn enter_call(&self) {
        self.under_way.set(self.under_way.get() + 1);
    }

    /// A call that may run user code ends.
    #[inline]
    pub(in crate::connection) fn leave_call(&self) {
        let under_way = self.under_way.get();
        debug_assert!(under_way > 0, "a call ends that was not under way");
        self.under_way.set(under_way - 1);
    }

    /// Whether a call that may run user code is under way, further down on the stack.
    pub(crate) fn is_under_way(&self) -> bool {
        self.under_way.get() > 0
    }

    /// The connection is about to be abandoned. Returns whether it was before.
    pub(in crate::connection) fn abandon(&self) -> bool {
        self.is_broken.set(true);
        self.is_abandoned.replace(true)
    }

    /// After a panic: the transaction has ended, and no statement runs.
    pub(in crate::connection) fn forget(&self) {
        assert!(self.is_broken(), "a transaction is forgotten without a panic");
        self.autocommit.set(true);
        self.found_malformed.set(false);
        self.concurrent.set(false);
        self.first_savepoint_began.set(false);
        self.executing.set(0);
        for count in [&self.active, &self.active_writers, &self.active_users, &self.active_under_locks] {
            count.set(0);
        }
        self.savepoints.borrow_mut().clear();
        self.statement_savepoints.clear();
        self.count_rollback();
        self.count_schema_rollback();
        self.assert_consistent();
    }
}

/// The error of each call after a panic.
fn broken() -> Error {
    let message = "internal error: the transaction was rolled back, and the connection must be closed";
    Error::new(ResultCode::INTERNAL, message)
}

#[cfg(test)]
mod tests;
