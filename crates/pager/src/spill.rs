//! Spilling: a transaction that has written more pages than the cache holds puts some of them
//! elsewhere, and only its index of them grows.
//!
//! In WAL mode they are appended to the log, without a mark that commits: their final place. With a
//! rollback journal they go to a temporary file, and into the database at commit: overwriting it
//! earlier would need an exclusive lock for the rest of the transaction, and change bytes that
//! cursors borrow from the mapping.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_format::PageNo;
use lithe_format::wal::Sum;
use lithe_vfs::{OpenFlags, Vfs};

use crate::dirty::{PageHashes, SlotId};
use crate::error::Result;
use crate::file_store::FileStore;
use crate::page_ref::PageRef;
use crate::pager::{Pager, Store, WriteTxn};
use crate::temp_file::TempPages;

/// However small the cache, so many pages are dirty in memory before any is spilled.
const DIRTY_MIN: usize = 4;

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

/// Pages spilled into a temporary file.
#[derive(Debug, Default)]
pub(crate) struct TempSpill {
    pages: TempPages,
    /// Where the newest version of a page is.
    newest: HashMap<PageNo, u32, PageHashes>,
    /// For each place the page there, and where its version before is.
    log: Vec<(PageNo, Option<u32>)>,
}

impl TempSpill {
    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_empty()
    }

    pub(crate) fn contains(&self, no: PageNo) -> bool {
        self.newest.contains_key(&no)
    }

    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        self.newest.keys().copied()
    }

    /// Reads a page, if it is here.
    pub(crate) fn read(&self, no: PageNo, buf: &mut [u8]) -> Result<bool> {
        let Some(&place) = self.newest.get(&no) else { return Ok(false) };
        self.pages.read(place, buf)?;
        Ok(true)
    }

    /// Reads pages that are here into `buf`, one behind the other; neighbours, which mostly were spilled together,
    /// in one go.
    pub(crate) fn read_all(&self, pages: &[PageNo], page_size: usize, mut buf: &mut [u8]) -> Result<()> {
        let places: Vec<u32> = pages.iter().map(|no| self.newest[no]).collect();
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

    /// Adds pages. What was spilled before `keep` stays as it is: a savepoint may return to it.
    fn add(&mut self, vfs: &dyn Vfs, pages: &[(PageNo, &[u8])], keep: u32) -> Result<()> {
        let mut new = Vec::with_capacity(pages.len());
        for &(no, bytes) in pages {
            match self.newest.get(&no) {
                Some(&place) if place >= keep => self.pages.overwrite(place, bytes)?,
                _ => new.push((no, bytes)),
            }
        }
        let bytes: Vec<&[u8]> = new.iter().map(|(_, bytes)| *bytes).collect();
        let first = self.pages.append(vfs, OpenFlags::TEMP_JOURNAL, &bytes)?;
        for (place, (no, _)) in (first..).zip(new) {
            let before = self.newest.insert(no, place);
            self.log.push((no, before));
        }
        Ok(())
    }

    fn back_to(&mut self, mark: SpillMark) {
        while self.log.len() > mark.len as usize {
            match self.log.pop() {
                Some((no, Some(before))) => drop(self.newest.insert(no, before)),
                Some((no, None)) => drop(self.newest.remove(&no)),
                None => {}
            }
        }
        self.pages.truncate(mark.len);
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.log = Vec::new();
        self.newest = HashMap::default();
    }
}

impl Pager {
    /// Before a page comes into the dirty set: spills others if there are too many.
    #[inline]
    pub(crate) fn make_room(&self, txn: &mut WriteTxn) -> Result<()> {
        if txn.dirty.len() + txn.savepoints.in_memory() < txn.dirty_max { Ok(()) } else { self.spill(txn) }
    }

    /// How many pages may be dirty in memory.
    pub(crate) fn dirty_max(&self) -> usize {
        let spills = self.cache_spill() && self.vfs_for_spilling().is_some();
        if spills {
            self.cache_size().pages(self.page_size()).max(self.spill_pages() as usize).max(DIRTY_MIN)
        } else {
            usize::MAX
        }
    }

    fn vfs_for_spilling(&self) -> Option<&Arc<dyn Vfs>> {
        match &self.store {
            Store::Memory(memory) => memory.vfs(),
            Store::File(file) => Some(&file.vfs),
        }
    }

    /// Whether spilled pages go into the log: a concurrent transaction has no turn to write there.
    fn spills_into_log(&self, file: &FileStore) -> bool {
        file.is_wal() && !self.concurrent.is_active()
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
        self.put_elsewhere(txn, &**vfs, &victims)
    }

    fn put_elsewhere(&self, txn: &mut WriteTxn, vfs: &dyn Vfs, victims: &[SlotId]) -> Result<()> {
        let WriteTxn { dirty, savepoints, temp, .. } = txn;
        let page = |id: &SlotId| {
            let slot = dirty.slot(*id);
            (slot.no, &**slot.bytes.as_ref().expect("cold pages are not being written"))
        };
        let pages: Vec<(PageNo, &[u8])> = victims.iter().map(page).collect();
        match &self.store {
            _ if pages.is_empty() => {}
            Store::File(file) if self.spills_into_log(file) => file.spill_wal(self, &pages)?,
            _ => {
                let keep = savepoints.newest_mark().map_or(0, |mark| mark.len);
                temp.add(vfs, &pages, keep)?;
            }
        }
        let spilled: Vec<PageNo> = pages.into_iter().map(|(no, _)| no).collect();
        for no in spilled {
            dirty.remove(no);
        }
        txn.spilled = true;
        Ok(())
    }

    /// The page `no` from where it was spilled to, if it was.
    pub(crate) fn spilled_page(&self, txn: &WriteTxn, no: PageNo) -> Result<Option<PageRef>> {
        if !self.is_spilled(txn, no)? {
            return Ok(None);
        }
        let mut bytes = vec![0; self.page_size().bytes()];
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.read_spilled_wal(self, no, &mut bytes)?,
            _ => drop(txn.temp.read(no, &mut bytes)?),
        }
        Ok(Some(PageRef::from_arc(Arc::from(bytes))))
    }

    pub(crate) fn is_spilled(&self, txn: &WriteTxn, no: PageNo) -> Result<bool> {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => Ok(file.spilled_frame(no)?.is_some()),
            _ => Ok(txn.temp.contains(no)),
        }
    }

    /// Whether anything was spilled.
    pub(crate) fn has_spilled(&self, txn: &WriteTxn) -> bool {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.has_spilled_wal(),
            _ => !txn.temp.is_empty(),
        }
    }

    pub(crate) fn spill_mark(&self, txn: &WriteTxn) -> SpillMark {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.spill_mark_wal(),
            _ => txn.temp.mark(),
        }
    }

    /// Forgets what was spilled after `mark`.
    pub(crate) fn spill_back_to(&self, txn: &mut WriteTxn, mark: SpillMark) -> Result<()> {
        match &self.store {
            Store::File(file) if self.spills_into_log(file) => file.spill_back_to_wal(mark),
            _ => {
                txn.temp.back_to(mark);
                Ok(())
            }
        }
    }
}
