//! Interior pages that are searched again and again, decoded.
//!
//! ```text
//!   page of a table   header | pointers ...            free            ... | child, rowid | child, rowid
//!   decoded           first rowid, and for each cell    | rowid less the first, child |    8 bytes
//!
//!   page of an index  header | pointers ...            free            ... | child, entry | child, entry
//!   decoded           for each cell    | eight bytes of the entry's first column, or the integer there |    8 bytes
//!                     (the first eight in which the first columns of the page differ)
//! ```
//!
//! A comparison with a cell on a page reads a pointer and the cell, each on a cache line of its own that is rarely in the
//! processor's cache, and decodes the varint of the rowid. In a decoded page rowid and child are side by side, eight cells
//! a cache line, and the header is not read at all. That saves a quarter of the cost of finding a row.
//!
//! A decoded page is valid for one [shape](crate::Btree::shape) of one tree: changes to cells of a leaf do not affect it. Only pages that
//! are searched [`VISITS`] times within a shape are decoded, so that trees that grow cost nothing. No more than [`BYTES_MAX`] are kept, so
//! that they are pages near the roots of large trees.

use crate::key::Starts;
use crate::search::{Range, lower_bound};
use lithe_format::PageNo;
use std::cell::{Cell, Ref, RefCell};

/// How often a page is searched before it is decoded, which costs what some twenty searches cost.
const VISITS: u32 = 32;

/// A quarter of the usual page cache.
const BYTES_MAX: usize = 512 * 1024;

/// A power of two. Pages whose numbers map to the same slot replace each other.
const SLOTS: usize = 512;

/// The decoded pages of one database.
#[derive(Default)]
pub(crate) struct Interiors {
    /// Empty, or [`SLOTS`] slots.
    slots: RefCell<Vec<Slot>>,
    bytes: Cell<usize>,
}

/// A page that has been searched.
#[derive(Default)]
struct Slot {
    no: u32,
    root: u32,
    shape: u64,
    visits: u32,
    decoded: Option<Decoded>,
}

/// A decoded page.
pub(crate) enum Decoded {
    /// A page of a table.
    Table(Box<Interior>),
    /// A page of an index.
    Index(Starts),
}

/// See [`Interiors::of`].
pub(crate) struct Tree<'i> {
    slots: Ref<'i, Vec<Slot>>,
    root: u32,
    shape: u64,
}

/// A decoded page.
pub(crate) struct Interior {
    first_rowid: i64,
    cells: Box<[Child]>,
    right_child: PageNo,
}

#[derive(Clone, Copy)]
struct Child {
    /// The rowid, less the first one of the page.
    rowid: u32,
    child: PageNo,
}

/// The next step of a search.
pub(crate) struct Turn {
    pub index: usize,
    pub child: PageNo,
    /// The range of the child's rowids.
    pub range: Range,
}

impl Interiors {
    /// The decoded pages of one shape of the tree at `root`.
    #[inline]
    pub(crate) fn of(&self, root: PageNo, shape: u64) -> Tree<'_> {
        Tree { slots: self.slots.borrow(), root: root.get(), shape }
    }

    /// Counts a search of page `no` of the tree at `root`, which is not decoded. `decode` decodes the page if that pays
    /// now.
    pub(crate) fn visit(&self, root: PageNo, shape: u64, no: PageNo, decode: impl FnOnce() -> Option<Decoded>) {
        let slots = &mut *self.slots.borrow_mut();
        if slots.is_empty() {
            slots.resize_with(SLOTS, Slot::default);
        }
        let slot = &mut slots[place(no)];
        if slot.no != no.get() || slot.root != root.get() || slot.shape != shape {
            // The slot has another page. If that page is decoded, and still visited, it stays for now.
            if slot.visits > 0 && slot.decoded.is_some() && slot.root == root.get() && slot.shape == shape {
                slot.visits -= 1;
                return;
            }
            let gone = slot.decoded.take();
            self.bytes.set(self.bytes.get() - gone.map_or(0, |decoded| decoded.bytes()));
            *slot = Slot { no: no.get(), root: root.get(), shape, visits: 0, decoded: None };
        }
        slot.visits += 1;
        if slot.visits == VISITS {
            slot.decoded = decode().filter(|new| self.bytes.get() + new.bytes() <= BYTES_MAX);
            self.bytes.set(self.bytes.get() + slot.decoded.as_ref().map_or(0, Decoded::bytes));
            assert!(self.bytes.get() <= BYTES_MAX, "more decoded pages than are kept");
        }
    }
}

/// The slot of a page: the numbers of interior pages are far apart, and often evenly.
#[inline]
fn place(no: PageNo) -> usize {
    (no.get().wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.trailing_zeros())) as usize
}

