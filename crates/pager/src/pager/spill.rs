//! Pages that leave the dirty set before the commit: where they are written, how they are read back, and rollback to a savepoint.
//!
//! [`SpillTarget`] chooses the place of a page; this module carries it out. A spilled page counts as written like one in the dirty
//! set, and is read back into the set when it is written again.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::{LockLevel, ResultCode, Vfs};

use super::{Pager, Store};
use crate::counts::PageCounter;
use crate::dirty::{DirtySet, FINISHED_MAX, SlotId};
use crate::error::{Error, Result, zeros};
use crate::file_store::FileStore;
use crate::options::{CacheSize, JournalMode};
use crate::page_ref::{MappedFile, PageRef};
use crate::spill::{LogCopy, Place, SpillConditions, SpillMark, SpillTarget};
use crate::wal::Wal;
use crate::write_txn::{Pending, WriteTxn};

/// The least number of dirty pages in memory before any is spilled, however small the cache is.
const DIRTY_MIN: usize = 4;

/// The size of the dirty set if the application has not set the cache size: by default pages that are read take no
/// memory of the pager, and a page that is spilled and written again costs as much as the statement that wrote it.
const DIRTY_DEFAULT: CacheSize = CacheSize::KiB(8000);

/// A smaller transaction is faster in the log, with a single sync. The number is that of the automatic checkpoint's default.
const BULK: usize = 1000;

impl Pager {
    /// Spills pages if there are too many, before a page comes into the dirty set.
    #[inline]
    pub(super) fn spill_if_full(&self, txn: &mut WriteTxn) -> Result<()> {
        if txn.dirty.len() + txn.savepoints.in_memory() < txn.dirty_max { Ok(()) } else { self.spill(txn) }
    }

    /// How many pages may be dirty in memory when the maps of spilled pages take `notes` bytes of it.
    pub(super) fn dirty_max(&self, notes: usize) -> usize {
        let spills = self.cache_spill() && self.vfs_for_spilling().is_some();
        if !spills {
            return usize::MAX;
        }
        let size = self.cache_size();
        let dirties_more = !matches!(&self.store, Store::File(file) if !file.calls.dirties_more);
        let most = if dirties_more && size == CacheSize::default() { DIRTY_DEFAULT } else { size };
        let most = most.pages(self.page_size()).max(self.spill_pages() as usize);
        most.saturating_sub(notes / self.page_size().bytes()).max(DIRTY_MIN)
    }

    fn vfs_for_spilling(&self) -> Option<&Arc<dyn Vfs>> {
        match &self.store {
            Store::Memory(memory) => memory.vfs(),
            Store::File(file) => Some(&file.vfs),
        }
    }

    /// Whether the transaction writes to a log: a concurrent one has no writer slot.
    pub(super) fn appends_to_log(&self, file: &FileStore) -> bool {
        file.is_wal() && !self.concurrent.is_active()
    }

    // ---- the target ----

    /// The spill target of the transaction, chosen with the first `victims`, which are given by number.
    fn target(&self, txn: &mut WriteTxn, victims: &[SlotId]) -> Result<SpillTarget> {
        if let Some(target) = txn.spill.target {
            return Ok(target);
        }
        let adds = victims.last().is_some_and(|&id| txn.dirty.slot(id).no.get() > txn.pages_before);
        let mut conditions = self.spill_conditions(txn);
        if let Store::File(file) = &self.store
            && conditions.appends_to_log
            && adds
        {
            conditions.past_log = self.begin_past_log(file, txn)?;
        }
        txn.spill.log_copy = LogCopy::Decided;
        Ok(*txn.spill.target.insert(SpillTarget::choose(&conditions)))
    }

