//! A cursor on a B-tree, with the columns of the row that it stands on.
//!
//! ```text
//!   move ──► Unread ──first column──► Read ──further columns──► Read
//!              │  ▲                                              │
//!              │  └───────────────── move ◄──────────────────────┘
//!   NullRow ───┘ (outer joins: every column is NULL until the next move)
//!   Deferred(rowid) ──first column──► seek, then as above
//! ```
//!
//! Numbers and short texts go into the register; long ones stay on their page and are borrowed; what
//! overflows the page is copied in one run into the register's own memory.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{Btree, Cursor, KeyInfo, Leaf, SearchKey, Seek};
use lithe_format::PageNo;
use lithe_format::record::{Column, Located, View};
use lithe_format::serial_type::SerialType;
use lithe_pager::PageRef;
use lithe_value::Encoding;
use lithe_vfs::ResultCode;

use super::columns::{self, Columns, Number, decode_text, put};
use crate::error::Error;
use crate::record::decode_record;
use crate::register::{BytesKind, Register};

/// A cursor on a table or an index.
pub struct TreeCursor {
    /// The trees of the database.
    pub btree: Rc<Btree>,
    /// All the rest, which the next cursor in this one's place takes over.
    pub place: Box<Place>,
}

/// The state of a cursor on a tree. Closing and opening one again moves nothing but the box.
pub struct Place {
    /// The cursor below.
    pub cursor: Cursor,
    memory: Memory,
    state: RowState,
    /// The view in `memory` is one of the row.
    has_view: bool,
    /// The columns of the row, where it is read.
    columns: Columns,
    /// The page of the row, where it is read, or of the leaf.
    page: Option<PageRef>,
    /// The leaf that a loop goes over; of no cells if there is none.
    leaf: Leaf,
    /// What `leaf` holds for.
    leaf_version: u64,
    encoding: Encoding,
    /// The cursor has been moved to the row after its place: the next Next stays there.
    is_ahead: bool,
    /// Some register has borrowed bytes from this cursor's pages.
    pub has_lent: bool,
    /// Where the last seek ended, for an insert that follows it.
    pub last_seek: Option<Seek>,
    /// How often Sequence was asked.
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
    /// The cursor has moved, or stands nowhere.
    Unread,
    /// The view is of the row under the cursor.
    Read,
    /// Every column is NULL.
    NullRow,
    /// The row of this rowid is to be sought.
    Deferred(i64),
}

impl Place {
    fn new(cursor: Cursor, encoding: Encoding) -> Box<Place> {
        Box::new(Place {
            cursor,
            memory: Memory::default(),
            state: RowState::Unread,
            has_view: false,
            columns: Columns::default(),
            page: None,
            leaf: Leaf::default(),
            leaf_version: 0,
            encoding,
            is_ahead: false,
            has_lent: false,
            last_seek: None,
            sequence: 0,
        })
    }

    /// Lets go of every page.
    fn close(&mut self) {
        self.cursor.reset();
        self.page = None;
        self.leaf.count = 0;
    }

    /// Begins anew on another tree. Which columns were wanted is still known: most often they will be again.
    fn reopen(&mut self, root: PageNo, key: Option<Arc<KeyInfo>>, encoding: Encoding) {
        self.cursor.reopen(root, key);
        self.state = RowState::Unread;
        self.encoding = encoding;
        self.is_ahead = false;
        self.has_lent = false;
        self.last_seek = None;
        self.sequence = 0;
    }
}

impl TreeCursor {
    /// A cursor on the tree at `root`, in the place of the one before.
    pub fn open(
        btree: Rc<Btree>,
        root: PageNo,
        key: Option<&Arc<KeyInfo>>,
        encoding: Encoding,
        before: Option<Box<Place>>,
    ) -> TreeCursor {
        let key = key.cloned();
        let place = match before {
            Some(mut place) => {
                place.reopen(root, key, encoding);
                place
            }
            None => Place::new(new_cursor(root, key), encoding),
        };
        TreeCursor { btree, place }
    }

