//! Savepoints: the versions that a rollback to a moment of a transaction restores.
//!
//! Opening one copies nothing. The first write to a page after that saves the version before (a count on its buffer;
//! the write then copies, because the buffer is shared), and records in the page's slot under which savepoint that was,
//! so that it happens once.
//!
//! ```text
//!   savepoints    0: undo [page 7: bytes]
//!                 1: undo [page 7: newer bytes, page 9: bytes]   <- the newest
//!   dirty set     page 7 saved under 1, page 9 under 1, page 12 came under 1, page 3 before all
//! ```
//!
//! A page that was not in the dirty set, because it was clean or spilled, needs no saved version: its slot records under which
//! savepoint it came, and the rollback removes the slot. What was spilled after the savepoint is discarded by the rollback, so
//! a page that is spilled is saved like one that is written. The saved versions are thus never more than the dirty set was,
//! however many pages a statement changes.
//!
//! A release moves into the savepoint below the versions that that one has not saved itself. A slot may still name a savepoint
//! that was released. That is no harm: its number is newer than those that are still open, and older than all to come.

use std::sync::Arc;

use hashbrown::HashSet;
use lithe_format::PageNo;
use lithe_vfs::{OpenFlags, Vfs};

use crate::dirty::{DirtySet, NO_MEMO, PageHashes, Slot, SlotId};
use crate::error::Result;
use crate::spill::{Marks, SpillMark};
use crate::temp_file::TempPages;

/// The serial number of "before all savepoints".
pub(crate) const NO_SAVEPOINT: u64 = 0;

/// How many pages are put into the temporary file at once.
const BATCH: usize = 128;

/// One open savepoint.
#[derive(Debug)]
struct Savepoint {
    serial: u64,
    moment: Moment,
    /// The last page that the database had at this savepoint, or at one below.
    end: u32,
    /// Pages came into the dirty set.
    has_arrived: bool,
    undo: Vec<Undo>,
    /// The pages in `undo`, if the savepoints note that.
    kept: HashSet<PageNo, PageHashes>,
}

/// The state of the transaction, beside pages, that belongs to a savepoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) page_count: u32,
    pub(crate) spilled: SpillMark,
}

/// How a page of the dirty set was when the savepoint was opened.
#[derive(Debug)]
struct Undo {
    no: PageNo,
    before: Version,
    /// What the slot's `saved` was.
    saved: u64,
}

#[derive(Debug)]
enum Version {
    Memory(Arc<[u8]>),
    /// The version is at this place in the temporary file of saved versions.
    Temp(u32),
}

/// The open savepoints of a transaction, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Savepoints {
    open: Vec<Savepoint>,
    serial: u64,
    /// How many versions are in memory.
    in_memory: usize,
    temp: TempPages,
    /// Savepoints record which pages they have saved, because a page that leaves the dirty set overwrites a version that a
    /// savepoint may need.
    notes_pages: bool,
}

impl Savepoints {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// The serial number of the newest savepoint.
    #[inline]
    pub(crate) fn newest(&self) -> u64 {
        self.open.last().map_or(NO_SAVEPOINT, |savepoint| savepoint.serial)
    }

    /// How much was spilled before the oldest and the newest savepoint were opened.
    pub(crate) fn marks(&self) -> Marks {
        let mark = |savepoint: Option<&Savepoint>| savepoint.map_or(0, |savepoint| savepoint.moment.spilled.len);
        Marks { oldest: mark(self.open.first()), newest: mark(self.open.last()) }
    }

    /// The last page that the database had at one of the savepoints; 0 if none is open.
    pub(crate) fn end(&self) -> u32 {
        self.open.last().map_or(0, |savepoint| savepoint.end)
    }

    /// Begins a transaction. With `notes_pages`, pages that leave the dirty set may overwrite versions that a savepoint
    /// needs.
    pub(crate) fn begin(&mut self, notes_pages: bool) {
        self.notes_pages = notes_pages;
    }

    /// The serial number of the newest savepoint that has saved a version of page `no`.
    pub(crate) fn saved(&self, no: PageNo) -> u64 {
        let keeps = |savepoint: &&Savepoint| savepoint.kept.contains(&no);
        self.open.iter().rev().find(keeps).map_or(NO_SAVEPOINT, |savepoint| savepoint.serial)
    }

    pub(crate) fn open(&mut self, moment: Moment) {
        self.serial += 1;
        let end = self.end().max(moment.page_count);
        assert!(self.newest() < self.serial, "a savepoint is newer than those that are open");
        self.open.push(Savepoint {
            serial: self.serial,
            moment,
            end,
            has_arrived: false,
            undo: Vec::new(),
            kept: HashSet::default(),
        });
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.in_memory = 0;
        self.temp.clear();
    }

    /// Records that a page comes into the dirty set, with a slot that names the newest savepoint.
    #[inline]
    pub(crate) fn note_arrival(&mut self) {
        if let Some(newest) = self.open.last_mut() {
            newest.has_arrived = true;
        }
    }

    /// Whether nothing has to be saved before the page in `slot` changes.
    #[inline]
    pub(crate) fn has_saved(&self, slot: &Slot) -> bool {
        slot.saved >= self.newest()
    }

