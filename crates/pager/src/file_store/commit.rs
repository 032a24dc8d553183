//! Committing through a rollback journal, and rolling back: what happens to the files. The pager decides the order of
//! the steps.

use std::io::IoSlice;
use std::sync::Arc;

use lithe_base::SQLITE_VERSION_NUMBER;
use lithe_format::bytes::put_u32;
use lithe_format::db_header::{CHANGE_COUNTER_AT, PAGE_COUNT_AT, VERSION_VALID_FOR_AT, WRITER_VERSION_AT};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{FileEvent, LockLevel, ResultCode};

use super::FileStore;
use crate::call_policy::pages_of_a_call;
use crate::counts::PageCounter;
use crate::error::{Error, Result, listed};
use crate::options::JournalMode;
use crate::page_ref::PageRef;
use crate::rollback::RollbackTxn;
use crate::rollback::playback::play_back;
use crate::write_txn::{Pending, WriteTxn};

/// A write of this many bytes or more is started on the device before the sync.
const WRITE_BACK_MIN: usize = 256 << 10;

/// Increments the change counter on page 1: other connections notice the commit by it. Page 1 also tells them the size
/// of the database.
pub(crate) fn count_transaction(page: &mut [u8], counter: u32, page_count: u32) {
    put_u32(page, CHANGE_COUNTER_AT, counter);
    put_u32(page, PAGE_COUNT_AT, page_count);
    put_u32(page, VERSION_VALID_FOR_AT, counter);
    put_u32(page, WRITER_VERSION_AT, SQLITE_VERSION_NUMBER);
}

impl FileStore {
    /// Whether a transaction has to count its commit even if it has neither written page 1 nor changed the size of the
    /// database.
    pub(crate) fn counts_each_commit(&self) -> bool {
        self.calls.counts_each_commit || !self.journal.has_counted.get()
    }

    /// Whether the journal has the old version of every page that was written up to `change`.
    pub(crate) fn has_journaled(&self, change: u64) -> bool {
        self.journal.txn.borrow().journaled == Some(change)
    }

    /// Writes the old versions of the pages written up to `change` to the journal, and makes it hot: a crash from then on
    /// leads back to them.
    pub(crate) fn write_journal(&self, pending: &Pending<'_>, super_journal: Option<&str>, change: u64) -> Result<()> {
        let mut pages = self.pages_to_journal(pending)?;
        let has_journaled_some = !self.journal.txn.borrow().in_journal.is_empty();
        if has_journaled_some {
            pages.retain(|no| !self.journal.txn.borrow().in_journal.contains(no));
        }
        let old = pages.iter().map(|&no| Ok((no, self.page_before(pending, no)?)));
        let txn = &mut *self.journal.txn.borrow_mut();
        match self.settings.journal_mode.get() {
            JournalMode::Off => {}
            JournalMode::Memory => {
                // A mapped page would change with the file; the copy keeps it.
                let copies = old.map(|page| page.map(|(no, page)| (no, PageRef::from_arc(Arc::from(&*page)))));
                let copies = copies.collect::<Result<Vec<_>>>()?;
                if self.calls.journals_at_commit {
                    txn.old_pages = copies;
                } else {
                    txn.in_journal.extend(&pages);
                    txn.old_pages.extend(copies);
                }
            }
            _ => self.write_journal_file(txn, pending.txn.pages_before, old, super_journal)?,
        }
        txn.journaled = Some(change);
        pending.txn.give_list(pages);
        Ok(())
    }

    fn write_journal_file(
        &self,
        txn: &mut RollbackTxn,
        page_count: u32,
        old: impl Iterator<Item = Result<(PageNo, PageRef)>>,
        super_journal: Option<&str>,
    ) -> Result<()> {
        let (synchronous, flags) = (self.settings.synchronous.get(), self.settings.sync_flags());
        let journal = txn.journal.as_mut().expect("the journal was opened at the first write");
        if self.calls.journals_at_commit {
            journal.write(page_count, old)?;
            return journal.make_hot(super_journal, synchronous, flags);
        }
        for page in old {
            let (no, page) = page?;
            journal.append(no, &page)?;
            txn.in_journal.insert(no);
        }
        journal.make_hot_in_steps(super_journal, synchronous, flags)
    }

