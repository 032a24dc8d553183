//! Reading the row under a cursor on a tree.

use std::cmp::Ordering;

use lithe_btree::SearchKey;
use lithe_format::cell::PayloadSpan;
use lithe_format::record::{Column, Located, PADDING};
use lithe_format::serial_type::SerialType;
use lithe_pager::PageRef;
use lithe_value::{Encoding, ValueRef};
use lithe_vfs::ResultCode;

use super::{RowState, TreeCursor};
use crate::error::Error;
use crate::operand::Extent;
use crate::register::{BytesKind, Register};
use crate::row::columns::{self, decode_text, put};
use crate::row::texts::decode_record;

impl TreeCursor {
    /// The rowid of the row; `None` on a null row.
    #[inline]
    pub fn rowid(&mut self) -> Result<Option<i64>, Error> {
        let is_there = match self.inner.state {
            RowState::Read => true,
            RowState::Deferred(rowid) => return Ok(Some(rowid)),
            RowState::NullRow => false,
            RowState::Unread => self.is_on_row()?,
        };
        if is_there { Ok(Some(self.inner.cursor.rowid()?)) } else { Ok(None) }
    }

    /// The rowid, while a loop iterates over the leaf directly and nothing has been written. `None`: the caller must use
    /// [`TreeCursor::rowid`].
    #[inline]
    pub fn leaf_rowid(&self) -> Option<i64> {
        let leaf = &self.inner.leaf;
        if leaf.count == 0 || self.inner.state == RowState::NullRow || self.inner.leaf_version != self.tree_version() {
            return None;
        }
        leaf.rowid(self.inner.page.as_ref()?, leaf.index)
    }

    /// The rowid of a row that is current and whose cell is an ordinary one. `None`: the caller must use [`TreeCursor::rowid`].
    #[inline]
    pub fn current_rowid(&mut self) -> Option<i64> {
        match self.inner.state {
            RowState::Read | RowState::Unread if !self.inner.is_ahead => self.inner.cursor.peek_rowid(&self.btree),
            _ => None,
        }
    }

    /// Whether the cursor is on a row, after all writes since its last move. A row that is gone stays a row of NULLs until the
    /// next move, even if a rollback brings the row back.
    #[inline]
    fn is_on_row(&mut self) -> Result<bool, Error> {
        if self.inner.is_ahead {
            return Ok(false);
        }
        let is_there = self.inner.cursor.restore(&self.btree)?;
        if !is_there {
            self.inner.state = RowState::NullRow;
        }
        Ok(is_there)
    }

    /// Locates the row under the cursor; false if there is none.
    #[inline]
    fn read_row(&mut self) -> Result<bool, Error> {
        match self.inner.state {
            RowState::Read => return Ok(true),
            RowState::Unread => {}
            RowState::NullRow => return Ok(false),
            RowState::Deferred(rowid) => {
                self.seek_deferred(rowid)?;
                if self.read_row_in_place() {
                    return Ok(true);
                }
            }
        }
        if !self.is_on_row()? {
            return Ok(false);
        }
        let row = self.inner.cursor.row(&self.btree)?;
        debug_assert!(row.span.local <= row.span.len, "no more of a row is on its page than there is");
        self.inner.columns.find(row.page, row.span);
        self.inner.span = row.span;
        self.inner.page = Some(row.page.clone());
        self.inner.has_view = false;
        self.inner.state = RowState::Read;
        Ok(true)
    }

    /// Announces that the first `count` columns are read next.
    #[inline]
    pub fn want_columns(&mut self, count: usize) {
        self.inner.columns.locate_first(count);
        if self.inner.state == RowState::Unread {
            self.read_row_in_place();
        }
    }

    /// Announces that column `index` is read next. False if the row was read already, so that there is nothing new to
    /// locate.
    #[inline]
    pub fn begin_row(&mut self, index: usize) -> Result<bool, Error> {
        if self.inner.state == RowState::Read {
            return Ok(false);
        }
        self.inner.columns.locate_up_to(index);
        Ok(self.read_row_in_place() || self.read_row()?)
    }