    /// Saves the version of the page in `slot`, which is about to change or to be spilled.
    #[inline]
    pub(crate) fn note_write(&mut self, dirty: &mut DirtySet, id: SlotId) {
        let Some(newest) = self.open.last_mut() else { return };
        let slot = dirty.slot_mut(id);
        if slot.saved < newest.serial {
            let before = slot.bytes.clone().expect("the page is not being written already");
            newest.undo.push(Undo { no: slot.no, before: Version::Memory(before), saved: slot.saved });
            if self.notes_pages {
                newest.kept.insert(slot.no);
            }
            slot.saved = newest.serial;
            self.in_memory += 1;
        }
    }

    /// Closes the savepoints from `depth` on, keeping what was done under them.
    pub(crate) fn release(&mut self, depth: usize, dirty: &mut DirtySet) {
        while self.open.len() > depth {
            let released = self.open.pop().expect("the length was checked");
            let below = self.newest();
            if let Some(newest) = self.open.last_mut() {
                newest.has_arrived |= released.has_arrived;
            }
            for undo in released.undo {
                match self.open.last_mut() {
                    Some(newest) if undo.saved < below => {
                        if self.notes_pages {
                            newest.kept.insert(undo.no);
                        }
                        newest.undo.push(undo);
                    }
                    _ => self.forget(undo.before, dirty),
                }
            }
        }
        assert!(self.open.len() <= depth, "a released savepoint is open");
        if self.open.is_empty() {
            self.clear();
        }
    }

    fn forget(&mut self, version: Version, dirty: &mut DirtySet) {
        if let Version::Memory(bytes) = version {
            assert!(self.in_memory > 0, "more versions are let go of than are in memory");
            self.in_memory -= 1;
            dirty.recycle(Some(bytes));
        }
    }

    /// Restores all pages as they were when the savepoint `depth` was opened; it stays open. Answers the rest of the
    /// state at that moment. The numbers of the pages that leave the dirty set, and perhaps come back to it, are added to `undone`.
    /// After an error the transaction can only be rolled back.
    pub(crate) fn rollback_to(
        &mut self,
        depth: usize,
        dirty: &mut DirtySet,
        page_size: usize,
        undone: &mut HashSet<PageNo, PageHashes>,
    ) -> Result<Moment> {
        assert!(depth < self.open.len(), "a savepoint that is not open");
        let serial = self.open[depth].serial;
        if self.open[depth..].iter().any(|savepoint| savepoint.has_arrived) {
            // This also removes pages that were in the set before, and have changed since: they are restored below.
            undone.extend(dirty.remove_saved_since(serial));
        }
        while self.open.len() > depth + 1 {
            let newer = self.open.pop().expect("the length was checked");
            self.put_all_back(newer.undo, serial, dirty, page_size)?;
        }
        let savepoint = &mut self.open[depth];
        savepoint.has_arrived = false;
        savepoint.kept.clear();
        let (undo, moment) = (std::mem::take(&mut savepoint.undo), savepoint.moment);
        self.put_all_back(undo, serial, dirty, page_size)?;
        assert_eq!(self.open.len(), depth + 1, "the savepoint stays open, and none after it");
        Ok(moment)
    }

    /// Restores the versions from before savepoint `serial`; the other versions are of pages that came, or had changed,
    /// since.
    fn put_all_back(&mut self, undo: Vec<Undo>, serial: u64, dirty: &mut DirtySet, page_size: usize) -> Result<()> {
        for undo in undo {
            match undo.saved < serial {
                true => self.put_back(undo, dirty, page_size)?,
                false => self.forget(undo.before, dirty),
            }
        }
        Ok(())
    }

    fn put_back(&mut self, undo: Undo, dirty: &mut DirtySet, page_size: usize) -> Result<()> {
        let before = match undo.before {
            Version::Memory(before) => {
                self.in_memory -= 1;
                before
            }
            Version::Temp(place) => {
                let mut bytes = vec![0; page_size];
                self.temp.read(place, &mut bytes)?;
                Arc::from(bytes)
            }
        };
        put_into(dirty, undo.no, before, undo.saved);
        Ok(())
    }

    /// Moves the versions that are in memory to a temporary file.
    pub(crate) fn spill(&mut self, vfs: &dyn Vfs) -> Result<()> {
        let versions = self.open.iter_mut().flat_map(|savepoint| &mut savepoint.undo).map(|undo| &mut undo.before);
        let mut versions: Vec<&mut Version> =
            versions.filter(|version| matches!(version, Version::Memory(_))).collect();
        for batch in versions.chunks_mut(BATCH) {
            let pages: Vec<&[u8]> = batch
                .iter()
                .filter_map(|version| if let Version::Memory(bytes) = &**version { Some(&**bytes) } else { None })
                .collect();
            assert!(pages.len() <= self.in_memory, "more versions are put away than are in memory");
            let first = self.temp.append(vfs, OpenFlags::SUBJOURNAL, &pages)?;
            for (version, place) in batch.iter_mut().zip(first..) {
                **version = Version::Temp(place);
            }
            self.in_memory -= batch.len();
        }
        Ok(())
    }
}

fn put_into(dirty: &mut DirtySet, no: PageNo, before: Arc<[u8]>, saved: u64) {
    match dirty.find(no) {
        None => drop(dirty.insert(no, before, saved)),
        Some(id) => {
            let slot = dirty.slot_mut(id);
            slot.saved = saved;
            slot.memo = NO_MEMO;
            let after = slot.bytes.replace(before);
            assert!(after.is_some(), "page {no} is being written");
            dirty.recycle(after);
        }
    }
}
