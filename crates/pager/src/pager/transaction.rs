//! Beginning and ending to read and to write.
//!
//! A commit and a rollback leave the connection reading, on the state that it just wrote or on the
//! one before; a caller that is done ends the read transaction too.
//!
//! When a commit fails half-way, only a rollback is possible: every call answers the same error until then. When the
//! rollback fails too, the journal stays for the next reader to play back, and only the end of the read transaction is
//! possible.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lithe_vfs::{LockLevel, Op, ResultCode};

use super::{Pager, State, Store};
use crate::error::{Error, Result};
use crate::file_store::{Beginning, FileStore};
use crate::options::BeginKind;
use crate::snapshot::Snapshot;
use crate::wal::{Snapshot as PastSnapshot, Wal};

impl Pager {
    /// Begins to read: takes the lock or the snapshot, and learns the size of the database.
    #[inline]
    pub fn begin_read(&self) -> Result<()> {
        if self.state.get() != State::Idle {
            self.resume()?;
            return self.check_failure();
        }
        self.begin_reading()
    }

    fn begin_reading(&self) -> Result<()> {
        self.assert_state();
        if let Store::File(file) = &self.store {
            let begun = self.retry_while_busy(|| {
                self.wait_for_commit()?;
                self.with_beginning(|beginning| file.begin_read(beginning))
            });
            self.adopt(file, begun)?;
        }
        self.note_read_begin();
        self.state.set(State::Reading);
        self.assert_state();
        Ok(())
    }

