//! BEGIN, COMMIT and ROLLBACK, and what a rollback puts back beside pages: the catalog and counters.

use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_catalog::Catalog;
use lithe_resolve::environment::Flags as CompileFlags;
use lithe_vfs::ResultCode;
use lithe_vm::facts::Flags;
use lithe_vm::operand::Db;

use super::Violations;
use crate::connection::Connection;
use crate::error::{Error, Result};

impl Connection {
    /// BEGIN.
    pub(crate) fn begin(&self) -> Result<()> {
        self.transaction.assert_transaction_state();
        if !self.transaction.autocommit.replace(false) {
            return Err(Error::generic("cannot start a transaction within a transaction"));
        }
        assert!(self.transaction.savepoints.borrow().is_empty(), "a transaction begins without savepoints");
        self.facts.in_transaction.set(true);
        Ok(())
    }

    /// COMMIT. Fails with the transaction still open if statements write or others hold locks.
    pub(crate) fn commit(&self) -> Result<()> {
        let state = &self.transaction;
        state.assert_transaction_state();
        if state.autocommit.get() {
            return Err(Error::generic("cannot commit - no transaction is active"));
        }
        if state.active_writers.get() > 0 {
            return Err(Error::new(ResultCode::BUSY, "cannot commit transaction - SQL statements in progress"));
        }
        self.check_deferred_violations()?;
        let committed = self.check_sound().and_then(|()| self.commit_all());
        match &committed {
            // Others are in the way: the transaction goes on, and COMMIT can be tried again.
            Err(error) if error.code().primary() == ResultCode::BUSY => {}
            Err(_) => self.roll_back_all(),
            Ok(()) => self.leave_transaction(),
        }
        committed
    }

    /// ROLLBACK. Statements that still run will fail with SQLITE_ABORT_ROLLBACK.
    pub(crate) fn rollback(&self) -> Result<()> {
        if self.transaction.autocommit.get() {
            return Err(Error::generic("cannot rollback - no transaction is active"));
        }
        self.roll_back_all();
        if !self.transaction.has_active() {
            self.end_reads();
        }
        Ok(())
    }

    /// Whether a deferred foreign key is violated now: the transaction could not commit.
    pub fn has_deferred_violations(&self) -> bool {
        let (deferred, immediate) = self.violations();
        deferred > 0 || immediate > 0
    }

