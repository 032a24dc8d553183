//! BEGIN, COMMIT, ROLLBACK and savepoints, and what a rollback restores beside pages: the catalog and counters.

use std::rc::Rc;
use std::sync::Arc;

use lithe_catalog::Catalog;
use lithe_vfs::ResultCode;
use lithe_vm::connection_state::Flags;
use lithe_vm::operand::Db;

use super::state::Savepoint;
use super::statement_run::{StatementRun, Violations};
use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

impl Connection {
    /// BEGIN.
    pub(crate) fn begin(&self) -> Result<()> {
        self.transaction.begin()?;
        self.state.in_transaction.set(true);
        self.assert_flags_agree();
        Ok(())
    }

    /// Asserts that the flags which running programs read agree with the transaction.
    #[track_caller]
    pub(super) fn assert_flags_agree(&self) {
        let state = &self.transaction;
        assert!(self.state.in_transaction.get() != state.is_autocommit(), "programs run in another transaction");
        assert!(self.state.has_writer.get() == state.has_writers(), "programs run beside other writers");
    }

    /// COMMIT. Fails, and leaves the transaction open, if statements write or another connection holds a conflicting
    /// lock.
    pub(crate) fn commit(&self) -> Result<()> {
        let state = &self.transaction;
        state.assert_consistent();
        self.assert_flags_agree();
        if state.is_autocommit() {
            return Err(Error::generic("cannot commit - no transaction is active"));
        }
        if state.has_writers() {
            return Err(Error::new(ResultCode::BUSY, "cannot commit transaction - SQL statements in progress"));
        }
        self.check_deferred_violations()?;
        let committed = state.check_sound().and_then(|()| self.commit_all());
        match &committed {
            // Another connection holds a lock: the transaction stays open, and COMMIT can be tried again.
            Err(error) if error.code().primary() == ResultCode::BUSY => {}
            Err(_) => self.roll_back_all(),
            Ok(()) => self.leave_transaction(),
        }
        committed
    }

    /// ROLLBACK. Statements that still run will fail with SQLITE_ABORT_ROLLBACK.
    pub(crate) fn rollback(&self) -> Result<()> {
        self.transaction.assert_consistent();
        self.assert_flags_agree();
        if self.transaction.is_autocommit() {
            return Err(Error::generic("cannot rollback - no transaction is active"));
        }
        self.roll_back_all();
        if !self.transaction.has_active() {
            self.end_reads();
        }
        Ok(())
    }

    // ---- savepoints ----

    /// SAVEPOINT.
    pub(crate) fn savepoint(&self, name: &str) -> Result<()> {
        let state = &self.transaction;
        if state.begin_savepoint()? {
            self.state.in_transaction.set(true);
        }
        // What virtual tables write now belongs to earlier statements: ROLLBACK TO must not undo it.
        self.virtual_tables.open_savepoint(self, state.virtual_savepoint(state.depth()))?;
        if state.is_autocommit() {
            // A method of a virtual table has ended the transaction.
            return Err(Error::from_code(ResultCode::ABORT_ROLLBACK));
        }
        let (catalog, violations) = (self.catalog(), self.violations());
        state.push_savepoint(Savepoint { name: name.to_owned(), catalog, violations });
        self.open_savepoints()
    }

    /// RELEASE. For the savepoint that began the transaction: commits.
    pub(crate) fn release(&self, name: &str) -> Result<()> {
        let state = &self.transaction;
        state.assert_consistent();
        self.assert_flags_agree();
        let position = state.find_savepoint(name)?;
        if state.has_writers() {
            let message = "cannot release savepoint - SQL statements in progress";
            return Err(Error::new(ResultCode::BUSY, message));
        }
        if state.began_with(position) {
            return state.check_sound().inspect_err(|_| self.undo_all_savepoints()).and_then(|()| self.commit());
        }
        for btree in self.databases.writing() {
            if btree.pager().savepoint_count() > position {
                btree.pager().release(position)?;
            }
            assert!(btree.pager().savepoint_count() <= position, "a database keeps a savepoint that is released");
        }
        let known = state.virtual_savepoint(position);
        state.release(position);
        assert!(state.savepoint_count() == position, "the savepoints below stay open");
        self.virtual_tables.release(self, known)
    }

