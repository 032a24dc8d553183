//! A cursor on a B-tree, with the columns of its current row.
//!
//! ```text
//!   move ──► Unread ──first column──► Read ──further columns──► Read
//!              │  ▲                                              │
//!              │  └───────────────── move ◄──────────────────────┘
//!   NullRow ───┘ (outer joins, and rows that are gone: every column is NULL until the next move)
//!   Deferred(rowid) ──first column──► seek, then as above
//! ```
//!
//! Numbers and short texts are copied into the register; long ones are borrowed from their page; a value that
//! overflows the page is copied at once into the register's own memory.

mod range;
mod row;

use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{Btree, Cursor, KeyInfo, Leaf, SearchKey, Seek};
use lithe_format::PageNo;
use lithe_format::cell::PayloadSpan;
use lithe_format::record::View;
use lithe_pager::{PageRef, Pager};
use lithe_value::Encoding;
use lithe_vfs::ResultCode;

use super::columns::Columns;
use crate::error::Error;
pub use range::RangeBound;
use range::RangeEnd;

/// A cursor on a table or an index.
pub struct TreeCursor {
    /// The trees of the database.
    pub btree: Rc<Btree>,
    /// The rest of the cursor, which the next cursor in this slot reuses.
    pub inner: Box<CursorState>,
}

/// The state of a cursor on a tree, in one box, so that closing and reopening it moves only the pointer.
pub struct CursorState {
    /// The cursor of the B-tree.
    pub cursor: Cursor,
    memory: Memory,
    state: RowState,
    /// The view in `memory` is of the current row.
    has_view: bool,
    /// The columns of the row, if it is read.
    columns: Columns,
    /// The page of the row, if it is read, or else of the leaf.
    page: Option<PageRef>,
    /// The payload of the row on the page, if it is read.
    span: PayloadSpan,
    /// Rows are read as soon as the cursor moves to them, because columns of earlier rows were read.
    is_wanted: bool,
    /// The leaf that a loop iterates over; without cells if there is none.
    leaf: Leaf,
    /// The version of the tree for which `leaf` is valid, or at the last Next; 0 if there was no Next.
    leaf_version: u64,
    /// Where a range ends on `leaf`.
    range_end: RangeEnd,
    encoding: Encoding,
    /// The cursor is on the row after its position: the next Next does not move it.
    is_ahead: bool,
    /// Some register has borrowed bytes from the pages of this cursor.
    pub has_lent: bool,
    /// Where the last seek ended, for an insert that follows it.
    pub last_seek: Option<Seek>,
    /// The cursor scans a whole table or index.
    is_scan: bool,
    /// The number of steps of such scans.
    scan_steps: u64,
    /// The next value of Sequence.
    pub sequence: i64,
}

#[derive(Debug, Default)]
struct Memory {
    view: View,
    /// The start of a payload whose header does not fit on its page.
    header: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowState {
    /// The cursor has moved, or is on no row.
    Unread,
    /// The view is of the row under the cursor.
    Read,
    /// Every column is NULL.
    NullRow,
    /// The row of this rowid has yet to be sought.
    Deferred(i64),
}

impl CursorState {
    fn new(cursor: Cursor, encoding: Encoding) -> Box<CursorState> {
        Box::new(CursorState {
            cursor,
            memory: Memory::default(),
            state: RowState::Unread,
            has_view: false,
            columns: Columns::default(),
            page: None,
            span: PayloadSpan::default(),
            is_wanted: false,
            leaf: Leaf::default(),
            leaf_version: 0,
            range_end: RangeEnd::default(),
            encoding,
            is_ahead: false,
            has_lent: false,
            last_seek: None,
            is_scan: false,
            scan_steps: 0,
            sequence: 0,
        })
    }

    /// Releases all pages.
    fn close(&mut self) {
        self.cursor.reset();
        self.page = None;
        self.leaf.count = 0;
    }

    /// Reopens the place on another tree. The columns that were read before are located again: usually they are read
    /// again.
    #[inline]
    fn reopen(&mut self, root: PageNo, key: Option<&Arc<KeyInfo>>, encoding: Encoding) {
        self.cursor.reopen(root, key);
        self.encoding = encoding;
        self.stand_nowhere();
    }

    #[inline]
    fn stand_nowhere(&mut self) {
        self.state = RowState::Unread;
        self.is_ahead = false;
        self.last_seek = None;
        self.leaf_version = 0;
        self.is_scan = false;
        self.sequence = 0;
    }

