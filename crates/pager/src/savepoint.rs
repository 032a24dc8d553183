//! Savepoints: what must be put back to return to a moment of a transaction.
//!
//! Opening one copies nothing. The first write to a page after that puts the version before aside
//! (a count on its buffer; the write then copies, because the buffer is shared), and remembers in the
//! page's slot under which savepoint it did so, that it is done once.
//!
//! ```text
//!   savepoints    0: undo [page 7: elsewhere before]
//!                 1: undo [page 7: bytes, page 9: elsewhere before]   <- the newest
//! ```
//!
//! "Elsewhere" is not in the dirty set: clean, or spilled before the savepoint was opened; what was
//! spilled after is cut off when going back, so a page that is spilled is put aside like one that is
//! written. Releasing moves into the savepoint below what that one has not put aside itself.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_vfs::{OpenFlags, Vfs};

use crate::dirty::{DirtySet, SlotId};
use crate::error::Result;
use crate::spill::SpillMark;
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
    undo: Vec<Undo>,
}

/// What of the transaction's state belongs to a savepoint, beside pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) page_count: u32,
    pub(crate) spilled: SpillMark,
}

/// How one page was when the savepoint was opened.
#[derive(Debug)]
struct Undo {
    no: PageNo,
    before: Version,
    /// What the slot's `saved` was.
    saved: u64,
}

#[derive(Debug)]
enum Version {
    /// Not in the dirty set.
    Elsewhere,
    Memory(Arc<[u8]>),
    /// In the temporary file of put-aside versions.
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
}

impl Savepoints {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn in_memory(&self) -> usize {
        self.in_memory
    }

    /// The serial number of the newest.
    #[inline]
    pub(crate) fn newest(&self) -> u64 {
        self.open.last().map_or(NO_SAVEPOINT, |savepoint| savepoint.serial)
    }

    /// What was spilled before the newest was opened.
    pub(crate) fn newest_mark(&self) -> Option<SpillMark> {
        self.open.last().map(|savepoint| savepoint.moment.spilled)
    }

    pub(crate) fn open(&mut self, moment: Moment) {
        self.serial += 1;
        self.open.push(Savepoint { serial: self.serial, moment, undo: Vec::new() });
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.in_memory = 0;
        self.temp.clear();
    }

    /// The page `no` comes into the dirty set now.
    #[inline]
    pub(crate) fn note_first_write(&mut self, no: PageNo) {
        if let Some(newest) = self.open.last_mut() {
            newest.undo.push(Undo { no, before: Version::Elsewhere, saved: NO_SAVEPOINT });
        }
    }

    /// The page in `slot` is about to change, or to be spilled.
    #[inline]
    pub(crate) fn note_write(&mut self, dirty: &mut DirtySet, id: SlotId) {
        let Some(newest) = self.open.last_mut() else { return };
        let slot = dirty.slot_mut(id);
        if slot.saved < newest.serial {
            let before = slot.bytes.clone().expect("the page is not being written already");
            newest.undo.push(Undo { no: slot.no, before: Version::Memory(before), saved: slot.saved });
            slot.saved = newest.serial;
            self.in_memory += 1;
        }
    }

    /// Closes the savepoints from `depth` on, keeping what was done under them.
    pub(crate) fn release(&mut self, depth: usize, dirty: &mut DirtySet) {
        while self.open.len() > depth {
            let released = self.open.pop().expect("the length was checked");
            let below = self.newest();
            for undo in released.undo {
                if let Some(id) = dirty.find(undo.no) {
                    dirty.slot_mut(id).saved = below;
                }
                match self.open.last_mut() {
                    Some(newest) if undo.saved < below => newest.undo.push(undo),
                    _ => self.forget(undo.before, dirty),
                }
            }
        }
        if self.open.is_empty() {
            self.clear();
        }
    }

    fn forget(&mut self, version: Version, dirty: &mut DirtySet) {
        if let Version::Memory(bytes) = version {
            self.in_memory -= 1;
            dirty.recycle(Some(bytes));
        }
    }

    /// Puts all pages back to how they were when the savepoint `depth` was opened; it stays open.
    /// Answers what else was then. Should it fail, the transaction cannot go on.
    pub(crate) fn rollback_to(&mut self, depth: usize, dirty: &mut DirtySet, page_size: usize) -> Result<Moment> {
        loop {
            let last = self.open.len() - 1;
            let undo = std::mem::take(&mut self.open[last].undo);
            for undo in undo.into_iter().rev() {
                self.put_back(undo, dirty, page_size)?;
            }
            if last == depth {
                return Ok(self.open[last].moment);
            }
            self.open.pop();
        }
    }

    fn put_back(&mut self, undo: Undo, dirty: &mut DirtySet, page_size: usize) -> Result<()> {
        let before = match undo.before {
            Version::Elsewhere => {
                dirty.remove(undo.no);
                return Ok(());
            }
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
        match dirty.find(undo.no) {
            None => drop(dirty.insert(undo.no, before, undo.saved)),
            Some(id) => {
                let slot = dirty.slot_mut(id);
                slot.saved = undo.saved;
                let after = slot.bytes.replace(before);
                assert!(after.is_some(), "page {} is being written", undo.no);
                dirty.recycle(after);
            }
        }
        Ok(())
    }

    /// Puts the versions that are in memory into a temporary file.
    pub(crate) fn spill(&mut self, vfs: &dyn Vfs) -> Result<()> {
        let versions = self.open.iter_mut().flat_map(|savepoint| &mut savepoint.undo).map(|undo| &mut undo.before);
        let mut versions: Vec<&mut Version> =
            versions.filter(|version| matches!(version, Version::Memory(_))).collect();
        for batch in versions.chunks_mut(BATCH) {
            let pages: Vec<&[u8]> = batch
                .iter()
                .filter_map(|version| if let Version::Memory(bytes) = &**version { Some(&**bytes) } else { None })
                .collect();
            let first = self.temp.append(vfs, OpenFlags::SUBJOURNAL, &pages)?;
            for (version, place) in batch.iter_mut().zip(first..) {
                **version = Version::Temp(place);
            }
            self.in_memory -= batch.len();
        }
        Ok(())
    }
}
