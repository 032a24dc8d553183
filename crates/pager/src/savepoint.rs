//! Savepoints: what must be put back to return to a moment of a transaction.
//!
//! Opening one copies nothing. The first write to a page after that puts the version before aside
//! (a count on its buffer; the write then copies, because the buffer is shared), and remembers in the
//! page's slot under which savepoint it did so, that it is done once.
//!
//! ```text
//!   savepoints    0: undo [page 7: clean before]
//!                 1: undo [page 7: bytes, page 9: clean before]   <- the newest
//! ```
//!
//! Releasing moves into the savepoint below what that one has not put aside itself.

use std::sync::Arc;

use lithe_format::PageNo;

use crate::dirty::{DirtySet, SlotId};

/// The serial number of "before all savepoints".
pub(crate) const NO_SAVEPOINT: u64 = 0;

/// One open savepoint.
#[derive(Debug)]
struct Savepoint {
    serial: u64,
    page_count: u32,
    undo: Vec<Undo>,
}

/// How one page was when the savepoint was opened.
#[derive(Debug)]
struct Undo {
    no: PageNo,
    /// Its bytes, or `None`: it had not been written at all.
    before: Option<Arc<[u8]>>,
    /// What the slot's `saved` was.
    saved: u64,
}

/// The open savepoints of a transaction, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Savepoints {
    open: Vec<Savepoint>,
    serial: u64,
}

impl Savepoints {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The serial number of the newest.
    #[inline]
    pub(crate) fn newest(&self) -> u64 {
        self.open.last().map_or(NO_SAVEPOINT, |savepoint| savepoint.serial)
    }

    pub(crate) fn open(&mut self, page_count: u32) {
        self.serial += 1;
        self.open.push(Savepoint { serial: self.serial, page_count, undo: Vec::new() });
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    /// The page `no` comes into the dirty set now.
    #[inline]
    pub(crate) fn note_first_write(&mut self, no: PageNo) {
        if let Some(newest) = self.open.last_mut() {
            newest.undo.push(Undo { no, before: None, saved: NO_SAVEPOINT });
        }
    }

    /// The page in `slot` is about to change.
    #[inline]
    pub(crate) fn note_write(&mut self, dirty: &mut DirtySet, id: SlotId) {
        let Some(newest) = self.open.last_mut() else { return };
        let slot = dirty.slot_mut(id);
        if slot.saved < newest.serial {
            let before = slot.bytes.clone();
            assert!(before.is_some(), "page {} is being written already", slot.no);
            newest.undo.push(Undo { no: slot.no, before, saved: slot.saved });
            slot.saved = newest.serial;
        }
    }

    /// Closes the savepoints from `depth` on, keeping what was done under them.
    pub(crate) fn release(&mut self, depth: usize, dirty: &mut DirtySet) {
        while self.open.len() > depth {
            let released = self.open.pop().expect("the length was checked");
            let below = self.newest();
            for undo in released.undo {
                let Some(id) = dirty.find(undo.no) else { continue };
                dirty.slot_mut(id).saved = below;
                match self.open.last_mut() {
                    Some(newest) if undo.saved < below => newest.undo.push(undo),
                    _ => dirty.recycle(undo.before),
                }
            }
        }
    }

    /// Puts all pages back to how they were when the savepoint `depth` was opened; it stays open.
    /// Answers the page count of then.
    pub(crate) fn rollback_to(&mut self, depth: usize, dirty: &mut DirtySet) -> u32 {
        self.open.truncate_with(depth + 1, |savepoint| put_back(savepoint, dirty));
        let target = self.open.last_mut().expect("the savepoint is open");
        put_back(target, dirty);
        target.page_count
    }
}

fn put_back(savepoint: &mut Savepoint, dirty: &mut DirtySet) {
    for undo in savepoint.undo.drain(..).rev() {
        match undo.before {
            None => dirty.remove(undo.no),
            Some(before) => {
                let id = dirty.find(undo.no).expect("what was put aside is still written");
                let slot = dirty.slot_mut(id);
                slot.saved = undo.saved;
                let after = slot.bytes.replace(before);
                assert!(after.is_some(), "page {} is being written", undo.no);
                dirty.recycle(after);
            }
        }
    }
}

/// Shortening a list from its end, with a last look at what goes.
trait TruncateWith<T> {
    fn truncate_with(&mut self, len: usize, last_look: impl FnMut(&mut T));
}

impl<T> TruncateWith<T> for Vec<T> {
    fn truncate_with(&mut self, len: usize, mut last_look: impl FnMut(&mut T)) {
        while self.len() > len {
            if let Some(mut last) = self.pop() {
                last_look(&mut last);
            }
        }
    }
}