impl Tree<'_> {
    /// Page `no` of a table, if it is decoded.
    #[inline]
    pub fn page(&self, no: PageNo) -> Option<&Interior> {
        match self.decoded(no)? {
            Decoded::Table(interior) => Some(interior),
            Decoded::Index(_) => None,
        }
    }

    /// Page `no` of an index, if it is decoded.
    #[inline]
    pub fn starts(&self, no: PageNo) -> Option<&Starts> {
        match self.decoded(no)? {
            Decoded::Table(_) => None,
            Decoded::Index(starts) => Some(starts),
        }
    }

    #[inline]
    fn decoded(&self, no: PageNo) -> Option<&Decoded> {
        let slot = self.slots.get(place(no))?;
        let is_it = slot.no == no.get() && slot.shape == self.shape && slot.root == self.root;
        if is_it { slot.decoded.as_ref() } else { None }
    }
}

impl Decoded {
    fn bytes(&self) -> usize {
        match self {
            Decoded::Table(interior) => interior.bytes(),
            Decoded::Index(starts) => starts.bytes(),
        }
    }
}

impl Interior {
    /// The page with these `count` cells, each a rowid and the child before it, and a child after the last. `None` for a page
    /// that is malformed, or whose rowids are too far apart.
    pub(crate) fn of_cells(
        count: usize,
        cell: impl Fn(usize) -> Option<(i64, PageNo)>,
        right_child: PageNo,
    ) -> Option<Interior> {
        let (first_rowid, _) = if count > 0 { cell(0)? } else { return None };
        let mut cells = Vec::with_capacity(count);
        for index in 0..count {
            let (rowid, child) = cell(index)?;
            let rowid = u32::try_from(rowid.checked_sub(first_rowid)?).ok()?;
            cells.push(Child { rowid, child });
        }
        Some(Interior { first_rowid, cells: cells.into(), right_child })
    }

    fn bytes(&self) -> usize {
        size_of::<Interior>() + size_of_val(&*self.cells)
    }

    /// How many cells the page has.
    #[inline]
    pub fn cell_count(&self) -> u16 {
        self.cells.len() as u16
    }

    /// The child that has `rowid` if any has. The rowids of the page are within `range`.
    #[inline]
    pub fn search(&self, rowid: i64, range: Range) -> Turn {
        let (index, range) = if range == Range::default() { self.halve(rowid) } else { self.guess(rowid, range) };
        Turn { index, child: self.cells.get(index).map_or(self.right_child, |cell| cell.child), range }
    }

    /// The first cell whose rowid is not less, on the root, which is in the processor's cache.
    #[inline]
    fn halve(&self, rowid: i64) -> (usize, Range) {
        let distance = rowid.saturating_sub(self.first_rowid).max(0);
        let index = match u32::try_from(distance) {
            Ok(distance) => self.cells.partition_point(|cell| cell.rowid < distance),
            Err(_) => self.cells.len(),
        };
        let rowid_of = |index: usize| self.cells.get(index).map(|cell| self.first_rowid + i64::from(cell.rowid));
        (index, Range { above: index.checked_sub(1).and_then(rowid_of), to: rowid_of(index) })
    }

    /// As [`Interior::halve`], on a page whose rowids are within `range`.
    #[inline]
    fn guess(&self, rowid: i64, range: Range) -> (usize, Range) {
        let rowid_of = |index: usize| Some(self.first_rowid + i64::from(self.cells[index].rowid));
        lower_bound(true, self.cells.len(), rowid, range, rowid_of).expect("decoded rowids are there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::find_child;

    #[test]
    fn a_root_is_searched_as_any_page() {
        let page = |no: usize| PageNo::new(no as u32 + 2).expect("not 0");
        let far = i64::from(u32::MAX);
        for rowids in
            [vec![5], vec![-7, -6, 0, 9, far - 7], vec![i64::MIN, i64::MIN + far], vec![i64::MAX - far, i64::MAX]]
        {
            let interior =
                Interior::of_cells(rowids.len(), |at| Some((rowids[at], page(at))), page(rowids.len())).unwrap();
            let near = rowids.iter().flat_map(|rowid| [rowid.saturating_sub(1), *rowid, rowid.saturating_add(1)]);
            for wanted in near.chain([i64::MIN, -far, far, i64::MAX]) {
                let (index, range) =
                    find_child(rowids.len(), wanted, Range::default(), |index| rowids.get(index).copied()).unwrap();
                let turn = interior.search(wanted, Range::default());
                assert_eq!((turn.index, turn.range, turn.child), (index, range, page(index)), "{wanted} in {rowids:?}");
            }
        }
    }
}
