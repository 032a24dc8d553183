//! Spilling: a transaction that has written more pages than the cache holds puts some of them
//! elsewhere, and only its index of them grows.
//!
//! In WAL mode they are appended to the log, without a mark that commits: their final place (or past it: see `bypass`). With a
//! rollback journal it depends on the page:
//!
//! ```text
//!   0                        pages before                 page count
//!   | pages that others read | pages that this transaction added |
//!     to a temporary file      to their place in the database
//! ```
//!
//! Without a journal there is no going back, and all go to their place (see `in_place`). Otherwise:
//!
//! What the database has would need an exclusive lock for the rest of the transaction, and change bytes that
//! cursors borrow from the mapping; it goes to a temporary file, and into the database at commit. Behind the end
//! that page 1 tells nobody looks, and a crash leaves no more there than a file that is too long: importing many
//! rows writes them once.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_format::wal::Sum;
use lithe_vfs::{OpenFlags, Vfs};

use crate::counts::PageCounter;
use crate::dirty::SlotId;
use crate::error::Result;
use crate::file_store::FileStore;
use crate::in_place::InPlace;
use crate::options::CacheSize;
use crate::page_map::PageMap;
use crate::page_ref::PageRef;
use crate::pager::{Pager, Store, WriteTxn};
use crate::temp_file::TempPages;

/// However small the cache, so many pages are dirty in memory before any is spilled.
const DIRTY_MIN: usize = 4;

/// How much may be dirty if nobody has set the cache size: pages that are read take no memory of ours by default, and
/// a page that is spilled and written again costs as much as the statement that wrote it.
const DIRTY_DEFAULT: CacheSize = CacheSize::KiB(8000);

/// How much was spilled at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpillMark {
    /// In pages, or the last frame of the log.
    pub(crate) len: u32,
    /// The checksum of that frame.
    pub(crate) sum: Sum,
    /// The transaction had started the log over.
    pub(crate) restarted: bool,
}

/// How much was spilled when the oldest and the newest savepoint were opened: 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) oldest: u32,
    pub(crate) newest: u32,
}

/// Pages spilled into a temporary file.
#[derive(Debug, Default)]
pub(crate) struct TempSpill {
    pages: TempPages,
    /// Where the newest version of a page is.
    newest: PageMap,
    /// By place: which places hold versions that a savepoint may want back, and for which pages.
    replaced: Vec<Replaced>,
}

/// Places that follow each other, and hold newer versions of the pages at other places, which follow each other, too.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    place: u32,
    len: u32,
    before: u32,
}

impl Replaced {
    fn goes_on(&self, place: u32, before: u32) -> bool {
        self.place + self.len == place && self.before + self.len == before
    }
}