    /// RELEASE of the savepoint that began a transaction in which a database was found malformed: all changes are
    /// rolled back, but the savepoints stay open, and nothing may be written.
    fn undo_all_savepoints(&self) {
        let savepoints = self.transaction.take_savepoints();
        self.roll_back_all();
        self.transaction.reopen(savepoints);
        self.state.in_transaction.set(true);
        self.assert_flags_agree();
    }

    /// ROLLBACK TO: the savepoint itself stays open.
    pub(crate) fn rollback_to(&self, name: &str) -> Result<()> {
        let state = &self.transaction;
        state.assert_consistent();
        self.assert_flags_agree();
        let position = state.find_savepoint(name)?;
        state.count_savepoint_rollback();
        self.state.note_write();
        for btree in self.databases.writing() {
            if btree.pager().savepoint_count() > position {
                btree.pager().rollback_to(position)?;
            }
        }
        let Savepoint { catalog, violations, .. } = state.roll_back_to(position);
        let known = state.virtual_savepoint(position);
        if state.roll_back_schema_to_savepoint(&self.catalog()) {
            self.expire_statements();
            self.restore_catalog(Some(catalog));
            // The catalog that was saved with the savepoint may have lacked schemas.
            self.databases.iter().for_each(|(db, _)| self.databases.forget_schema(db));
        }
        self.set_violations(violations);
        self.virtual_tables.roll_back_to(self, known)
    }

    // ---- deferred foreign keys ----