    /// The pages whose old content is lost by this commit: overwritten or cut off. Cut-off pages are among them because after a
    /// power loss the journal may come back while the truncation has lasted.
    fn pages_to_journal(&self, pending: &Pending<'_>) -> Result<Vec<PageNo>> {
        let lock_byte_page = pending.page_size_before().lock_byte_page();
        let (txn, before, after) = (pending.txn, pending.txn.pages_before, pending.page_count());
        if pending.is_reshaped() {
            let all = (1..=before).filter_map(PageNo::new);
            return listed(all.filter(|no| *no != lock_byte_page));
        }
        let cut_off = (after + 1..=before).filter_map(PageNo::new);
        let sectors = self.sectors(pending.page_size());
        // In SQLite's order of calls, whole sectors went to the journal before their first write.
        if sectors.are_shared() && self.calls.journals_at_commit {
            let touched = txn.pages_to_write(after)?.into_iter().chain(cut_off);
            let mut pages = sectors.whole(touched.chain(PageNo::new(after)), before);
            pages.retain(|&no| no != lock_byte_page);
            return Ok(pages);
        }
        // Both are in order, and no page is in both.
        let mut pages = txn.pages_to_write(after.min(before))?;
        debug_assert!(!pages.contains(&lock_byte_page), "the page of the lock bytes is written");
        if after < before {
            let cut_off = listed(cut_off.filter(|&no| no != lock_byte_page))?;
            pages.try_reserve(cut_off.len()).map_err(|_| Error::NoMem)?;
            pages.extend(cut_off);
        }
        Ok(pages)
    }

    /// The page `no` as it was when the transaction began.
    fn page_before(&self, pending: &Pending<'_>, no: PageNo) -> Result<PageRef> {
        if !pending.is_reshaped() {
            return self.page(pending.view, no);
        }
        let size = pending.page_size_before();
        let mut bytes = vec![0; size.bytes()];
        self.file.read_at(&mut bytes, no.offset(size.get()))?;
        Ok(PageRef::from_arc(bytes.into()))
    }

    /// A commit without a journal file never syncs the folder. So the deletion of an older journal, of whatever
    /// connection, must be made durable before: if that journal came back after a power loss, its playback would undo
    /// parts of the commit.
    pub(crate) fn outlast_old_journal(&self, pages_before: u32) -> Result<()> {
        let is_needed = !self.settings.journal_mode.get().has_journal_file() && self.journal.kept.may_come_back();
        if !is_needed || !self.settings.syncs() || !self.calls.outlasts_old_journal {
            return Ok(());
        }
        // An empty database has never had a journal.
        if pages_before > 0 {
            match self.delete_journal_for_good() {
                // Who may not create files beside the database writes it without a journal, as in SQLite.
                Err(error) if error.code() == ResultCode::READONLY_DIRECTORY => {}
                deleted => deleted?,
            }
        }
        self.journal.kept.set_may_come_back(false);
        Ok(())
    }

    /// Writes the new pages in order, neighbours in one call, and syncs. The lock is EXCLUSIVE, and no reference to a
    /// mapped page is held.
    pub(crate) fn write_database(&self, pending: &Pending<'_>, super_journal: Option<&str>) -> Result<()> {
        self.journal.txn.borrow_mut().file_changed = true;
        let (txn, page_size, page_count) = (pending.txn, pending.page_size(), pending.page_count());
        let pages = txn.pages_to_write(page_count)?;
        self.counts.add(PageCounter::Write, pages.len());
        let mut buf = Vec::new();
        let is_one_by_one = !self.calls.joins_neighbours;
        if is_one_by_one && !pages.is_empty() {
            self.hint_size(pending, &pages)?;
        }
        let pages_of_a_call = if is_one_by_one { 1 } else { pages_of_a_call(page_size) };
        for run in pages.chunk_by(|a, b| a.plus(1) == Some(*b)) {
            for part in run.chunks(pages_of_a_call) {
                self.write_run(txn, page_size, part, &mut buf)?;
            }
        }
        if page_count > txn.pages_before || pending.is_reshaped() {
            let written_end = pages.last().map_or(0, |last| last.get()).max(self.journal.txn.borrow().spilled_end);
            if written_end < page_count {
                self.grow_to(page_size, page_count)?;
            }
            if !is_one_by_one {
                self.file.size_hint(u64::from(page_count) * u64::from(page_size.get()))?;
            }
        }
        txn.give_list(pages);
        self.sync_database(super_journal)
    }

