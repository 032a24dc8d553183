//! SAVEPOINT, RELEASE and ROLLBACK TO.

use std::sync::Arc;

use lithe_catalog::Catalog;
use lithe_vfs::ResultCode;

use super::Savepoint;
use crate::connection::Connection;
use crate::error::{Error, Result};

impl Connection {
    /// SAVEPOINT.
    pub(crate) fn savepoint(&self, name: &str) -> Result<()> {
        let state = &self.transaction;
        if state.active_writers.get() > 0 {
            let message = "cannot open savepoint - SQL statements in progress";
            return Err(Error::new(ResultCode::BUSY, message));
        }
        if state.autocommit.replace(false) {
            state.first_savepoint_began.set(true);
            self.facts.in_transaction.set(true);
        }
        // What virtual tables write now, they were told before: ROLLBACK TO must not undo it.
        self.open_virtual_savepoint(state.depth())?;
        state.savepoints.borrow_mut().push(Savepoint {
            name: name.to_owned(),
            catalog: self.catalog(),
            violations: self.violations(),
        });
        assert!(!state.autocommit.get(), "a savepoint is within a transaction");
        self.open_savepoints()
    }

    pub(super) fn find_savepoint(&self, name: &str) -> Result<usize> {
        let savepoints = self.transaction.savepoints.borrow();
        let found = savepoints.iter().rposition(|s| s.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::generic(format!("no such savepoint: {name}")))
    }

    /// RELEASE. Of the savepoint that began the transaction: commits.
    pub(crate) fn release(&self, name: &str) -> Result<()> {
        let position = self.find_savepoint(name)?;
        let state = &self.transaction;
        if state.active_writers.get() > 0 {
            let message = "cannot release savepoint - SQL statements in progress";
            return Err(Error::new(ResultCode::BUSY, message));
        }
        if position == 0 && state.first_savepoint_began.get() {
            return self.check_sound().inspect_err(|_| self.undo_all_savepoints()).and_then(|()| self.commit());
        }
        for btree in self.writing() {
            if btree.pager().savepoint_count() > position {
                btree.pager().release(position)?;
            }
        }
        assert!(position < state.savepoints.borrow().len(), "a savepoint is released that is open");
        state.savepoints.borrow_mut().truncate(position);
        self.release_virtual_savepoint(position)
    }

    /// RELEASE of the savepoint that began a transaction in which a database was found malformed: nothing is kept, but the savepoints
    /// stay open, and nothing may be written.
    pub(super) fn undo_all_savepoints(&self) {
        let state = &self.transaction;
        let savepoints = state.savepoints.take();
        self.roll_back_all();
        *state.savepoints.borrow_mut() = savepoints;
        state.autocommit.set(false);
        self.facts.in_transaction.set(true);
        state.first_savepoint_began.set(true);
        state.found_malformed.set(true);
    }

    /// ROLLBACK TO: the savepoint itself stays open.
    pub(crate) fn rollback_to(&self, name: &str) -> Result<()> {
        let position = self.find_savepoint(name)?;
        let state = &self.transaction;
        state.savepoint_rollbacks.set(state.savepoint_rollbacks.get() + 1);
        self.facts.note_write();
        for btree in self.writing() {
            if btree.pager().savepoint_count() > position {
                btree.pager().rollback_to(position)?;
            }
        }
        let (catalog, violations) = {
            let mut savepoints = state.savepoints.borrow_mut();
            savepoints.truncate(position + 1);
            assert_eq!(savepoints.len(), position + 1, "the savepoint stays open, and none after it");
            (Arc::clone(&savepoints[position].catalog), savepoints[position].violations)
        };
        // Whatever has changed the schema since the transaction began, before the savepoint or behind it. A schema that was only read
        // since then has not changed.
        let is_unchanged = |before: &Arc<Catalog>| before.has_schemas_of(&self.catalog());
        let is_other_schema = !state.catalog_before.borrow().as_ref().is_none_or(is_unchanged);
        if state.schema_was_taken_back.get() || is_other_schema {
            state.schema_was_taken_back.set(true);
            state.schema_rollbacks.set(state.schema_rollbacks.get() + 1);
            self.facts.expire_running();
            self.restore_catalog(Some(catalog));
            // What was known when the savepoint was made may have been nothing.
            self.databases().for_each(|(db, _)| self.forget_schema(db));
        }
        self.set_violations(violations);
        self.roll_back_to_virtual_savepoint(position)
    }
}