    /// The number of steps of full scans since the last call.
    pub fn take_scan_steps(&mut self) -> u64 {
        std::mem::take(&mut self.scan_steps)
    }
}

impl TreeCursor {
    /// A cursor on the tree at `root`; it reuses the place of a closed one.
    #[inline]
    pub fn open(
        btree: Rc<Btree>,
        root: PageNo,
        key: Option<&Arc<KeyInfo>>,
        encoding: Encoding,
        before: Option<Box<CursorState>>,
    ) -> TreeCursor {
        let inner = match before {
            Some(mut inner) => {
                inner.reopen(root, key, encoding);
                inner
            }
            None => CursorState::new(new_cursor(root, key.cloned()), encoding),
        };
        debug_assert!(inner.cursor.root() == root && inner.state == RowState::Unread, "a cursor is opened anew");
        TreeCursor { btree, inner }
    }

    /// A cursor that is positioned already. `is_ahead` says that it is on the row after its position.
    pub fn standing(btree: Rc<Btree>, cursor: Cursor, is_ahead: bool) -> TreeCursor {
        let mut inner = CursorState::new(cursor, Encoding::Utf8);
        inner.is_ahead = is_ahead;
        TreeCursor { btree, inner }
    }

    /// Closes the cursor and opens it again on the same tree.
    pub fn begin_again(&mut self) {
        self.inner.close();
        self.inner.stand_nowhere();
    }

    /// A second cursor on the same tree, on no row.
    pub fn duplicate(&self) -> TreeCursor {
        let cursor = new_cursor(self.inner.cursor.root(), self.inner.cursor.key_info().cloned());
        TreeCursor { btree: Rc::clone(&self.btree), inner: CursorState::new(cursor, self.inner.encoding) }
    }

    /// Deletes all rows of the tree, a temporary one.
    pub fn clear(&mut self) -> Result<(), Error> {
        assert!(self.btree.pager().is_writing(), "a temporary tree is written from its beginning on");
        let root = self.inner.cursor.root();
        self.release_row();
        self.inner.cursor.reset();
        self.inner.sequence = 0;
        self.btree.clear_tree(root)?;
        Ok(())
    }

    /// Closes the cursor: releases its pages and its database. Its place can be reused.
    pub fn close(mut self) -> Box<CursorState> {
        self.inner.close();
        self.inner
    }

    /// Whether text in this tree is UTF-16.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.inner.encoding
    }

    /// Copies the held pages of `pager`, whose mapped bytes are about to change.
    pub fn make_pages_private(&mut self, pager: &Pager) {
        if std::ptr::eq(self.btree.pager(), pager) {
            self.inner.cursor.make_pages_private(pager);
            self.inner.page.iter_mut().for_each(|page| pager.make_private(page));
        }
    }

    /// Releases the page of the row before the row changes: otherwise the pager would copy the page first.
    #[inline]
    pub fn release_row(&mut self) {
        self.forget_row();
        self.inner.page = None;
    }

    /// Other statements may have written since the row was read: it is read again at the next access, and all columns of a row
    /// that was deleted are NULL.
    pub fn drop_stale_rows(&mut self) {
        if self.inner.cursor.is_behind(&self.btree) {
            self.inner.leaf.count = 0;
            if self.inner.state == RowState::Read {
                self.inner.state = RowState::Unread;
            }
        }
    }

    /// Invalidates the cursor: a rollback has reverted its row, and the statement must not continue with it.
    pub fn trip(&mut self) {
        let state = self.inner.state;
        self.release_row();
        if matches!(state, RowState::NullRow | RowState::Deferred(_)) {
            self.inner.state = state; // no row is read, and so none that was reverted
        }
        self.inner.cursor.trip();
    }

    /// Drops all state of the row, because the cursor moves.
    #[inline]
    pub fn forget_row(&mut self) {
        self.inner.state = RowState::Unread;
        self.inner.is_ahead = false;
        self.inner.leaf.count = 0;
    }

    /// Goes to the first row.
    #[inline]
    pub fn first(&mut self) -> Result<bool, Error> {
        self.forget_row();
        self.inner.is_scan = true;
        Ok(self.inner.cursor.first(&self.btree)?)
    }

    /// Goes to the last row.
    #[inline]
    pub fn last(&mut self) -> Result<bool, Error> {
        self.forget_row();
        self.inner.is_scan = true;
        Ok(self.inner.cursor.last(&self.btree)?)
    }

    /// Goes to the next row.
    #[inline(never)]
    pub fn next(&mut self) -> Result<bool, Error> {
        if self.inner.is_ahead {
            self.forget_row();
            return Ok(self.inner.cursor.is_valid());
        }
        // A loop that writes to its own rows would invalidate the leaf at each of them.
        let is_writing = self.inner.leaf_version != 0 && self.inner.leaf_version != self.tree_version();
        self.forget_row();
        let is_there = self.inner.cursor.next(&self.btree)?;
        self.inner.scan_steps += u64::from(self.inner.is_scan && is_there);
        if is_writing {
            self.inner.leaf_version = self.tree_version();
            if is_there && self.inner.is_wanted {
                self.read_row_in_place();
            }
        } else {
            self.enter_leaf();
        }
        Ok(is_there)
    }

