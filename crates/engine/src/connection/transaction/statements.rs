//! A statement's part in the transaction: where it begins to read and write, what it commits and what its failure undoes.

use std::rc::Rc;

use lithe_btree::{AutoVacuum, Btree};
use lithe_pager::{BeginKind, CheckpointMode, Pager};
use lithe_vfs::ResultCode;
use lithe_vm::facts::Flags;
use lithe_vm::operand::{Db, OnConflict};

use super::StatementRun;
use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

impl Connection {
    /// A statement starts to run.
    pub(crate) fn statement_begins(&self) -> StatementRun {
        let run = StatementRun::default();
        self.run_begins(&run);
        run
    }

    /// A statement starts to run, whose last run has ended.
    #[inline]
    pub(crate) fn run_begins(&self, run: &StatementRun) {
        let state = &self.transaction;
        state.assert_transaction_state();
        assert!(!run.is_writer.get() && !run.is_user.get(), "the run before has not ended");
        if !state.has_active() {
            self.interrupts.clear();
        }
        state.active.set(state.active.get() + 1);
        run.rollbacks_before.set(state.rollbacks.get());
        run.violations_before.set(self.violations());
        run.schema_rollbacks_before.set(state.schema_rollbacks.get());
    }

    /// Has a ROLLBACK pulled the transaction away from under the statement since somebody asked? The cursors of one that only reads
    /// go on, unless the schema is another one now; and what needs no cursor goes on in any case.
    pub(crate) fn notice_rollback(&self, run: &StatementRun) -> bool {
        let state = &self.transaction;
        let is_undone = run.rollbacks_before.replace(state.rollbacks.get()) != state.rollbacks.get();
        let is_other_schema =
            run.schema_rollbacks_before.replace(state.schema_rollbacks.get()) != state.schema_rollbacks.get();
        if is_undone {
            // It went with the transaction, and has no place in the stack any more.
            run.savepoint.take();
            run.catalog_before.take();
        }
        is_other_schema || is_undone && run.is_writer.get()
    }

    /// The statement is about to read or write `db`.
    pub(crate) fn begin_on(&self, db: Db, write: bool, run: &StatementRun) -> Result<()> {
        self.begin_on_database(db, &*self.database(db)?, write, run)
    }

    /// The same of a database that was looked up.
    pub(crate) fn begin_on_database(&self, db: Db, database: &Database, write: bool, run: &StatementRun) -> Result<()> {
        if !run.is_user.replace(true) {
            self.transaction.active_users.set(self.transaction.active_users.get() + 1);
        }
        if write {
            return self.begin_writing_on(db, database, BeginKind::Immediate, run);
        }
        self.begin_reading(database)
    }

    pub(crate) fn begin_reading(&self, database: &Database) -> Result<()> {
        database.check_free()?;
        let pager = database.btree().pager();
        if !self.transaction.concurrent.get() {
            pager.begin_read()?;
            if self.settings.read_uncommitted.get() && database.shared().is_some() {
                pager.see_uncommitted(true)?;
            }
            return Ok(());
        }
        pager.begin_concurrent()?;
        if pager.is_writing() { self.deepen(pager) } else { Ok(()) }
    }

    /// DROP asks: does another statement use any database?
    pub(crate) fn check_no_readers(&self) -> Result<()> {
        let own = 1 + self.transaction.destroying.get();
        if self.transaction.active_users.get() > own {
            return Err(Error::from_code(ResultCode::LOCKED));
        }
        Ok(())
    }

    /// The statement is about to write `db`, with others locked out as `kind` says.
    pub(crate) fn begin_writing(&self, db: Db, kind: BeginKind, run: &StatementRun) -> Result<()> {
        let database = self.database(db)?;
        self.begin_writing_on(db, &database, kind, run)
    }

    pub(super) fn begin_writing_on(
        &self,
        db: Db,
        database: &Database,
        kind: BeginKind,
        run: &StatementRun,
    ) -> Result<()> {
        if self.compile_flags.get().query_only && db != Db::TEMP {
            return Err(Error::new(ResultCode::READONLY, "attempt to write a readonly database"));
        }
        self.begin_write_on(database, kind)?;
        self.note_writer(run);
        Ok(())
    }