    pub(super) fn check_deferred_violations(&self) -> Result<()> {
        let (deferred, immediate) = self.violations();
        if deferred + immediate != 0 {
            return Err(Error::new(ResultCode::CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed"));
        }
        Ok(())
    }

    pub(super) fn commit_all(&self) -> Result<()> {
        self.sync_virtual_tables().inspect_err(|_| self.roll_back_all())?;
        if self.is_writing() {
            self.ask_commit_hook().inspect_err(|_| self.roll_back_all())?;
        }
        let databases: Vec<_> = self.databases().collect();
        for (_, database) in databases.iter().filter(|(_, database)| database.is_writing()) {
            database.has_committed.set(true);
            database.commits.set(database.commits.get().wrapping_add(1));
        }
        let told: Vec<_> = match self.has_wal_hook() {
            true => databases.iter().filter(|(_, database)| database.is_writing()).cloned().collect(),
            false => Vec::new(),
        };
        let in_use = databases.iter().filter_map(|(db, database)| Some((*db, Rc::clone(database.in_use()?))));
        let in_use: Vec<(Db, Rc<Btree>)> = in_use.collect();
        match self.auto_vacuum_hook() {
            None => crate::commit::commit(&in_use, None)?,
            Some(hook) => {
                let how_many = |db: Db, sizes| hook(&self.catalog().database_name(db).to_string(), sizes);
                crate::commit::commit(&in_use, Some(&how_many))?;
            }
        }
        assert!(!self.is_writing(), "a database is written after the commit");
        self.transaction.catalog_before.take();
        self.transaction.schema_was_taken_back.set(false);
        self.commit_virtual_tables();
        databases.iter().filter_map(|(_, database)| database.shared()).for_each(|cache| cache.end_write(self.id));
        self.after_transaction();
        self.transaction.committed.borrow_mut().extend(told);
        Ok(())
    }

    /// Rolls back every database and the catalog, and is back in autocommit mode.
    pub(crate) fn roll_back_all(&self) {
        let state = &self.transaction;
        self.facts.note_write();
        let is_told = self.is_writing() || !state.autocommit.get();
        if is_told {
            state.rollbacks.set(state.rollbacks.get() + 1);
        }
        for btree in self.writing() {
            // The pager goes into its error state if it cannot roll back: the next access reports it.
            let _ = btree.pager().rollback();
        }
        self.roll_back_virtual_tables();
        for (_, database) in self.databases() {
            if let Some(cache) = database.shared() {
                cache.end_write(self.id);
            }
        }
        let catalog = state.catalog_before.take();
        let is_other_schema = catalog.as_ref().is_some_and(|catalog| !catalog.has_schemas_of(&self.catalog()));
        let is_other_schema = state.schema_was_taken_back.take() || is_other_schema;
        if is_other_schema {
            state.schema_rollbacks.set(state.schema_rollbacks.get() + 1);
            self.facts.expire_running();
        }
        self.restore_catalog(catalog);
        if is_other_schema {
            // As SQLite: preparing the next statement reads the schema again, and fails if another connection has locked the file.
            self.databases().for_each(|(db, _)| self.forget_schema(db));
        }
        self.after_transaction();
        self.leave_transaction();
        if is_told {
            self.tell_rollback_hook();
        }
    }

    pub(super) fn after_transaction(&self) {
        self.set_violations((0, 0));
        let flags = self.facts.flags.get();
        if flags.contains(Flags::DEFER_FOREIGN_KEYS) {
            self.facts.flags.set(flags.with(Flags::DEFER_FOREIGN_KEYS, false));
            self.compile_flags.set(CompileFlags { defer_foreign_keys: false, ..self.compile_flags.get() });
            self.expire_programs();
        }
    }

    pub(super) fn violations(&self) -> Violations {
        (self.facts.deferred_violations.get(), self.facts.deferred_immediate_violations.get())
    }

    pub(super) fn set_violations(&self, (deferred, immediate): Violations) {
        self.facts.deferred_violations.set(deferred);
        self.facts.deferred_immediate_violations.set(immediate);
    }

    /// The transaction is over, and no statement runs: after a panic.
    pub(crate) fn forget_transaction(&self) {
        let state = &self.transaction;
        state.autocommit.set(true);
        state.found_malformed.set(false);
        self.facts.in_transaction.set(false);
        self.facts.has_writer.set(false);
        state.concurrent.set(false);
        state.first_savepoint_began.set(false);
        state.executing.set(0);
        for count in [&state.active, &state.active_writers, &state.active_users, &state.active_under_locks] {
            count.set(0);
        }
        state.statement_savepoints.clear();
        state.rollbacks.set(state.rollbacks.get() + 1);
        state.schema_rollbacks.set(state.schema_rollbacks.get() + 1);
    }

    pub(super) fn leave_transaction(&self) {
        let state = &self.transaction;
        state.autocommit.set(true);
        state.found_malformed.set(false);
        self.facts.in_transaction.set(false);
        state.concurrent.set(false);
        state.savepoints.borrow_mut().clear();
        state.first_savepoint_began.set(false);
        state.statement_savepoints.clear();
        state.assert_transaction_state();
        if !state.has_active() {
            self.end_reads();
        }
    }

    /// The schema is about to change: keeps what a rollback needs.
    pub(crate) fn note_schema_change(&self) {
        let catalog = self.catalog();
        self.transaction.catalog_before.borrow_mut().get_or_insert(catalog);
    }

    pub(super) fn restore_catalog(&self, catalog: Option<Arc<Catalog>>) {
        if let Some(catalog) = catalog
            && !Arc::ptr_eq(&catalog, &self.catalog.borrow())
        {
            let mut catalog = catalog;
            // What was attached since then stays, and its schema is read again: the transaction may have changed it.
            for db in Arc::make_mut(&mut catalog).take_databases(&self.catalog()) {
                self.forget_schema(db);
            }
            if !catalog.has_table_functions_of(&self.catalog()) {
                Arc::make_mut(&mut catalog).take_table_functions(&self.catalog());
            }
            *self.catalog.borrow_mut() = catalog;
            self.expire_programs();
            // What was made from bytes has come since, perhaps: no rollback takes that back.
            for (db, _) in self.databases().filter(|(_, database)| database.is_image.get()) {
                self.forget_schema(db);
            }
            self.let_go_of_virtual_tables();
        }
    }
}
