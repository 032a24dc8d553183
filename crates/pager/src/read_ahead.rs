//! Reading mapped pages that are not in memory yet, no more and no less.
//!
//! The system reads a page of a mapped file when it is first touched, while the reader waits. It does not know which
//! pages come next: it reads what the device is set to around the page (128 KiB, or megabytes), which takes longer than
//! all pages that are needed; and after that has been in vain for a while, only the one page, so that a value on four
//! pages waits for the device four times. So this module announces the pages beforehand (`madvise`). First it checks
//! whether they are in memory (`mincore`), which is a system call that costs about as much as copying a page. Where
//! everything is in memory, as it mostly is, the check is made once in a while only, and only for readers of runs:
//!
//! ```text
//!   run         1  2  3  4  5 ... 8  9 10 ... 14
//!   checked     x  x  x  x        x            x             up to 63 are skipped
//!   with leaf      x  x  x        x            x
//!                        ^ as soon as one is not in memory, all are checked again
//! ```
//!
//! A leaf that is not in memory is announced together with its neighbours, if the values of earlier leaves lay there:
//! then the reader waits for the device once a value, and not once for the leaf and once for the rest of the value.

use std::cell::Cell;

use lithe_format::PageNo;
use lithe_vfs::Mapping;

use crate::mappings::LastMapping;
use crate::snapshot::View;

/// The most runs that are skipped between two checks.
const UNSEEN_MAX: u8 = 63;

/// Leaves are checked until this many runs in a row were in memory, with their leaves.
const WARM: u8 = 4;

/// The number of pages on the way to a leaf that are checked before the next run is: a reader of rows without runs costs
/// no more checks.
const LEAF_CHECKS: u8 = 8;

/// The most bytes that are announced at once: reading more takes long enough for the system to read ahead by itself.
const ASK_MAX: usize = 4 << 20;

/// An estimate of how much of the file is in memory.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    /// The number of runs in a row that were checked and in memory; 0: the last was not, or its leaf.
    warm: Cell<u8>,
    /// The number of pages on the way to a leaf that are still checked. A run shows little about memory without its leaf,
    /// because the system reads so much around a leaf that the run comes along.
    leaf_checks: Cell<u8>,
    /// The number of runs that are still skipped.
    unseen: Cell<u8>,
    /// The leaf that was checked last: the next run is likely one of its values.
    leaf: Cell<u32>,
    /// It was not in memory, and asked for with the whole window.
    leaf_was_missing: Cell<bool>,
    /// How many pages before and behind a leaf the runs of the last ones reached.
    window: Cell<ReadaheadWindow>,
}

/// How far from their leaves values lie, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ReadaheadWindow {
    before: u32,
    behind: u32,
}

/// The largest distance of pages that are announced with the leaf: a value further away might be anywhere.
const WINDOW_MAX: u32 = 16;

impl ReadaheadWindow {
    /// After a value of the leaf `leaf` was found on `first..=last`.
    fn after(self, leaf: u32, first: u32, last: u32) -> ReadaheadWindow {
        let (before, behind) = (leaf.saturating_sub(first), last.saturating_sub(leaf));
        if before.max(behind) > WINDOW_MAX {
            // One less: values that lie elsewhere now and then do not matter.
            return ReadaheadWindow { before: self.before.saturating_sub(1), behind: self.behind.saturating_sub(1) };
        }
        ReadaheadWindow { before: self.before.max(before), behind: self.behind.max(behind) }
    }
}

impl ReadAhead {
    pub(crate) fn new() -> ReadAhead {
        // Leaves are not checked before a run was, so a reader of rows without runs makes no system call.
        ReadAhead {
            warm: Cell::new(0),
            leaf_checks: Cell::new(0),
            unseen: Cell::new(0),
            leaf: Cell::new(0),
            leaf_was_missing: Cell::new(false),
            window: Cell::default(),
        }
    }
}