    /// The statement begins to write a database that it has to itself, whatever `query_only` says.
    pub(crate) fn begin_exclusively(&self, database: &Database, run: &StatementRun) -> Result<()> {
        self.begin_write_on(database, BeginKind::Exclusive)?;
        self.note_writer(run);
        Ok(())
    }

    pub(super) fn note_writer(&self, run: &StatementRun) {
        if !run.is_writer.replace(true) {
            self.transaction.active_writers.set(self.transaction.active_writers.get() + 1);
            self.facts.has_writer.set(true);
        }
    }

    /// Begins a write transaction on a database, with as many savepoints as there are. Where nothing was read yet, this
    /// waits for other writers as the busy handler says.
    pub(crate) fn begin_write_on(&self, database: &Database, kind: BeginKind) -> Result<()> {
        let pager = database.btree().pager();
        database.check_free()?;
        self.check_sound()?;
        let kind = if self.transaction.concurrent.get() { BeginKind::Concurrent } else { kind };
        if let Some(cache) = database.shared() {
            cache.begin_write(self.id, kind == BeginKind::Exclusive)?;
        }
        pager.set_may_append_past_log(self.settings.wal_autocheckpoint.get() > 0);
        pager.begin_write(kind)?;
        if database.shared().is_some() {
            let moves_pages = database.btree().auto_vacuum_mode()? != AutoVacuum::None;
            pager.set_commits_beside_readers(kind != BeginKind::Exclusive && !moves_pages);
        }
        self.deepen(pager)
    }

    /// A transaction that has found a database malformed writes nothing any more.
    pub(super) fn check_sound(&self) -> Result<()> {
        let is_sound = !self.transaction.found_malformed.get();
        if is_sound { Ok(()) } else { Err(Error::from_code(ResultCode::CORRUPT)) }
    }

    /// Opens as many savepoints as there are.
    pub(super) fn deepen(&self, pager: &Pager) -> Result<()> {
        for _ in pager.savepoint_count()..self.transaction.depth() {
            pager.savepoint()?;
        }
        assert!(pager.savepoint_count() >= self.transaction.depth(), "a database has as many savepoints as there are");
        Ok(())
    }

    /// BEGIN IMMEDIATE and BEGIN EXCLUSIVE: takes the write lock of a database before anything is written. A
    /// database that can only be read is read.
    pub(crate) fn begin_immediate(&self, db: Db, kind: BeginKind) -> Result<()> {
        let database = self.database(db)?;
        let pager = database.btree().pager();
        match self.begin_write_on(&database, kind) {
            Err(_) if pager.is_read_only() => Ok(pager.begin_read()?),
            begun => begun,
        }
    }

    /// The databases on which a write transaction is open.
    pub(super) fn writing(&self) -> Vec<Rc<Btree>> {
        let writing = self.databases().filter(|(_, database)| database.is_writing());
        writing.map(|(_, database)| Rc::clone(database.btree())).collect()
    }

    pub(super) fn is_writing(&self) -> bool {
        self.any_database(Database::is_writing)
    }

    /// Opens the statement's own savepoint, unless undoing the whole transaction would do as well.
    pub(crate) fn open_statement_savepoint(&self, run: &StatementRun) -> Result<()> {
        let state = &self.transaction;
        assert!(state.active.get() > 0 || self.is_broken(), "a savepoint is opened by a statement that runs");
        let is_alone = state.autocommit.get() && state.active.get() == 1;
        if is_alone || run.savepoint.get().is_some() {
            return Ok(());
        }
        // What virtual tables write now, they were told before: undoing the statement must not undo it.
        self.open_virtual_savepoint(state.depth())?;
        run.savepoint.set(Some(state.statement_savepoints.open()));
        *run.catalog_before.borrow_mut() = Some(self.catalog());
        self.open_savepoints()
    }

