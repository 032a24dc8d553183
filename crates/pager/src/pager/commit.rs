//! Commit, rollback, savepoints: the order of the steps.
//!
//! ```text
//!   rollback journal   count on page 1 ─ journal ─ EXCLUSIVE ─ pages are owned ─ database ┊ journal ends: decided ─ look
//!   log              (writer) ─ count on page 1 ─ past the log ─ frames, sync, published: decided ┊ look
//!                                                                        phase one ◄──────┊──────► phase two
//! ```

use std::time::Duration;

use lithe_format::PageNo;
use lithe_format::bytes::at_u32;
use lithe_format::db_header::CHANGE_COUNTER_AT;
use lithe_vfs::FileEvent;

use super::{Pager, State, Store};
use crate::concurrent::is_equivalent_page_1;
use crate::error::{Error, Result, zeros};
use crate::file_store::{FileStore, WRITER_PATIENCE, count_transaction};
use crate::pool::{Changes, Written};
use crate::savepoint::Moment;
use crate::wal::Wal;

impl Pager {
    /// Makes what was written durable and visible to other connections.
    pub fn commit(&self) -> Result<()> {
        self.commit_phase_one(None)?;
        self.commit_phase_two()
    }

    /// As [`Pager::commit`]. Answers whether this connection sees the same pages as before the commit, but for the counter on page 1.
    pub fn commit_alone(&self) -> Result<bool> {
        let (others, is_concurrent) = (self.changes.others(), self.concurrent.is_active());
        self.commit()?;
        Ok(!is_concurrent && self.changes.others() == others)
    }