    /// Puts a column into a register, if it is located. False: the caller must use [`TreeCursor::column`].
    #[inline(never)]
    pub fn column_in_place(&mut self, index: usize, dst: &mut Register) -> bool {
        let (Some((serial, at)), Some(page)) = (self.found(index), &self.inner.page) else {
            return false;
        };
        self.inner.has_lent |= put(page, serial, at, self.inner.encoding, dst);
        true
    }

    /// Puts a column with REAL affinity into a register, if it is located and a number. False: the caller must use
    /// another path.
    #[inline(never)]
    pub fn real_in_place(&mut self, index: usize, dst: &mut Register) -> bool {
        let real = match self.value_in_place(index) {
            Some(ValueRef::Real(real)) => real,
            Some(ValueRef::Integer(integer)) => integer as f64,
            _ => return false,
        };
        dst.set_real(real);
        true
    }

    /// A column that is located, in place. `None`: the caller must use another path.
    #[inline]
    pub fn value_in_place(&self, index: usize) -> Option<ValueRef<'_>> {
        let (serial, at) = self.found(index)?;
        if self.inner.encoding != Encoding::Utf8 && serial.is_text() {
            return None;
        }
        columns::value(self.inner.page.as_ref()?, serial, at)
    }

    /// Whether a column that is located is NULL. `None`: the caller must use another path.
    #[inline]
    pub fn is_null_in_place(&self, index: usize) -> Option<bool> {
        match self.found(index) {
            Some((serial, _)) => Some(serial.is_null()),
            None if self.inner.state == RowState::Read => self.cut_column(index).map(|column| column.serial.is_null()),
            None => None,
        }
    }

    /// The type of a column that is located, and the position of its content.
    #[inline]
    fn found(&self, index: usize) -> Option<(SerialType, usize)> {
        if self.inner.state == RowState::Read { self.inner.columns.get(index) } else { None }
    }

    /// Whether the row is read, or could be read in place now. False: the caller must use [`TreeCursor::read_row`].
    #[inline]
    fn has_row_in_place(&mut self) -> bool {
        self.inner.is_wanted = true;
        self.inner.state == RowState::Read || self.read_row_in_place()
    }

    /// Reads the row under the cursor, if its cell can be read in place. False: the caller must use
    /// [`TreeCursor::read_row`].
    #[inline]
    pub(super) fn read_row_in_place(&mut self) -> bool {
        self.inner.is_wanted = true;
        if self.inner.state != RowState::Unread || self.inner.is_ahead {
            return false;
        }
        let Some(row) = self.inner.cursor.peek(&self.btree) else {
            return false;
        };
        // Most rows are on the page of the row before: that reference is kept, because cloning it may increment a
        // counter.
        if !self.inner.page.as_ref().is_some_and(|page| page.is_same(row.page)) {
            self.inner.page = Some(row.page.clone());
        }
        self.inner.columns.find(row.page, row.span);
        self.inner.span = row.span;
        self.inner.has_view = false;
        self.inner.state = RowState::Read;
        true
    }

    /// The page of the row and its payload there, without a look for its columns: loops over an index often need only the rowid of its entries.
    /// `None`: the caller must read the row.
    #[inline]
    fn payload_in_place(&mut self) -> Option<(&PageRef, PayloadSpan)> {
        match self.inner.state {
            RowState::Read => self.inner.page.as_ref().map(|page| (page, self.inner.span)),
            RowState::Unread if self.inner.leaf.count != 0 && self.inner.leaf_version == self.tree_version() => {
                let page = self.inner.page.as_ref()?;
                let span = self.inner.leaf.payload(page, self.inner.leaf.index)?;
                self.inner.cursor.set_span(span);
                Some((page, span))
            }
            RowState::Unread if !self.inner.is_ahead => {
                self.inner.cursor.peek(&self.btree).map(|row| (row.page, row.span))
            }
            _ => None,
        }
    }

    /// Puts a column into a register; false if the record has fewer columns.
    pub fn column(&mut self, index: usize, dst: &mut Register) -> Result<bool, Error> {
        if !self.has_row_in_place() && !self.read_row()? {
            dst.set_null();
            return Ok(true);
        }
        debug_assert!(
            self.inner.state == RowState::Read && self.inner.page.is_some(),
            "a row that is read has its page"
        );
        if self.column_in_place(index, dst) {
            return Ok(true);
        }
        if self.inner.columns.lacks(index) {
            return Ok(false);
        }
        match self.cut_column(index) {
            Some(column) => self.put_overflowing(column, dst),
            None => self.column_by_view(index, dst),
        }
    }

    /// Puts as much of a column into a register as `extent` says, if the column is not entirely on the row's page and not all of it is
    /// wanted. False: the caller must read the column, which need not exist.
    pub fn column_extent(&mut self, index: usize, extent: Extent, dst: &mut Register) -> Result<bool, Error> {
        if self.inner.state == RowState::Read
            && let Some(column) = self.cut_column(index)
        {
            return Ok(put_extent(column.serial, extent, dst));
        }
        if !self.has_row_in_place() && !self.read_row()? || self.found(index).is_some() {
            return Ok(false);
        }
        Ok(self.overflowing(index)?.is_some_and(|column| put_extent(column.serial, extent, dst)))
    }

    /// Whether a column is NULL that is on the row's page, or at least whose type is. `None`: the caller must read the column.
    pub fn is_null(&mut self, index: usize) -> Result<Option<bool>, Error> {
        if !self.has_row_in_place() && !self.read_row()? {
            return Ok(Some(true));
        }
        if let Some((serial, _)) = self.found(index) {
            return Ok(Some(serial.is_null()));
        }
        Ok(self.overflowing(index)?.map(|column| column.serial.is_null()))
    }

    /// A column whose type is on the row's page and which ends on another.
    fn overflowing(&mut self, index: usize) -> Result<Option<Column>, Error> {
        let local = self.inner.span.local;
        if self.inner.has_view
            && let Some(column) = self.inner.memory.view.known(index)
        {
            return Ok(Some(column).filter(|column| column.end() > local));
        }
        if self.inner.columns.lacks(index) {
            return Ok(None);
        }
        if let Some(column) = self.cut_column(index) {
            return Ok(Some(column));
        }
        Ok(match self.locate_by_view(index)? {
            Located::At(column) if column.end() > local => Some(column),
            Located::At(_) | Located::Absent | Located::NeedsBytes(_) => None,
        })
    }

    /// A column that ends on another page than the row's.
    #[inline]
    fn cut_column(&self, index: usize) -> Option<Column> {
        let (serial, start) = self.inner.columns.cut(index)?;
        let column = Column { serial, at: start as u32 - self.inner.span.at };
        (column.end() <= self.inner.span.len).then_some(column)
    }

    /// A column that was not located, or that is past the end, or not on the row's page.
    #[inline(never)]
    fn column_by_view(&mut self, index: usize, dst: &mut Register) -> Result<bool, Error> {
        let located = self.locate_by_view(index)?;
        let row = self.inner.cursor.row(&self.btree)?;
        match located {
            Located::At(column) if column.end() <= row.span.local => {
                let at = (row.span.at + column.at) as usize;
                self.inner.has_lent |= put(row.page, column.serial, at, self.inner.encoding, dst);
                Ok(true)
            }
            Located::At(column) => self.put_overflowing(column, dst),
            Located::Absent => Ok(false),
            Located::NeedsBytes(len) => self.column_past_page(index, len, dst),
        }
    }

    #[inline]
    fn locate_by_view(&mut self, index: usize) -> Result<Located, Error> {
        self.inner.columns.locate_up_to(index);
        let row = self.inner.cursor.row(&self.btree)?;
        if !self.inner.has_view {
            self.inner.memory.view.reset(row.len());
            self.inner.has_view = true;
        }
        Ok(self.inner.memory.view.locate(row.local(), index)?)
    }

    /// A column whose header entry is past the local part of the payload: very wide tables on small pages.
    #[cold]
    fn column_past_page(&mut self, index: usize, header_len: u32, dst: &mut Register) -> Result<bool, Error> {
        let mut header = std::mem::take(&mut self.inner.memory.header);
        header.resize(header_len as usize, 0);
        let located = self
            .inner
            .cursor
            .read_payload(&self.btree, 0, &mut header)
            .map_err(Error::from)
            .and_then(|()| Ok(self.inner.memory.view.locate(&header, index)?));
        self.inner.memory.header = header;
        match located? {
            Located::At(column) => self.put_overflowing(column, dst),
            Located::Absent | Located::NeedsBytes(_) => Ok(false),
        }
    }

    /// A column that is not entirely on the row's page.
    #[inline(never)]
    fn put_overflowing(&mut self, column: Column, dst: &mut Register) -> Result<bool, Error> {
        debug_assert!(column.end() > self.inner.span.local, "the column is not on the row's page");
        let len = column.serial.len() as usize;
        if !column.serial.is_text() && !column.serial.is_blob() {
            let mut content = [0; 8];
            self.inner.cursor.read_payload(&self.btree, column.at, &mut content[..len])?;
            dst.set(column.serial.decode(&content, 0).unwrap_or_default());
            return Ok(true);
        }
        let mut buffer = dst.take_buffer();
        buffer.clear();
        buffer.try_reserve(len)?;
        self.inner.cursor.read_payload(&self.btree, column.at, buffer.append(len))?;
        if column.serial.is_text() {
            dst.set_buffer(BytesKind::Text, buffer);
            if self.inner.encoding != Encoding::Utf8 {
                decode_text(dst, self.inner.encoding);
            }
        } else {
            dst.set_buffer(BytesKind::Blob, buffer);
        }
        Ok(true)
    }

    /// The whole record in place, if it is entirely on its page and in UTF-8. `None`: the caller must use
    /// [`TreeCursor::record`].
    #[inline]
    pub fn record_in_place(&mut self) -> Option<&[u8]> {
        let is_read = self.has_row_in_place();
        if !is_read || self.inner.encoding != Encoding::Utf8 || self.inner.span.overflows() {
            return None;
        }
        self.inner.page.as_ref()?.get(self.inner.span.range())
    }

    /// As [`TreeCursor::record_in_place`], for a row of which no single column is read: none is located. With [`PADDING`] bytes of anything behind
    /// it, unless it ends the page.
    #[inline]
    pub fn padded_record(&mut self) -> Option<&[u8]> {
        let inner = &mut *self.inner;
        let (page, span) = match inner.state {
            RowState::Read => (inner.page.as_ref()?, inner.span),
            RowState::Unread if !inner.is_ahead => inner.cursor.peek(&self.btree).map(|row| (row.page, row.span))?,
            _ => return None,
        };
        if inner.encoding != Encoding::Utf8 || span.overflows() {
            return None;
        }
        let range = span.range();
        page.get(range.start..range.end + PADDING).or_else(|| page.get(range))
    }

    /// Puts the whole record into a register, as a blob. Texts in it become UTF-8.
    pub fn record(&mut self, dst: &mut Register) -> Result<(), Error> {
        if !self.read_row()? {
            dst.set_null();
            return Ok(());
        }
        let row = self.inner.cursor.row(&self.btree)?;
        if row.span.overflows() {
            let mut buffer = dst.take_buffer();
            buffer.clear();
            let len = row.len() as usize;
            buffer.try_reserve(len)?;
            self.inner.cursor.read_payload(&self.btree, 0, buffer.append(len))?;
            dst.set_buffer(BytesKind::Blob, buffer);
        } else {
            let (at, len) = (row.span.at as usize, row.span.local as usize);
            self.inner.has_lent |= dst.set_from_page(BytesKind::Blob, row.page, at, len);
        }
        if self.inner.encoding != Encoding::Utf8 {
            let record = decode_record(dst.as_ref().bytes().unwrap_or_default(), self.inner.encoding)?;
            dst.set_bytes(BytesKind::Blob, &record);
        }
        Ok(())
    }

    /// The rowid that ends the entry of an index; `None` on a null row.
    #[inline]
    pub fn index_rowid(&mut self) -> Result<Option<i64>, Error> {
        if let Some((page, span)) = self.payload_in_place()
            && let Some(rowid) = last_integer(page, span)
        {
            return Ok(Some(rowid));
        }
        self.index_rowid_by_view()
    }

    #[cold]
    fn index_rowid_by_view(&mut self) -> Result<Option<i64>, Error> {
        let is_wanted = self.inner.is_wanted;
        let is_there = self.has_row_in_place() || self.read_row()?;
        self.inner.is_wanted = is_wanted; // the columns of the next entries need not be located
        if !is_there {
            return Ok(None);
        }
        let row = self.inner.cursor.row(&self.btree)?;
        if !self.inner.has_view {
            self.inner.memory.view.reset(row.len());
            self.inner.has_view = true;
        }
        let count = self.inner.memory.view.column_count(row.local())?;
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
        let row = self.inner.cursor.row(&self.btree)?;
        let (len, _) = lithe_format::record::header_len(row.local())?;
        let mut header = vec![0; len.min(row.len()) as usize];
        self.inner.cursor.read_payload(&self.btree, 0, &mut header)?;
        match self.inner.memory.view.column_count(&header)?.and_then(|count| count.checked_sub(1)) {
            Some(last) => self.column_by_view(last, rowid),
            None => Ok(false),
        }
    }

    /// The first column of the entry, if it is an integer with content.
    #[inline]
    pub fn first_integer(&mut self) -> Option<i64> {
        let (page, span) = self.payload_in_place()?;
        if span.overflows() {
            return None;
        }
        let start = span.at as usize;
        match *page.get(start..)? {
            [header_len @ 2..0x80, serial @ 1..=6, ..] => {
                columns::integer(page, SerialType(u32::from(serial)), start + usize::from(header_len))
            }
            _ => None,
        }
    }

    /// The order of the current entry and a key: equal if the entry begins with the key's values.
    #[inline]
    pub fn compare_entry(&mut self, key: &SearchKey<'_>) -> Result<Ordering, Error> {
        if let Some((page, span)) = self.payload_in_place()
            && !span.overflows()
        {
            return Ok(key.compare_entry(&page[span.range()])?);
        }
        let row = self.inner.cursor.row(&self.btree)?;
        if row.span.overflows() {
            return self.compare_overflowing(key);
        }
        Ok(key.compare_entry(row.local())?)
    }

    #[cold]
    fn compare_overflowing(&mut self, key: &SearchKey<'_>) -> Result<Ordering, Error> {
        debug_assert!(self.inner.cursor.key_info().is_some(), "an entry of an index is compared");
        let mut entry = std::mem::take(&mut self.inner.memory.header);
        let len = self.inner.cursor.row(&self.btree)?.len() as usize;
        entry.try_reserve_exact(len.saturating_sub(entry.len()))?;
        entry.resize(len, 0);
        let read = self.inner.cursor.read_payload(&self.btree, 0, &mut entry);
        let order = read.map_err(Error::from).and_then(|()| Ok(key.compare_entry(&entry)?));
        self.inner.memory.header = entry;
        order
    }
}

/// The last column of a record, if it is an integer and on the page. Its type ends the header and its content ends the
/// payload, so the columns before it need not be read.
#[inline]
fn last_integer(page: &[u8], span: PayloadSpan) -> Option<i64> {
    if span.overflows() {
        return None;
    }
    let record = page.get(span.range())?;
    let &header_len @ 2..0x80 = record.first()? else {
        return None;
    };
    let serial = SerialType(u32::from(*record.get(usize::from(header_len) - 1)?));
    let start = record.len().checked_sub(serial.len() as usize)?;
    if serial.is_integer() { serial.decode_integer(record, start) } else { None }
}

/// Puts what a function reads of a long value into a register. False: it reads all of it.
fn put_extent(serial: SerialType, extent: Extent, dst: &mut Register) -> bool {
    match extent {
        Extent::Type if serial.is_blob() => dst.set_zeros(0),
        Extent::Type if serial.is_text() => dst.set(ValueRef::Text(b"")),
        Extent::Length | Extent::Size if serial.is_blob() => dst.set_zeros(serial.len()),
        Extent::Size if serial.is_text() => dst.set_zeros(serial.len()),
        _ => return false,
    }
    true
}