    fn spill_conditions(&self, txn: &WriteTxn) -> SpillConditions {
        let file = if let Store::File(file) = &self.store { Some(file) } else { None };
        let page_size = self.page_size();
        SpillConditions {
            appends_to_log: file.is_some_and(|file| self.appends_to_log(file)),
            writes_file: file.is_some_and(|file| !file.is_wal()),
            is_foreign: file.is_some_and(|file| file.calls.spills_to_database),
            may_overwrite: self.view.reads_copies.get(),
            is_reshaped: txn.shape_before.is_some(),
            // The header of an empty file has no page count.
            counts_pages: txn.pages_before > 0 && file.is_some_and(|file| file.counts_pages()),
            sector_end: file.map_or(0, |file| file.sectors(page_size).end(txn.pages_before)),
            past_log: None,
        }
    }

    /// Whether a transaction that begins may overwrite pages in their place. There is no journal to keep the old versions. No
    /// reference to a mapped page of the snapshot exists that could change, and from here on pages are read as copies only.
    pub(super) fn may_overwrite(&self, was_idle: bool) -> bool {
        let Store::File(file) = &self.store else { return false };
        let without_journal = !file.is_wal() && self.journal_mode() == JournalMode::Off;
        without_journal && !file.calls.spills_to_database && (was_idle || file.mmap_size() == 0)
    }

    /// Restarts the log for a load past it, if no reader needs the log: answers the last page of the file, behind which pages go to
    /// their place. Through the log, each added page would be checksummed, written twice and read once; behind the end of the file
    /// it is written once, and no snapshot extends that far until the commit in the log makes the database longer. See
    /// `wal::past_log` for what followers of the log see.
    fn begin_past_log(&self, file: &FileStore, txn: &WriteTxn) -> Result<Option<u32>> {
        if !self.may_go_past_log(file, txn) {
            return Ok(None);
        }
        let page_size = self.page_size();
        let policy = file.log_policy();
        if !file.with_wal(|wal| wal.begin_past_log(&*file.vfs, page_size, &policy))? {
            return Ok(None);
        }
        let in_file = file.file.size()?.div_ceil(u64::from(page_size.get()));
        Ok(Some(u32::try_from(in_file).unwrap_or(u32::MAX).max(txn.pages_before)))
    }

    /// Whether a load past the log is possible as far as the pager knows; the log has conditions of its own.
    fn may_go_past_log(&self, file: &FileStore, txn: &WriteTxn) -> bool {
        let is_ours = !file.file.is_foreign();
        let is_plain = is_ours && txn.shape_before.is_none() && !file.sectors(self.page_size()).are_shared();
        let counts_pages = txn.pages_before > 0 && file.counts_pages();
        self.settings.may_append_past_log.get() && is_plain && counts_pages
    }

    /// Whether finished pages stay in memory until the next statement begins. The log has frames that a checkpoint can copy into the
    /// database, so that a load past the log becomes possible; but a cursor of the running statement may hold pages of the mapped log.
    fn awaits_log_copy(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<bool> {
        if txn.spill.target.is_none() && txn.spill.log_copy == LogCopy::Undecided {
            let can_be_copied = self.may_go_past_log(file, txn) && file.with_wal(Wal::can_be_copied)?;
            txn.spill.log_copy = if can_be_copied { LogCopy::Awaited } else { LogCopy::Decided };
        }
        Ok(txn.spill.log_copy == LogCopy::Awaited)
    }

    /// Called when a statement begins that writes, while no other statement of the connection is open: nobody holds a page. A large
    /// transaction that waits for this copies the log into the database, and goes on past the log.
    ///
    /// # Errors
    /// Those of spilling pages. If the log cannot be copied, the transaction goes through the log.
    #[inline]
    pub fn begin_statement_alone(&self) -> Result<()> {
        let is_awaited = self.txn.borrow().spill.awaits_log_copy();
        if is_awaited { self.copy_log_for_load() } else { Ok(()) }
    }

    #[cold]
    fn copy_log_for_load(&self) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        self.assert_state();
        self.change_mapped_bytes()?;
        self.changes.bump();
        let txn = &mut *self.txn.borrow_mut();
        txn.spill.log_copy = LogCopy::Decided;
        file.copy_log_for_load(self.page_size())?;
        self.spill_finished(txn)
    }

    // ---- write ----

