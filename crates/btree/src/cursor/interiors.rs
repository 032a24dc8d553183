//! Interior pages of tables that are searched again and again, decoded.
//!
//! ```text
//!   page    header | pointers ...            free            ... | child, rowid | child, rowid
//!   decoded first rowid, and for each cell    | rowid less the first, child |    8 bytes
//! ```
//!
//! On a page, a look at one cell is a look at a pointer and at the cell, each on a line of its own that is rarely in the
//! processor's cache, and the rowid has to be taken out of its varint. Decoded, both are side by side, eight cells a line,
//! and the header needs no look at all. A quarter of what finding a row costs is saved.
//!
//! What is decoded holds for one [version](Btree::version) of one tree. Only pages that are searched [`VISITS`] times within a
//! version are decoded, so that trees that change cost nothing; and no more than [`BYTES_MAX`] of them are kept, so that it is
//! the pages near the roots of large trees.

use super::search::{Range, find_child};
use crate::btree::Btree;
use crate::error::Result;
use crate::node::Node;
use lithe_format::PageNo;
use lithe_format::btree_page::{self, PageKind};
use lithe_format::cell::read_interior_rowid;
use std::cell::{Cell, Ref, RefCell};

/// How often a page is searched before it is decoded, which costs what some twenty searches cost.
const VISITS: u32 = 32;

/// A quarter of the usual page cache.
const BYTES_MAX: usize = 512 * 1024;

/// A power of two. Pages whose numbers lead to the same slot take turns.
const SLOTS: usize = 512;

/// The decoded pages of one database.
#[derive(Default)]
pub(crate) struct Interiors {
    /// None, or all of them.
    slots: RefCell<Vec<Slot>>,
    bytes: Cell<usize>,
}

/// A page that has been searched.
#[derive(Default)]
struct Slot {
    no: u32,
    root: u32,
    version: u64,
    visits: u32,
    interior: Option<Box<Interior>>,
}

/// See [`Interiors::of`].
pub(super) struct Tree<'i> {
    slots: Ref<'i, Vec<Slot>>,
    root: u32,
    version: u64,
}

/// A decoded page.
pub(super) struct Interior {
    first_rowid: i64,
    cells: Box<[Decoded]>,
    right_child: PageNo,
}

#[derive(Clone, Copy)]
struct Decoded {
    /// Less the first one of the page.
    rowid: u32,
    child: PageNo,
}

/// Where a search goes on.
pub(super) struct Turn {
    pub index: usize,
    pub child: PageNo,
    /// The rowids of the child.
    pub range: Range,
}

impl Interiors {
    /// The decoded pages of one version of the tree at `root`.
    #[inline]
    pub(super) fn of(&self, root: PageNo, version: u64) -> Tree<'_> {
        Tree { slots: self.slots.borrow(), root: root.get(), version }
    }

    /// Page `node` of the tree at `root` has been searched, and was not decoded.
    pub(super) fn visit(&self, root: PageNo, version: u64, node: &Node) {
        let slots = &mut *self.slots.borrow_mut();
        if slots.is_empty() {
            slots.resize_with(SLOTS, Slot::default);
        }
        let slot = &mut slots[place(node.no)];
        if slot.no != node.no.get() || slot.root != root.get() || slot.version != version {
            // Another page is there. If it is decoded, and still looked at, it has the advantage.
            if slot.visits > 0 && slot.interior.is_some() && slot.root == root.get() && slot.version == version {
                slot.visits -= 1;
                return;
            }
            let gone = slot.interior.take();
            self.bytes.set(self.bytes.get() - gone.map_or(0, |interior| interior.bytes()));
            *slot = Slot { no: node.no.get(), root: root.get(), version, visits: 0, interior: None };
        }
        slot.visits += 1;
        if slot.visits == VISITS {
            slot.interior =
                Interior::decode(node).filter(|new| self.bytes.get() + new.bytes() <= BYTES_MAX).map(Box::new);
            self.bytes.set(self.bytes.get() + slot.interior.as_ref().map_or(0, |new| new.bytes()));
        }
    }
}

/// The slot of a page: the numbers of interior pages are far apart, and often evenly.
#[inline]
fn place(no: PageNo) -> usize {
    (no.get().wrapping_mul(0x9e37_79b1) >> (u32::BITS - SLOTS.trailing_zeros())) as usize
}

impl Tree<'_> {
    /// Page `no`, if it is decoded.
    #[inline]
    pub fn page(&self, no: PageNo) -> Option<&Interior> {
        let slot = self.slots.get(place(no))?;
        let is_it = slot.no == no.get() && slot.version == self.version && slot.root == self.root;
        if is_it { slot.interior.as_deref() } else { None }
    }
}

impl Interior {
    /// `None` for a page that is not as it should be, or whose rowids are too far apart.
    fn decode(node: &Node) -> Option<Interior> {
        let count = node.count();
        let rowid_of = |index| read_interior_rowid(&node.page, node.cell_at(index).ok()?);
        let first_rowid = if count > 0 { rowid_of(0)? } else { return None };
        let mut cells = Vec::with_capacity(count);
        for index in 0..count {
            let rowid = u32::try_from(rowid_of(index)?.checked_sub(first_rowid)?).ok()?;
            cells.push(Decoded { rowid, child: node.child(index).ok()? });
        }
        Some(Interior { first_rowid, cells: cells.into(), right_child: node.child(count).ok()? })
    }

    fn bytes(&self) -> usize {
        size_of::<Interior>() + size_of_val(&*self.cells)
    }

    /// The page as a node: of the page itself nothing is read.
    #[inline]
    pub fn node(&self, btree: &Btree, no: PageNo) -> Result<Node> {
        let (kind, header_at) = (PageKind::TableInterior, btree_page::header_at(no));
        Ok(Node {
            page: btree.page(no)?,
            no,
            kind,
            cell_count: self.cells.len() as u16,
            header_at: header_at as u8,
            pointers_at: (header_at + kind.header_len()) as u8,
        })
    }

    /// The child that has `rowid` if any has. The rowids of the page are within `range`.
    #[inline]
    pub fn search(&self, rowid: i64, range: Range) -> Turn {
        let rowid_of = |index: usize| Some(self.first_rowid + i64::from(self.cells[index].rowid));
        let found = find_child(self.cells.len(), rowid, range, rowid_of);
        let (index, range) = found.expect("decoded rowids are there");
        Turn { index, child: self.cells.get(index).map_or(self.right_child, |cell| cell.child), range }
    }
}
