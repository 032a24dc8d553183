//! One statement in the transaction: where it begins to read and write, what it commits, and what its failure undoes.

use lithe_btree::AutoVacuum;
use lithe_pager::{BeginKind, Pager};
use lithe_vfs::ResultCode;
use lithe_vm::connection_state::Flags;
use lithe_vm::operand::{Db, OnConflict};

use super::statement_run::StatementRun;
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

    /// A statement starts to run; its last run has ended.
    #[inline]
    pub(crate) fn run_begins(&self, run: &StatementRun) {
        if !self.transaction.has_active() {
            self.interrupts.clear();
        }
        run.waits.set(false);
        self.transaction.enter(run, self.violations());
    }

    /// The statement is about to read or write `db`.
    pub(crate) fn begin_on(&self, db: Db, write: bool, run: &StatementRun) -> Result<()> {
        self.begin_on_database(&*self.databases.get(db)?, write, run)
    }

    /// The same for a database that was looked up already.
    pub(crate) fn begin_on_database(&self, database: &Database, write: bool, run: &StatementRun) -> Result<()> {
        self.transaction.note_user(run);
        if write {
            return self.begin_writing_on(database, BeginKind::Immediate, run);
        }
        self.begin_reading(database)
    }

    /// A stale statement has begun to write, and the schema is read next. In SQLite, that ends a transaction which others than this statement do
    /// not write in, as a commit does: no other connection may read meanwhile. The transaction of the only statement has ended before.
    ///
    /// # Errors
    /// SQLITE_BUSY beside a reader; the transaction is over then.
    #[cold]
    pub(crate) fn lock_to_load_schema(&self, database: &Database, run: &StatementRun) -> Result<()> {
        let state = &self.transaction;
        if !state.is_autocommit() || state.active_count() == 1 || !state.is_last_writer(run) {
            return Ok(());
        }
        let locked = database.btree().pager().lock_to_commit();
        if locked.is_err() {
            state.let_others_continue(|| self.roll_back_all());
        }
        Ok(locked?)
    }

    pub(crate) fn begin_reading(&self, database: &Database) -> Result<()> {
        database.check_free()?;
        let pager = database.btree().pager();
        if !self.transaction.is_concurrent() {
            pager.begin_read()?;
            debug_assert!(pager.is_reading(), "a statement reads without a snapshot");
            if self.databases.settings.read_uncommitted.get() && database.shared().is_some() {
                pager.see_uncommitted(true)?;
            }
            return Ok(());
        }
        pager.begin_concurrent()?;
        if pager.is_writing() { self.deepen(pager) } else { Ok(()) }
    }

    /// DROP calls this: fails if another statement uses any database.
    pub(crate) fn check_no_readers(&self) -> Result<()> {
        let own = 1 + self.virtual_tables.destroying();
        if self.transaction.user_count() > own {
            return Err(Error::from_code(ResultCode::LOCKED));
        }
        Ok(())
    }

    /// The statement is about to write `db`; `kind` says which other connections are locked out.
    pub(crate) fn begin_writing(&self, db: Db, kind: BeginKind, run: &StatementRun) -> Result<()> {
        let database = self.databases.get(db)?;
        self.begin_writing_on(&database, kind, run)
    }

    pub(super) fn begin_writing_on(&self, database: &Database, kind: BeginKind, run: &StatementRun) -> Result<()> {
        self.check_may_write()?;
        self.begin_write_on(database, kind)?;
        self.note_writer(run);
        Ok(())
    }

    /// Fails if `PRAGMA query_only` forbids to write.
    pub(crate) fn check_may_write(&self) -> Result<()> {
        if self.settings.flags().query_only {
            return Err(Error::from_code(ResultCode::READONLY));
        }
        Ok(())
    }

    /// The statement begins to write a database under an exclusive lock, whatever `query_only` says.
    pub(crate) fn begin_exclusively(&self, database: &Database, run: &StatementRun) -> Result<()> {
        self.begin_write_on(database, BeginKind::Exclusive)?;
        self.note_writer(run);
        Ok(())
    }

    /// The statement counts among those that use a database: DROP and a change into or out of WAL mode fail beside it.
    pub(crate) fn note_user(&self, run: &StatementRun) {
        self.transaction.note_user(run);
    }

    /// The statement has found a database locked and stays under way: it counts as one that has begun.
    pub(crate) fn note_waiting(&self, run: &StatementRun, may_write: bool) {
        self.note_user(run);
        if may_write {
            self.note_writer(run);
        }
    }

    /// The statement counts among those that write.
    pub(crate) fn note_writer(&self, run: &StatementRun) {
        self.transaction.note_writer(run);
        self.state.has_writer.set(true);
    }

    /// Begins a write transaction on a database, with as many savepoints as the stack has. If the transaction has not
    /// read the database yet, this waits for other writers as the busy handler decides. As in SQLite, a database without
    /// pages gets its first page at once, below all savepoints: only ROLLBACK takes the page back.
    pub(crate) fn begin_write_on(&self, database: &Database, kind: BeginKind) -> Result<()> {
        let pager = database.btree().pager();
        database.check_free()?;
        self.transaction.check_sound()?;
        let kind = if self.transaction.is_concurrent() { BeginKind::Concurrent } else { kind };
        self.databases.begin_shared_write(database, kind)?;
        self.adopt_autocheckpoint(pager);
        pager.begin_write(kind)?;
        debug_assert!(pager.is_writing(), "a statement writes without a transaction");
        if database.shared().is_some() {
            let moves_pages = database.btree().auto_vacuum_mode()? != AutoVacuum::None;
            pager.set_commits_beside_readers(kind != BeginKind::Exclusive && !moves_pages);
        }
        database.btree().initialise()?;
        self.deepen(pager)
    }

    /// Tells the pager whether it may append pages past the log, which the next checkpoint makes part of it.
    #[inline]
    fn adopt_autocheckpoint(&self, pager: &Pager) {
        pager.set_may_append_past_log(self.databases.settings.wal_autocheckpoint.get() > 0);
    }

    /// Whether the pager is in a transaction in which a statement may read as it is: there is nothing that [`Connection::begin_reading`] would do
    /// or refuse.
    #[inline]
    pub(crate) fn reads_on(&self, pager: &Pager) -> bool {
        !self.transaction.is_concurrent() && pager.reads_on()
    }

    /// Whether the pager is in a write transaction, with as many savepoints as the stack has, in which a statement may write as it is: there
    /// is nothing that [`Connection::begin_write_on`] would do or refuse.
    #[inline]
    pub(crate) fn writes_on(&self, pager: &Pager) -> bool {
        let state = &self.transaction;
        let may_write = !self.settings.flags().query_only && !state.is_concurrent();
        let goes_on = may_write && pager.open_savepoints().is_some_and(|count| state.may_write_directly(count));
        if goes_on {
            self.adopt_autocheckpoint(pager);
        }
        goes_on
    }

    /// Opens savepoints up to the depth of the stack.
    pub(super) fn deepen(&self, pager: &Pager) -> Result<()> {
        let depth = self.transaction.depth();
        let mut count = pager.savepoint_count();
        while count < depth {
            count = pager.savepoint()? + 1;
        }
        Ok(())
    }

    /// BEGIN IMMEDIATE and BEGIN EXCLUSIVE: takes the write lock of a database before the first write. On a read-only
    /// database a read begins instead.
    pub(crate) fn begin_immediate(&self, db: Db, kind: BeginKind) -> Result<()> {
        let database = self.databases.get(db)?;
        let pager = database.btree().pager();
        if !pager.is_read_only() {
            self.check_may_write()?;
        }
        match self.begin_write_on(&database, kind) {
            Err(_) if pager.is_read_only() => Ok(pager.begin_read()?),
            begun => begun,
        }
    }

    /// Opens the statement's own savepoint, unless a rollback of the whole transaction would do as well.
    pub(crate) fn open_statement_savepoint(&self, run: &StatementRun) -> Result<()> {
        let state = &self.transaction;
        state.assert_runs("a savepoint is opened by a statement that runs");
        let is_alone = state.is_autocommit() && state.active_count() == 1;
        if is_alone || run.savepoint.get().is_some() {
            return Ok(());
        }
        // What virtual tables write now belongs to earlier statements: undoing this one must not undo it.
        self.virtual_tables.open_savepoint(self, state.virtual_savepoint(state.depth()))?;
        run.savepoint.set(Some(state.statement_savepoints.open()));
        *run.catalog_before.borrow_mut() = Some(self.catalog());
        self.open_savepoints()
    }

    /// Opens savepoints up to the depth of the stack in every database that is written.
    pub(super) fn open_savepoints(&self) -> Result<()> {
        self.databases.writing().iter().try_for_each(|btree| self.deepen(btree.pager()))
    }

    /// Whether the transaction simply goes on when the statement has reached its end: there is nothing to commit, nor a savepoint to close.
    #[inline]
    pub(crate) fn goes_on_after(&self, run: &StatementRun) -> bool {
        self.transaction.notice_rollback(run);
        !self.transaction.is_autocommit() && run.savepoint.get().is_none()
    }

    /// The statement has reached its end: commits in autocommit mode, if no other statement writes. On an error
    /// (SQLITE_BUSY, a full disk, a deferred foreign key) the caller ends the statement as failed, with that error.
    pub(crate) fn statement_succeeds(&self, run: &StatementRun) -> Result<()> {
        self.transaction.notice_rollback(run);
        let state = &self.transaction;
        state.assert_runs("a statement succeeds that did not run");
        let is_last_writer = state.is_last_writer(run);
        let uses_database = run.is_user() || run.is_writer();
        if state.is_autocommit() && is_last_writer && uses_database && self.databases.is_writing() {
            self.check_deferred_violations().and_then(|()| self.commit_all())?;
            self.forget_statement_savepoint(run);
        } else if run.savepoint.get().is_some() {
            self.close_statement_savepoint(run, false)?;
        }
        // In SQLite a statement outside a transaction is one of its own, at whose end `defer_foreign_keys` is switched
        // off.
        let is_deferring = self.state.flags.get().contains(Flags::DEFER_FOREIGN_KEYS);
        if is_deferring && run.is_user() && state.is_autocommit() && is_last_writer {
            self.after_transaction();
        }
        self.statement_leaves(run);
        Ok(())
    }

    /// The statement has failed: undoes what the error's policy says, and what cannot be kept. Returns an error itself
    /// if the changes to be kept cannot be committed (SQLITE_BUSY), or those of a violated constraint cannot be undone:
    /// then the whole transaction is rolled back, and this error is reported.
    pub(crate) fn statement_fails(&self, run: &StatementRun, code: ResultCode, policy: OnConflict) -> Result<()> {
        let mut kept = Ok(());
        self.transaction.notice_rollback(run);
        let state = &self.transaction;
        if code == ResultCode::CORRUPT {
            state.note_malformed();
        }
        state.assert_runs("a statement fails that did not run");
        let must_roll_back = match code.primary() {
            // The pager's buffers may be inconsistent.
            ResultCode::IOERR | ResultCode::NOMEM | ResultCode::FULL => {
                run.savepoint.get().is_none() && run.is_writer()
            }
            ResultCode::INTERRUPT => run.is_writer() && run.savepoint.get().is_none(),
            // A dirty page could not be spilled, and the statement stops half-way. But a journal that cannot be opened
            // is found before any change.
            ResultCode::CANTOPEN => {
                let has_changes = || self.databases.writing().iter().any(|btree| btree.pager().has_changes());
                run.savepoint.get().is_none() && run.is_writer() && has_changes()
            }
            _ => false,
        };
        let is_last_writer = state.is_last_writer(run);
        // As in SQLite, a statement that is to be compiled again keeps its transaction beside others that run, until the next of them ends.
        let keeps_transaction = code == ResultCode::SCHEMA && state.active_count() > 1;
        if policy == OnConflict::Rollback || must_roll_back {
            self.roll_back_all();
            self.forget_statement_savepoint(run);
        } else if policy == OnConflict::Fail {
            kept = self.keep_failed(run, is_last_writer);
        } else if state.is_autocommit() && is_last_writer && self.databases.is_writing() && !keeps_transaction {
            // The whole transaction is rolled back, not only to the statement's savepoint: it has no other statement,
            // and would keep the write lock as long as other statements read.
            state.let_others_continue(|| self.roll_back_all());
            self.forget_statement_savepoint(run);
        } else if run.savepoint.get().is_some()
            && let Err(error) = self.close_statement_savepoint(run, true)
        {
            self.roll_back_all();
            // The error of a violated constraint would not tell the application that the whole transaction was rolled
            // back.
            if code.primary() == ResultCode::CONSTRAINT {
                kept = Err(error);
            }
        }
        self.statement_leaves(run);
        kept
    }

    /// OR FAIL: the changes before the failure stay.
    pub(super) fn keep_failed(&self, run: &StatementRun, is_last_writer: bool) -> Result<()> {
        let kept = if self.transaction.is_autocommit() && is_last_writer && self.databases.is_writing() {
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

    /// The transaction has ended, and the statement's savepoint with it: it is not in the stack any more.
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
        self.state.note_write();
        let savepoints = &state.statement_savepoints;
        let Some(place) = (if undo { savepoints.undo(number) } else { savepoints.release(number) }) else {
            return Ok(());
        };
        let position = state.savepoint_count() + place;
        assert!(position == state.depth(), "those above the savepoint are gone");
        let mut result = Ok(());
        for btree in self.databases.writing() {
            let pager = btree.pager();
            if pager.savepoint_count() > position {
                if undo {
                    result = result.and(pager.rollback_to(position));
                }
                result = result.and(pager.release(position));
            }
        }
        let known = state.virtual_savepoint(position);
        let tables = if undo { self.virtual_tables.roll_back_to(self, known) } else { Ok(()) };
        let tables = tables.and(self.virtual_tables.release(self, known));
        if undo {
            self.set_violations(run.violations_before.get());
            if catalog.as_ref().is_some_and(|before| !before.has_schemas_of(&self.catalog())) {
                state.note_schema_taken_back();
            }
            self.restore_catalog(catalog);
        }
        result?;
        tables
    }

    /// The schema was read, which in SQLite is a statement: at its end a transaction is committed that no statement writes any more.
    pub(crate) fn schema_was_read(&self) {
        // SQLite reads a schema with a statement of its own.
        let is_deferring = self.state.flags.get().contains(Flags::DEFER_FOREIGN_KEYS);
        if is_deferring && self.transaction.is_autocommit() && !self.transaction.has_writers() {
            self.after_transaction();
        }
        if self.transaction.is_autocommit() && !self.transaction.has_writers() && self.databases.is_writing() {
            // Nothing was written.
            let _ = self.commit_all();
            if self.transaction.user_count() == 0 {
                self.end_reads();
            }
        }
    }

    /// The statement has stopped running. With the last one the read locks are released.
    #[inline]
    pub(in crate::connection) fn statement_leaves(&self, run: &StatementRun) {
        let is_unused = self.transaction.leave(run);
        self.state.has_writer.set(self.transaction.has_writers());
        if cfg!(debug_assertions) {
            self.assert_flags_agree();
        }
        if self.virtual_tables.has_replaced.get() && !self.transaction.has_active() {
            self.virtual_tables.drop_replaced();
        }
        // A statement that could not be compiled again may have left its write transaction open.
        if is_unused && self.transaction.is_autocommit() && !self.databases.is_writing() {
            self.end_reads();
        }
    }

    /// Ends the read transactions of all databases and releases the read locks.
    pub(super) fn end_reads(&self) {
        for (_, database) in self.databases.iter() {
            if let Some(btree) = database.in_use() {
                // No caller could act on a failure to release a lock.
                let _ = btree.pager().end_read();
                self.databases.checkpoint_after_commit(&database, btree.pager());
            }
            self.databases.end_shared(&database);
        }
    }
}