impl ReadAhead {
    /// Hint: a run of `count` pages, from `first` on, will be read.
    #[inline]
    pub(crate) fn expect_run(&self, shown: &Shown<'_>, first: PageNo, count: u32) {
        match self.unseen.get() {
            0 => self.check_run(shown, first, count),
            n => {
                self.unseen.set(n - 1);
                if n == 1 {
                    self.leaf_checks.set(LEAF_CHECKS);
                }
            }
        }
    }

    /// Hint: page `no`, likely a leaf, will be read.
    #[inline]
    pub(crate) fn expect_leaf(&self, shown: &Shown<'_>, no: PageNo) {
        if self.leaf_checks.get() > 0 {
            self.check_leaf(shown, no);
        }
    }

    #[cold]
    fn check_run(&self, shown: &Shown<'_>, first: PageNo, count: u32) {
        let leaf = self.leaf.replace(0);
        if leaf > 0 {
            self.window.set(self.window.get().after(leaf, first.get(), first.get().saturating_add(count - 1)));
        }
        let is_missing = !shown.is_in_memory(first, count);
        if is_missing {
            shown.ask_for(first, count);
        }
        let is_cold = is_missing || (leaf > 0 && self.leaf_was_missing.get());
        let warm = if is_cold { 0 } else { (self.warm.get() + 1).min(UNSEEN_MAX) };
        self.warm.set(warm);
        self.unseen.set(if warm < WARM { 0 } else { warm });
        self.leaf_checks.set(if warm < WARM { LEAF_CHECKS } else { 0 });
    }

    #[cold]
    fn check_leaf(&self, shown: &Shown<'_>, no: PageNo) {
        self.leaf_checks.set(self.leaf_checks.get() - 1);
        let is_missing = !shown.is_in_memory(no, 1);
        self.leaf.set(no.get());
        self.leaf_was_missing.set(is_missing);
        if is_missing {
            let window = self.window.get();
            let before = window.before.min(no.get() - 1);
            shown.ask_for(PageNo::new(no.get() - before).unwrap_or(no), before + 1 + window.behind);
        }
    }
}

/// The mapped file, as far as a transaction may touch it.
pub(crate) struct Shown<'m> {
    pub(crate) mapping: &'m LastMapping,
    pub(crate) view: &'m View,
}

impl Shown<'_> {
    fn is_in_memory(&self, first: PageNo, count: u32) -> bool {
        self.with_mapped(first, count, |mapping, offset, len| mapping.is_resident(offset, len)).unwrap_or(true)
    }

    fn ask_for(&self, first: PageNo, count: u32) {
        self.with_mapped(first, count, |mapping, offset, len| mapping.will_need(offset, len));
    }

    /// Calls `look` with the place of the pages in the mapping, as far as they are mapped.
    fn with_mapped<T>(&self, first: PageNo, count: u32, look: impl FnOnce(&Mapping, usize, usize) -> T) -> Option<T> {
        let page_size = self.view.page_size.get().bytes();
        let offset = first.index() * page_size;
        let end = offset.saturating_add((count as usize).saturating_mul(page_size).min(ASK_MAX));
        let end = end.min(self.view.mapped.get().valid());
        if offset < end { self.mapping.with(|mapping| look(mapping, offset, end - offset)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_values_reach() {
        let mut window = ReadaheadWindow::default();
        let mut check = |leaf, first, last, before, behind| {
            window = window.after(leaf, first, last);
            assert_eq!(window, ReadaheadWindow { before, behind }, "leaf {leaf}, {first}..={last}");
        };
        check(100, 101, 103, 0, 3);
        check(100, 96, 98, 4, 3);
        check(200, 201, 202, 4, 3);
        // Far away: fewer and fewer pages are announced if that repeats.
        check(200, 1000, 1002, 3, 2);
        check(200, 1, 3, 2, 1);
        check(200, 190, 1003, 1, 0);
        check(200, 300, 303, 0, 0);
        check(5, 1, 3, 4, 0);
    }
}
