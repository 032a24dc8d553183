//! The row on which a cursor stands, and a fast path for loops that visit millions of rows: the most common kind of row in
//! the fewest steps, and the leaf on which the cursor stands, over which a loop may go by itself.

use super::{Cursor, ParsedRow, State};
use crate::btree::Btree;
use crate::error::Result;
use lithe_format::btree_page::{CHILD_LEN, POINTER_LEN, PageKind};
use lithe_format::bytes::get_u16;
use lithe_format::cell::{self, PayloadSpan};
use lithe_pager::PageRef;

/// The row or entry on which a cursor stands.
///
/// The local bytes live as long as the page: a caller that needs them beyond the next move of the cursor keeps a clone
/// of [`Row::page`], which costs nothing or a counter.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The page that holds the row.
    pub page: &'a PageRef,
    /// Its place on the page.
    pub span: PayloadSpan,
}

impl<'a> Row<'a> {
    /// The part of the payload that is on the page; all of it unless it [overflows](PayloadSpan::overflows).
    #[inline]
    pub fn local(&self) -> &'a [u8] {
        &self.page[self.span.range()]
    }

    /// The length of the payload.
    #[inline]
    pub fn len(&self) -> u32 {
        self.span.len
    }

    /// Whether the payload has no bytes at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.span.len == 0
    }
}

/// The leaf on which a cursor stands, and the index there.
///
/// It is valid for as long as the tree does not change ([`Btree::version`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaf {
    /// The cell on which the cursor stands.
    pub index: u16,
    /// How many cells the leaf has.
    pub count: u16,
    pointers_at: u8,
    has_rowids: bool,
    max_local: u32,
    usable: u32,
}

impl Leaf {
    /// The rowid of cell `index` of the leaf, which `page` must be. `None`: not known here, see [`Cursor::rowid`].
    #[inline]
    pub fn rowid(&self, page: &[u8], index: u16) -> Option<i64> {
        let at = get_u16(page, usize::from(self.pointers_at) + POINTER_LEN * usize::from(index))?;
        if self.has_rowids { cell::read_leaf_rowid(page, usize::from(at)) } else { None }
    }

    /// The payload of cell `index` of the leaf, if all of it is on `page`, which must be the leaf's. `None`: not known
    /// here, see [`Cursor::row`].
    #[inline]
    pub fn payload(&self, page: &[u8], index: u16) -> Option<PayloadSpan> {
        let at = get_u16(page, usize::from(self.pointers_at) + POINTER_LEN * usize::from(index))?;
        cell::read_usual_payload(page, usize::from(at), self.has_rowids, self.max_local, self.usable)
    }
}

impl Cursor {
    /// The rowid of the row on which the cursor stands, or stood before it was deleted.
    #[inline]
    pub fn rowid(&mut self) -> Result<i64> {
        debug_assert!(self.key_info.is_none() && self.state != State::Nowhere);
        Ok(self.parse()?.rowid)
    }

    /// The rowid of the row on which the cursor stands, if the row is an ordinary one, and nothing has been written since the cursor came
    /// here. `None`: not known here, see [`Cursor::rowid`].
    #[inline]
    pub fn peek_rowid(&mut self, btree: &Btree) -> Option<i64> {
        if !self.is_on_current_row(btree) {
            return None;
        }
        if let Some(row) = self.row {
            return Some(row.rowid);
        }
        let level = self.path.last()?;
        let node = &level.node;
        if node.kind != PageKind::TableLeaf {
            return None;
        }
        let at = node.cell_at(usize::from(level.index)).ok()?;
        let row = cell::read_usual_row(&node.page, at, self.limits.max_local, self.limits.usable)?;
        self.row = Some(ParsedRow { rowid: row.rowid, span: row.payload, is_saved: false });
        Some(row.rowid)
    }

    /// The row or entry on which the cursor stands: as it was when the cursor came here, even if it has been
    /// changed or deleted since.
    ///
    /// # Panics
    /// If the cursor stands nowhere, or its row is gone: see [`Cursor::restore`].
    #[inline]
    pub fn row(&mut self, btree: &Btree) -> Result<Row<'_>> {
        if matches!(self.state, State::Written | State::Lost) {
            self.synchronise(btree)?;
        }
        assert!(self.state == State::Row, "the cursor stands on no row");
        let span = self.parse()?.span;
        Ok(Row { page: &self.here().node.page, span })
    }

    /// The row or entry on which the cursor stands, if its cell was parsed before, is an ordinary one or that of a table's leaf, and nothing
    /// has been written since the cursor came here. `None`: not known here, see [`Cursor::row`].
    #[inline]
    pub fn peek(&mut self, btree: &Btree) -> Option<Row<'_>> {
        if !self.is_on_current_row(btree) {
            return None;
        }
        let level = self.path.last()?;
        let node = &level.node;
        if let Some(row) = self.row {
            return Some(Row { page: &node.page, span: row.span });
        }
        let mut at = node.cell_at(usize::from(level.index)).ok()?;
        let (max_local, usable) = (self.limits.max_local, self.limits.usable);
        if node.kind == PageKind::TableLeaf {
            let row = match cell::read_usual_row(&node.page, at, max_local, usable) {
                Some(row) => ParsedRow { rowid: row.rowid, span: row.payload, is_saved: false },
                None => level.parse(&self.limits).ok()?,
            };
            self.row = Some(row);
            return Some(Row { page: &node.page, span: row.span });
        }
        if node.kind == PageKind::IndexInterior {
            at += CHILD_LEN;
        }
        let span = cell::read_usual_payload(&node.page, at, false, max_local, usable)?;
        self.row = Some(ParsedRow { rowid: 0, span, is_saved: false });
        Some(Row { page: &node.page, span })
    }

    /// The leaf on which the cursor stands, if nothing has been written since it came here. `None` on an interior page,
    /// where some entries of an index are.
    pub fn leaf(&self, btree: &Btree) -> Option<(&PageRef, Leaf)> {
        if !self.is_on_current_row(btree) {
            return None;
        }
        let level = self.path.last()?;
        let node = &level.node;
        let leaf = Leaf {
            index: level.index,
            count: node.cell_count,
            pointers_at: node.pointers_at,
            has_rowids: node.kind == PageKind::TableLeaf,
            max_local: self.limits.max_local,
            usable: self.limits.usable,
        };
        node.is_leaf().then_some((&node.page, leaf))
    }

    /// Moves the cursor to cell `index` of its leaf, for a caller that goes over the [leaf](Cursor::leaf) by itself.
    #[inline]
    pub fn set_index(&mut self, index: u16) {
        let level = self.path.last_mut().expect("a cursor on a leaf has a path");
        debug_assert!(self.state == State::Row && index < level.node.cell_count && level.node.is_leaf());
        level.index = index;
        self.row = None;
        self.at_last = false;
    }

    /// Tells the cursor what a caller that goes over the [leaf](Cursor::leaf) of an index has read of the entry: its payload.
    #[inline]
    pub fn set_span(&mut self, span: PayloadSpan) {
        debug_assert!(self.state == State::Row && self.key_info.is_some(), "the cursor stands on an entry");
        self.row = Some(ParsedRow { rowid: 0, span, is_saved: false });
    }

    #[inline]
    fn is_on_current_row(&self, btree: &Btree) -> bool {
        self.state == State::Row && self.path.is_fresh(btree)
    }
}
