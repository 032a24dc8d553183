//! Transactions: begin, commit, rollback, savepoints.
//!
//! ```text
//!            begin_read            begin_write
//!   Idle  ---------------> Reading ------------> Writing
//!         <---------------         <------------
//!             end_read             commit, rollback
//! ```
//!
//! A commit and a rollback leave the connection reading, with what it just wrote or what was there
//! before; whoever is done ends the read transaction too.
//!
//! When a commit fails half-way, nothing but a rollback makes sense: every call answers the same error
//! until then. When the rollback fails too, the journal stays for the next reader to play back, and
//! only the end of the read transaction is left.

use lithe_vfs::{FileEvent, LockLevel, Op, ResultCode};

use crate::bypass::Bypass;
use crate::error::{Error, Result};
use crate::file_store::{FileStore, Reading};
use crate::in_place::InPlace;
use crate::options::BeginKind;
use crate::pager::{Pager, State, Store};
use crate::pool::{Changes, Written};
use crate::savepoint::Moment;

impl Pager {
    /// Begins to read: takes the lock or the snapshot, and learns the size of the database.
    #[inline]
    pub fn begin_read(&self) -> Result<()> {
        self.assert_pager_state();
        if self.state.get() != State::Idle {
            self.go_on()?;
            return self.check_failure();
        }
        match &self.store {
            Store::Memory(_) => {}
            Store::File(file) => {
                let begun = self.retry_while_busy(|| {
                    self.wait_for_seat()?;
                    file.begin_read(self)
                });
                begun.inspect_err(|_| self.show_no_page())?;
            }
        }
        self.take_seat();
        self.state.set(State::Reading);
        self.assert_pager_state();
        Ok(())
    }

    /// What a beginning that failed half-way may have mapped is nobody's to read.
    fn show_no_page(&self) {
        self.view.direct.set(0);
    }

    /// Ends a read transaction: what was read may change from now on. A write transaction is
    /// rolled back first.
    #[inline]
    pub fn end_read(&self) -> Result<()> {
        let rolled_back = match self.state.get() {
            State::Idle => return Ok(()),
            State::Reading => Ok(()),
            State::Writing => self.rollback(),
        };
        self.lay_nothing_over();
        self.state.set(State::Idle);
        if let Store::File(file) = &self.store {
            file.forget_failed_mapping(self);
        }
        self.show_no_page();
        self.end_epoch();
        let failed = self.failure.replace(None).is_some();
        let ended = match &self.store {
            Store::Memory(_) => Ok(()),
            // A log needs no recovery: its commits are whole or not there.
            Store::File(file) if failed && !file.is_wal() => file.leave_to_recovery(),
            Store::File(file) => file.end_read(self),
        };
        self.give_seat_up();
        self.let_others_go_on();
        rolled_back.and(ended)
    }

    /// Begins to write, and to read if that has not begun.
    ///
    /// Waits for others (as the busy handler says) only if it begins to read, too: whoever holds a
    /// snapshot while waiting may be what the other one waits for.
    pub fn begin_write(&self, kind: BeginKind) -> Result<()> {
        self.assert_pager_state();
        let begins_concurrently = kind == BeginKind::Concurrent && self.state.get() == State::Idle;
        if begins_concurrently && self.begin_concurrently()? {
            return Ok(());
        }
        let was_idle = self.state.get() == State::Idle;
        self.go_on()?;
        match self.state.get() {
            State::Writing => return self.check_failure(),
            State::Reading => {
                self.check_failure()?;
                self.begin_write_on_snapshot(kind)?;
            }
            State::Idle => {
                let begun = self.retry_while_busy(|| {
                    self.wait_for_seat()?;
                    self.begin_read_and_write(kind)
                });
                begun.inspect_err(|_| self.show_no_page())?;
            }
        }
        self.take_seat();
        self.start_write(was_idle);
        self.assert_pager_state();
        Ok(())
    }

    /// Begins to read, and to write beside others where that is possible: in a database with a log that is not
    /// read-only. The first access of a `BEGIN CONCURRENT` transaction, whatever it is for.
    pub fn begin_concurrent(&self) -> Result<()> {
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
        txn.pages_before = self.page_count();
        txn.dirty_max = self.dirty_max();
        txn.in_place = self.may_write_in_place(was_idle);
        self.state.set(State::Writing);
    }