    /// Brings every database that writes to the depth of the stack.
    pub(super) fn open_savepoints(&self) -> Result<()> {
        self.writing().iter().try_for_each(|btree| self.deepen(btree.pager()))
    }

    /// The statement has reached its end: commits if that is its duty. On an error (SQLITE_BUSY, a full disk, a
    /// deferred foreign key) the statement has failed after all, and the caller ends it with that.
    pub(crate) fn statement_succeeds(&self, run: &StatementRun) -> Result<()> {
        self.notice_rollback(run);
        let state = &self.transaction;
        assert!(state.active.get() > 0 || self.is_broken(), "a statement succeeds that did not run");
        let is_last_writer = state.active_writers.get() == usize::from(run.is_writer.get());
        if state.autocommit.get() && is_last_writer && self.is_writing() {
            self.check_deferred_violations().and_then(|()| self.commit_all())?;
            self.forget_statement_savepoint(run);
        } else if run.savepoint.get().is_some() {
            self.close_statement_savepoint(run, false)?;
        }
        // To SQLite, what a statement reads outside a transaction is one, at the end of which keys are no longer deferred.
        let is_deferring = self.facts.flags.get().contains(Flags::DEFER_FOREIGN_KEYS);
        if is_deferring && run.is_user.get() && state.autocommit.get() && is_last_writer {
            self.after_transaction();
        }
        self.statement_leaves(run);
        Ok(())
    }

    /// The statement has failed: undoes what the error's policy says, and what cannot be kept. Fails itself if what was to
    /// be kept cannot be committed (SQLITE_BUSY), or what a violated constraint leaves cannot be undone: then the whole
    /// transaction is undone, and this is the error that matters.
    pub(crate) fn statement_fails(&self, run: &StatementRun, code: ResultCode, policy: OnConflict) -> Result<()> {
        let mut kept = Ok(());
        self.notice_rollback(run);
        let state = &self.transaction;
        if code == ResultCode::CORRUPT && !state.autocommit.get() {
            state.found_malformed.set(true);
        }
        assert!(state.active.get() > 0 || self.is_broken(), "a statement fails that did not run");
        let must_roll_back = match code.primary() {
            // The store cannot tell what is in its buffers any more.
            ResultCode::IOERR | ResultCode::NOMEM | ResultCode::FULL => {
                run.savepoint.get().is_none() && run.is_writer.get()
            }
            ResultCode::INTERRUPT => run.is_writer.get() && run.savepoint.get().is_none(),
            // A page could not be put elsewhere, and the statement stops half-way; but a journal that cannot be opened
            // comes before all changes.
            ResultCode::CANTOPEN => {
                let has_changes = || self.writing().iter().any(|btree| btree.pager().has_changes());
                run.savepoint.get().is_none() && run.is_writer.get() && has_changes()
            }
            _ => false,
        };
        let is_last_writer = state.active_writers.get() == usize::from(run.is_writer.get());
        if policy == OnConflict::Rollback || must_roll_back {
            self.roll_back_all();
            self.forget_statement_savepoint(run);
        } else if policy == OnConflict::Fail {
            kept = self.keep_failed(run, is_last_writer);
        } else if state.autocommit.get() && is_last_writer && self.is_writing() {
            // Not its savepoint: the transaction is all its own, and would keep the write lock for as long as others read. They
            // go on, whatever the statement did to the schema, until they open another cursor.
            let stopped = state.schema_rollbacks.get();
            self.roll_back_all();
            state.schema_rollbacks.set(stopped);
            self.forget_statement_savepoint(run);
        } else if run.savepoint.get().is_some()
            && let Err(error) = self.close_statement_savepoint(run, true)
        {
            self.roll_back_all();
            // A violated constraint would not say that the whole transaction is undone.
            if code.primary() == ResultCode::CONSTRAINT {
                kept = Err(error);
            }
        }
        self.statement_leaves(run);
        kept
    }

