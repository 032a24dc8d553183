//! The rollback journal of a transaction: opened at its first write, ended in the way of the journal mode. And in SQLite's order, as
//! VFSes of the application see it: old pages that go to it one by one, and pages that go to their place after it.
//!
//! ```text
//!   EXCLUSIVE lock -> the journal is synced, and counts -> a new segment of the journal -> the page to its place
//!                     \______ unless the page is in a segment that counts already ____/
//! ```

use std::sync::Arc;

use lithe_format::{PageNo, PageSize};
use lithe_vfs::{Access, File, OpenFlags, ResultCode};

use super::FileStore;
use crate::error::{Error, Result};
use crate::options::{JournalMode, Synchronous};
use crate::page_ref::PageRef;
use crate::rollback::RollbackTxn;
use crate::rollback::journal_file::{JournalFile, sector_size};
use crate::write_txn::{Pending, WriteTxn};

impl FileStore {
    /// The first page of a transaction is about to be written: whatever would make writing impossible
    /// shows now, and not at the commit.
    pub(crate) fn open_journal(&self, pending: &Pending<'_>) -> Result<()> {
        let mut rollback = self.rollback.borrow_mut();
        if rollback.journal.is_some() || !self.settings.journal_mode.get().has_journal_file() {
            return Ok(());
        }
        let pages_before = pending.txn.pages_before;
        // Under a lesser lock somebody else may have deleted it meanwhile.
        let kept = self.kept_journal.borrow_mut().take().filter(|_| self.keeps_journal.get());
        let file = kept.map_or_else(|| self.open_journal_file(pages_before), Ok)?;
        let mut journal = self.new_journal(pending, file);
        if !self.calls.journals_at_commit
            && let Err(error) = journal.begin(pages_before, self.settings.synchronous.get())
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

    fn new_journal(&self, pending: &Pending<'_>, file: Arc<dyn File>) -> JournalFile {
        let mut nonce = [0; 4];
        self.vfs.randomness(&mut nonce);
        JournalFile::new(file, u32::from_ne_bytes(nonce), pending.page_size(), sector_size(&*self.file))
    }

    /// Page `no` is about to be written for the first time: the old bytes go to the journal, and with them those of the pages that
    /// share its sector. Both a write of the page and its rollback, when the power cuts one short, may harm the whole sector.
    pub(crate) fn journal_page(&self, pending: &Pending<'_>, no: PageNo) -> Result<()> {
        if self.is_wal() {
            return Ok(());
        }
        self.open_journal(pending)?;
        if pending.is_reshaped() {
            return Ok(());
        }
        let (sectors, last) = (self.sectors(pending.page_size()), pending.txn.pages_before);
        if !sectors.are_shared() {
            return if no.get() <= last { self.add_to_journal(pending, no) } else { Ok(()) };
        }
        let lock_byte_page = pending.page_size().lock_byte_page();
        for page in sectors.whole(std::iter::once(no), last) {
            if page != lock_byte_page {
                self.add_to_journal(pending, page)?;
            }
        }
        Ok(())
    }

    /// The other pages of page `no`'s sector, which SQLite's calls write with it: those of the database that are not in the journal yet.
    pub(crate) fn unwritten_neighbours(&self, page_size: PageSize, page_count: u32, no: PageNo) -> Vec<PageNo> {
        let sectors = self.sectors(page_size);
        if self.calls.journals_at_commit || self.is_wal() || !sectors.are_shared() {
            return Vec::new();
        }
        let in_journal = &self.rollback.borrow().in_journal;
        let mut neighbours = sectors.whole(std::iter::once(no), page_count);
        neighbours.retain(|&page| page != no && page != page_size.lock_byte_page() && !in_journal.contains(&page));
        neighbours
    }

    /// Appends page `no`, which this transaction has not written yet, to the journal, wherever the mode has it; unless the page is
    /// there already.
    fn add_to_journal(&self, pending: &Pending<'_>, no: PageNo) -> Result<()> {
        let mode = self.settings.journal_mode.get();
        if mode == JournalMode::Off || self.rollback.borrow().in_journal.contains(&no) {
            return Ok(());
        }
        let before = self.page(pending.view, no)?;
        let rollback = &mut *self.rollback.borrow_mut();
        match mode {
            JournalMode::Memory => rollback.old_pages.push((no, PageRef::from_arc((*before).into()))),
            _ => rollback.journal.as_mut().expect("it was opened at the first write").append(no, &before)?,
        }
        rollback.in_journal.insert(no);
        rollback.unsealed.insert(no);
        Ok(())
    }

    /// Page `no` is overwritten in its place, in SQLite's order: the journal has what is lost by that, and counts.
    pub(crate) fn place_after_journal(&self, pending: &Pending<'_>, no: PageNo, bytes: &[u8]) -> Result<()> {
        let is_unsealed = self.has_unsealed_on_sector(pending, no);
        let rollback = &mut *self.rollback.borrow_mut();
        if !rollback.counts || is_unsealed {
            if let Some(journal) = &mut rollback.journal {
                journal.seal(self.settings.synchronous.get(), self.settings.sync_flags())?;
            }
            rollback.unsealed.clear();
            rollback.counts = true;
        }
        rollback.file_changed = true;
        self.hint_size_beyond(pending, &[no], &mut rollback.hinted)?;
        self.file.write_at(bytes, no.offset(pending.page_size().get()))?;
        rollback.spilled_end = rollback.spilled_end.max(no.get());
        Ok(())
    }

    /// Whether the journal has a page of page `no`'s sector that was not synced: a write that the power cuts short may harm the whole
    /// sector.
    fn has_unsealed_on_sector(&self, pending: &Pending<'_>, no: PageNo) -> bool {
        let sectors = self.sectors(pending.page_size());
        let unsealed = &self.rollback.borrow().unsealed;
        if !sectors.are_shared() {
            return unsealed.contains(&no);
        }
        sectors.whole(std::iter::once(no), pending.txn.pages_before).iter().any(|page| unsealed.contains(page))
    }

    /// The pages of this transaction that are in the database go with it: nobody finds them in the pool.
    pub(super) fn forget_spilled(&self, txn: &WriteTxn) {
        if txn.spill.overwrites {
            let old = self.rollback.borrow().in_journal.iter().copied().collect::<Vec<_>>();
            self.database.pool.forget(old.into_iter().chain(txn.spill.placed.page_numbers(txn.pages_before)));
        }
    }

    /// Before `pages` are written, one of which may make the file longer: how long it is going to be.
    pub(super) fn hint_size(&self, pending: &Pending<'_>, pages: &[PageNo]) -> Result<()> {
        self.hint_size_beyond(pending, pages, &mut self.rollback.borrow_mut().hinted)
    }

    fn hint_size_beyond(&self, pending: &Pending<'_>, pages: &[PageNo], hinted: &mut u32) -> Result<()> {
        let (known, end) = (pending.txn.pages_before.max(*hinted), pending.page_count());
        let continues = pages.len() > 1 || pages.first().is_some_and(|first| first.get() > known);
        if (end > known && continues) || pending.is_reshaped() {
            *hinted = end;
            self.file.size_hint(u64::from(end) * u64::from(pending.page_size().get()))?;
        }
        Ok(())
    }

    /// Whether a journal that could not be ended is no more: it was deleted or cut to nothing, and that was not synced. Going back
    /// from there would leave the next one who comes by, should we die half-way, without a journal.
    pub(super) fn journal_is_gone(&self) -> bool {
        if self.settings.journal_mode.get() == JournalMode::Delete {
            return matches!(self.vfs.access(&self.journal_path, Access::Exists), Ok(false));
        }
        let rollback = self.rollback.borrow();
        rollback.journal.as_ref().is_some_and(|journal| matches!(journal.file().size(), Ok(0)))
    }

    /// The journal of this transaction does not count any more.
    pub(crate) fn forget_journal(&self) {
        self.rollback.borrow_mut().journal = None;
        self.forget_known();
    }

    /// Ends the journal in the way of the mode, and what was remembered of the transaction.
    pub(super) fn finish_journal(&self) -> Result<()> {
        let txn = &mut *self.rollback.borrow_mut();
        if !self.calls.journals_at_commit
            && let Some(journal) = txn.journal.take()
        {
            return self.finish_journal_in_steps(txn, journal);
        }
        // It stays there meanwhile: should the call panic, a rollback needs it.
        let finished = match &txn.journal {
            Some(journal) => self.finish_journal_file(journal),
            None => {
                *txn = RollbackTxn::default();
                return Ok(());
            }
        };
        // After an error the journal is still there, for a rollback or for the next one who opens the database.
        if finished.is_ok() {
            *txn = RollbackTxn::default();
            self.keeps_journal.set(self.settings.keeps_locks());
        }
        finished
    }

    /// The same in SQLite's order: a journal is closed before it is deleted, and one that stays is closed with the last lock.
    fn finish_journal_in_steps(&self, txn: &mut RollbackTxn, journal: JournalFile) -> Result<()> {
        let settings = &self.settings;
        let (mode, synchronous, flags) =
            (settings.journal_mode.get(), settings.synchronous.get(), settings.sync_flags());
        let keeps_locks = self.settings.keeps_locks();
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
            _ => journal.end_in_place(synchronous, flags, self.settings.journal_size_limit.get()),
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

    fn finish_journal_file(&self, journal: &JournalFile) -> Result<()> {
        let (mode, synchronous) = (self.settings.journal_mode.get(), self.settings.synchronous.get());
        // As long as the lock is held nobody else looks at it: what DELETE would make anew for each commit is kept.
        let stays = mode.leaves_journal() || mode == JournalMode::Delete && self.settings.keeps_locks();
        if !stays {
            let lasts = synchronous >= Synchronous::Extra;
            self.removal_may_not_last.set(!lasts);
            return Ok(self.vfs.delete(&self.journal_path, lasts)?);
        }
        let is_cut = mode == JournalMode::Truncate;
        let syncs = synchronous >= if is_cut { Synchronous::Full } else { Synchronous::Normal };
        self.removal_may_not_last.set(!syncs);
        // A name of a super-journal must not be what the next journal ends with.
        let size_max = if is_cut || journal.has_super { Some(0) } else { self.settings.journal_size_limit.get() };
        let file = journal.file();
        if size_max == Some(0) && !syncs {
            return Ok(file.truncate(0)?);
        }
        // Without its header it is no journal, and with it again it is one again: a sync that fails can be undone, which a
        // cut can not.
        journal.zero_header()?;
        if syncs {
            file.sync(self.settings.sync_flags())?;
        }
        // It is decided. A journal that stays too long is no harm.
        if let Some(size_max) = size_max
            && file.size().is_ok_and(|size| size > size_max)
        {
            let _ = file.truncate(size_max);
        }
        Ok(())
    }

    /// With the EXCLUSIVE lock, so that no journal is anybody's. (What is not there cannot be removed durably.)
    pub(crate) fn delete_journal_for_good(&self) -> Result<()> {
        drop(
            self.vfs
                .open(Some(&self.journal_path), OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_JOURNAL)?,
        );
        Ok(self.vfs.delete(&self.journal_path, true)?)
    }

    pub(crate) fn delete_journal(&self) -> Result<()> {
        self.kept_journal.take();
        self.keeps_journal.set(false);
        match self.vfs.delete(&self.journal_path, false) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }
}