    /// Spills dirty pages as if the cache were full, all but a few, and frees their buffers (`sqlite3_db_cacheflush`).
    pub fn flush(&self) -> Result<()> {
        self.debug_assert_state();
        if !self.is_writing() {
            return Ok(());
        }
        let txn = &mut *self.txn.borrow_mut();
        if self.places_after_journal(txn) {
            while self.place_one_after_journal(txn)? {}
            return Ok(());
        }
        let may_spill = txn.dirty_max != usize::MAX;
        while may_spill && txn.dirty.len() > DIRTY_MIN {
            let before = txn.dirty.len();
            self.spill(txn)?;
            if txn.dirty.len() >= before {
                break; // the rest cannot be spilled now
            }
        }
        Ok(())
    }

    #[cold]
    fn spill(&self, txn: &mut WriteTxn) -> Result<()> {
        let Some(vfs) = self.vfs_for_spilling() else { return Ok(()) };
        if txn.savepoints.in_memory() > txn.dirty_max / 2 {
            txn.savepoints.spill(&**vfs)?;
        }
        if self.places_after_journal(txn) {
            match self.place_one_after_journal(txn) {
                Err(Error::Busy) => {}
                spilled => return spilled.map(drop),
            }
        }
        let victims = txn.dirty.coldest((txn.dirty_max / 4).max(DIRTY_MIN / 2));
        for &id in &victims {
            txn.savepoints.note_write(&mut txn.dirty, id);
        }
        self.spill_victims(txn, &**vfs, &victims)
    }

    /// How many finished pages make a batch that is worth spilling.
    pub(super) fn finished_enough(&self, txn: &WriteTxn) -> usize {
        let appends = matches!(&self.store, Store::File(file) if self.appends_to_log(file));
        let may_pass_log = appends && txn.spill.target.is_none() && self.settings.may_append_past_log.get();
        let batch = if may_pass_log { BULK } else { FINISHED_MAX };
        batch.min(txn.dirty_max / 2)
    }

    /// Spills finished pages to where they belong, if that is the file or the log: a temporary file is not worth it.
    #[cold]
    pub(super) fn spill_finished(&self, txn: &mut WriteTxn) -> Result<()> {
        let Store::File(file) = &self.store else {
            txn.dirty.take_finished();
            return Ok(());
        };
        if self.appends_to_log(file) && self.awaits_log_copy(file, txn)? {
            return Ok(());
        }
        let mut victims = txn.dirty.take_finished();
        if txn.dirty_max == usize::MAX || self.places_after_journal(txn) {
            return Ok(());
        }
        let kept_end = txn.savepoints.end();
        if self.appends_to_log(file) {
            victims.retain(|&id| txn.dirty.slot(id).no.get() > kept_end);
        } else {
            let target = txn.spill.target.unwrap_or_else(|| SpillTarget::choose(&self.spill_conditions(txn)));
            // Old pages, which other connections know, are not overwritten for this alone.
            let first = if txn.spill.overwrites { 0 } else { txn.pages_before };
            victims.retain(|&id| {
                let no = txn.dirty.slot(id).no;
                no.get() > first && target.place_of(no, kept_end, false) == Place::Database
            });
        }
        self.spill_victims(txn, &*file.vfs, &victims)
    }

    /// Writes the pages `victims`, in order of their numbers, to their places and removes them from the dirty set.
    fn spill_victims(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, victims: &[SlotId]) -> Result<()> {
        if victims.is_empty() {
            return Ok(());
        }
        let target = self.target(txn, victims)?;
        let target = self.lock_to_overwrite(txn, target, victims)?;
        // Page 1 stays in memory: in its place it would describe pages that are not committed.
        let stays = |no: PageNo| txn.spill.overwrites && no == PageNo::FIRST;
        let numbers = victims.iter().map(|&id| txn.dirty.slot(id).no).filter(|&no| !stays(no));
        let (placed, others): (Vec<PageNo>, Vec<PageNo>) =
            numbers.partition(|&no| self.is_to_be_placed(txn, target, no));
        self.counts.add(PageCounter::Spill, placed.len() + others.len());
        let written = self.write_placed(txn, &placed).and_then(|()| self.write_to_temp_or_log(txn, vfs, &others));
        // As in SQLite, a full disk or a failed write ends the transaction, not only the statement.
        if let Err(error) = &written
            && matches!(error.code().primary(), ResultCode::FULL | ResultCode::IOERR)
        {
            self.fail(error);
        }
        written?;
        for no in placed.into_iter().chain(others) {
            txn.spill.reads.take(no);
            txn.dirty.remove(no);
        }
        txn.dirty_max = self.dirty_max(self.memory_of_notes(txn));
        Ok(())
    }

