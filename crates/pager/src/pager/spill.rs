//! Pages that leave the dirty set before the commit: to where, how they are read there, and going back to a savepoint.
//!
//! Which place a page has is the choice of [`SpillTarget`]; here it is carried out. A page that is put away counts as written like
//! one in the dirty set, and is read back into it when it is written again.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::{LockLevel, Vfs};

use super::{Pager, Store};
use crate::counts::PageCounter;
use crate::dirty::{DirtySet, FINISHED_MAX, SlotId};
use crate::error::{Error, Result, zeros};
use crate::file_store::FileStore;
use crate::options::{CacheSize, JournalMode};
use crate::page_ref::{MappedFile, PageRef};
use crate::spill::{Place, SpillConditions, SpillMark, SpillTarget};
use crate::wal::Wal;
use crate::write_txn::{Pending, WriteTxn};

/// However small the cache, so many pages are dirty in memory before any is spilled.
const DIRTY_MIN: usize = 4;

/// How much may be dirty if nobody has set the cache size: pages that are read take no memory of ours by default, and
/// a page that is spilled and written again costs as much as the statement that wrote it.
const DIRTY_DEFAULT: CacheSize = CacheSize::KiB(8000);

/// Smaller transactions are better off in the log, with a single sync: as many pages as let an automatic checkpoint follow by default.
const BULK: usize = 1000;

impl Pager {
    /// Before a page comes into the dirty set: spills others if there are too many.
    #[inline]
    pub(super) fn spill_if_full(&self, txn: &mut WriteTxn) -> Result<()> {
        if txn.dirty.len() + txn.savepoints.in_memory() < txn.dirty_max { Ok(()) } else { self.spill(txn) }
    }

    /// How many pages may be dirty in memory when notes about pages take so many bytes of it.
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