    fn sync_database(&self, super_journal: Option<&str>) -> Result<()> {
        self.file.event(FileEvent::Sync(super_journal))?;
        if self.settings.syncs() {
            self.file.sync(self.settings.sync_flags())?;
        }
        Ok(())
    }

    /// Writes consecutive pages; spilled pages are read back through `buf`.
    fn write_run(&self, txn: &WriteTxn, page_size: PageSize, run: &[PageNo], buf: &mut Vec<u8>) -> Result<()> {
        let in_memory = |no: PageNo| txn.dirty.find(no).and_then(|id| txn.dirty.slot(id).bytes.as_deref());
        if let [no] = *run
            && let Some(page) = in_memory(no)
        {
            return Ok(self.file.write_at(page, no.offset(page_size.get()))?);
        }
        let spilled: Vec<PageNo> = run.iter().copied().filter(|&no| txn.dirty.find(no).is_none()).collect();
        let len = spilled.len() * page_size.bytes();
        buf.try_reserve_exact(len.saturating_sub(buf.len())).map_err(|_| Error::NoMem)?;
        buf.resize(len, 0);
        txn.spill.temp.read_all(&spilled, page_size.bytes(), buf)?;
        let mut spilled = buf.chunks_exact(page_size.bytes());
        let slices: Vec<IoSlice<'_>> = run
            .iter()
            .map(|&no| match txn.dirty.find(no) {
                Some(id) => txn.dirty.slot(id).bytes.as_deref().expect("no page is being written"),
                None => spilled.next().expect("each spilled page was read"),
            })
            .map(IoSlice::new)
            .collect();
        self.file.write_vectored_at(&slices, run[0].offset(page_size.get()))?;
        Ok(())
    }

    /// Writes pages, in ascending order, to their place before the commit.
    pub(crate) fn write_placed(&self, page_size: PageSize, pages: &[(PageNo, &[u8])]) -> Result<()> {
        for run in pages.chunk_by(|(a, _), (b, _)| a.plus(1) == Some(*b)) {
            for part in run.chunks(pages_of_a_call(page_size)) {
                let offset = part[0].0.offset(page_size.get());
                if let [(_, bytes)] = part {
                    self.file.write_at(bytes, offset)?;
                    continue;
                }
                let slices: Vec<IoSlice<'_>> = part.iter().map(|(_, bytes)| IoSlice::new(bytes)).collect();
                self.file.write_vectored_at(&slices, offset)?;
            }
            let len = run.len() * page_size.bytes();
            if len >= WRITE_BACK_MIN && self.settings.syncs() {
                self.file.write_back(run[0].0.offset(page_size.get()), len as u64);
            }
        }
        Ok(())
    }

    /// Reads a page that was written to its place before the commit: the file reaches at least to its end. The bytes are copied, because
    /// the page may be written again.
    pub(crate) fn read_placed(&self, no: PageNo, buf: &mut [u8]) -> Result<()> {
        let offset = no.offset(buf.len() as u32);
        let end = offset + buf.len() as u64;
        let size = end.min(self.mmap_size());
        let mapped = self.mapping.placed.show(size, || self.longest_mapping(size))?;
        match usize::try_from(offset) {
            Ok(offset) if mapped.valid() as u64 >= end => mapped.read(offset, buf),
            _ => _ = self.file.read_at(buf, offset)?,
        }
        Ok(())
    }

    /// Makes the file as long as the database, which may end with pages that were never written, such as the one of the
    /// lock bytes.
    fn grow_to(&self, page_size: PageSize, page_count: u32) -> Result<()> {
        let wanted = u64::from(page_count) * u64::from(page_size.get());
        if self.file.size()? < wanted {
            self.file.write_at(&vec![0; page_size.bytes()], wanted - u64::from(page_size.get()))?;
        }
        Ok(())
    }

    /// Truncates the file to `page_count` pages, if it is longer.
    pub(crate) fn cut_to(&self, page_size: PageSize, page_count: u32) -> Result<()> {
        let wanted = u64::from(page_count) * u64::from(page_size.get());
        if self.file.size()? > wanted {
            self.file.truncate(wanted)?;
        }
        Ok(())
    }

