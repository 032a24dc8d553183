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

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{AutoVacuum, Btree};
use lithe_catalog::Catalog;
use lithe_pager::{BeginKind, CheckpointMode, Pager};
use lithe_resolve::environment::Flags as CompileFlags;
use lithe_vfs::ResultCode;
use lithe_vm::facts::Flags;
use lithe_vm::operand::{Db, OnConflict};

use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

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
    statement_savepoints: Cell<usize>,
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
    savepoint: Cell<Option<usize>>,
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
            statement_savepoints: Cell::new(0),
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
        self.savepoints.borrow().len() + self.statement_savepoints.get()
    }
}

impl Connection {
    // ---- statements ----

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

    fn begin_writing_on(&self, db: Db, database: &Database, kind: BeginKind, run: &StatementRun) -> Result<()> {
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

    fn note_writer(&self, run: &StatementRun) {
        if !run.is_writer.replace(true) {
            self.transaction.active_writers.set(self.transaction.active_writers.get() + 1);
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

    /// Whoever has found a database malformed in a transaction writes nothing any more until it is over.
    fn check_sound(&self) -> Result<()> {
        let is_sound = !self.transaction.found_malformed.get();
        if is_sound { Ok(()) } else { Err(Error::from_code(ResultCode::CORRUPT)) }
    }

    /// Opens as many savepoints as there are.
    fn deepen(&self, pager: &Pager) -> Result<()> {
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
    fn writing(&self) -> Vec<Rc<Btree>> {
        let writing = self.databases().filter(|(_, database)| database.is_writing());
        writing.map(|(_, database)| Rc::clone(database.btree())).collect()
    }

    fn is_writing(&self) -> bool {
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
        run.savepoint.set(Some(state.depth()));
        *run.catalog_before.borrow_mut() = Some(self.catalog());
        state.statement_savepoints.set(state.statement_savepoints.get() + 1);
        self.open_savepoints()
    }

    /// Brings every database that writes to the depth of the stack.
    fn open_savepoints(&self) -> Result<()> {
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
    fn keep_failed(&self, run: &StatementRun, is_last_writer: bool) -> Result<()> {
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
    fn forget_statement_savepoint(&self, run: &StatementRun) {
        if run.savepoint.take().is_some() {
            run.catalog_before.take();
            let count = &self.transaction.statement_savepoints;
            count.set(count.get().saturating_sub(1));
        }
    }

    fn close_statement_savepoint(&self, run: &StatementRun, undo: bool) -> Result<()> {
        let Some(position) = run.savepoint.take() else { return Ok(()) };
        let state = &self.transaction;
        let catalog = run.catalog_before.take();
        let mut result = Ok(());
        self.facts.note_write();
        for btree in self.writing() {
            let pager = btree.pager();
            if pager.savepoint_count() > position {
                if undo {
                    result = result.and(pager.rollback_to(position));
                }
                result = result.and(pager.release(position));
            }
        }
        state.statement_savepoints.set(state.statement_savepoints.get().saturating_sub(1));
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
    fn statement_leaves(&self, run: &StatementRun) {
        let state = &self.transaction;
        assert!(state.active.get() > 0 || self.is_broken(), "a statement ends that did not run");
        if run.is_writer.replace(false) {
            state.active_writers.set(state.active_writers.get().saturating_sub(1));
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

    fn end_reads(&self) {
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
    fn checkpoint_after_commit(&self, database: &Database, pager: &Pager) {
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

    // ---- BEGIN, COMMIT, ROLLBACK ----

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

    fn check_deferred_violations(&self) -> Result<()> {
        let (deferred, immediate) = self.violations();
        if deferred + immediate != 0 {
            return Err(Error::new(ResultCode::CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed"));
        }
        Ok(())
    }

    fn commit_all(&self) -> Result<()> {
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
            // As SQLite: who prepares the next statement reads the schema again, and meets whoever has locked the file.
            self.databases().for_each(|(db, _)| self.forget_schema(db));
        }
        self.after_transaction();
        self.leave_transaction();
        if is_told {
            self.tell_rollback_hook();
        }
    }

    fn after_transaction(&self) {
        self.set_violations((0, 0));
        let flags = self.facts.flags.get();
        if flags.contains(Flags::DEFER_FOREIGN_KEYS) {
            self.facts.flags.set(flags.with(Flags::DEFER_FOREIGN_KEYS, false));
            self.compile_flags.set(CompileFlags { defer_foreign_keys: false, ..self.compile_flags.get() });
            self.expire_programs();
        }
    }

    fn violations(&self) -> Violations {
        (self.facts.deferred_violations.get(), self.facts.deferred_immediate_violations.get())
    }

    fn set_violations(&self, (deferred, immediate): Violations) {
        self.facts.deferred_violations.set(deferred);
        self.facts.deferred_immediate_violations.set(immediate);
    }

    /// The transaction is over, and no statement runs: after a panic.
    pub(crate) fn forget_transaction(&self) {
        let state = &self.transaction;
        state.autocommit.set(true);
        state.found_malformed.set(false);
        self.facts.in_transaction.set(false);
        state.concurrent.set(false);
        state.first_savepoint_began.set(false);
        state.executing.set(0);
        for count in [&state.active, &state.active_writers, &state.active_users, &state.active_under_locks] {
            count.set(0);
        }
        state.statement_savepoints.set(0);
        state.rollbacks.set(state.rollbacks.get() + 1);
        state.schema_rollbacks.set(state.schema_rollbacks.get() + 1);
    }

    fn leave_transaction(&self) {
        let state = &self.transaction;
        state.autocommit.set(true);
        state.found_malformed.set(false);
        self.facts.in_transaction.set(false);
        state.concurrent.set(false);
        state.savepoints.borrow_mut().clear();
        state.first_savepoint_began.set(false);
        state.statement_savepoints.set(0);
        state.assert_transaction_state();
        if !state.has_active() {
            self.end_reads();
        }
    }

    // ---- savepoints ----

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

    fn find_savepoint(&self, name: &str) -> Result<usize> {
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
    fn undo_all_savepoints(&self) {
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

    // ---- the catalog ----

    /// The schema is about to change: keeps what a rollback needs.
    pub(crate) fn note_schema_change(&self) {
        let catalog = self.catalog();
        self.transaction.catalog_before.borrow_mut().get_or_insert(catalog);
    }

    fn restore_catalog(&self, catalog: Option<Arc<Catalog>>) {
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