    /// A cursor that already has its place. `is_ahead` says that it stands on the row after it.
    pub fn standing(btree: Rc<Btree>, cursor: Cursor, is_ahead: bool) -> TreeCursor {
        let mut place = Place::new(cursor, Encoding::Utf8);
        place.is_ahead = is_ahead;
        TreeCursor { btree, place }
    }

    /// A second cursor on the same tree, standing nowhere.
    pub fn duplicate(&self) -> TreeCursor {
        let cursor = new_cursor(self.place.cursor.root(), self.place.cursor.key_info().cloned());
        TreeCursor { btree: Rc::clone(&self.btree), place: Place::new(cursor, self.place.encoding) }
    }

    /// Deletes all rows of the tree, a temporary one.
    pub fn clear(&mut self) -> Result<(), Error> {
        let root = self.place.cursor.root();
        self.release_row();
        self.place.cursor.reset();
        self.place.sequence = 0;
        self.btree.clear_tree(root)?;
        Ok(())
    }

    /// Closes the cursor: lets go of its pages and its database. What is left serves the next one.
    pub fn close(mut self) -> Box<Place> {
        self.place.close();
        self.place
    }

    /// Whether text in this tree is UTF-16.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.place.encoding
    }

    // ---- moving ----

    /// The row is about to change: its page must not be held, lest the pager copy it first.
    #[inline]
    pub fn release_row(&mut self) {
        self.forget_row();
        self.place.page = None;
    }

    /// The cursor has moved.
    #[inline]
    pub fn forget_row(&mut self) {
        self.place.state = RowState::Unread;
        self.place.is_ahead = false;
        self.place.leaf.count = 0;
    }

    /// Goes to the first row.
    #[inline]
    pub fn first(&mut self) -> Result<bool, Error> {
        self.forget_row();
        Ok(self.place.cursor.first(&self.btree)?)
    }

    /// Goes to the last row.
    #[inline]
    pub fn last(&mut self) -> Result<bool, Error> {
        self.forget_row();
        Ok(self.place.cursor.last(&self.btree)?)
    }

    /// Goes to the next row.
    #[inline(never)]
    pub fn next(&mut self) -> Result<bool, Error> {
        if self.place.is_ahead {
            self.forget_row();
            return Ok(self.place.cursor.is_valid());
        }
        self.forget_row();
        let is_there = self.place.cursor.next(&self.btree)?;
        self.enter_leaf();
        Ok(is_there)
    }

    /// The loop goes over the leaf by itself from here on.
    fn enter_leaf(&mut self) {
        if let Some((page, leaf)) = self.place.cursor.leaf(&self.btree) {
            self.place.page = Some(page.clone());
            self.place.leaf = leaf;
            self.place.leaf_version = self.btree.pager().write_version();
        }
    }

    /// Goes to the next row, if that is the next cell of the leaf, and finds its columns, if any have been asked for.
    /// False says nothing: ask [`TreeCursor::next`].
    #[inline(never)]
    pub fn next_quickly(&mut self) -> bool {
        let index = self.place.leaf.index + 1;
        if index >= self.place.leaf.count || self.place.leaf_version != self.btree.pager().write_version() {
            return false;
        }
        self.place.leaf.index = index;
        self.place.cursor.set_index(index);
        self.place.state = RowState::Unread;
        if self.place.columns.are_wanted()
            && let Some(page) = &self.place.page
            && let Some(span) = self.place.leaf.payload(page, index)
        {
            self.place.columns.find(page, span);
            self.place.has_view = false;
            self.place.state = RowState::Read;
        }
        true
    }

    /// Goes to the row before.
    #[inline]
    pub fn previous(&mut self) -> Result<bool, Error> {
        self.forget_row();
        Ok(self.place.cursor.previous(&self.btree)?)
    }

    /// Goes to a row of a table, or to a neighbour of where it would be.
    #[inline]
    pub fn seek_rowid(&mut self, rowid: i64) -> Result<Seek, Error> {
        self.forget_row();
        let seek = self.place.cursor.seek_rowid(&self.btree, rowid)?;
        self.place.last_seek = Some(seek);
        Ok(seek)
    }

    /// Goes to an entry of an index, or to a neighbour of where it would be.
    #[inline]
    pub fn seek_key(&mut self, key: &SearchKey<'_>) -> Result<Seek, Error> {
        self.forget_row();
        let seek = self.place.cursor.seek_key(&self.btree, key)?;
        self.place.last_seek = Some(seek);
        Ok(seek)
    }

    /// The row of that rowid is wanted, once a column of it is.
    #[inline]
    pub fn defer_seek(&mut self, rowid: i64) {
        self.place.is_ahead = false;
        self.place.state = RowState::Deferred(rowid);
    }

    /// Does the seek that was deferred.
    #[inline]
    pub fn finish_seek(&mut self) -> Result<(), Error> {
        match self.place.state {
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
        self.place.state = RowState::NullRow;
    }

    /// Whether every column is NULL.
    #[inline]
    pub fn is_null_row(&self) -> bool {
        self.place.state == RowState::NullRow
    }

    // ---- the row ----

    /// The rowid of the row; `None` on a null row.
    #[inline]
    pub fn rowid(&mut self) -> Result<Option<i64>, Error> {
        match self.place.state {
            RowState::Read => Ok(Some(self.place.cursor.rowid()?)),
            RowState::Deferred(rowid) => Ok(Some(rowid)),
            RowState::NullRow => Ok(None),
            RowState::Unread => match self.is_on_row()? {
                true => Ok(Some(self.place.cursor.rowid()?)),
                false => Ok(None),
            },
        }
    }

    /// Whether there is a row to read, after whatever has been written since the last move.
    #[inline]
    fn is_on_row(&mut self) -> Result<bool, Error> {
        Ok(self.place.cursor.restore(&self.btree)? && !self.place.is_ahead)
    }

    /// Learns where the row under the cursor is; false if there is none.
    #[inline]
    fn read_row(&mut self) -> Result<bool, Error> {
        match self.place.state {
            RowState::Read => return Ok(true),
            RowState::Unread => {}
            RowState::NullRow => return Ok(false),
            RowState::Deferred(rowid) => self.seek_deferred(rowid)?,
        }
        if !self.is_on_row()? {
            return Ok(false);
        }
        let row = self.place.cursor.row(&self.btree)?;
        self.place.columns.find(row.page, row.span);
        self.place.page = Some(row.page.clone());
        self.place.has_view = false;
        self.place.state = RowState::Read;
        Ok(true)
    }

    /// The first `count` columns are about to be asked for.
    #[inline]
    pub fn want_columns(&mut self, count: usize) {
        self.place.columns.want(count - 1);
        if self.place.state == RowState::Unread {
            self.read_row_quickly();
        }
    }

    /// Puts a column into a register, if it is among those that have been found. False says nothing: ask
    /// [`TreeCursor::column`].
    #[inline(never)]
    pub fn column_quickly(&mut self, index: usize, dst: &mut Register) -> bool {
        let (Some((serial, at)), Some(page)) = (self.found(index), &self.place.page) else {
            return false;
        };
        self.place.has_lent |= put(page, serial, at, self.place.encoding, dst);
        true
    }

    /// A column that has been found and is an integer with content. `None` says nothing.
    #[inline(never)]
    pub fn integer_quickly(&self, index: usize) -> Option<i64> {
        let (serial, at) = self.found(index)?;
        columns::integer(self.place.page.as_ref()?, serial, at)
    }

    /// A column that has been found and is a number. `None` says nothing.
    #[inline]
    pub fn number_quickly(&self, index: usize) -> Option<Number> {
        let (serial, at) = self.found(index)?;
        columns::number(self.place.page.as_ref()?, serial, at)
    }

    /// Whether a column that has been found is NULL. `None` says nothing.
    #[inline]
    pub fn is_null_quickly(&self, index: usize) -> Option<bool> {
        self.found(index).map(|(serial, _)| serial.is_null())
    }

    /// The type of a column that has been found, and where its content is.
    #[inline]
    fn found(&self, index: usize) -> Option<(SerialType, usize)> {
        if self.place.state == RowState::Read { self.place.columns.get(index) } else { None }
    }

    /// Reads the row under the cursor, if it is an ordinary one. False says nothing: ask [`TreeCursor::read_row`].
    #[inline]
    fn read_row_quickly(&mut self) -> bool {
        if self.place.state != RowState::Unread || self.place.is_ahead {
            return false;
        }
        let Some(row) = self.place.cursor.peek(&self.btree) else {
            return false;
        };
        // Most rows are on the page of the row before: that reference is kept, for cloning one may count.
        if !self.place.page.as_ref().is_some_and(|page| page.is_same(row.page)) {
            self.place.page = Some(row.page.clone());
        }
        self.place.columns.find(row.page, row.span);
        self.place.has_view = false;
        self.place.state = RowState::Read;
        true
    }

    /// Puts a column into a register; false if the record has fewer columns.
    pub fn column(&mut self, index: usize, dst: &mut Register) -> Result<bool, Error> {
        if !self.read_row_quickly() && !self.read_row()? {
            dst.set_null();
            return Ok(true);
        }
        if self.column_quickly(index, dst) { Ok(true) } else { self.column_by_view(index, dst) }
    }

    /// A column that is out of order, past the end, or not on the row's page.
    #[inline(never)]
    fn column_by_view(&mut self, index: usize, dst: &mut Register) -> Result<bool, Error> {
        self.place.columns.want(index);
        let row = self.place.cursor.row(&self.btree)?;
        if !self.place.has_view {
            self.place.memory.view.reset(row.len());
            self.place.has_view = true;
        }
        match self.place.memory.view.locate(row.local(), index)? {
            Located::At(column) if column.end() <= row.span.local => {
                let at = (row.span.at + column.at) as usize;
                self.place.has_lent |= put(row.page, column.serial, at, self.place.encoding, dst);
                Ok(true)
            }
            Located::At(column) => self.put_overflowing(column, dst),
            Located::Absent => Ok(false),
            Located::NeedsBytes(len) => self.column_past_page(index, len, dst),
        }
    }

    /// A column whose place the local part of the payload does not tell: absurdly wide tables on small pages.
    #[cold]
    fn column_past_page(&mut self, index: usize, header_len: u32, dst: &mut Register) -> Result<bool, Error> {
        let mut header = std::mem::take(&mut self.place.memory.header);
        header.resize(header_len as usize, 0);
        let located = self
            .place
            .cursor
            .read_payload(&self.btree, 0, &mut header)
            .map_err(Error::from)
            .and_then(|()| Ok(self.place.memory.view.locate(&header, index)?));
        self.place.memory.header = header;
        match located? {
            Located::At(column) => self.put_overflowing(column, dst),
            Located::Absent | Located::NeedsBytes(_) => Ok(false),
        }
    }

    /// A column that is not, or not as a whole, on the row's page.
    #[inline(never)]
    fn put_overflowing(&mut self, column: Column, dst: &mut Register) -> Result<bool, Error> {
        let len = column.serial.len() as usize;
        if !column.serial.is_text() && !column.serial.is_blob() {
            let mut content = [0; 8];
            self.place.cursor.read_payload(&self.btree, column.at, &mut content[..len])?;
            dst.set(column.serial.decode(&content, 0).unwrap_or_default());
            return Ok(true);
        }
        let mut buffer = dst.take_buffer();
        buffer.clear();
        self.place.cursor.read_payload(&self.btree, column.at, buffer.append(len))?;
        if column.serial.is_text() {
            dst.set_buffer(BytesKind::Text, buffer);
            if self.place.encoding != Encoding::Utf8 {
                decode_text(dst, self.place.encoding);
            }
        } else {
            dst.set_buffer(BytesKind::Blob, buffer);
        }
        Ok(true)
    }

    /// Puts the whole record into a register, as a blob. Texts in it become UTF-8.
    pub fn record(&mut self, dst: &mut Register) -> Result<(), Error> {
        if !self.read_row()? {
            dst.set_null();
            return Ok(());
        }
        let row = self.place.cursor.row(&self.btree)?;
        if row.span.overflows() {
            let mut buffer = dst.take_buffer();
            buffer.clear();
            let len = row.len() as usize;
            self.place.cursor.read_payload(&self.btree, 0, buffer.append(len))?;
            dst.set_buffer(BytesKind::Blob, buffer);
        } else {
            let (at, len) = (row.span.at as usize, row.span.local as usize);
            self.place.has_lent |= dst.set_from_page(BytesKind::Blob, row.page, at, len);
        }
        if self.place.encoding != Encoding::Utf8 {
            let record = decode_record(dst.as_ref().bytes().unwrap_or_default(), self.place.encoding)?;
            dst.set_bytes(BytesKind::Blob, &record);
        }
        Ok(())
    }

    /// The rowid that ends the entry of an index; `None` on a null row.
    #[inline]
    pub fn index_rowid(&mut self) -> Result<Option<i64>, Error> {
        if !self.read_row()? {
            return Ok(None);
        }
        let row = self.place.cursor.row(&self.btree)?;
        if !self.place.has_view {
            self.place.memory.view.reset(row.len());
            self.place.has_view = true;
        }
        let count = self.place.memory.view.column_count(row.local())?;
        let mut rowid = Register::Null;
        match count.and_then(|count| count.checked_sub(1)) {
            Some(last) => self.column_by_view(last, &mut rowid)?,
            None => self.rowid_past_page(&mut rowid)?,
        };
        match rowid {
            Register::Integer(rowid) => Ok(Some(rowid)),
            _ => Err(Error::from_code(ResultCode::CORRUPT_INDEX)),
        }
    }

    #[cold]
    fn rowid_past_page(&mut self, rowid: &mut Register) -> Result<bool, Error> {
        let row = self.place.cursor.row(&self.btree)?;
        let (len, _) = lithe_format::record::header_len(row.local())?;
        let mut header = vec![0; len.min(row.len()) as usize];
        self.place.cursor.read_payload(&self.btree, 0, &mut header)?;
        match self.place.memory.view.column_count(&header)?.and_then(|count| count.checked_sub(1)) {
            Some(last) => self.column_by_view(last, rowid),
            None => Ok(false),
        }
    }

    /// The order of the current entry and a key: equal if the entry begins with the key's values.
    #[inline]
    pub fn compare_entry(&mut self, key: &SearchKey<'_>) -> Result<Ordering, Error> {
        let row = self.place.cursor.row(&self.btree)?;
        if row.span.overflows() {
            return self.compare_overflowing(key);
        }
        Ok(key.compare_entry(row.local())?)
    }

    #[cold]
    fn compare_overflowing(&mut self, key: &SearchKey<'_>) -> Result<Ordering, Error> {
        let mut entry = std::mem::take(&mut self.place.memory.header);
        entry.resize(self.place.cursor.row(&self.btree)?.len() as usize, 0);
        let read = self.place.cursor.read_payload(&self.btree, 0, &mut entry);
        let order = read.map_err(Error::from).and_then(|()| Ok(key.compare_entry(&entry)?));
        self.place.memory.header = entry;
        order
    }
}

fn new_cursor(root: PageNo, key: Option<Arc<KeyInfo>>) -> Cursor {
    match key {
        Some(key) => Cursor::index(root, key),
        None => Cursor::table(root),
    }
}