    /// Decides the commit: ends the journal. After an error the journal still counts, and a rollback undoes everything.
    ///
    /// The inner result is the error of a commit that was made, but may not withstand a power loss.
    pub(crate) fn decide_commit(&self, pending: &Pending<'_>) -> Result<Result<()>> {
        let was_longer = pending.txn.pages_before > pending.page_count()
            || pending.is_reshaped()
            || self.has_written_behind(pending);
        let changed = self.journal.txn.borrow().file_changed;
        let finished = match self.finish_journal() {
            Err(error) if self.journal_is_gone() => {
                *self.journal.txn.borrow_mut() = RollbackTxn::default();
                Err(error)
            }
            Err(error) => return Err(error),
            Ok(()) => Ok(()),
        };
        self.journal.txn.borrow_mut().is_decided = true;
        // The commit is decided. An error from here on must not be reported as a failed commit: the file stays longer
        // than it needs to be, or the lock is released when the read transaction ends.
        if changed && was_longer {
            let _ = self.cut_to(pending.page_size(), pending.page_count());
        }
        let _ = self.file.event(FileEvent::CommitPhaseTwo);
        self.journal.has_counted.set(self.settings.keeps_locks());
        if !self.settings.keeps_locks() {
            let _ = self.give_up_lock(LockLevel::Shared);
        }
        self.journal.txn.borrow_mut().is_decided = false;
        Ok(finished)
    }

    /// Whether pages were written to their place before the commit that this commit cuts off.
    fn has_written_behind(&self, pending: &Pending<'_>) -> bool {
        match self.calls.spills_to_database {
            true => self.journal.txn.borrow().spilled_end > pending.page_count(),
            false => !pending.txn.spill.placed.is_empty(),
        }
    }

    /// Undoes what reached the file. Where the transaction or its failed commit has overwritten pages, no reference to a mapped
    /// page is held.
    pub(crate) fn roll_back(&self, pending: &Pending<'_>) -> Result<()> {
        let RollbackTxn { file_changed: changed, is_decided, .. } = *self.journal.txn.borrow();
        if is_decided {
            self.forget_known();
        } else if changed {
            // The pool may have spilled pages that were read back: they are dropped, whether or not the journal can be
            // played back now.
            self.forget_spilled(pending.txn);
            self.restore_database(pending)?;
            if self.calls.reads_header_alone {
                self.forget_known();
            }
        } else if pending.txn.spill.overwrites {
            // Without a journal nothing can be undone: what was written stays.
            self.forget_known();
            let _ = self.cut_to(pending.page_size(), pending.txn.pages_before);
        } else if !pending.txn.spill.placed.is_empty() {
            // A file that stays too long does no harm.
            let _ = self.cut_to(pending.page_size(), pending.txn.pages_before);
        }
        self.finish_journal()?;
        if !self.settings.keeps_locks() {
            self.give_up_lock(LockLevel::Shared)?;
        }
        Ok(())
    }

    /// Whether a rollback changes bytes of the file that may be mapped.
    pub(crate) fn rollback_changes_file(&self, txn: &WriteTxn) -> bool {
        let rollback = self.journal.txn.borrow();
        !rollback.is_decided && (rollback.file_changed || txn.spill.overwrites)
    }

    /// After a rollback that failed: leaves the journal for the next reader's recovery.
    pub(crate) fn leave_to_recovery(&self) -> Result<()> {
        *self.journal.txn.borrow_mut() = RollbackTxn::default();
        self.forget_known();
        self.unlock(LockLevel::None)
    }

    /// Writes back the old pages that a journal in memory has, because no other connection can.
    pub(crate) fn restore_from_memory(&self, pending: &Pending<'_>) {
        let is_needed = {
            let txn = self.journal.txn.borrow();
            txn.file_changed && txn.journal.is_none() && !txn.old_pages.is_empty()
        };
        if is_needed {
            let _ = self.restore_database(pending);
        }
    }

    fn restore_database(&self, pending: &Pending<'_>) -> Result<()> {
        let txn = self.journal.txn.borrow();
        match &txn.journal {
            // The journal file could not be opened again after its deletion had failed: the next reader plays it back.
            None if self.settings.journal_mode.get().has_journal_file() => {
                return Err(Error::CantOpen(ResultCode::CANTOPEN));
            }
            Some(journal) => {
                // A commit that failed may have zeroed the journal's header.
                journal.bring_back_header(self.settings.synchronous.get(), self.settings.sync_flags())?;
                play_back(&**journal.file(), &*self.file, self.calls)?;
            }
            None => {
                for (no, page) in &txn.old_pages {
                    self.file.write_at(page, no.offset(pending.page_size().get()))?;
                }
                self.cut_to(pending.page_size(), pending.txn.pages_before)?;
            }
        }
        self.sync_database(None)
    }
}
