//! Reading mapped pages that are not in memory yet, no more and no less.
//!
//! A page of a mapped file that is touched for the first time is read by the system while we wait. It cannot know what
//! comes next: it reads what the device is set to around the page (128 KiB, or megabytes), which takes longer than all
//! that is wanted, and when that has been in vain for a while, that one page and no more, so that a value on four pages
//! waits for the device four times. So it is told beforehand what will be read. To be told it must be asked first whether the pages are in memory,
//! which costs a system call, about as long as copying a page takes; where everything is in memory, as it mostly is,
//! that is done once in a while only:
//!
//! ```text
//!   run         1  2  3  4  5  6  7  8  9 10 11 12 13
//!   looked at   x  x     x        x           x              up to 63 are passed over
//!               ^ was not in memory: from here on each is looked at again, and for a while the leaves before them
//! ```

use std::cell::Cell;

use lithe_format::PageNo;

use crate::pager::{Pager, Store};

/// So many runs are not looked at after long enough.
const UNSEEN_MAX: u8 = 63;

/// Leaves are looked at until so many leaves and runs in a row were in memory.
const WARM: u8 = 4;

/// More than this is not asked for at once: reading it takes long enough for the system to read ahead by itself.
const ASK_MAX: usize = 4 << 20;

/// What is known of how much of the file is in memory.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    /// So many runs and leaves were looked at in a row and were in memory; 0: the last was not.
    warm: Cell<u8>,
    /// So many runs are still not looked at.
    unseen: Cell<u8>,
}

impl ReadAhead {
    pub(crate) fn new() -> ReadAhead {
        // Leaves are not looked at before a run was not in memory: who reads rows only never asks.
        ReadAhead { warm: Cell::new(WARM), unseen: Cell::new(0) }
    }
}

impl Pager {
    /// Hint: a run of `count` pages, from `first` on, will be read.
    #[inline]
    pub fn expect_run(&self, first: PageNo, count: u32) {
        let unseen = &self.read_ahead.unseen;
        match unseen.get() {
            0 => self.look_at_run(first, count),
            n => unseen.set(n - 1),
        }
    }

    /// Hint: page `no`, likely a leaf, will be read.
    #[inline]
    pub fn expect_leaf(&self, no: PageNo) {
        if self.read_ahead.warm.get() < WARM {
            self.look_at_leaf(no);
        }
    }

    #[cold]
    fn look_at_run(&self, first: PageNo, count: u32) {
        let ahead = &self.read_ahead;
        if self.was_in_memory(first, count) {
            ahead.warm.set((ahead.warm.get() + 1).min(UNSEEN_MAX));
            ahead.unseen.set(ahead.warm.get());
        } else {
            ahead.warm.set(0);
        }
    }

    #[cold]
    fn look_at_leaf(&self, no: PageNo) {
        let warm = &self.read_ahead.warm;
        warm.set(if self.was_in_memory(no, 1) { warm.get() + 1 } else { 0 });
    }

    /// Whether pages are in memory; if not, they are asked for.
    fn was_in_memory(&self, first: PageNo, count: u32) -> bool {
        let page_size = self.page_size().bytes();
        let offset = first.index() * page_size;
        let end = offset.saturating_add((count as usize).saturating_mul(page_size).min(ASK_MAX));
        let end = end.min(self.view.mapped.get().valid());
        let Store::File(file) = &self.store else { return true };
        let Ok(Some(mapping)) = file.database.mapping(&*file.file) else { return true };
        if offset >= end || mapping.is_resident(offset, end - offset) {
            return true;
        }
        mapping.will_need(offset, end - offset);
        false
    }
}