impl TempSpill {
    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_empty()
    }

    pub(crate) fn contains(&self, no: PageNo) -> bool {
        self.newest.get(no).is_some()
    }

    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        self.newest.page_numbers()
    }

    /// Reads a page, if it is here.
    pub(crate) fn read(&self, no: PageNo, buf: &mut [u8]) -> Result<bool> {
        let Some(place) = self.newest.get(no) else { return Ok(false) };
        self.pages.read(place, buf)?;
        Ok(true)
    }

    /// Reads pages that are here into `buf`, one behind the other; neighbours, which mostly were spilled together,
    /// in one go.
    pub(crate) fn read_all(&self, pages: &[PageNo], page_size: usize, mut buf: &mut [u8]) -> Result<()> {
        let places: Vec<u32> = pages.iter().filter_map(|no| self.newest.get(*no)).collect();
        for run in places.chunk_by(|a, b| a + 1 == *b) {
            let (here, rest) = buf.split_at_mut(run.len() * page_size);
            self.pages.read_run(run[0], page_size, here)?;
            buf = rest;
        }
        Ok(())
    }

    fn mark(&self) -> SpillMark {
        SpillMark { len: self.pages.len(), ..SpillMark::default() }
    }

    /// Forgets a page whose newest version is elsewhere. No savepoint may want one of its versions here.
    pub(crate) fn forget(&mut self, no: PageNo) {
        self.newest.remove(no);
    }

    /// What is noted of pages, in bytes.
    fn memory(&self) -> usize {
        self.newest.memory() + self.replaced.capacity() * size_of::<Replaced>()
    }

    /// Adds pages, while savepoints are open since `marks`. What was spilled before the newest of them stays as it is: it
    /// may return to it.
    fn add(&mut self, vfs: &dyn Vfs, pages: &[(PageNo, &[u8])], marks: Marks) -> Result<()> {
        self.forget_replaced(marks.oldest);
        let (mut new, mut again) = (Vec::with_capacity(pages.len()), Vec::new());
        for &(no, bytes) in pages {
            match self.newest.get(no) {
                Some(place) if place >= marks.newest => again.push((place, bytes)),
                _ => new.push((no, bytes)),
            }
        }
        again.sort_unstable_by_key(|(place, _)| *place);
        for run in again.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let bytes: Vec<&[u8]> = run.iter().map(|(_, bytes)| *bytes).collect();
            self.pages.overwrite(run[0].0, &bytes)?;
        }
        let bytes: Vec<&[u8]> = new.iter().map(|(_, bytes)| *bytes).collect();
        let first = self.pages.append(vfs, OpenFlags::TEMP_JOURNAL, &bytes)?;
        for (place, (no, _)) in (first..).zip(new) {
            if let Some(before) = self.newest.insert(no, place) {
                self.note_replaced(place, before);
            }
        }
        Ok(())
    }

    fn note_replaced(&mut self, place: u32, before: u32) {
        match self.replaced.last_mut() {
            Some(last) if last.goes_on(place, before) => last.len += 1,
            _ => self.replaced.push(Replaced { place, len: 1, before }),
        }
    }

    /// Nobody goes back to what places before `oldest` have replaced.
    fn forget_replaced(&mut self, oldest: u32) {
        let forgotten = self.replaced.partition_point(|replaced| replaced.place + replaced.len <= oldest);
        self.replaced.drain(..forgotten);
    }

    /// Where the version is that the one at `place` has replaced.
    fn replaced_by(&self, place: u32) -> Option<u32> {
        let at = self.replaced.partition_point(|replaced| replaced.place <= place).checked_sub(1)?;
        let replaced = self.replaced[at];
        let offset = place - replaced.place;
        (offset < replaced.len).then(|| replaced.before + offset)
    }

    fn back_to(&mut self, mark: SpillMark) {
        if mark.len >= self.pages.len() {
            return;
        }
        let after: Vec<PageNo> = self.newest.pages_from_place(mark.len).collect();
        for no in after {
            let newest = self.newest.remove(no);
            let kept = std::iter::successors(newest, |&place| self.replaced_by(place)).find(|&place| place < mark.len);
            if let Some(kept) = kept {
                self.newest.insert(no, kept);
            }
        }
        let left = self.replaced.partition_point(|replaced| replaced.place < mark.len);
        self.replaced.truncate(left);
        if let Some(last) = self.replaced.last_mut() {
            last.len = last.len.min(mark.len - last.place);
        }
        self.pages.truncate(mark.len);
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.replaced = Vec::new();
        self.newest.clear();
    }
}

/// Pages that the transaction has added and that are in their place in the database file already.
#[derive(Debug, Default)]
pub(crate) struct Added {
    /// One bit a page, from the first that was added on.
    bits: Vec<u64>,
}

impl Added {
    fn bit(no: PageNo, pages_before: u32) -> Option<(usize, u64)> {
        let index = no.get().checked_sub(pages_before)?.checked_sub(1)?;
        Some((index as usize / 64, 1 << (index % 64)))
    }

    pub(crate) fn contains(&self, no: PageNo, pages_before: u32) -> bool {
        Added::bit(no, pages_before).is_some_and(|(word, bit)| self.bits.get(word).is_some_and(|bits| bits & bit != 0))
    }

