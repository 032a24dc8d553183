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
//!
//! Pages behind the end that the database had at every open savepoint need no note: who goes back cuts them off. Nor is
//! a page noted alone if the one before it was noted just now in the same way: a statement that adds or changes most of a
//! large database makes few notes.

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
    /// The last page that the database had at this savepoint, or at one below.
    end: u32,
    /// Pages behind the end were written.
    has_added: bool,
    undo: Vec<Undo>,
}

/// What of the transaction's state belongs to a savepoint, beside pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) page_count: u32,
    pub(crate) spilled: SpillMark,
}

/// How some pages that follow each other were when the savepoint was opened.
#[derive(Debug)]
struct Undo {
    /// The first page.
    no: PageNo,
    /// How many pages. A version in memory is that of one page.
    len: u32,
    before: Version,
    /// What the slot's `saved` was.
    saved: u64,
}

impl Undo {
    /// Whether what it says holds for the pages of `next`, too, so that both can be one.
    fn goes_on_with(&self, next: &Undo) -> bool {
        let follows = match (&self.before, &next.before) {
            (Version::Elsewhere, Version::Elsewhere) => true,
            (Version::Temp(place), Version::Temp(next)) => place + self.len == *next,
            _ => false,
        };
        follows && self.no.get() + self.len == next.no.get() && self.saved == next.saved
    }

    fn pages(&self) -> impl DoubleEndedIterator<Item = PageNo> + use<> {
        (self.no.get()..self.no.get() + self.len).filter_map(PageNo::new)
    }
}

#[derive(Debug)]
enum Version {
    /// Not in the dirty set.
    Elsewhere,
    Memory(Arc<[u8]>),
    /// In the temporary file of put-aside versions: the place of the first page, those of the others follow.
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

    /// The last page that the database had at one of them; 0 if none is open.
    pub(crate) fn end(&self) -> u32 {
        self.open.last().map_or(0, |savepoint| savepoint.end)
    }

    pub(crate) fn open(&mut self, moment: Moment) {
        self.serial += 1;
        let end = self.end().max(moment.page_count);
        self.open.push(Savepoint { serial: self.serial, moment, end, has_added: false, undo: Vec::new() });
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.in_memory = 0;
        self.temp.clear();
    }

    /// The page `no` comes into the dirty set now.
    #[inline]
    pub(crate) fn note_first_write(&mut self, no: PageNo) {
        let Some(newest) = self.open.last_mut() else { return };
        if no.get() > newest.end {
            newest.has_added = true;
        } else {
            push(&mut newest.undo, Undo { no, len: 1, before: Version::Elsewhere, saved: NO_SAVEPOINT });
        }
    }

    /// The page in `slot` is about to change, or to be spilled.
    #[inline]
    pub(crate) fn note_write(&mut self, dirty: &mut DirtySet, id: SlotId) {
        let Some(newest) = self.open.last_mut() else { return };
        let slot = dirty.slot_mut(id);
        if slot.saved < newest.serial {
            let before = slot.bytes.clone().expect("the page is not being written already");
            newest.undo.push(Undo { no: slot.no, len: 1, before: Version::Memory(before), saved: slot.saved });
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
                newest.has_added |= released.has_added;
            }
            for undo in released.undo {
                for no in undo.pages() {
                    if let Some(id) = dirty.find(no) {
                        dirty.slot_mut(id).saved = below;
                    }
                }
                match self.open.last_mut() {
                    Some(newest) if undo.saved < below => push(&mut newest.undo, undo),
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
        let has_added = self.open[depth..].iter().any(|savepoint| savepoint.has_added);
        loop {
            let last = self.open.len() - 1;
            let undo = std::mem::take(&mut self.open[last].undo);
            for undo in undo.into_iter().rev() {
                self.put_back(undo, dirty, page_size)?;
            }
            if last == depth {
                if has_added {
                    dirty.remove_behind(self.open[last].end);
                }
                self.open[last].has_added = false;
                return Ok(self.open[last].moment);
            }
            self.open.pop();
        }
    }

    fn put_back(&mut self, undo: Undo, dirty: &mut DirtySet, page_size: usize) -> Result<()> {
        let (pages, saved) = (undo.pages(), undo.saved);
        match undo.before {
            Version::Elsewhere => pages.rev().for_each(|no| dirty.remove(no)),
            Version::Memory(before) => {
                self.in_memory -= 1;
                put_into(dirty, undo.no, before, saved);
            }
            Version::Temp(first) => {
                for (no, place) in pages.zip(first..) {
                    let mut bytes = vec![0; page_size];
                    self.temp.read(place, &mut bytes)?;
                    put_into(dirty, no, Arc::from(bytes), saved);
                }
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
        self.open.iter_mut().for_each(|savepoint| join(&mut savepoint.undo));
        Ok(())
    }
}

fn put_into(dirty: &mut DirtySet, no: PageNo, before: Arc<[u8]>, saved: u64) {
    match dirty.find(no) {
        None => drop(dirty.insert(no, before, saved)),
        Some(id) => {
            let slot = dirty.slot_mut(id);
            slot.saved = saved;
            let after = slot.bytes.replace(before);
            assert!(after.is_some(), "page {no} is being written");
            dirty.recycle(after);
        }
    }
}

fn push(list: &mut Vec<Undo>, undo: Undo) {
    match list.last_mut() {
        Some(last) if last.goes_on_with(&undo) => last.len += undo.len,
        _ => list.push(undo),
    }
}

/// Makes one of notes that go on with each other.
fn join(list: &mut Vec<Undo>) {
    list.dedup_by(|next, last| {
        let goes_on = last.goes_on_with(next);
        if goes_on {
            last.len += next.len;
        }
        goes_on
    });
    list.shrink_to(2 * list.len());
}
