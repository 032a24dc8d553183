//! The rollback journal of a transaction: opened at the first write, ended as the journal mode says. For VFSes of the application,
//! which get SQLite's order of calls: old pages go to the journal one by one, and new pages go to their place after that.
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
    /// Opens the journal when the first page of a transaction is about to be written: an error that makes writing
    /// impossible is reported here, not at the commit.
    pub(crate) fn open_journal(&self, pending: &Pending<'_>) -> Result<()> {
        let mut rollback = self.journal.txn.borrow_mut();
        if rollback.journal.is_some() || !self.settings.journal_mode.get().has_journal_file() {
            return Ok(());
        }
        let pages_before = pending.txn.pages_before;
        let file = self.journal.kept.take().map_or_else(|| self.open_journal_file(pages_before), Ok)?;
        let mut journal = self.new_journal(pending, file);
        if !self.calls.journals_at_commit
            && let Err(error) = journal.begin(pages_before, self.settings.synchronous.get())
        {
            // A journal without a header belongs to no transaction: it is deleted.
            journal.close();
            let _ = self.vfs.delete(&self.journal.path, false);
            return Err(error);
        }
        rollback.journal = Some(journal);
        self.journal.kept.set_ours(false);
        Ok(())
    }

    /// The file of the journal, or of the log, if one is open.
    pub(crate) fn journal_file(&self) -> Option<Arc<dyn File>> {
        let journal = self.journal.txn.borrow().journal.as_ref().map(|journal| Arc::clone(journal.file()));
        journal.or_else(|| self.journal.kept.file()).or_else(|| self.log_file())
    }

    fn open_journal_file(&self, pages_before: u32) -> Result<Arc<dyn File>> {
        // An empty database has no content that a move could have separated from its journal.
        if pages_before > 0 && self.file.has_moved()? {
            return Err(Error::ReadOnly(ResultCode::READONLY_DBMOVED));
        }
        let flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_JOURNAL;
        let opened = self.vfs.open(Some(&self.journal.path), flags)?;
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

    /// Journals the old bytes of page `no`, which is about to be written for the first time, and those of the pages that share its
    /// sector: a write of the page, and its rollback, may harm the whole sector if the power fails meanwhile.
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

    /// The other pages of page `no`'s sector that are not in the journal yet: SQLite journals them before it writes the page.
    pub(crate) fn unwritten_neighbours(&self, page_size: PageSize, page_count: u32, no: PageNo) -> Vec<PageNo> {
        let sectors = self.sectors(page_size);
        if self.calls.journals_at_commit || self.is_wal() || !sectors.are_shared() {
            return Vec::new();
        }
        let in_journal = &self.journal.txn.borrow().in_journal;
        let mut neighbours = sectors.whole(std::iter::once(no), page_count);
        neighbours.retain(|&page| page != no && page != page_size.lock_byte_page() && !in_journal.contains(&page));
        neighbours
    }

    /// Appends the old version of page `no` to the journal, in a file or in memory, unless the journal has it already. This
    /// transaction has not written the page yet.
    fn add_to_journal(&self, pending: &Pending<'_>, no: PageNo) -> Result<()> {
        let mode = self.settings.journal_mode.get();
        if mode == JournalMode::Off || self.journal.txn.borrow().in_journal.contains(&no) {
            return Ok(());
        }
        let before = self.page(pending.view, no)?;
        let rollback = &mut *self.journal.txn.borrow_mut();
        match mode {
            JournalMode::Memory => rollback.old_pages.push((no, PageRef::from_arc((*before).into()))),
            _ => rollback.journal.as_mut().expect("it was opened at the first write").append(no, &before)?,
        }
        rollback.in_journal.insert(no);
        rollback.unsealed.insert(no);
        Ok(())
    }

    /// Overwrites page `no` in its place, in SQLite's order: after the journal has what is lost by that, and was
    /// synced.
    pub(crate) fn place_after_journal(&self, pending: &Pending<'_>, no: PageNo, bytes: &[u8]) -> Result<()> {
        let is_unsealed = self.has_unsealed_on_sector(pending, no);
        let rollback = &mut *self.journal.txn.borrow_mut();
        if !rollback.is_hot || is_unsealed {
            if let Some(journal) = &mut rollback.journal {
                journal.seal(self.settings.synchronous.get(), self.settings.sync_flags())?;
            }
            rollback.unsealed.clear();
            rollback.is_hot = true;
        }
        rollback.file_changed = true;
        self.hint_size_beyond(pending, &[no], &mut rollback.hinted)?;
        self.file.write_at(bytes, no.offset(pending.page_size().get()))?;
        rollback.spilled_end = rollback.spilled_end.max(no.get());
        Ok(())
    }

    /// Whether the journal has a page of page `no`'s sector that was not synced. A write may harm the whole sector if the power fails
    /// meanwhile.
    fn has_unsealed_on_sector(&self, pending: &Pending<'_>, no: PageNo) -> bool {
        let sectors = self.sectors(pending.page_size());
        let unsealed = &self.journal.txn.borrow().unsealed;
        if !sectors.are_shared() {
            return unsealed.contains(&no);
        }
        sectors.whole(std::iter::once(no), pending.txn.pages_before).iter().any(|page| unsealed.contains(page))
    }

    /// Removes the pages that this transaction has written into the database from the pool, because it is rolled back.
    pub(super) fn forget_spilled(&self, txn: &WriteTxn) {
        if txn.spill.overwrites {
            let old = self.journal.txn.borrow().in_journal.iter().copied().collect::<Vec<_>>();
            self.database.pool.forget(old.into_iter().chain(txn.spill.placed.page_numbers(txn.pages_before)));
        }
    }

    /// Announces the coming size of the file to the VFS before `pages` are written, one of which may make the file
    /// longer.
    pub(super) fn hint_size(&self, pending: &Pending<'_>, pages: &[PageNo]) -> Result<()> {
        self.hint_size_beyond(pending, pages, &mut self.journal.txn.borrow_mut().hinted)
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

    /// Whether a journal whose end failed is gone nevertheless: it was deleted or truncated to nothing, and only the sync failed.
    /// A rollback would then run without a journal, and a crash in its middle would leave the database damaged.
    pub(super) fn journal_is_gone(&self) -> bool {
        if self.settings.journal_mode.get() == JournalMode::Delete {
            return matches!(self.vfs.access(&self.journal.path, Access::Exists), Ok(false));
        }
        let rollback = self.journal.txn.borrow();
        rollback.journal.as_ref().is_some_and(|journal| matches!(journal.file().size(), Ok(0)))
    }

    /// Asserts that the file has changed only after a journal was made hot, and only within a write transaction. `pager::state` draws
    /// the states.
    #[inline]
    #[track_caller]
    pub(crate) fn assert_journal(&self, is_writing: bool) {
        let Ok(txn) = self.journal.txn.try_borrow() else { return };
        assert!(is_writing || !txn.file_changed, "the file was changed outside a write transaction");
        assert!(!txn.file_changed || txn.is_hot || txn.journaled.is_some(), "the file was changed before the journal");
    }

    /// Drops the journal of this transaction, which does not count any more.
    pub(crate) fn forget_journal(&self) {
        self.journal.txn.borrow_mut().journal = None;
        self.forget_known();
    }

    /// Ends the journal as the journal mode says, and drops the state of the transaction.
    pub(super) fn finish_journal(&self) -> Result<()> {
        let txn = &mut *self.journal.txn.borrow_mut();
        if !self.calls.journals_at_commit
            && let Some(journal) = txn.journal.take()
        {
            return self.finish_journal_in_steps(txn, journal);
        }
        // The journal stays in `txn` during the call: should the call panic, a rollback needs it.
        let finished = match &txn.journal {
            Some(journal) => self.finish_journal_file(journal),
            None => {
                *txn = RollbackTxn::default();
                return Ok(());
            }
        };
        // After an error the journal still exists, for a rollback or for the next connection that opens the database.
        if finished.is_ok() {
            *txn = RollbackTxn::default();
            self.journal.kept.set_ours(self.settings.keeps_locks());
        }
        finished
    }

    /// [`FileStore::finish_journal_file`] in SQLite's order: a journal is closed before it is deleted, and a persistent one is closed
    /// with the last lock.
    fn finish_journal_in_steps(&self, txn: &mut RollbackTxn, journal: JournalFile) -> Result<()> {
        let settings = &self.settings;
        let (mode, synchronous, flags) =
            (settings.journal_mode.get(), settings.synchronous.get(), settings.sync_flags());
        let keeps_locks = self.settings.keeps_locks();
        if mode == JournalMode::Delete && (!keeps_locks || self.journal.is_deleted.get()) {
            let header = journal.close();
            if let Err(error) = self.vfs.delete(&self.journal.path, synchronous >= Synchronous::Extra) {
                // The journal is opened again, if that is possible, because a rollback plays it back.
                let reopened = self.vfs.open(Some(&self.journal.path), OpenFlags::READWRITE | OpenFlags::MAIN_JOURNAL);
                txn.journal = reopened.ok().map(|opened| JournalFile::reopen(header, opened.file));
                return Err(error.into());
            }
            *txn = RollbackTxn::default();
            return Ok(());
        }
        let file = journal.file().clone();
        let ended = match mode {
            JournalMode::Truncate => journal.truncate(synchronous, flags),
            _ => journal.end_in_place(synchronous, flags, self.settings.journal_size_limit.get()),
        };
        if ended.is_err() {
            txn.journal = Some(journal);
            return ended;
        }
        *txn = RollbackTxn::default();
        self.journal.kept.keep_open(file);
        self.journal.kept.set_ours(keeps_locks);
        Ok(())
    }

    fn finish_journal_file(&self, journal: &JournalFile) -> Result<()> {
        let (mode, synchronous) = (self.settings.journal_mode.get(), self.settings.synchronous.get());
        // While the EXCLUSIVE lock is held no other connection reads the journal. So mode DELETE keeps the file instead
        // of creating it again for each commit.
        let stays = mode.leaves_journal() || mode == JournalMode::Delete && self.settings.keeps_locks();
        if !stays {
            let lasts = synchronous >= Synchronous::Extra;
            self.journal.kept.set_may_come_back(!lasts);
            return Ok(self.vfs.delete(&self.journal.path, lasts)?);
        }
        let is_cut = mode == JournalMode::Truncate;
        let syncs = synchronous >= if is_cut { Synchronous::Full } else { Synchronous::Normal };
        self.journal.kept.set_may_come_back(!syncs);
        // The next journal must not end with the name of this one's super-journal.
        let size_max = if is_cut || journal.has_super { Some(0) } else { self.settings.journal_size_limit.get() };
        let file = journal.file();
        if size_max == Some(0) && !syncs {
            return Ok(file.truncate(0)?);
        }
        // Zeroing the header ends the journal, and the header can be written back: so a failed sync can be undone, which a
        // truncation cannot.
        journal.zero_header()?;
        if syncs {
            file.sync(self.settings.sync_flags())?;
        }
        // The commit is decided. A journal that stays too long does no harm.
        if let Some(size_max) = size_max
            && file.size().is_ok_and(|size| size > size_max)
        {
            let _ = file.truncate(size_max);
        }
        Ok(())
    }

    /// Deletes the journal durably. The caller holds the EXCLUSIVE lock, so no transaction uses the journal. It is
    /// created first, because the deletion of a file that does not exist syncs nothing.
    pub(crate) fn delete_journal_for_good(&self) -> Result<()> {
        drop(
            self.vfs
                .open(Some(&self.journal.path), OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_JOURNAL)?,
        );
        Ok(self.vfs.delete(&self.journal.path, true)?)
    }

    pub(crate) fn delete_journal(&self) -> Result<()> {
        self.journal.kept.close();
        self.journal.kept.set_ours(false);
        match self.vfs.delete(&self.journal.path, false) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }
}