    /// Takes the lock that keeps readers away from the file, which a commit through a rollback journal needs, and waits as the busy
    /// handler says: the commit then does not wait. After "busy" the transaction stays open.
    pub fn lock_to_commit(&self) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "a lock for a commit without a write transaction")?;
        match &self.store {
            Store::File(file) if !file.is_wal() => self.retry_while_busy(|| self.lock_file_to_commit(file)),
            _ => Ok(()),
        }
    }

    /// The first phase of a commit: everything is durable, but can still be rolled back. With the
    /// name of a super-journal, a crash from here on commits exactly if that file is gone.
    ///
    /// After "busy" the transaction stays open, and the commit can be tried again.
    pub fn commit_phase_one(&self, super_journal: Option<&str>) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        self.check_failure()?;
        self.check_mapping()?;
        self.assert_state();
        self.write_undone()?;
        match &self.store {
            Store::Memory(memory) => memory.prepare(&self.txn.borrow(), self.page_size().bytes()),
            Store::File(file) if file.is_wal() => self.note_log_failure(self.commit_to_log(file)),
            Store::File(file) => self.note_failure(self.prepare_commit(file, super_journal)),
        }
    }

    /// Writes the pages again that ROLLBACK TO has undone, as SQLite does: other connections see a commit.
    fn write_undone(&self) -> Result<()> {
        let has_file = matches!(&self.store, Store::File(_));
        if !has_file || !self.txn.borrow().has_undone {
            return Ok(());
        }
        let undone = std::mem::take(&mut self.txn.borrow_mut().undone);
        let mut undone: Vec<PageNo> = undone.into_iter().filter(|no| no.get() <= self.page_count()).collect();
        undone.sort_unstable();
        undone.into_iter().filter(|no| !self.is_written(*no)).try_for_each(|no| self.write(no).map(drop))?;
        if self.has_pending() || self.page_count() == 0 {
            return Ok(());
        }
        self.write(PageNo::FIRST).map(drop)
    }

    /// The second phase of a commit, which decides it. After an error that has left the transaction open, the transaction can be
    /// rolled back; after an error past the commit point, the commit is made and the transaction has ended.
    pub fn commit_phase_two(&self) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        self.assert_state();
        let mut outcome = Ok(());
        if !self.change_logs.is_empty() {
            let is_wal = matches!(&self.store, Store::File(file) if file.is_wal());
            self.change_logs.tell(&self.txn.borrow(), is_wal);
        }
        match &self.store {
            Store::Memory(memory) => {
                let dirty_max = self.txn.borrow().dirty_max;
                memory.publish(&mut self.txn.borrow_mut(), self.page_count(), self.page_size().bytes());
                self.forget_dirty_pages();
                // Without space for a temporary file, the pages stay in memory.
                let _ = memory.shrink_to(dirty_max);
            }
            Store::File(file) if file.is_wal() => {
                let changed = self.has_changes().then(|| self.changes(file));
                let written = self.written(file);
                self.forget_dirty_pages();
                let has_changed = changed.is_some();
                match file.end_commit_wal(&self.view, changed, written) {
                    Some(snapshot) => self.view.adopt(&snapshot),
                    None if has_changed => self.disable_direct_reads(),
                    None => {}
                }
                // The transaction has committed, whatever error the VFS reports for the event.
                let _ = file.file.event(FileEvent::CommitPhaseTwo);
            }
            Store::File(file) => {
                self.check_failure()?;
                let changed = self.has_changes().then(|| self.changes(file));
                outcome = self.note_failure(self.with_pending(|pending| file.decide_commit(pending)))?;
                let written = self.written(file);
                self.forget_dirty_pages();
                // The transaction has committed. If the state of the file cannot be read, nothing can be read until the
                // read transaction ends.
                if let Some(changed) = changed
                    && let Err(error) = self.adopt(file, file.state_after_commit(&self.view, changed, written))
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

    /// All of a commit through a rollback journal except its decision. After an error that is not "busy" the transaction can
    /// only be rolled back.
    fn prepare_commit(&self, file: &FileStore, super_journal: Option<&str>) -> Result<()> {
        if !self.has_changes() {
            // Readers block a commit even if it changes nothing, as in SQLite.
            return self.retry_while_busy(|| self.lock_file_to_commit(file));
        }
        if !file.calls.journals_at_commit {
            self.retry_while_busy(|| self.lock_file_to_commit(file))?;
        }
        // A commit that was busy is tried again, perhaps after more pages were written.
        if !file.has_journaled(self.changes.all()) {
            self.count_commit(file)?;
            self.with_pending(|pending| file.write_journal(pending, super_journal, self.changes.all()))?;
        }
        self.retry_while_busy(|| self.lock_file_to_commit(file))?;
        file.outlast_old_journal(self.pages_before())?;
        self.change_mapped_bytes()?;
        self.with_pending(|pending| file.write_database(pending, super_journal))
    }

    /// Increments the change counter on page 1: other connections notice the transaction by it.
    fn count_commit(&self, file: &FileStore) -> Result<()> {
        if !file.counts_each_commit() && !self.is_resized() && !self.is_written(PageNo::FIRST) {
            return Ok(());
        }
        let counter = file.change_counter().wrapping_add(1);
        let mut page = self.write(PageNo::FIRST)?;
        count_transaction(&mut page, counter, self.page_count());
        Ok(())
    }

    /// All of a commit through a log, which has no second phase.
    fn commit_to_log(&self, file: &FileStore) -> Result<()> {
        if !self.has_changes() {
            return Ok(());
        }
        if self.concurrent.is_active() {
            self.become_committing_writer(file)?;
        }
        self.count_commit_in_log(file)?;
        self.settle_past_log(file)?;
        if let Err(error) = self.with_pending(|pending| file.commit_wal(pending))? {
            // The transaction has committed. Nothing can be read until the read transaction ends.
            self.fail(&error);
        }
        Ok(())
    }

    /// Readers of a log do not read the change counter; it is incremented if page 1 is written anyway.
    fn count_commit_in_log(&self, file: &FileStore) -> Result<()> {
        // Spilled frames still need a frame that commits them.
        if !self.is_resized() && !self.is_written(PageNo::FIRST) && !file.has_spilled_wal() {
            return Ok(());
        }
        let counter = match file.page(&self.view, PageNo::FIRST) {
            Ok(page) if self.pages_before() > 0 => at_u32(&page, CHANGE_COUNTER_AT),
            _ => 0,
        };
        let mut page = self.write(PageNo::FIRST)?;
        count_transaction(&mut page, counter.wrapping_add(1), self.page_count());
        Ok(())
    }

    fn pages_before(&self) -> u32 {
        self.txn.borrow().pages_before
    }

    /// Whether this transaction has made the database longer or shorter.
    fn is_resized(&self) -> bool {
        self.pages_before() != self.page_count()
    }

    /// The second phase of a commit that a super-journal has decided. Only cleaning up is left: a journal that cannot be
    /// ended names a super-journal that is deleted, and so does not count any more.
    pub(crate) fn commit_phase_two_decided(&self) {
        if self.commit_phase_two().is_ok() {
            return;
        }
        self.failure.replace(None);
        if let Store::File(file) = &self.store {
            file.forget_journal();
        }
        // Should this fail as well, the end of the read transaction reads the state of the file again.
        let _ = self.commit_phase_two();
    }

    /// Undoes the write transaction.
    pub fn rollback(&self) -> Result<()> {
        self.assert_state();
        if self.state.get() != State::Writing {
            return Ok(());
        }
        self.view.page_count.set(self.pages_before());
        if let Some(before) = self.txn.borrow_mut().shape_before.take() {
            self.view.set_shape(before);
        }
        let rolled_back = match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File(file) => {
                self.end_entering_wal(file, false)?;
                self.roll_back_file(file)
            }
        };
        self.forget_dirty_pages();
        self.end_write();
        self.assert_nothing_written();
        if rolled_back.is_err() {
            self.mark_for_recovery();
        }
        self.note_end(false);
        self.failure.replace(None);
        if let Store::File(file) = &self.store {
            self.note_failure(rolled_back.and_then(|()| self.state_after_rollback(file)))?;
        }
        Ok(())
    }

    fn roll_back_file(&self, file: &FileStore) -> Result<()> {
        if file.is_wal() {
            self.undo_past_log(file);
            file.roll_back_wal();
            return Ok(());
        }
        if file.rollback_changes_file(&self.txn.borrow()) {
            self.change_mapped_bytes()?;
        }
        self.with_pending(|pending| file.roll_back(pending))
    }

    fn state_after_rollback(&self, file: &FileStore) -> Result<()> {
        if file.is_wal() {
            self.view.direct.set(file.direct_after_rollback());
            return Ok(());
        }
        self.adopt(file, file.state_after_rollback(self.view.shape()))
    }

    /// The pages that this transaction has written, as far as that is known, for the pool.
    fn changes(&self, file: &FileStore) -> Changes {
        let txn = self.txn.borrow();
        if (txn.spill.target.is_some() && file.is_wal()) || txn.shape_before.is_some() {
            return Changes::Unknown;
        }
        if file.database.pool.is_unused() {
            return Changes::Pages(Vec::new());
        }
        Changes::Pages(txn.page_numbers().collect())
    }

    /// The written pages that are in memory, by number, if they are to be put into the pool.
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
        self.txn.borrow_mut().clear();
        self.view.reads_copies.set(false);
    }

    fn end_write(&self) {
        self.txn.borrow_mut().savepoints.clear();
        self.concurrent.end();
        assert!(self.state.get() == State::Writing, "a write transaction ends that has not begun");
        self.state.set(State::Reading);
        self.changes.bump();
    }

    /// Records that a write transaction has ended.
    #[inline]
    #[track_caller]
    fn assert_nothing_written(&self) {
        assert!(self.state.get() == State::Reading, "a write transaction has ended, and its snapshot stays");
        let txn = self.txn.borrow();
        assert!(txn.dirty.len() == 0, "pages of a transaction that has ended are dirty");
        assert!(txn.savepoints.len() == 0, "savepoints of a transaction that has ended are open");
        assert!(txn.spill.target.is_none() && !txn.spill.has_pages(), "a transaction that has ended left pages behind");
        assert!(txn.shape_before.is_none(), "a transaction that has ended left a page size behind");
    }

    /// As [`Pager::note_failure`]; a concurrent transaction that met a conflict can only be rolled back, although its
    /// error is a "busy" one.
    fn note_log_failure(&self, outcome: Result<()>) -> Result<()> {
        if let Err(Error::BusySnapshot) = &outcome {
            self.failure.replace(Some(Error::BusySnapshot));
        }
        self.note_failure(outcome)
    }

    /// Opens a savepoint and answers its depth: 0 for the first.
    pub fn savepoint(&self) -> Result<usize> {
        self.misuse_unless(self.state.get() == State::Writing, "a savepoint outside a write transaction")?;
        self.assert_state();
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
        self.assert_state();
        let txn = &mut *self.txn.borrow_mut();
        txn.savepoints.release(depth, &mut txn.dirty);
        assert!(txn.savepoints.len() <= depth, "a released savepoint is open");
        Ok(())
    }

    /// Undoes what was done since the savepoint `depth` was opened. That savepoint stays open; later ones are closed.
    pub fn rollback_to(&self, depth: usize) -> Result<()> {
        self.assert_state();
        let has_changes = self.has_changes();
        let is_concurrent = self.concurrent.is_active();
        let txn = &mut *self.txn.borrow_mut();
        if depth >= txn.savepoints.len() {
            return Err(Error::Misuse("no such savepoint"));
        }
        self.check_failure()?;
        txn.has_undone |= has_changes && !is_concurrent;
        txn.changed = None;
        let went = txn.savepoints.rollback_to(depth, &mut txn.dirty, self.page_size().bytes(), &mut txn.undone);
        if is_concurrent {
            // The pages would be conflicts with other transactions.
            txn.undone.clear();
        }
        let went = went.and_then(|moment| self.spill_back_to(txn, moment.spilled).map(|()| moment));
        let moment = self.note_failure(went)?;
        assert!(txn.savepoints.len() == depth + 1, "the savepoint stays open, and none after it");
        self.view.page_count.set(moment.page_count);
        self.changes.bump();
        Ok(())
    }

    // ---- BEGIN CONCURRENT ----

    /// Makes the concurrent transaction an ordinary writer, on top of the commits of other transactions.
    fn become_committing_writer(&self, file: &FileStore) -> Result<()> {
        let first_page = (self.page_count() > 0).then(|| self.clean_page(PageNo::FIRST)).transpose()?;
        let first_page = first_page.map(|page| page.to_vec());
        let patience = if self.settings.waits_when_busy() { WRITER_PATIENCE } else { Duration::ZERO };
        let conflicts = |no: PageNo| no != PageNo::FIRST && (self.concurrent.has_read(no) || self.is_written(no));
        let went_on = self.retry_while_busy(|| file.with_wal(|wal| wal.begin_commit(patience, &conflicts)))?;
        if went_on && let Err(error) = self.advance_past_others(file, first_page.as_deref()) {
            file.with_wal(Wal::roll_back);
            return Err(error);
        }
        self.concurrent.end();
        self.move_spilled_pages(file)
    }

    /// Moves the snapshot to the newest one. The other transactions have written no page of this one, except perhaps
    /// page 1.
    fn advance_past_others(&self, file: &FileStore, first_page: Option<&[u8]>) -> Result<()> {
        // A log without commits has no page count: the database is unchanged.
        let count = file.with_wal(Wal::page_count).unwrap_or(self.pages_before());
        let allocates_or_frees = self.is_written(PageNo::FIRST) || self.is_resized();
        // The pool still has page 1 of the snapshot before.
        self.view.id.set(file.adopt_newest_into_pool(self.page_size()));
        let now = file.page(&self.view, PageNo::FIRST)?;
        let same = first_page.is_some_and(|before| is_equivalent_page_1(before, &now, allocates_or_frees));
        if !same || (allocates_or_frees && count != self.pages_before()) {
            return Err(Error::BusySnapshot);
        }
        if !allocates_or_frees {
            self.view.page_count.set(count);
            self.txn.borrow_mut().pages_before = count;
        }
        Ok(())
    }

    /// Moves pages that were spilled into a temporary file, outside of the writer slot, into the log.
    fn move_spilled_pages(&self, file: &FileStore) -> Result<()> {
        const BATCH: usize = 128;
        let txn = &mut *self.txn.borrow_mut();
        let kept = |no: &PageNo| no.get() <= self.page_count() && txn.dirty.find(*no).is_none();
        let mut spilled: Vec<PageNo> = txn.spill.temp.page_numbers().filter(kept).collect();
        spilled.sort_unstable();
        let page_size = self.page_size().bytes();
        let mut buf = zeros(page_size * BATCH.min(spilled.len()))?;
        for batch in spilled.chunks(BATCH) {
            txn.spill.temp.read_all(batch, page_size, &mut buf[..batch.len() * page_size])?;
            let pages: Vec<(PageNo, &[u8])> = batch.iter().copied().zip(buf.chunks_exact(page_size)).collect();
            file.spill_wal(self.page_size(), &pages)?;
        }
        txn.spill.temp.clear();
        Ok(())
    }
}