    pub(super) fn check_deferred_violations(&self) -> Result<()> {
        let (deferred, immediate) = self.violations();
        if deferred + immediate != 0 {
            return Err(Error::new(ResultCode::CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed"));
        }
        Ok(())
    }

    pub(super) fn violations(&self) -> Violations {
        (self.state.deferred_violations.get(), self.state.deferred_immediate_violations.get())
    }

    pub(super) fn set_violations(&self, (deferred, immediate): Violations) {
        self.state.deferred_violations.set(deferred);
        self.state.deferred_immediate_violations.set(immediate);
    }

    // ---- all databases ----

    /// Commits what was written to all databases.
    pub(super) fn commit_all(&self) -> Result<()> {
        self.virtual_tables.sync(self).inspect_err(|_| self.roll_back_all())?;
        // Most transactions write one database: no list is made then.
        let mut writing = self.databases.iter().filter(|(_, database)| database.is_writing());
        let (one, several);
        let written = match (writing.next(), writing.next()) {
            (Some(first), Some(second)) => {
                several = [first, second].into_iter().chain(writing).collect::<Vec<_>>();
                &several[..]
            }
            (first, _) => {
                one = first;
                one.as_slice()
            }
        };
        if self.hooks.commit.is_set() && !written.is_empty() {
            // As in SQLite, a commit that must wait for readers does not ask the hook.
            written.iter().try_for_each(|(_, database)| database.btree().pager().lock_to_commit())?;
            let undo = || self.transaction.let_others_continue(|| self.roll_back_all());
            self.hooks.call_commit_hook().inspect_err(|_| undo())?;
        }
        let has_changes = |database: &Database| database.btree().pager().has_changes();
        let to_logs: Vec<_> = match self.hooks.wal.is_set() {
            true => written.iter().filter(|(_, database)| has_changes(database)).cloned().collect(),
            false => Vec::new(),
        };
        for (_, database) in written {
            database.has_committed.set(true);
            database.commits.set(database.commits.get().wrapping_add(1));
        }
        let all = || self.databases.iter().filter_map(|(_, database)| database.in_use().map(Rc::clone)).collect();
        match self.hooks.auto_vacuum.get() {
            None => crate::commit::commit(written, all, None)?,
            Some(hook) => {
                let how_many = |db: Db, sizes| hook(&self.catalog().database_name(db).to_string(), sizes);
                crate::commit::commit(written, all, Some(&how_many))?;
            }
        }
        assert!(!self.databases.is_writing(), "a database is written after the commit");
        self.transaction.keep_catalog();
        self.virtual_tables.commit(self);
        self.databases.end_shared_writes();
        self.after_transaction();
        if !to_logs.is_empty() {
            self.transaction.note_committed(to_logs);
        }
        Ok(())
    }

    /// Rolls back every database and the catalog, and returns to autocommit mode.
    pub(crate) fn roll_back_all(&self) {
        let state = &self.transaction;
        self.state.note_write();
        let has_transaction = self.databases.is_writing() || !state.is_autocommit();
        if has_transaction {
            state.count_rollback();
        }
        for btree in self.databases.writing() {
            // The pager goes into its error state if it cannot roll back: the next access reports it.
            let _ = btree.pager().rollback();
        }
        self.virtual_tables.roll_back(self);
        self.databases.end_shared_writes();
        let (catalog, is_other_schema) = state.roll_back_schema(&self.catalog());
        if is_other_schema {
            self.expire_statements();
        }
        self.restore_catalog(catalog);
        if is_other_schema {
            // As in SQLite: preparing the next statement reads the schema again, and fails if another connection has
            // locked the file.
            self.databases.iter().for_each(|(db, _)| self.databases.forget_schema(db));
        }
        self.after_transaction();
        self.leave_transaction();
        if has_transaction {
            self.hooks.call_rollback_hook();
        }
    }

    /// PRAGMA defer_foreign_keys and the violations that were deferred end with the transaction.
    pub(super) fn after_transaction(&self) {
        self.set_violations((0, 0));
        let flags = self.state.flags.get();
        if flags.contains(Flags::DEFER_FOREIGN_KEYS) {
            self.state.flags.set(flags.with(Flags::DEFER_FOREIGN_KEYS, false));
            self.settings.set_flag(|flags| &mut flags.defer_foreign_keys, false);
        }
    }

    /// Returns to autocommit mode. If no statement runs, the read locks are released.
    pub(super) fn leave_transaction(&self) {
        self.transaction.end();
        self.state.in_transaction.set(false);
        self.assert_flags_agree();
        if !self.transaction.has_active() {
            self.end_reads();
        }
    }

    // ---- the catalog ----

    /// Expires all statements but the one that runs.
    pub(crate) fn expire_other_statements(&self, run: &StatementRun) {
        self.expire_statements();
        run.is_used_up.set(false);
        run.own_expirations.set(run.own_expirations.get() + 1);
    }

    /// Expires statements: those that run open no further cursors, and all are compiled again before their next run.
    pub(crate) fn expire_statements(&self) {
        self.generation.expire_programs();
        self.state.expire_running();
    }

    /// The schema is about to change: saves the catalog for a rollback.
    pub(crate) fn note_schema_change(&self) {
        self.transaction.note_schema_change(self.catalog());
    }

    pub(super) fn restore_catalog(&self, catalog: Option<Arc<Catalog>>) {
        if let Some(catalog) = catalog
            && !self.definitions.is_current(&catalog)
        {
            let mut catalog = catalog;
            // Databases that were attached since then stay, and their schemas are read again, because the transaction
            // may have changed them.
            for db in Arc::make_mut(&mut catalog).take_databases(&self.catalog()) {
                self.databases.forget_schema(db);
            }
            if !catalog.has_table_functions_of(&self.catalog()) {
                Arc::make_mut(&mut catalog).take_table_functions(&self.catalog());
            }
            self.definitions.set_catalog(catalog);
            self.assert_databases();
            // A database may have been deserialized since then, which no rollback undoes.
            for (db, _) in self.databases.iter().filter(|(_, database)| database.is_image.get()) {
                self.databases.forget_schema(db);
            }
            self.disconnect_unknown_tables();
        }
    }

    // ---- commits to logs ----

    /// Calls the WAL hook for the commits to logs since its last call, after the locks of the transaction were
    /// released: the hook may read, write and checkpoint. The commit is final whatever the hook returns, but the
    /// statement fails with that code.
    #[inline]
    pub(crate) fn call_wal_hook(&self) -> Result<()> {
        if self.transaction.has_committed() && self.is_autocommit() { self.call_wal_hook_for_commits() } else { Ok(()) }
    }

    #[cold]
    fn call_wal_hook_for_commits(&self) -> Result<()> {
        let committed = self.transaction.take_committed();
        let Some(hook) = self.hooks.wal.get() else { return Ok(()) };
        let mut answer = ResultCode::OK;
        for (db, database) in committed {
            if let Some(frames) = database.btree().pager().log_frames() {
                let name = self.catalog().database_name(db).to_string();
                let code = hook(&name, frames);
                if answer == ResultCode::OK {
                    answer = code;
                }
            }
        }
        if answer == ResultCode::OK { Ok(()) } else { Err(Error::from_code(answer)) }
    }
}