    fn with_beginning<T>(&self, work: impl FnOnce(&Beginning<'_>) -> T) -> T {
        let may_join_readers = || self.commit_waits_for_readers();
        work(&Beginning { shape: self.view.shape(), may_join_readers: &may_join_readers })
    }

    /// Adopts the snapshot that was read from the database. After an error no page can be read.
    pub(super) fn adopt(&self, file: &FileStore, taken: Result<Snapshot>) -> Result<()> {
        self.changes.count(file.last.uncounted_changes.take());
        match taken {
            Ok(snapshot) => self.view.adopt(&snapshot),
            Err(error) => {
                self.disable_direct_reads();
                if matches!(error, Error::NotADb | Error::Corrupt { .. }) {
                    self.view.page_count.set(0);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends a read transaction: what was read may change from now on. A write transaction is
    /// rolled back first.
    #[inline]
    pub fn end_read(&self) -> Result<()> {
        if cfg!(debug_assertions) {
            self.assert_state();
        }
        let rolled_back = match self.state.get() {
            State::Idle => return Ok(()),
            State::Reading => Ok(()),
            State::Writing => self.rollback(),
        };
        self.drop_overlay();
        self.state.set(State::Idle);
        if let Store::File(file) = &self.store {
            file.forget_failed_mapping();
        }
        self.disable_direct_reads();
        self.end_epoch();
        let failed = self.failure.replace(None).is_some();
        let ended = match &self.store {
            Store::Memory(_) => Ok(()),
            // A log needs no recovery: a commit is in it completely or not at all.
            Store::File(file) if failed && !file.is_wal() => {
                // A journal in memory is played back once more, because only this connection can.
                self.with_pending(|pending| file.restore_from_memory(pending));
                file.leave_to_recovery()
            }
            Store::File(file) => file.end_read(),
        };
        self.note_read_end();
        self.let_readers_resume();
        rolled_back.and(ended)
    }

    /// Begins to write, and to read if that has not begun.
    ///
    /// Waits for other connections (as the busy handler says) only if it begins to read, too: a connection that holds a
    /// snapshot while it waits may be what the other one waits for.
    pub fn begin_write(&self, kind: BeginKind) -> Result<()> {
        self.assert_state();
        if self.state.get() == State::Writing {
            return self.check_failure();
        }
        let begins_concurrently = kind == BeginKind::Concurrent && self.state.get() == State::Idle;
        if begins_concurrently && self.begin_concurrently()? {
            return Ok(());
        }
        let was_idle = self.state.get() == State::Idle;
        self.resume()?;
        match self.state.get() {
            State::Writing => return self.check_failure(),
            State::Reading => {
                self.check_failure()?;
                self.begin_write_on_snapshot(kind)?;
            }
            State::Idle => {
                self.begin_read_and_write(kind)?;
            }
        }
        self.note_read_begin();
        self.start_write(was_idle);
        self.assert_state();
        Ok(())
    }

    /// Begins to read, and to write beside other writers where that is possible: in a database with a log that is not
    /// read-only. The first access of a `BEGIN CONCURRENT` transaction, whatever it is for.
    pub fn begin_concurrent(&self) -> Result<()> {
        self.assert_state();
        if self.state.get() != State::Idle {
            return self.check_failure();
        }
        match self.begin_concurrently() {
            Err(Error::ReadOnly(_)) => self.begin_read(),
            begun => begun.map(drop),
        }
    }

    fn start_write(&self, was_idle: bool) {
        self.note_begin();
        let mut txn = self.txn.borrow_mut();
        assert!(txn.dirty.len() == 0 && txn.savepoints.len() == 0, "the transaction before has ended");
        txn.pages_before = self.page_count();
        if txn.pages_before == 0 {
            self.fix_shape();
        }
        txn.dirty_max = self.dirty_max(0);
        if self.may_overwrite(was_idle) {
            self.view.reads_copies.set(true);
            self.disable_direct_reads();
        }
        let notes_pages = self.savepoints_note_pages(&txn);
        txn.savepoints.begin(notes_pages);
        self.state.set(State::Writing);
    }

    /// Begins a write transaction beside other writers. `false`: the database has no log.
    fn begin_concurrently(&self) -> Result<bool> {
        let Store::File(file) = &self.store else { return Ok(false) };
        self.begin_read()?;
        if !file.is_wal() {
            return Ok(false);
        }
        if file.is_read_only() {
            self.end_read()?;
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        self.start_write(false);
        self.concurrent.begin();
        // Each page that is read is recorded, so pages are not read directly.
        self.disable_direct_reads();
        Ok(true)
    }

    fn begin_write_on_snapshot(&self, kind: BeginKind) -> Result<()> {
        match &self.store {
            Store::Memory(memory) => memory.begin_write(),
            Store::File(file) => file.begin_write(self.view.shape(), self.page_count(), kind),
        }
    }

    fn begin_read_and_write(&self, kind: BeginKind) -> Result<()> {
        match &self.store {
            Store::Memory(memory) => memory.begin_write(),
            Store::File(file) => {
                let begun = self.retry_while_busy(|| {
                    self.wait_for_commit()?;
                    self.with_beginning(|beginning| file.begin_read_and_write(beginning, kind))
                });
                self.adopt(file, begun)
            }
        }
    }

    /// Begins an exclusive write transaction that ignores the content of the database, even whether it is a database at
    /// all: the database is empty in this transaction.
    pub fn begin_anew(&self) -> Result<()> {
        self.assert_state();
        let Store::File(store) = &self.store else { return self.begin_write(crate::BeginKind::Exclusive) };
        store.last.ignores_content.set(true);
        store.forget_known();
        let begun = self.begin_write(crate::BeginKind::Exclusive);
        store.last.ignores_content.set(false);
        begun
    }

    /// Whether a transaction is open that goes on as it is when another statement begins to read.
    #[inline]
    pub fn reads_on(&self) -> bool {
        self.state.get() != State::Idle && !self.is_paused() && self.failure.borrow().is_none()
    }

    /// How many savepoints the write transaction has. `None` if none is open, or if something is to be done or refused where another statement
    /// begins to write.
    #[inline]
    pub fn open_savepoints(&self) -> Option<usize> {
        if self.state.get() != State::Writing || self.failure.borrow().is_some() || self.page_count() == 0 {
            return None;
        }
        let txn = self.txn.borrow();
        (!txn.spill.awaits_log_copy()).then(|| txn.savepoints.len())
    }

    /// Stores the error: only a rollback is possible from now on.
    pub(super) fn fail(&self, error: &Error) {
        assert!(self.state.get() != State::Idle, "only a transaction fails");
        self.failure.replace(Some(error.clone()));
        self.disable_direct_reads();
    }

    /// Stores an error, unless it is "busy": only a rollback is possible then.
    pub(super) fn note_failure<T>(&self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome
            && !error.is_busy()
        {
            self.fail(error);
        }
        outcome
    }

    /// The error that this transaction failed with.
    #[inline]
    pub(super) fn check_failure(&self) -> Result<()> {
        if self.failure.borrow().is_none() { Ok(()) } else { self.fail_again() }
    }

    #[cold]
    fn fail_again(&self) -> Result<()> {
        self.failure.borrow().clone().map_or(Ok(()), Err)
    }

    /// Fails if a mapping could not show the file, so that what was read may be zeros: another program has truncated the file, or the
    /// device fails. The transaction can then only end; the next one reads through buffers. A caller that returns data checks this
    /// first, if [`lithe_vfs::mapping_faults`] has changed.
    pub fn check_mapping(&self) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        if !file.mapping_has_failed() {
            return Ok(());
        }
        if self.state.get() == State::Idle {
            file.forget_failed_mapping();
            return Ok(());
        }
        let error = Error::Io(lithe_vfs::Error::with_code(Op::Read, ResultCode::IOERR_READ));
        self.fail(&error);
        Err(error)
    }
}

impl Pager {
    // ---- past snapshots, where the database has a log ----

    /// Begins to read a snapshot that can be recorded, and that is not overwritten as long as it is read.
    ///
    /// # Errors
    /// As [`Pager::begin_read`].
    pub fn begin_read_to_record(&self) -> Result<()> {
        self.begin_read()?;
        let Ok(file) = self.file_with_log() else { return Ok(()) };
        if !file.with_wal(Wal::is_log_free) {
            return Ok(());
        }
        self.end_read()?;
        file.with_wal(|wal| wal.hold_log(true));
        let begun = self.begin_read();
        file.with_wal(|wal| wal.hold_log(false));
        begun
    }

    /// Records the snapshot that is read, to be opened again by [`Pager::begin_read_at`].
    ///
    /// # Errors
    /// [`Error::NoSnapshot`] outside a read transaction, within a write transaction, of a database without a log, and as long as nothing
    /// was written to the log.
    pub fn record_snapshot(&self) -> Result<PastSnapshot> {
        self.assert_state();
        let file = self.file_with_log()?;
        if self.state.get() != State::Reading {
            return Err(Error::NoSnapshot);
        }
        file.with_wal(Wal::snapshot).ok_or(Error::NoSnapshot)
    }

    /// Begins to read a past snapshot, in place of the one that is read.
    ///
    /// # Errors
    /// [`Error::NoSnapshot`] within a write transaction, and where the database is not known to have a log;
    /// [`Error::SnapshotGone`] where the snapshot was overwritten; [`Error::Busy`] beside a checkpoint. After
    /// `NoSnapshot` and `Busy` the snapshot before is still read.
    pub fn begin_read_at(&self, snapshot: &PastSnapshot) -> Result<()> {
        self.assert_state();
        let file = self.file_with_log()?;
        if self.state.get() == State::Writing {
            return Err(Error::NoSnapshot);
        }
        if !file.with_wal(Wal::keep_checkpoints_away)? {
            return Err(Error::Busy);
        }
        let begun = self.change_to(file, snapshot);
        let ended = file.with_wal(Wal::let_checkpoints_begin);
        self.assert_state();
        begun.and(ended)
    }

    fn change_to(&self, file: &FileStore, snapshot: &PastSnapshot) -> Result<()> {
        // As in SQLite, a reader of a log that was restarted learns that only when it has ended its read transaction.
        if self.state.get() == State::Reading && !file.with_wal(|wal| wal.seems_to_have(snapshot)) {
            return Err(Error::SnapshotGone);
        }
        self.end_read()?;
        file.adopt_mmap_size();
        let begun = file.with_wal(|wal| wal.begin_read_at(snapshot));
        self.adopt(file, begun.and_then(|begun| file.take_snapshot(self.view.shape(), begun)))?;
        self.note_read_begin();
        self.state.set(State::Reading);
        Ok(())
    }

    /// Finds the past snapshots that the log still has from before this process built its index.
    ///
    /// # Errors
    /// [`Error::NoSnapshot`] within a transaction, and of a database without a log; [`Error::Busy`] beside a checkpoint.
    pub fn find_snapshots(&self) -> Result<()> {
        self.assert_state();
        if self.state.get() != State::Idle {
            return Err(Error::NoSnapshot);
        }
        self.begin_read()?;
        let found = self.file_with_log().and_then(|file| file.with_wal(|wal| wal.find_snapshots(&*file.file)));
        let ended = self.end_read();
        found.and(ended)
    }

    /// The file store, where the database is known to have a log whose index is in shared memory.
    fn file_with_log(&self) -> Result<&FileStore> {
        match &self.store {
            Store::File(file) if file.is_wal() && !file.reads_unshared() => Ok(file),
            _ => Err(Error::NoSnapshot),
        }
    }

    // ---- the end ----

    /// Ends the transaction and releases all locks. The last connection to a database in WAL mode copies the log into
    /// the database and deletes it.
    pub fn close(&self) -> Result<()> {
        let ended = self.end_read();
        let Store::File(file) = &self.store else { return ended };
        let closed = file.close_log(self.page_count());
        ended.and(closed).and(file.give_up_lock(LockLevel::None))
    }

    /// Rolls back, and releases every lock: for a caller that has caught a panic in the middle of a call. The pager cannot be
    /// used afterwards, only dropped.
    ///
    /// ```text
    ///   roll back and close, as usual ──── succeeded ────► Idle, no lock is held
    ///              │
    ///         panics, or fails
    ///              ▼
    ///   by force: as if the process had died. A hot journal stays, and the next reader plays it back; frames of the log behind
    ///   its last commit do not count
    /// ```
    ///
    /// A panic usually comes from above the pager, whose state is intact: then the ordinary way is the right one. If the panic comes
    /// from the pager itself, an assertion of the ordinary way fails, or the second way runs.
    pub fn abandon(&self) {
        // The log stays for other connections: nothing is copied into the database in this state.
        self.set_checkpoint_on_close(false);
        let closed = catch_unwind(AssertUnwindSafe(|| self.close().is_ok()));
        if !matches!(closed, Ok(true)) {
            self.abandon_by_force();
        }
        // The panic may have interrupted the end of a transaction.
        quietly(|| self.note_read_end());
        quietly(|| self.let_readers_resume());
        if let Store::File(file) = &self.store {
            // Buffers of the pool may be half filled, so no connection may read them.
            quietly(|| file.database.pool.expire());
        }
    }

    /// Each step runs by itself, so that a panic in one does not keep the locks of the others.
    fn abandon_by_force(&self) {
        if let Store::File(file) = &self.store {
            quietly(|| self.with_pending(|pending| file.restore_from_memory(pending)));
        }
        self.state.set(State::Idle);
        self.view.direct.set(0);
        quietly(|| self.end_epoch());
        quietly(|| self.txn.abandon());
        if let Store::File(file) = &self.store {
            // Other connections of a shared cache check for the journal before they resume.
            quietly(|| self.mark_for_recovery());
            quietly(|| file.abandon_log());
            quietly(|| drop(file.leave_to_recovery()));
            quietly(|| drop(file.unlock(LockLevel::None)));
        }
        quietly(|| drop(self.failure.replace(None)));
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // Drop cannot report an error; the next reader recovers what could not be undone.
        let _ = self.close();
        self.leave_cache();
    }
}

/// Runs one step of the cleanup. A panic in it does not stop the other steps.
fn quietly(step: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(step));
}