    /// OR FAIL: what was done before the failure stays.
    pub(super) fn keep_failed(&self, run: &StatementRun, is_last_writer: bool) -> Result<()> {
        let kept = if self.transaction.autocommit.get() && is_last_writer && self.is_writing() {
            self.check_deferred_violations().and_then(|()| self.commit_all())
        } else {
            self.close_statement_savepoint(run, false)
        };
        self.forget_statement_savepoint(run);
        if kept.is_err() {
            self.roll_back_all();
        }
        kept
    }

    /// The transaction is over, and the statement's savepoint with it: it has no place in the stack any more.
    pub(super) fn forget_statement_savepoint(&self, run: &StatementRun) {
        if let Some(number) = run.savepoint.take() {
            run.catalog_before.take();
            self.transaction.statement_savepoints.release(number);
        }
    }

    pub(super) fn close_statement_savepoint(&self, run: &StatementRun, undo: bool) -> Result<()> {
        let Some(number) = run.savepoint.take() else { return Ok(()) };
        let state = &self.transaction;
        let catalog = run.catalog_before.take();
        self.facts.note_write();
        let savepoints = &state.statement_savepoints;
        let Some(place) = (if undo { savepoints.undo(number) } else { savepoints.release(number) }) else {
            return Ok(());
        };
        let position = state.savepoints.borrow().len() + place;
        let mut result = Ok(());
        for btree in self.writing() {
            let pager = btree.pager();
            if pager.savepoint_count() > position {
                if undo {
                    result = result.and(pager.rollback_to(position));
                }
                result = result.and(pager.release(position));
            }
        }
        let told = if undo { self.roll_back_to_virtual_savepoint(position) } else { Ok(()) };
        let told = told.and(self.release_virtual_savepoint(position));
        if undo {
            self.set_violations(run.violations_before.get());
            if catalog.as_ref().is_some_and(|before| !before.has_schemas_of(&self.catalog())) {
                state.schema_was_taken_back.set(true);
            }
            self.restore_catalog(catalog);
        }
        result?;
        told
    }

    /// The statement does not run any more. The last one to leave gives the read locks back.
    pub(super) fn statement_leaves(&self, run: &StatementRun) {
        let state = &self.transaction;
        assert!(state.active.get() > 0 || self.is_broken(), "a statement ends that did not run");
        if run.is_writer.replace(false) {
            state.active_writers.set(state.active_writers.get().saturating_sub(1));
            self.facts.has_writer.set(state.active_writers.get() > 0);
        }
        if run.is_user.replace(false) {
            state.active_users.set(state.active_users.get().saturating_sub(1));
        }
        state.active.set(state.active.get().saturating_sub(1));
        // A statement that uses no database keeps none from going on.
        assert!(state.active_writers.get() <= state.active.get(), "more statements write than run");
        let is_used = state.active_users.get() > 0 || state.active_writers.get() > 0;
        if !is_used && state.autocommit.get() {
            self.end_reads();
        }
    }

    pub(super) fn end_reads(&self) {
        for (_, database) in self.databases() {
            if let Some(btree) = database.in_use() {
                // Giving a lock back does not fail in a way that anybody could act on.
                let _ = btree.pager().end_read();
                self.checkpoint_after_commit(&database, btree.pager());
            }
            if let Some(cache) = database.shared() {
                cache.end(self.id);
            }
        }
    }

    /// The automatic checkpoint, when a commit has left a long log. It does what it can without waiting; what goes wrong
    /// is tried again after the next commit.
    pub(super) fn checkpoint_after_commit(&self, database: &Database, pager: &Pager) {
        if !database.has_committed.take() {
            return;
        }
        let limit = self.settings.wal_autocheckpoint.get();
        if pager.has_appended_past_log() {
            // The next load finds a log that can begin anew. Who follows the log has seen new salts already, so that it may fail.
            let _ = pager.checkpoint_at_once(CheckpointMode::Truncate);
        } else if limit > 0 && pager.log_frames().is_some_and(|frames| frames >= limit) {
            let _ = pager.checkpoint_long_log(limit);
        }
    }
}