    /// Whether [`Pager::spill_victims`] writes the page to its place. In SQLite's order pages go there one at a time, after the journal;
    /// `spill_victims` gets only pages that readers' locks keep from their place, and writes them elsewhere.
    fn is_to_be_placed(&self, txn: &WriteTxn, target: SpillTarget, no: PageNo) -> bool {
        let has_frame = matches!(&self.store, Store::File(file) if self.has_frame(file, no));
        !target.is_journaled() && target.place_of(no, txn.savepoints.end(), has_frame) == Place::Database
    }

    /// Locks readers out before old pages, which other connections know, are overwritten. If that fails, this transaction
    /// overwrites none.
    fn lock_to_overwrite(&self, txn: &mut WriteTxn, target: SpillTarget, victims: &[SlotId]) -> Result<SpillTarget> {
        let Store::File(file) = &self.store else { return Ok(target) };
        let is_old = |no: PageNo| no.get() <= txn.pages_before && self.is_to_be_placed(txn, target, no);
        if txn.spill.overwrites || !victims.iter().any(|&id| is_old(txn.dirty.slot(id).no)) {
            return Ok(target);
        }
        assert!(self.view.reads_copies.get(), "pages that somebody may hold are overwritten");
        if file.lock(LockLevel::Exclusive).is_err() {
            return Ok(*txn.spill.target.insert(target.beside_readers(&self.spill_conditions(txn))));
        }
        txn.spill.overwrites = true;
        // From now on pages are read by system calls: each is copied once, which is not worth a page fault.
        self.view.mapped.set(MappedFile::NONE);
        Ok(target)
    }