    /// Whether the transaction writes to a log: a concurrent one has no turn to.
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
            // An empty file says nothing.
            counts_pages: txn.pages_before > 0 && file.is_some_and(|file| file.counts_pages()),
            sector_end: file.map_or(0, |file| file.sectors(page_size).end(txn.pages_before)),
            past_log: None,
        }
    }

    /// For a transaction that begins: whether it may overwrite pages in their place. There is no journal to keep them, and nothing
    /// of the snapshot was read before that could change; from here on nothing but copies is.
    pub(super) fn may_overwrite(&self, was_idle: bool) -> bool {
        let Store::File(file) = &self.store else { return false };
        let without_journal = !file.is_wal() && self.journal_mode() == JournalMode::Off;
        without_journal && !file.calls.spills_to_database && (was_idle || file.mmap_size() == 0)
    }

    /// The log begins anew for a load past it, if nobody needs the log: answers the last page of the file, behind which pages go to
    /// their place. Through the log, everything that is added would be summed up, written twice and read once; behind the end of the
    /// file it is written once, and no snapshot reaches that far until the commit in the log says that the database is longer.
    /// See `wal::past_log` for what followers of the log see.
    fn begin_past_log(&self, file: &FileStore, txn: &WriteTxn) -> Result<Option<u32>> {
        let page_size = self.page_size();
        let is_ours = !file.file.is_foreign();
        let is_plain = is_ours && txn.shape_before.is_none() && !file.sectors(page_size).are_shared();
        let counts_pages = txn.pages_before > 0 && file.counts_pages();
        if !self.settings.may_append_past_log.get() || !is_plain || !counts_pages {
            return Ok(None);
        }
        let policy = file.log_policy();
        if !file.with_wal(|wal| wal.begin_past_log(&*file.vfs, page_size, &policy))? {
            return Ok(None);
        }
        let in_file = file.file.size()?.div_ceil(u64::from(page_size.get()));
        Ok(Some(u32::try_from(in_file).unwrap_or(u32::MAX).max(txn.pages_before)))
    }

    // ---- write ----

    /// Spills dirty pages as if the cache were full, all but a few, and frees their memory (`sqlite3_db_cacheflush`).
    pub fn flush(&self) -> Result<()> {
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
                break; // what is left cannot be put elsewhere now
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
        self.put_away(txn, &**vfs, &victims)
    }

    /// How many finished pages are worth to be put away.
    pub(super) fn finished_enough(&self, txn: &WriteTxn) -> usize {
        let appends = matches!(&self.store, Store::File(file) if self.appends_to_log(file));
        let may_pass_log = appends && txn.spill.target.is_none() && self.settings.may_append_past_log.get();
        let batch = if may_pass_log { BULK } else { FINISHED_MAX };
        batch.min(txn.dirty_max / 2)
    }

    /// Puts finished pages where they belong, if that is somewhere already: a temporary file is not worth it.
    #[cold]
    pub(super) fn put_finished_away(&self, txn: &mut WriteTxn) -> Result<()> {
        let mut victims = txn.dirty.take_finished();
        let Store::File(file) = &self.store else { return Ok(()) };
        if txn.dirty_max == usize::MAX || self.places_after_journal(txn) {
            return Ok(());
        }
        let kept_end = txn.savepoints.end();
        if self.appends_to_log(file) {
            victims.retain(|&id| txn.dirty.slot(id).no.get() > kept_end);
        } else {
            let target = txn.spill.target.unwrap_or_else(|| SpillTarget::choose(&self.spill_conditions(txn)));
            // Pages that others know are not overwritten for this alone.
            let first = if txn.spill.overwrites { 0 } else { txn.pages_before };
            victims.retain(|&id| {
                let no = txn.dirty.slot(id).no;
                no.get() > first && target.place_of(no, kept_end, false) == Place::Database
            });
        }
        self.put_away(txn, &*file.vfs, &victims)
    }

    /// Puts pages, which are given by number, to their places.
    fn put_away(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, victims: &[SlotId]) -> Result<()> {
        if victims.is_empty() {
            return Ok(());
        }
        let target = self.target(txn, victims)?;
        let target = self.lock_to_overwrite(txn, target, victims)?;
        // In its place page 1 would tell of pages that are not committed.
        let stays = |no: PageNo| txn.spill.overwrites && no == PageNo::FIRST;
        let numbers = victims.iter().map(|&id| txn.dirty.slot(id).no).filter(|&no| !stays(no));
        let (placed, others): (Vec<PageNo>, Vec<PageNo>) =
            numbers.partition(|&no| self.is_to_be_placed(txn, target, no));
        self.counts.add(PageCounter::Spill, placed.len() + others.len());
        self.write_placed(txn, &placed)?;
        self.write_elsewhere(txn, vfs, &others)?;
        for no in placed.into_iter().chain(others) {
            txn.dirty.remove(no);
        }
        txn.dirty_max = self.dirty_max(self.memory_of_notes(txn));
        Ok(())
    }

    /// Whether a page goes to its place by [`Pager::put_away`]. In SQLite's order it does so by itself, after the journal; here are
    /// only those for which readers were in the way.
    fn is_to_be_placed(&self, txn: &WriteTxn, target: SpillTarget, no: PageNo) -> bool {
        let has_frame = matches!(&self.store, Store::File(file) if self.has_frame(file, no));
        !target.is_journaled() && target.place_of(no, txn.savepoints.end(), has_frame) == Place::Database
    }

    /// Before pages that others know are overwritten, nobody else reads. If somebody does, they are not, in this transaction.
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
        // Pages are read by calls from now on: each is copied once, and not worth a fault.
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

    fn write_elsewhere(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, others: &[PageNo]) -> Result<()> {
        let WriteTxn { dirty, savepoints, spill, .. } = txn;
        let pages = pages_of(dirty, others);
        match &self.store {
            _ if pages.is_empty() => Ok(()),
            Store::File(file) if self.appends_to_log(file) => file.spill_wal(self.page_size(), &pages),
            _ => spill.temp.add(vfs, &pages, savepoints.marks()),
        }
    }

    /// Before the commit: whatever was appended past the log is on the device, or after all in the log.
    pub(super) fn settle_past_log(&self, file: &FileStore) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        if txn.spill.placed.is_empty() {
            return Ok(());
        }
        if file.with_wal(Wal::is_followed)? {
            return self.log_placed(file, txn);
        }
        let rest = self.rest_past_log(txn)?;
        self.put_away(txn, &*file.vfs, &rest)?;
        if self.settings.syncs() {
            file.file.sync(self.settings.sync_flags())?;
        }
        if !file.with_wal(Wal::lock_readers_out)? {
            // Somebody has come during the sync.
            return self.log_placed(file, txn);
        }
        Ok(())
    }

    /// What can go the same way of what is still in memory, by number.
    fn rest_past_log(&self, txn: &mut WriteTxn) -> Result<Vec<SlotId>> {
        let target = self.target(txn, &[])?;
        let goes = |no: &PageNo| no.get() <= self.page_count() && self.is_to_be_placed(txn, target, *no);
        let mut pages: Vec<PageNo> = txn.dirty.iter().map(|(no, _)| no).filter(goes).collect();
        pages.sort_unstable();
        Ok(pages.into_iter().filter_map(|no| txn.dirty.find(no)).collect())
    }

    /// Somebody has come who may follow the log: what went past it goes there, too.
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

    /// A rollback, while nobody else can write: the file is as long as before. Too long is no harm.
    pub(super) fn undo_past_log(&self, file: &FileStore) {
        let txn = self.txn.borrow();
        if !txn.spill.placed.is_empty() && file.with_wal(Wal::has_begun_past_log) {
            let end = txn.spill.target.map_or(u32::MAX, |target| target.behind());
            let _ = file.cut_to(self.page_size(), end);
        }
    }

    /// What is noted of the pages that were put elsewhere, in bytes.
    fn memory_of_notes(&self, txn: &WriteTxn) -> usize {
        match &self.store {
            Store::File(file) if self.appends_to_log(file) => file.memory_of_spilled_wal(),
            _ => txn.spill.temp.memory(),
        }
    }

    // ---- write, in SQLite's order ----

    /// Whether pages go to their place in the database one at a time, with what was there in the journal.
    fn places_after_journal(&self, txn: &WriteTxn) -> bool {
        match &self.store {
            Store::File(file) => file.calls.spills_to_database && !file.is_wal() && txn.shape_before.is_none(),
            Store::Memory(_) => false,
        }
    }

    /// Whether page `no`, which comes into the dirty set, is to be put aside as it is: its place in the database may be overwritten
    /// before the savepoints end that may want it back, and the journal has what it was before the transaction.
    pub(super) fn keeps_version(&self, txn: &WriteTxn, no: PageNo) -> bool {
        txn.savepoints.len() > 0 && no.get() <= txn.savepoints.end() && self.places_after_journal(txn)
    }

    /// Whether savepoints note which pages they put aside.
    pub(super) fn savepoints_note_pages(&self, txn: &WriteTxn) -> bool {
        self.places_after_journal(txn)
    }

    /// Puts one page that was not used for a while to its place. `false`: there is none. Readers may be in the way.
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
            // It was cut off, and has no place to go to.
            txn.savepoints.note_write(&mut txn.dirty, victim);
        } else {
            let bytes = txn.dirty.slot(victim).bytes.as_deref().expect("cold pages are not being written");
            file.place_after_journal(&Pending { txn, view: &self.view }, no, bytes)?;
            self.counts.add(PageCounter::Spill, 1);
            file.database.pool.forget(std::iter::once(no));
            txn.spill.placed.insert(no, txn.pages_before);
        }
        txn.spill.temp.forget(no);
        txn.dirty.remove(no);
        Ok(())
    }

    // ---- read ----

    /// The page `no` from where it was spilled to, if it was.
    pub(super) fn spilled_page(&self, txn: &WriteTxn, no: PageNo) -> Result<Option<PageRef>> {
        if !self.is_spilled(txn, no) {
            return Ok(None);
        }
        let mut bytes = vec![0; self.page_size().bytes()];
        match &self.store {
            Store::File(file) if self.has_frame(file, no) => {
                file.read_spilled_wal(self.page_size(), no, &mut bytes)?;
            }
            Store::File(file) if !txn.spill.temp.contains(no) => file.read_placed(no, &mut bytes)?,
            _ => drop(txn.spill.temp.read(no, &mut bytes)?),
        }
        Ok(Some(PageRef::from_arc(Arc::from(bytes))))
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

    /// Forgets what was spilled after `mark`, which is that of the newest savepoint.
    pub(super) fn spill_back_to(&self, txn: &mut WriteTxn, mark: SpillMark) -> Result<()> {
        // An older one, of when the database was longer, may want pages back that are in their place.
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

/// Page 1 waits for the commit, which writes it anyway.
fn coldest_but_first(txn: &mut WriteTxn) -> Option<SlotId> {
    let found = txn.dirty.coldest(1).pop()?;
    if txn.dirty.slot(found).no > PageNo::FIRST {
        return Some(found);
    }
    txn.dirty.coldest(1).pop().filter(|&other| txn.dirty.slot(other).no > PageNo::FIRST)
}
