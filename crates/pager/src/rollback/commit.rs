//! Committing through a rollback journal, and rolling back.

use std::io::IoSlice;
use std::sync::Arc;

use hashbrown::HashSet;
use lithe_format::bytes::put_u32;
use lithe_format::db_header::{CHANGE_COUNTER_AT, PAGE_COUNT_AT, VERSION_VALID_FOR_AT, WRITER_VERSION_AT};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{Access, File, FileEvent, LockLevel, OpenFlags, ResultCode};

use super::journal_file::{JournalFile, sector_size};
use super::playback::play_back;
use crate::SQLITE_VERSION_NUMBER;
use crate::counts::PageCounter;
use crate::dirty::PageHashes;
use crate::error::{Error, Result, listed};
use crate::file_store::{FileStore, pages_of_a_call};
use crate::journal_mode::leaves_journal;
use crate::options::{JournalMode, Synchronous};
use crate::page_ref::PageRef;
use crate::pager::{Pager, WriteTxn};

/// So many bytes are worth a request of their own to the device, before the sync.
const WRITE_BACK_MIN: usize = 256 << 10;

/// How far the commit of the current transaction has come.
#[derive(Debug, Default)]
pub(crate) struct RollbackTxn {
    /// The journal file, where the mode has one.
    journal: Option<JournalFile>,
    /// The pages that are in it already, where they go there one by one.
    in_journal: HashSet<PageNo, PageHashes>,
    /// The old pages, in mode MEMORY.
    old_pages: Vec<(PageNo, PageRef)>,
    /// The old pages are safe, of all that was written up to this version.
    journaled: Option<u64>,
    /// The database file was touched.
    file_changed: bool,
    /// The commit is decided, and what is left to do could only fail by a panic: there is no way back.
    is_decided: bool,
}

impl FileStore {
    /// The first page of a transaction is about to be written: whatever would make writing impossible
    /// shows now, and not at the commit.
    pub(crate) fn open_journal(&self, pager: &Pager, txn: &WriteTxn) -> Result<()> {
        let mut rollback = self.rollback.borrow_mut();
        if rollback.journal.is_some() || !has_journal_file(pager.journal_mode()) {
            return Ok(());
        }
        // Under a lesser lock somebody else may have deleted it meanwhile.
        let kept = self.kept_journal.borrow_mut().take().filter(|_| self.keeps_journal.get());
        let file = kept.map_or_else(|| self.open_journal_file(txn.pages_before), Ok)?;
        let mut journal = self.new_journal(pager, file);
        if !self.calls.journals_at_commit
            && let Err(error) = journal.begin(txn.pages_before, pager.synchronous())
        {
            // Without a header it is nobody's.
            journal.close();
            let _ = self.vfs.delete(&self.journal_path, false);
            return Err(error);
        }
        rollback.journal = Some(journal);
        self.keeps_journal.set(false);
        Ok(())
    }

    /// The file of the journal, or of the log, as far as it is open.
    pub(crate) fn journal_file(&self) -> Option<Arc<dyn File>> {
        let journal = self.rollback.borrow().journal.as_ref().map(|journal| Arc::clone(journal.file()));
        journal.or_else(|| self.kept_journal.borrow().clone()).or_else(|| self.log_file())
    }