    /// The version of the tree, which every write to it changes. (Writes to other trees do not.)
    #[inline]
    fn tree_version(&self) -> u64 {
        self.btree.version(self.inner.cursor.root())
    }

    /// Lets the loop iterate over the cells of the leaf directly from here on.
    fn enter_leaf(&mut self) {
        if let Some((page, leaf)) = self.inner.cursor.leaf(&self.btree) {
            debug_assert!(leaf.index < leaf.count, "a loop is on a cell of its leaf");
            self.inner.page = Some(page.clone());
            self.inner.leaf = leaf;
            self.inner.range_end = RangeEnd::default();
            self.inner.leaf_version = self.tree_version();
        }
    }

    /// Goes to the next row, if that is the next cell of the leaf, and reads it, if earlier rows were read.
    /// False: the caller must use [`TreeCursor::next`].
    #[inline(never)]
    pub fn next_in_leaf(&mut self) -> bool {
        let index = self.inner.leaf.index + 1;
        if index >= self.inner.leaf.count || self.inner.leaf_version != self.tree_version() {
            return false;
        }
        self.inner.scan_steps += u64::from(self.inner.is_scan);
        self.inner.leaf.index = index;
        self.inner.cursor.set_index(index);
        self.inner.state = RowState::Unread;
        if self.inner.is_wanted
            && let Some(page) = &self.inner.page
            && let Some(span) = self.inner.leaf.payload(page, index)
        {
            self.inner.columns.find(page, span);
            self.inner.span = span;
            self.inner.has_view = false;
            self.inner.state = RowState::Read;
        }
        true
    }

    /// Goes to the row before.
    #[inline]
    pub fn previous(&mut self) -> Result<bool, Error> {
        self.forget_row();
        let is_there = self.inner.cursor.previous(&self.btree)?;
        self.inner.scan_steps += u64::from(self.inner.is_scan && is_there);
        Ok(is_there)
    }

    /// Goes to a row of a table, or to a neighbour of where it would be.
    #[inline]
    pub fn seek_rowid(&mut self, rowid: i64) -> Result<Seek, Error> {
        self.forget_row();
        self.inner.is_scan = false;
        let seek = self.inner.cursor.seek_rowid(&self.btree, rowid)?;
        self.inner.last_seek = Some(seek);
        Ok(seek)
    }

    /// Goes to an entry of an index, or to a neighbour of where it would be.
    #[inline]
    pub fn seek_key(&mut self, key: &SearchKey<'_>) -> Result<Seek, Error> {
        self.forget_row();
        self.inner.is_scan = false;
        let seek = self.inner.cursor.seek_key(&self.btree, key)?;
        self.inner.last_seek = Some(seek);
        Ok(seek)
    }

    /// Whether the cursor is on the entry that equals `key`, as far as is known without a search.
    #[inline]
    pub fn stands_on_key(&mut self, key: &SearchKey<'_>) -> Result<bool, Error> {
        Ok(!self.inner.is_ahead && self.inner.cursor.stands_on_key(&self.btree, key)?)
    }

    /// Defers the seek for a rowid until a column of the row is read.
    #[inline]
    pub fn defer_seek(&mut self, rowid: i64) {
        // The leaf of an earlier loop of this cursor must not be used for the row.
        self.forget_row();
        self.inner.state = RowState::Deferred(rowid);
    }

    /// Does the seek that was deferred.
    #[inline]
    pub fn finish_seek(&mut self) -> Result<(), Error> {
        match self.inner.state {
            RowState::Deferred(rowid) => self.seek_deferred(rowid),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn seek_deferred(&mut self, rowid: i64) -> Result<(), Error> {
        match self.seek_rowid(rowid)? {
            Seek::Exact => Ok(()),
            // An index entry without its row.
            _ => Err(Error::from_code(ResultCode::CORRUPT)),
        }
    }

    /// Every column is NULL until the next move.
    #[inline]
    pub fn set_null_row(&mut self) {
        self.forget_row();
        self.inner.state = RowState::NullRow;
    }

    /// Whether every column is NULL.
    #[inline]
    pub fn is_null_row(&self) -> bool {
        self.inner.state == RowState::NullRow
    }
}

fn new_cursor(root: PageNo, key: Option<Arc<KeyInfo>>) -> Cursor {
    match key {
        Some(key) => Cursor::index(root, key),
        None => Cursor::table(root),
    }
}
