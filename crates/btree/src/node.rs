//! A page of a tree in a cursor's path: checked in constant time when it is loaded, and bounds-checked at each access.

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::interiors::Interior;
use lithe_format::PageNo;
use lithe_format::btree_page::{self, PageHeader, PageKind, RIGHT_CHILD_AT};
use lithe_format::bytes::get_u32;
use lithe_format::cell;
use lithe_pager::PageRef;

/// The two kinds of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// Rows by rowid, all of them on leaves.
    Table,
    /// Records in their own order, on leaves and interior pages.
    Index,
}

impl TreeKind {
    /// The kind of a leaf of such a tree.
    pub fn leaf(self) -> PageKind {
        match self {
            TreeKind::Table => PageKind::TableLeaf,
            TreeKind::Index => PageKind::IndexLeaf,
        }
    }
}

/// A tree is never deeper: with two children a page, deeper trees exceed the largest database.
pub(crate) const MAX_DEPTH: usize = 20;

/// A page of a tree.
#[derive(Clone)]
pub(crate) struct Node {
    pub page: PageRef,
    pub no: PageNo,
    pub kind: PageKind,
    pub cell_count: u16,
    pub header_at: u8,
    pub pointers_at: u8,
}

impl Node {
    /// Page `no` as part of a tree of the given kind.
    #[inline]
    pub fn load(btree: &Btree, no: PageNo, tree: TreeKind) -> Result<Node> {
        let page = btree.page(no)?;
        let header_at = btree_page::header_at(no);
        let header = PageHeader::read(&page, header_at, btree.usable_size()).map_err(|e| corrupt(no, e.0))?;
        if header.kind.is_table() != (tree == TreeKind::Table) {
            return Err(corrupt(no, "page of the other kind of tree"));
        }
        Ok(Node::of(page, no, &header))
    }

    /// Page `no`, whose header has been read and checked.
    #[inline]
    pub fn of(page: PageRef, no: PageNo, header: &PageHeader) -> Node {
        Node {
            page,
            no,
            kind: header.kind,
            cell_count: header.cell_count,
            header_at: header.at as u8,
            pointers_at: header.pointers_at() as u8,
        }
    }

    /// Page `no`, an interior page of a table that is known to have this many cells: nothing is read from the page
    /// itself.
    #[inline]
    pub fn of_interior(btree: &Btree, no: PageNo, cell_count: u16) -> Result<Node> {
        let (kind, header_at) = (PageKind::TableInterior, btree_page::header_at(no));
        Ok(Node {
            page: btree.page(no)?,
            no,
            kind,
            cell_count,
            header_at: header_at as u8,
            pointers_at: (header_at + kind.header_len()) as u8,
        })
    }

    /// The rowids and children of an interior page of a table; `None` if it is malformed.
    pub fn decode_interior(&self) -> Option<Interior> {
        let cell = |index| {
            let rowid = cell::read_interior_rowid(&self.page, self.cell_at(index).ok()?)?;
            Some((rowid, self.child(index).ok()?))
        };
        Interior::of_cells(self.count(), cell, self.child(self.count()).ok()?)
    }

    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.kind.is_leaf()
    }

    #[inline]
    pub fn count(&self) -> usize {
        usize::from(self.cell_count)
    }

    /// The start of cell `index`, as the page states it. The caller checks the bounds.
    #[inline]
    pub fn cell_at(&self, index: usize) -> Result<usize> {
        debug_assert!(index < self.count(), "cell {index} of {}", self.cell_count);
        btree_page::cell_pointer(&self.page, usize::from(self.pointers_at), index)
            .ok_or_else(|| corrupt(self.no, "cell pointer outside the page"))
    }

    /// The child before cell `index`, or after the last cell.
    #[inline]
    pub fn child(&self, index: usize) -> Result<PageNo> {
        let field = if index < self.count() {
            cell::left_child(&self.page, self.cell_at(index)?)
        } else {
            get_u32(&self.page, usize::from(self.header_at) + RIGHT_CHILD_AT).and_then(PageNo::new)
        };
        // Page 1 is the root of the schema table and no page's child.
        field.filter(|no| *no != PageNo::FIRST).ok_or_else(|| corrupt(self.no, "child page 0 or 1"))
    }

    /// The cell pointers, as one slice: two bytes each.
    #[inline]
    pub fn pointers(&self) -> Result<&[[u8; 2]]> {
        let from = usize::from(self.pointers_at);
        let pointers = self.page.get(from..from + 2 * self.count());
        Ok(pointers.ok_or_else(|| corrupt(self.no, "cell pointers outside the page"))?.as_chunks().0)
    }

    /// An error about this page.
    #[cold]
    pub fn corrupt(&self, what: &'static str) -> crate::Error {
        corrupt(self.no, what)
    }
}