    pub(crate) fn insert(&mut self, no: PageNo, pages_before: u32) {
        let Some((word, bit)) = Added::bit(no, pages_before) else { return };
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub(crate) fn page_numbers(&self, pages_before: u32) -> impl Iterator<Item = PageNo> {
        let bits = self.bits.iter().enumerate().flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word as u32 * 64 + bit)
        });
        bits.filter_map(move |index| PageNo::new(pages_before + 1 + index))
    }

    /// Whether the database of `page_count` pages has any of them.
    pub(crate) fn has_any(&self, page_count: u32, pages_before: u32) -> bool {
        self.page_numbers(pages_before).next().is_some_and(|no| no.get() <= page_count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Forgets the pages behind `page_count`.
    fn truncate(&mut self, page_count: u32, pages_before: u32) {
        let left = page_count.saturating_sub(pages_before) as usize;
        self.bits.truncate(left.div_ceil(64));
        if let Some(last) = self.bits.get_mut(left / 64) {
            *last &= (1 << (left % 64)) - 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bits = Vec::new();
    }
}

impl Pager {
    /// Before a page comes into the dirty set: spills others if there are too many.
    #[inline]
    pub(crate) fn make_room(&self, txn: &mut WriteTxn) -> Result<()> {
        if txn.dirty.len() + txn.savepoints.in_memory() < txn.dirty_max { Ok(()) } else { self.spill(txn) }
    }

    /// How many pages may be dirty in memory as long as none is elsewhere.
    pub(crate) fn dirty_max(&self) -> usize {
        self.dirty_max_beside(0)
    }

    /// How many pages may be dirty in memory when notes about pages take so many bytes of it.
    fn dirty_max_beside(&self, notes: usize) -> usize {
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

    /// What is noted of the pages that were put elsewhere, in bytes.
    fn memory_of_notes(&self, txn: &WriteTxn) -> usize {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.memory_of_spilled_wal(),
            _ => txn.temp.memory(),
        }
    }

    fn vfs_for_spilling(&self) -> Option<&Arc<dyn Vfs>> {
        match &self.store {
            Store::Memory(memory) => memory.vfs(),
            Store::File(file) => Some(&file.vfs),
        }
    }

    /// Whether spilled pages go into the log: a concurrent transaction has no turn to write there.
    pub(crate) fn spills_into_log(&self, file: &FileStore) -> bool {
        file.is_wal() && !self.concurrent.is_active()
    }

    /// Spills dirty pages as if the cache were full, all but a few, and frees their memory (`sqlite3_db_cacheflush`).
    pub fn flush(&self) -> Result<()> {
        if !self.is_writing() {
            return Ok(());
        }
        let txn = &mut *self.txn.borrow_mut();
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
        let victims = txn.dirty.coldest((txn.dirty_max / 4).max(DIRTY_MIN / 2));
        for &id in &victims {
            txn.savepoints.note_write(&mut txn.dirty, id);
        }
        match &self.store {
            Store::File(file) if self.writes_in_place(file, txn) => self.put_in_place(file, txn, &victims),
            _ => self.put_elsewhere(txn, &**vfs, &victims),
        }
    }

    /// Puts finished pages where they belong, if that is somewhere already: a temporary file is not worth it.
    #[cold]
    pub(crate) fn put_finished_away(&self, txn: &mut WriteTxn) -> Result<()> {
        let mut victims = txn.dirty.take_finished();
        let Store::File(file) = &self.store else { return Ok(()) };
        if txn.dirty_max == usize::MAX {
            return Ok(());
        }
        if txn.in_place == InPlace::Done && self.writes_in_place(file, txn) {
            return self.put_in_place(file, txn, &victims);
        }
        let end = if self.spills_into_log(file) { Some(txn.savepoints.end()) } else { self.placed_behind(file, txn)? };
        let Some(end) = end else { return Ok(()) };
        victims.retain(|&id| txn.dirty.slot(id).no.get() > end);
        self.put_elsewhere(txn, &*file.vfs, &victims)
    }

    /// Whether pages behind the end of the database may go to their place: not if pages have another size than before,
    /// where behind the end is in the middle. And not those that a savepoint may want back as they were.
    fn may_add(&self, file: &FileStore, txn: &WriteTxn) -> bool {
        !file.is_wal()
            && file.calls.spills_behind_end
            && txn.shape_before.is_none()
            && file.may_be_longer(txn.pages_before)
    }

    /// Behind which page those that are put away go to their place in the database, if any do.
    pub(crate) fn placed_behind(&self, file: &FileStore, txn: &mut WriteTxn) -> Result<Option<u32>> {
        let end = if self.spills_into_log(file) {
            self.bypass(file, txn)?
        } else {
            // Nothing may happen to the sector that has the last page of the database.
            self.may_add(file, txn).then(|| file.sectors(self.page_size()).end(txn.pages_before))
        };
        Ok(end.map(|end| end.max(txn.savepoints.end())))
    }

    pub(crate) fn put_elsewhere(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, victims: &[SlotId]) -> Result<()> {
        let adds = victims.last().is_some_and(|&id| txn.dirty.slot(id).no.get() > txn.pages_before);
        let behind = match &self.store {
            Store::File(file) if adds => self.placed_behind(file, txn)?,
            _ => None,
        };
        let WriteTxn { dirty, savepoints, temp, added, pages_before, .. } = txn;
        let page = |id: &SlotId| {
            let slot = dirty.slot(*id);
            (slot.no, &**slot.bytes.as_ref().expect("cold pages are not being written"))
        };
        let pages: Vec<(PageNo, &[u8])> = victims.iter().map(page).collect();
        self.counts.add(PageCounter::Spill, pages.len());
        let (placed, others): (Vec<_>, Vec<_>) = pages.iter().partition(|(no, _)| self.is_placed(*no, behind));
        if let Store::File(file) = &self.store {
            file.write_added(self, &placed)?;
        }
        for &(no, _) in &placed {
            added.insert(no, *pages_before);
            temp.forget(no);
        }
        match &self.store {
            _ if others.is_empty() => {}
            Store::File(file) if self.spills_into_log(file) => file.spill_wal(self, &others)?,
            _ => temp.add(vfs, &others, savepoints.marks())?,
        }
        let spilled: Vec<PageNo> = pages.into_iter().map(|(no, _)| no).collect();
        for no in spilled {
            dirty.remove(no);
        }
        txn.spilled = true;
        txn.dirty_max = self.dirty_max_beside(self.memory_of_notes(txn));
        Ok(())
    }

    /// The page `no` from where it was spilled to, if it was.
    pub(crate) fn spilled_page(&self, txn: &WriteTxn, no: PageNo) -> Result<Option<PageRef>> {
        if !self.is_spilled(txn, no)? {
            return Ok(None);
        }
        let mut bytes = vec![0; self.page_size().bytes()];
        match &self.store {
            Store::File(file) if self.is_in_log(file, no) => file.read_spilled_wal(self, no, &mut bytes)?,
            Store::File(file) if !txn.temp.contains(no) => file.read_added(no, &mut bytes)?,
            _ => drop(txn.temp.read(no, &mut bytes)?),
        }
        Ok(Some(PageRef::from_arc(Arc::from(bytes))))
    }

    pub(crate) fn is_spilled(&self, txn: &WriteTxn, no: PageNo) -> Result<bool> {
        let is_in_log = matches!(&self.store, Store::File(file) if self.is_in_log(file, no));
        Ok(is_in_log || txn.temp.contains(no) || txn.added.contains(no, txn.pages_before))
    }

    /// Whether a page that is put away goes to its place, as all do behind `end`: but not one that has a frame in the log already.
    pub(crate) fn is_placed(&self, no: PageNo, end: Option<u32>) -> bool {
        end.is_some_and(|end| no.get() > end) && matches!(&self.store, Store::File(file) if !self.is_in_log(file, no))
    }

    /// Whether the log has the newest version of a page that this transaction has spilled.
    fn is_in_log(&self, file: &FileStore, no: PageNo) -> bool {
        self.spills_into_log(file) && file.spilled_frame(no).is_some()
    }

    /// Whether anything was spilled.
    pub(crate) fn has_spilled(&self, txn: &WriteTxn) -> bool {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) && file.has_spilled_wal() => true,
            _ => !txn.temp.is_empty() || !txn.added.is_empty(),
        }
    }

    pub(crate) fn spill_mark(&self, txn: &WriteTxn) -> SpillMark {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.spill_mark_wal(),
            _ => txn.temp.mark(),
        }
    }

    /// Forgets what was spilled after `mark`, which is that of the newest savepoint.
    pub(crate) fn spill_back_to(&self, txn: &mut WriteTxn, mark: SpillMark) -> Result<()> {
        // An older one, of when the database was longer, may want pages back that are in their place.
        txn.added.truncate(txn.savepoints.end(), txn.pages_before);
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.spill_back_to_wal(mark),
            _ => {
                txn.temp.back_to(mark);
                Ok(())
            }
        }
    }
}