    fn write_placed(&self, txn: &mut WriteTxn, placed: &[PageNo]) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        file.write_placed(self.page_size(), &pages_of(&txn.dirty, placed))?;
        if txn.spill.overwrites {
            file.database.pool.forget(placed.iter().copied());
        }
        for &no in placed {
            txn.spill.placed.insert(no, txn.pages_before);
            txn.spill.temp.forget(no);
        }
        Ok(())
    }

    fn write_to_temp_or_log(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, others: &[PageNo]) -> Result<()> {
        let WriteTxn { dirty, savepoints, spill, .. } = txn;
        let pages = pages_of(dirty, others);
        match &self.store {
            _ if pages.is_empty() => Ok(()),
            Store::File(file) if self.appends_to_log(file) => file.spill_wal(self.page_size(), &pages),
            _ => spill.temp.add(vfs, &pages, savepoints.marks()),
        }
    }

    /// Before the commit: syncs the pages that were appended past the log, or copies them into the log if it has a
    /// follower.
    pub(super) fn settle_past_log(&self, file: &FileStore) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        if txn.spill.placed.is_empty() {
            return Ok(());
        }
        if file.with_wal(Wal::is_followed)? {
            return self.log_placed(file, txn);
        }
        let rest = self.rest_past_log(txn)?;
        self.spill_victims(txn, &*file.vfs, &rest)?;
        if self.settings.syncs() {
            file.file.sync(self.settings.sync_flags())?;
        }
        if !file.with_wal(Wal::lock_readers_out)? {
            // A reader has begun during the sync.
            return self.log_placed(file, txn);
        }
        Ok(())
    }

    /// The pages in memory that can be appended past the log as well, by number.
    fn rest_past_log(&self, txn: &mut WriteTxn) -> Result<Vec<SlotId>> {
        let target = self.target(txn, &[])?;
        let goes = |no: &PageNo| no.get() <= self.page_count() && self.is_to_be_placed(txn, target, *no);
        let mut pages: Vec<PageNo> = txn.dirty.iter().map(|(no, _)| no).filter(goes).collect();
        pages.sort_unstable();
        Ok(pages.into_iter().filter_map(|no| txn.dirty.find(no)).collect())
    }

    /// Appends the pages that went past the log to the log too, because a reader may follow it.
    fn log_placed(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<()> {
        const BATCH: usize = 128;
        let page_size = self.page_size();
        let is_newest = |no: &PageNo| {
            no.get() <= self.page_count() && txn.dirty.find(*no).is_none() && file.spilled_frame(*no).is_none()
        };
        let mut placed = txn.spill.placed.page_numbers(txn.pages_before).filter(is_newest).peekable();
        let mut buf = zeros(BATCH * page_size.bytes())?;
        while placed.peek().is_some() {
            let batch: Vec<PageNo> = placed.by_ref().take(BATCH).collect();
            for (no, page) in batch.iter().zip(buf.chunks_exact_mut(page_size.bytes())) {
                file.read_placed(*no, page)?;
            }
            let pages: Vec<(PageNo, &[u8])> = batch.into_iter().zip(buf.chunks_exact(page_size.bytes())).collect();
            file.spill_wal(page_size, &pages)?;
        }
        drop(placed);
        txn.spill.placed.clear();
        Ok(())
    }

    /// Truncates the file to its old length at a rollback, while no other connection can write. A file that stays too
    /// long does no harm.
    pub(super) fn undo_past_log(&self, file: &FileStore) {
        let txn = self.txn.borrow();
        if !txn.spill.placed.is_empty() && file.with_wal(Wal::has_begun_past_log) {
            let end = txn.spill.target.map_or(u32::MAX, |target| target.behind());
            let _ = file.cut_to(self.page_size(), end);
        }
    }

    /// The memory of the maps of spilled pages, in bytes.
    fn memory_of_notes(&self, txn: &WriteTxn) -> usize {
        match &self.store {
            Store::File(file) if self.appends_to_log(file) => file.memory_of_spilled_wal(),
            _ => txn.spill.temp.memory(),
        }
    }

    // ---- write, in SQLite's order ----

    /// Whether pages go to their place in the database one at a time, after their old versions went to the journal.
    fn places_after_journal(&self, txn: &WriteTxn) -> bool {
        match &self.store {
            Store::File(file) => file.calls.spills_to_database && !file.is_wal() && txn.shape_before.is_none(),
            Store::Memory(_) => false,
        }
    }

    /// Whether the version of page `no` that comes into the dirty set is to be saved: its place in the database may be overwritten
    /// while a savepoint is open that may need it, and the journal has the version before the transaction.
    pub(super) fn keeps_version(&self, txn: &WriteTxn, no: PageNo) -> bool {
        txn.savepoints.len() > 0 && no.get() <= txn.savepoints.end() && self.places_after_journal(txn)
    }

    /// Whether savepoints record which pages they save.
    pub(super) fn savepoints_note_pages(&self, txn: &WriteTxn) -> bool {
        self.places_after_journal(txn)
    }

    /// Writes one cold page to its place. `false`: there is none. Busy if readers hold locks.
    fn place_one_after_journal(&self, txn: &mut WriteTxn) -> Result<bool> {
        let Store::File(file) = &self.store else { return Ok(false) };
        let Some(victim) = coldest_but_first(txn) else { return Ok(false) };
        self.target(txn, &[victim])?;
        file.lock(LockLevel::Exclusive)?;
        self.place_after_journal(file, txn, victim).inspect_err(|error| self.fail(error))?;
        Ok(true)
    }

    fn place_after_journal(&self, file: &FileStore, txn: &mut WriteTxn, victim: SlotId) -> Result<()> {
        let no = txn.dirty.slot(victim).no;
        txn.spill.overwrites = true;
        if no.get() > self.page_count() {
            // The page was cut off, and has no place.
            txn.savepoints.note_write(&mut txn.dirty, victim);
        } else {
            let bytes = txn.dirty.slot(victim).bytes.as_deref().expect("cold pages are not being written");
            file.place_after_journal(&Pending { txn, view: &self.view }, no, bytes)?;
            self.counts.add(PageCounter::Spill, 1);
            file.database.pool.forget(std::iter::once(no));
            txn.spill.placed.insert(no, txn.pages_before);
        }
        txn.spill.temp.forget(no);
        txn.spill.reads.take(no);
        txn.dirty.remove(no);
        Ok(())
    }

    // ---- read ----

    /// The page `no`, read from where it was spilled, if it was.
    pub(super) fn spilled_page(&self, txn: &mut WriteTxn, no: PageNo) -> Result<Option<PageRef>> {
        if !self.is_spilled(txn, no) {
            return Ok(None);
        }
        if let Some(known) = txn.spill.reads.get(no) {
            return Ok(Some(PageRef::from_arc(known.clone())));
        }
        let mut bytes = txn.dirty.blank(self.page_size().bytes());
        match &self.store {
            Store::File(file) if self.has_frame(file, no) => {
                file.read_spilled_wal(self.page_size(), no, &mut bytes)?;
            }
            Store::File(file) if !txn.spill.temp.contains(no) => file.read_placed(no, &mut bytes)?,
            _ => drop(txn.spill.temp.read(no, &mut bytes)?),
        }
        let bytes = bytes.into_shared();
        let before = txn.spill.reads.put(no, bytes.clone());
        txn.dirty.recycle(before);
        Ok(Some(PageRef::from_arc(bytes)))
    }

    /// Whether `page` is the newest version of page `no`, which was spilled.
    pub(super) fn is_newest_of_spilled(&self, txn: &WriteTxn, no: PageNo, page: &PageRef) -> bool {
        txn.spill.reads.get(no).is_some_and(|known| page.is_of(known))
    }

    pub(super) fn is_spilled(&self, txn: &WriteTxn, no: PageNo) -> bool {
        let has_frame = matches!(&self.store, Store::File(file) if self.has_frame(file, no));
        has_frame || txn.spill.temp.contains(no) || txn.is_placed(no)
    }

    /// Whether the log has the newest version of a page that this transaction has spilled.
    fn has_frame(&self, file: &FileStore, no: PageNo) -> bool {
        self.appends_to_log(file) && file.spilled_frame(no).is_some()
    }

    // ---- mark, and back to a savepoint ----

    pub(super) fn spill_mark(&self, txn: &WriteTxn) -> SpillMark {
        match &self.store {
            Store::File(file) if self.appends_to_log(file) => file.spill_mark_wal(),
            _ => txn.spill.temp.mark(),
        }
    }

    /// Forgets what was spilled after `mark`, the mark of the newest savepoint.
    pub(super) fn spill_back_to(&self, txn: &mut WriteTxn, mark: SpillMark) -> Result<()> {
        txn.spill.reads.clear();
        // An older savepoint, from when the database was longer, may need pages that are in their place.
        txn.spill.placed.truncate(txn.savepoints.end(), txn.pages_before);
        match &self.store {
            Store::File(file) if self.appends_to_log(file) => file.spill_back_to_wal(mark),
            _ => {
                txn.spill.temp.back_to(mark);
                Ok(())
            }
        }
    }
}

/// Pages of the dirty set with their bytes.
fn pages_of<'d>(dirty: &'d DirtySet, numbers: &[PageNo]) -> Vec<(PageNo, &'d [u8])> {
    let bytes = |no: PageNo| dirty.find(no).and_then(|id| dirty.slot(id).bytes.as_deref());
    numbers.iter().map(|&no| (no, bytes(no).expect("cold pages are not being written"))).collect()
}

/// The coldest page that is not page 1, which waits for the commit because the commit writes it anyway.
fn coldest_but_first(txn: &mut WriteTxn) -> Option<SlotId> {
    let found = txn.dirty.coldest(1).pop()?;
    if txn.dirty.slot(found).no > PageNo::FIRST {
        return Some(found);
    }
    txn.dirty.coldest(1).pop().filter(|&other| txn.dirty.slot(other).no > PageNo::FIRST)
}