    fn open_journal_file(&self, pages_before: u32) -> Result<Arc<dyn File>> {
        // Of an empty database nobody can have taken anything away.
        if pages_before > 0 && self.file.has_moved()? {
            return Err(Error::ReadOnly(ResultCode::READONLY_DBMOVED));
        }
        let flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_JOURNAL;
        let opened = self.vfs.open(Some(&self.journal_path), flags)?;
        if opened.flags.contains(OpenFlags::READONLY) {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        Ok(opened.file)
    }

    /// Page `no` is about to be written for the first time: as it was, it goes to the journal.
    pub(crate) fn journal_page(&self, pager: &Pager, txn: &WriteTxn, no: PageNo) -> Result<()> {
        if self.is_wal() {
            return Ok(());
        }
        self.open_journal(pager, txn)?;
        let is_old = no.get() <= txn.pages_before && txn.shape_before.is_none();
        if !is_old || !has_journal_file(pager.journal_mode()) || self.rollback.borrow().in_journal.contains(&no) {
            return Ok(());
        }
        let before = pager.clean_page(no)?;
        let rollback = &mut *self.rollback.borrow_mut();
        rollback.journal.as_mut().expect("it was just opened").append(no, &before)?;
        rollback.in_journal.insert(no);
        Ok(())
    }

    fn new_journal(&self, pager: &Pager, file: Arc<dyn File>) -> JournalFile {
        let mut nonce = [0; 4];
        self.vfs.randomness(&mut nonce);
        JournalFile::new(file, u32::from_ne_bytes(nonce), pager.page_size(), sector_size(&*self.file))
    }

    /// Everything but the decision. After an error that is not "busy" only a rollback helps.
    pub(crate) fn commit_phase_one_rollback(&self, pager: &Pager, super_journal: Option<&str>) -> Result<()> {
        if !pager.has_changes() {
            // Readers are in the way of a commit even if it changes nothing: so it is in SQLite.
            return pager.retry_while_busy(|| self.lock_to_commit(pager));
        }
        if !self.calls.journals_at_commit {
            pager.retry_while_busy(|| self.lock_to_commit(pager))?;
        }
        // A commit that found others in the way is tried again, perhaps after more was written.
        if self.rollback.borrow().journaled != Some(pager.write_version()) {
            self.count_change(pager)?;
            self.write_journal(pager, super_journal)?;
        }
        pager.retry_while_busy(|| self.lock_to_commit(pager))?;
        self.outlast_old_journal(pager)?;
        self.write_database(pager)?;
        self.file.event(FileEvent::Sync(super_journal))?;
        if pager.synchronous() > Synchronous::Off {
            self.file.sync(pager.sync_flags())?;
        }
        Ok(())
    }

    /// A commit without a journal in a file never syncs the folder. A journal whose end was not synced, of whatever
    /// connection, must be gone for good before: if it came back after a power loss, it would undo parts of the commit.
    fn outlast_old_journal(&self, pager: &Pager) -> Result<()> {
        let is_needed = !has_journal_file(pager.journal_mode()) && self.removal_may_not_last.get();
        if !is_needed || pager.synchronous() == Synchronous::Off || !self.calls.outlasts_old_journal {
            return Ok(());
        }
        // What had no pages has never had a journal.
        if pager.pages_before() > 0 {
            self.delete_journal_for_good()?;
        }
        self.removal_may_not_last.set(false);
        Ok(())
    }

    /// The decision: the journal ceases to be one. After an error it has not, and a rollback undoes everything.
    ///
    /// The inner result is the error of a commit that was made, but may not withstand a power loss.
    pub(crate) fn commit_phase_two_rollback(&self, pager: &Pager) -> Result<Result<()>> {
        let was_longer =
            pager.pages_before() > pager.page_count() || pager.is_reshaped() || !pager.txn.borrow().added.is_empty();
        let changed = self.rollback.borrow().file_changed;
        let finished = match self.finish_journal(pager) {
            Err(error) if self.journal_is_gone(pager) => {
                *self.rollback.borrow_mut() = RollbackTxn::default();
                Err(error)
            }
            Err(error) => return Err(error),
            Ok(()) => Ok(()),
        };
        self.rollback.borrow_mut().is_decided = true;
        // It is decided, and what fails from here on must not look as if it were not: the file is longer than it needs to
        // be, or a lock is given back when the read transaction ends.
        if changed && was_longer {
            let _ = self.cut_to(pager, pager.page_count());
        }
        let _ = self.file.event(FileEvent::CommitPhaseTwo);
        self.has_counted.set(self.keeps_locks(pager));
        if !self.keeps_locks(pager) {
            let _ = self.give_up_lock(pager, LockLevel::Shared);
        }
        self.rollback.borrow_mut().is_decided = false;
        Ok(finished)
    }

    /// Whether a journal that could not be ended is no more: it was deleted or cut to nothing, and that was not synced. Going back
    /// from there would leave the next one who comes by, should we die half-way, without a journal.
    fn journal_is_gone(&self, pager: &Pager) -> bool {
        if pager.journal_mode() == JournalMode::Delete {
            return matches!(self.vfs.access(&self.journal_path, Access::Exists), Ok(false));
        }
        let rollback = self.rollback.borrow();
        rollback.journal.as_ref().is_some_and(|journal| matches!(journal.file().size(), Ok(0)))
    }

    /// Undoes what reached the file.
    pub(crate) fn roll_back(&self, pager: &Pager) -> Result<()> {
        let RollbackTxn { file_changed: changed, is_decided, .. } = *self.rollback.borrow();
        if is_decided {
            self.forget_what_is_known();
        } else if changed {
            pager.change_mapped_bytes()?;
            self.restore_database(pager)?;
            self.forget_what_is_known();
        } else if pager.wrote_in_place() {
            // Without a journal there is no way back: what was written stays.
            pager.change_mapped_bytes()?;
            self.forget_what_is_known();
            let _ = self.cut_to(pager, pager.pages_before());
        } else if !pager.txn.borrow().added.is_empty() {
            // A file that stays too long is no harm.
            let _ = self.cut_to(pager, pager.pages_before());
        }
        self.finish_journal(pager)?;
        if !self.keeps_locks(pager) {
            self.give_up_lock(pager, LockLevel::Shared)?;
        }
        Ok(())
    }

    /// The journal of this transaction does not count any more.
    pub(crate) fn forget_journal(&self) {
        self.rollback.borrow_mut().journal = None;
        self.forget_what_is_known();
    }

    /// After a rollback that failed: leaves the journal to the next one who reads.
    pub(crate) fn leave_to_recovery(&self) -> Result<()> {
        *self.rollback.borrow_mut() = RollbackTxn::default();
        self.forget_what_is_known();
        self.unlock(LockLevel::None)
    }

    /// After a panic: what a journal in memory has is put back, as nobody else can.
    pub(crate) fn restore_from_memory(&self, pager: &Pager) {
        let is_needed = {
            let txn = self.rollback.borrow();
            txn.file_changed && txn.journal.is_none() && !txn.old_pages.is_empty()
        };
        if is_needed {
            let _ = self.restore_database(pager);
        }
    }

    /// Every transaction counts itself on page 1: this is how others notice.
    fn count_change(&self, pager: &Pager) -> Result<()> {
        let is_counted = !self.calls.counts_each_commit && self.has_counted.get();
        if is_counted && !pager.is_resized() && !pager.is_written(PageNo::FIRST) {
            return Ok(());
        }
        let counter = self.change_counter().wrapping_add(1);
        let mut page = pager.write(PageNo::FIRST)?;
        put_u32(&mut page, CHANGE_COUNTER_AT, counter);
        put_u32(&mut page, PAGE_COUNT_AT, pager.page_count());
        put_u32(&mut page, VERSION_VALID_FOR_AT, counter);
        put_u32(&mut page, WRITER_VERSION_AT, SQLITE_VERSION_NUMBER);
        Ok(())
    }

    fn write_journal(&self, pager: &Pager, super_journal: Option<&str>) -> Result<()> {
        let pages = self.pages_to_journal(pager)?;
        let before = pager.txn.borrow().pages_before;
        let old = pages.iter().map(|&no| Ok((no, self.page_before(pager, no)?)));
        let txn = &mut *self.rollback.borrow_mut();
        match pager.journal_mode() {
            JournalMode::Off => {}
            JournalMode::Memory => {
                // A mapped page would change with the file; the copy keeps it.
                let copies = old.map(|page| page.map(|(no, page)| (no, PageRef::from_arc(Arc::from(&*page)))));
                txn.old_pages = copies.collect::<Result<_>>()?;
            }
            _ => {
                let journal = txn.journal.as_mut().expect("the journal was opened at the first write");
                if self.calls.journals_at_commit {
                    journal.write(before, old)?;
                    journal.make_hot(super_journal, pager.synchronous(), pager.sync_flags())?;
                } else {
                    journal.append_rest(&mut txn.in_journal, &pages, |no| self.page_before(pager, no))?;
                    journal.make_hot_in_steps(super_journal, pager.synchronous(), pager.sync_flags())?;
                }
            }
        }
        txn.journaled = Some(pager.write_version());
        Ok(())
    }

    /// The pages whose old content is lost by this commit: overwritten or cut off. The journal may come back after a power loss,
    /// when the cut has lasted.
    fn pages_to_journal(&self, pager: &Pager) -> Result<Vec<PageNo>> {
        let lock_byte_page = pager.page_size_before().lock_byte_page();
        if pager.is_reshaped() {
            let all = (1..=pager.pages_before()).filter_map(PageNo::new);
            return listed(all.filter(|no| *no != lock_byte_page));
        }
        let txn = pager.txn.borrow();
        let before = txn.pages_before;
        let after = pager.page_count();
        let written = txn.dirty.iter().map(|(no, _)| no).chain(txn.temp.page_numbers());
        let cut_off = (after + 1..=before).filter_map(PageNo::new);
        let touched = written.filter(|no| no.get() <= after).chain(cut_off);
        let sectors = self.sectors(pager.page_size());
        let mut pages = if sectors.are_shared() {
            sectors.whole(touched.chain(PageNo::new(after)), before)
        } else {
            listed(touched.filter(|no| no.get() <= before))?
        };
        pages.retain(|&no| no != lock_byte_page);
        pages.sort_unstable();
        pages.dedup();
        Ok(pages)
    }

    /// The new pages, in order, neighbours in one write.
    fn write_database(&self, pager: &Pager) -> Result<()> {
        pager.change_mapped_bytes()?;
        self.rollback.borrow_mut().file_changed = true;
        let txn = pager.txn.borrow();
        let pages = written_pages(&txn, pager.page_count())?;
        pager.counts.add(PageCounter::Write, pages.len());
        let mut buf = Vec::new();
        let grows = pager.page_count() > txn.pages_before || txn.shape_before.is_some();
        let size = u64::from(pager.page_count()) * u64::from(pager.page_size().get());
        let is_one_by_one = !self.calls.joins_neighbours;
        if grows && is_one_by_one {
            self.file.size_hint(size)?;
        }
        let pages_of_a_call = if is_one_by_one { 1 } else { pages_of_a_call(pager.page_size()) };
        for run in pages.chunk_by(|a, b| a.plus(1) == Some(*b)) {
            for part in run.chunks(pages_of_a_call) {
                self.write_run(&txn, pager.page_size(), part, &mut buf)?;
            }
        }
        drop(txn);
        if !grows {
            return Ok(());
        }
        if pages.last().is_none_or(|last| last.get() < pager.page_count()) {
            self.grow_to(pager, pager.page_count())?;
        }
        if !is_one_by_one {
            self.file.size_hint(size)?;
        }
        Ok(())
    }

    /// Writes consecutive pages; those that were spilled come through `buf`.
    fn write_run(&self, txn: &WriteTxn, page_size: PageSize, run: &[PageNo], buf: &mut Vec<u8>) -> Result<()> {
        let spilled: Vec<PageNo> = run.iter().copied().filter(|&no| txn.dirty.find(no).is_none()).collect();
        let len = spilled.len() * page_size.bytes();
        buf.try_reserve_exact(len.saturating_sub(buf.len())).map_err(|_| Error::NoMem)?;
        buf.resize(len, 0);
        txn.temp.read_all(&spilled, page_size.bytes(), buf)?;
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

    /// Whether pages behind the end of a database of `page_count` pages are nobody's: page 1, not the size of the file,
    /// says where the end is. An empty file says nothing.
    pub(crate) fn may_be_longer(&self, page_count: u32) -> bool {
        page_count > 0 && self.counts_pages()
    }

    /// Writes pages, in ascending order, that are behind the end of the database as others know it.
    pub(crate) fn write_added(&self, pager: &Pager, pages: &[(PageNo, &[u8])]) -> Result<()> {
        let page_size = pager.page_size();
        for run in pages.chunk_by(|(a, _), (b, _)| a.plus(1) == Some(*b)) {
            for part in run.chunks(pages_of_a_call(page_size)) {
                let slices: Vec<IoSlice<'_>> = part.iter().map(|(_, bytes)| IoSlice::new(bytes)).collect();
                self.file.write_vectored_at(&slices, part[0].0.offset(page_size.get()))?;
            }
            let len = run.len() * page_size.bytes();
            if len >= WRITE_BACK_MIN && pager.synchronous() > Synchronous::Off {
                self.file.write_back(run[0].0.offset(page_size.get()), len as u64);
            }
        }
        Ok(())
    }

    /// Reads such a page.
    pub(crate) fn read_added(&self, no: PageNo, buf: &mut [u8]) -> Result<()> {
        self.file.read_at(buf, no.offset(buf.len() as u32))?;
        Ok(())
    }

    /// A database may end with pages that nobody wrote, such as the one of the lock bytes.
    fn grow_to(&self, pager: &Pager, page_count: u32) -> Result<()> {
        let page_size = pager.page_size();
        let wanted = u64::from(page_count) * u64::from(page_size.get());
        if self.file.size()? < wanted {
            self.file.write_at(&vec![0; page_size.bytes()], wanted - u64::from(page_size.get()))?;
        }
        Ok(())
    }

    /// The file ends with this page, or before.
    pub(crate) fn cut_to(&self, pager: &Pager, page_count: u32) -> Result<()> {
        let wanted = u64::from(page_count) * u64::from(pager.page_size().get());
        if self.file.size()? > wanted {
            self.file.truncate(wanted)?;
        }
        Ok(())
    }

    fn restore_database(&self, pager: &Pager) -> Result<()> {
        let before = pager.txn.borrow().pages_before;
        let txn = self.rollback.borrow();
        match &txn.journal {
            // It could not be opened again after its deletion had failed: the next reader plays it back.
            None if has_journal_file(pager.journal_mode()) => return Err(Error::CantOpen(ResultCode::CANTOPEN)),
            Some(journal) => {
                // A commit that failed may have taken its header away.
                journal.restore_header(pager.synchronous(), pager.sync_flags())?;
                play_back(&**journal.file(), &*self.file, self.calls)?;
            }
            None => {
                for (no, page) in &txn.old_pages {
                    self.file.write_at(page, no.offset(pager.page_size().get()))?;
                }
                self.cut_to(pager, before)?;
            }
        }
        if pager.synchronous() > Synchronous::Off {
            self.file.sync(pager.sync_flags())?;
        }
        Ok(())
    }

    /// Ends the journal in the way of the mode, and what was remembered of the transaction.
    fn finish_journal(&self, pager: &Pager) -> Result<()> {
        let txn = &mut *self.rollback.borrow_mut();
        if !self.calls.journals_at_commit
            && let Some(journal) = txn.journal.take()
        {
            return self.finish_journal_in_steps(pager, txn, journal);
        }
        // It stays there meanwhile: should the call panic, a rollback needs it.
        let finished = match &txn.journal {
            Some(journal) => self.finish_journal_file(pager, journal),
            None => {
                *txn = RollbackTxn::default();
                return Ok(());
            }
        };
        // After an error the journal is still there, for a rollback or for the next one who opens the database.
        if finished.is_ok() {
            *txn = RollbackTxn::default();
            self.keeps_journal.set(self.keeps_locks(pager));
        }
        finished
    }

    /// The same in SQLite's order: a journal is closed before it is deleted, and one that stays is closed with the last lock.
    fn finish_journal_in_steps(&self, pager: &Pager, txn: &mut RollbackTxn, journal: JournalFile) -> Result<()> {
        let (mode, synchronous, flags) = (pager.journal_mode(), pager.synchronous(), pager.sync_flags());
        let keeps_locks = self.keeps_locks(pager);
        if mode == JournalMode::Delete && (!keeps_locks || self.deletes_journal.get()) {
            let header = journal.close();
            if let Err(error) = self.vfs.delete(&self.journal_path, synchronous >= Synchronous::Extra) {
                // A rollback plays it back, if it can be opened.
                let again = self.vfs.open(Some(&self.journal_path), OpenFlags::READWRITE | OpenFlags::MAIN_JOURNAL);
                txn.journal = again.ok().map(|opened| JournalFile::again(header, opened.file));
                return Err(error.into());
            }
            *txn = RollbackTxn::default();
            return Ok(());
        }
        let file = journal.file().clone();
        let ended = match mode {
            JournalMode::Truncate => journal.cut(synchronous, flags),
            _ => journal.end_in_place(synchronous, flags, pager.journal_size_limit()),
        };
        if ended.is_err() {
            txn.journal = Some(journal);
            return ended;
        }
        *txn = RollbackTxn::default();
        self.kept_journal.replace(Some(file));
        self.keeps_journal.set(keeps_locks);
        Ok(())
    }

    fn finish_journal_file(&self, pager: &Pager, journal: &JournalFile) -> Result<()> {
        let mode = pager.journal_mode();
        // As long as the lock is held nobody else looks at it: what DELETE would make anew for each commit is kept.
        let stays = leaves_journal(mode) || mode == JournalMode::Delete && self.keeps_locks(pager);
        if !stays {
            let lasts = pager.synchronous() >= Synchronous::Extra;
            self.removal_may_not_last.set(!lasts);
            return Ok(self.vfs.delete(&self.journal_path, lasts)?);
        }
        let is_cut = mode == JournalMode::Truncate;
        let syncs = pager.synchronous() >= if is_cut { Synchronous::Full } else { Synchronous::Normal };
        self.removal_may_not_last.set(!syncs);
        // A name of a super-journal must not be what the next journal ends with.
        let size_max = if is_cut || journal.has_super { Some(0) } else { pager.journal_size_limit() };
        let file = journal.file();
        if size_max == Some(0) && !syncs {
            return Ok(file.truncate(0)?);
        }
        // Without its header it is no journal, and with it again it is one again: a sync that fails can be undone, which a
        // cut can not.
        journal.zero_header()?;
        if syncs {
            file.sync(pager.sync_flags())?;
        }
        // It is decided. A journal that stays too long is no harm.
        if let Some(size_max) = size_max
            && file.size().is_ok_and(|size| size > size_max)
        {
            let _ = file.truncate(size_max);
        }
        Ok(())
    }
}

/// Whether the mode has a journal in a file.
fn has_journal_file(mode: JournalMode) -> bool {
    matches!(mode, JournalMode::Delete | JournalMode::Truncate | JournalMode::Persist)
}

/// The pages that were written and that the database keeps, in order.
fn written_pages(txn: &WriteTxn, page_count: u32) -> Result<Vec<PageNo>> {
    let all = txn.dirty.iter().map(|(no, _)| no).chain(txn.temp.page_numbers());
    let mut pages = listed(all.filter(|no| no.get() <= page_count))?;
    pages.sort_unstable();
    pages.dedup();
    Ok(pages)
}