    /// Begins a write transaction beside others. `false`: that takes a log, and this database has none.
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
        // Each page that is read counts, so there is no short cut.
        self.look_twice();
        Ok(true)
    }

    fn begin_write_on_snapshot(&self, kind: BeginKind) -> Result<()> {
        match &self.store {
            Store::Memory(memory) => memory.begin_write(),
            Store::File(file) => file.begin_write(self, kind),
        }
    }

    fn begin_read_and_write(&self, kind: BeginKind) -> Result<()> {
        match &self.store {
            Store::Memory(memory) => memory.begin_write(),
            Store::File(file) => file.begin_read_and_write(self, kind),
        }
    }

    /// Makes what was written durable and visible to others.
    pub fn commit(&self) -> Result<()> {
        self.commit_phase_one(None)?;
        self.commit_phase_two()
    }

    /// The first phase of a commit: everything is durable, but can still be rolled back. With the
    /// name of a super-journal, a crash from here on commits exactly if that file is gone.
    ///
    /// After "busy" the transaction goes on, and the commit can be tried again.
    pub fn commit_phase_one(&self, super_journal: Option<&str>) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        self.check_failure()?;
        self.check_mapping()?;
        self.assert_pager_state();
        match &self.store {
            Store::Memory(memory) => memory.prepare(&self.txn.borrow(), self.page_size().bytes()),
            Store::File(file) if file.is_wal() => self.note_log_failure(file.commit_wal(self)),
            Store::File(file) => self.note_failure(file.commit_phase_one_rollback(self, super_journal)),
        }
    }

    /// The second phase of a commit, which decides it. After an error that has left the transaction open it can be
    /// rolled back; if the error came so late that there is no way back, the commit is made, and the transaction over.
    pub fn commit_phase_two(&self) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        self.assert_pager_state();
        let mut outcome = Ok(());
        self.tell_change_logs();
        match &self.store {
            Store::Memory(memory) => {
                let dirty_max = self.txn.borrow().dirty_max;
                memory.publish(&mut self.txn.borrow_mut(), self.page_count(), self.page_size().bytes());
                self.forget_dirty_pages();
                // Should there be no room for a temporary file, memory has to do.
                let _ = memory.shrink_to(dirty_max);
            }
            Store::File(file) if file.is_wal() => {
                let changed = self.has_changes().then(|| self.changes(file));
                let written = self.written(file);
                self.forget_dirty_pages();
                file.end_write_wal(self, changed, written);
                // It has committed, whatever becomes of what the VFS is told.
                let _ = file.file.event(FileEvent::CommitPhaseTwo);
            }
            Store::File(file) => {
                self.check_failure()?;
                let changed = self.has_changes().then(|| self.changes(file));
                outcome = self.note_failure(file.commit_phase_two_rollback(self))?;
                let written = self.written(file);
                self.forget_dirty_pages();
                // It has committed. If the file cannot be looked at, nothing can be read until the read transaction ends.
                if let Some(changed) = changed
                    && let Err(error) = file.look_after_commit(self, changed, written)
                {
                    self.fail(&error);
                }
                outcome = outcome.and(self.end_entering_wal(file, true));
            }
        }
        self.end_write();
        self.assert_nothing_written();
        self.note_end(true);
        outcome
    }

    /// Only a rollback is left.
    pub(crate) fn fail(&self, error: &Error) {
        self.failure.replace(Some(error.clone()));
        self.look_twice();
    }

    /// Undoes the write transaction.
    pub fn rollback(&self) -> Result<()> {
        if self.state.get() != State::Writing {
            return Ok(());
        }
        self.view.page_count.set(self.txn.borrow().pages_before);
        self.restore_shape();
        if let Store::File(file) = &self.store {
            self.end_entering_wal(file, false)?;
        }
        let rolled_back = match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File(file) if file.is_wal() => {
                self.undo_bypass(file);
                file.end_write_wal(self, None, Written::new());
                Ok(())
            }
            Store::File(file) => file.roll_back(self),
        };
        self.forget_dirty_pages();
        self.end_write();
        self.assert_nothing_written();
        if rolled_back.is_err() {
            self.note_half_way();
        }
        self.note_end(false);
        self.failure.replace(None);
        if let Store::File(file) = &self.store {
            self.note_failure(rolled_back.and_then(|()| file.look_after_rollback(self)))?;
        }
        Ok(())
    }

    /// The pages that this transaction has written, as far as that is known, for the pool.
    fn changes(&self, file: &FileStore) -> Changes {
        let txn = self.txn.borrow();
        if (txn.spilled && file.is_wal()) || txn.shape_before.is_some() {
            return Changes::Unknown;
        }
        if file.database.pool.is_unused() {
            return Changes::Pages(Vec::new());
        }
        let written = txn.dirty.iter().map(|(no, _)| no);
        Changes::Pages(written.chain(txn.temp.page_numbers()).chain(txn.added.page_numbers(txn.pages_before)).collect())
    }

    /// What this transaction has written as far as it is in memory, by number, if it is to be read from there from now on.
    fn written(&self, file: &FileStore) -> Written {
        let txn = self.txn.borrow();
        if file.calls.reads_header_alone || txn.shape_before.is_some() {
            return Written::new();
        }
        let kept = txn.dirty.iter().filter(|(no, _)| no.get() <= self.page_count());
        let mut written: Written = kept.map(|(no, bytes)| (no, bytes.clone())).collect();
        written.sort_unstable_by_key(|(no, _)| *no);
        written
    }

    fn forget_dirty_pages(&self) {
        let txn = &mut *self.txn.borrow_mut();
        txn.dirty.drain(|_, bytes| Some(bytes));
        txn.temp.clear();
        txn.added.clear();
        txn.spilled = false;
        txn.shape_before = None;
        txn.changed = None;
        txn.in_place = InPlace::Never;
        txn.rests_in_pool = None;
        txn.bypass = Bypass::default();
        if let Store::File(file) = &self.store {
            file.set_reading(Reading::Mapped);
        }
    }

    fn end_write(&self) {
        self.txn.borrow_mut().savepoints.clear();
        self.concurrent.end();
        self.state.set(State::Reading);
        self.bump_write_version();
    }

    /// Remembers an error after which only a rollback is left.
    fn note_failure<T>(&self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome
            && !error.is_busy()
        {
            self.fail(error);
        }
        outcome
    }

    /// A concurrent transaction that met a conflict is over, too.
    fn note_log_failure(&self, outcome: Result<()>) -> Result<()> {
        if let Err(Error::BusySnapshot) = &outcome {
            self.failure.replace(Some(Error::BusySnapshot));
        }
        self.note_failure(outcome)
    }

    /// The error that this transaction failed with.
    pub(crate) fn check_failure(&self) -> Result<()> {
        match &*self.failure.borrow() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Fails if the file could not be shown where it is mapped, so that what was read may be zeros: somebody has cut it, or the device
    /// fails. The transaction can then only end; the next one reads through buffers. Whoever gives away what was read asks
    /// this first, if [`lithe_vfs::mapping_faults`] has changed.
    pub fn check_mapping(&self) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        if !file.mapping_has_failed() {
            return Ok(());
        }
        if self.state.get() == State::Idle {
            file.forget_failed_mapping(self);
            return Ok(());
        }
        let error = Error::Io(lithe_vfs::Error::with_code(Op::Read, ResultCode::IOERR_READ));
        self.fail(&error);
        Err(error)
    }

    /// Opens a savepoint and answers its depth: 0 for the first.
    pub fn savepoint(&self) -> Result<usize> {
        self.misuse_unless(self.state.get() == State::Writing, "a savepoint outside a write transaction")?;
        let txn = &mut *self.txn.borrow_mut();
        let moment = Moment { page_count: self.page_count(), spilled: self.spill_mark(txn) };
        txn.savepoints.open(moment);
        assert!(txn.savepoints.len() > 0, "a savepoint was opened");
        Ok(txn.savepoints.len() - 1)
    }

    /// How many savepoints are open.
    pub fn savepoint_count(&self) -> usize {
        self.txn.borrow().savepoints.len()
    }

    /// Closes the savepoints from `depth` on and keeps what was done under them.
    pub fn release(&self, depth: usize) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        txn.savepoints.release(depth, &mut txn.dirty);
        assert!(txn.savepoints.len() <= depth, "a released savepoint is open");
        Ok(())
    }

    /// Undoes what was done since the savepoint `depth` was opened. It stays open; those after it do
    /// not.
    pub fn rollback_to(&self, depth: usize) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        if depth >= txn.savepoints.len() {
            return Err(Error::Misuse("no such savepoint"));
        }
        self.check_failure()?;
        txn.changed = None;
        let went = txn.savepoints.rollback_to(depth, &mut txn.dirty, self.page_size().bytes());
        let went = went.and_then(|moment| self.spill_back_to(txn, moment.spilled).map(|()| moment));
        let moment = self.note_failure(went)?;
        assert!(txn.savepoints.len() == depth + 1, "the savepoint stays open, and none after it");
        self.view.page_count.set(moment.page_count);
        self.bump_write_version();
        Ok(())
    }
}

impl Pager {
    /// Ends what is going on and gives all locks back. The last connection to a database in WAL mode
    /// copies the log into the database and deletes it.
    pub fn close(&self) -> Result<()> {
        let ended = self.end_read();
        let Store::File(file) = &self.store else { return ended };
        let closed = file.close_log(self);
        ended.and(closed).and(file.give_up_lock(self, LockLevel::None))
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // Nobody is there to hear of an error; what could not be undone is found by the next reader.
        let _ = self.close();
        self.leave_cache();
    }
}
