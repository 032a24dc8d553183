//! Putting an ordinary cell on a leaf: its payload is in one piece, and all of it stays on the page.
//!
//! That is what nearly every INSERT and UPDATE does. It takes fewer steps than the general way, which `insert` has: the cell is written
//! where it will lie, and of the page only the header's fields are read. Whatever is not ordinary is left to the general way, before
//! anything has changed.

use super::{Cursor, Level, ParsedRow, Seek, State};
use crate::balance::Step;
use crate::btree::Btree;
use crate::edit::{self, EditPage};
use crate::error::{Result, corrupt};
use crate::freeblocks;
use lithe_format::btree_page::{FREEBLOCK_MIN, POINTER_LEN, PageHeader};
use lithe_format::bytes::put_u16;
use lithe_format::cell::PayloadSpan;
use lithe_format::payload::{Limits, Payload};
use lithe_format::varint;
use lithe_pager::PageInPlace;

/// What happens to an entry that is replaced by one of the same bytes. SQLite decides likewise: a transaction that has written no page
/// does not make the snapshots of other connections old.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum IfEqual {
    /// Its pages stay as they are.
    Skip,
    /// Its pages are written.
    Write,
}

/// An ordinary cell.
#[derive(Clone, Copy)]
pub(super) struct OrdinaryCell<'a> {
    /// `None` in an index.
    rowid: Option<i64>,
    payload: &'a [u8],
    front_len: usize,
}

impl<'a> OrdinaryCell<'a> {
    #[inline(always)]
    pub(super) fn new(rowid: Option<i64>, payload: &'a [u8]) -> OrdinaryCell<'a> {
        let rowid_len = rowid.map_or(0, |rowid| varint::len(rowid as u64));
        OrdinaryCell { rowid, payload, front_len: varint::len(payload.len() as u64) + rowid_len }
    }

    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        (self.front_len + self.payload.len()).max(FREEBLOCK_MIN)
    }

    #[inline(always)]
    pub(super) fn write(&self, cell: &mut [u8]) {
        let mut at = varint::write(cell, self.payload.len() as u64);
        if let Some(rowid) = self.rowid {
            at += varint::write(&mut cell[at..], rowid as u64);
        }
        debug_assert_eq!(at, self.front_len, "the front of a cell has its length");
        let (payload, padding) = cell[at..].split_at_mut(self.payload.len());
        payload.copy_from_slice(self.payload);
        padding.fill(0);
    }

    /// Puts the cell in the place of cell `index`, whose offset and length are `old`, on a leaf with this header. Answers its offset; `None`,
    /// and the old cell is removed, if the page is too full.
    #[inline(always)]
    fn replace(
        &self,
        mut page: PageInPlace<'_>,
        mut header: PageHeader,
        limits: &Limits,
        index: usize,
        (at, old_size): (usize, usize),
    ) -> Result<Option<usize>> {
        let (no, size, usable) = (page.no(), self.size(), limits.usable);
        debug_assert!(edit::is_sum(page.memo(), &page, &header, limits), "the memo of page {no} is not what is free");
        let free = edit::memo_with(page.memo(), old_size);
        page.set_memo(edit::NOT_SUMMED_UP);
        let freed = freeblocks::free(&mut page, &mut header, at, old_size, usable);
        freed.map_err(|malformed| corrupt(no, malformed.0))?;
        let place = freeblocks::allocate_content(&mut page, &mut header, size, 0, usable);
        let Some(place) = place.map_err(|malformed| corrupt(no, malformed.0))? else {
            let mut page = EditPage::resume(page, header, *limits, free);
            let place = page.replace_freed(index, size)?;
            if let Some(place) = place {
                self.write(page.bytes_mut(place, size));
            }
            return Ok(place);
        };
        put_u16(&mut page, header.pointers_at() + POINTER_LEN * index, place as u16);
        header.write(&mut page);
        page.set_memo(edit::memo_without(free, size));
        self.write(&mut page[place..place + size]);
        Ok(Some(place))
    }

    /// Inserts the cell before cell `index` of a leaf with this header, whose gap has space for it. Answers its offset.
    #[inline(always)]
    fn insert(
        &self,
        mut page: PageInPlace<'_>,
        mut header: PageHeader,
        index: usize,
        limits: &Limits,
    ) -> Result<usize> {
        let (no, size, memo) = (page.no(), self.size(), page.memo());
        debug_assert!(edit::is_sum(memo, &page, &header, limits), "the memo of page {no} is not what is free");
        page.set_memo(edit::NOT_SUMMED_UP);
        let place = freeblocks::allocate_content(&mut page, &mut header, size, POINTER_LEN, limits.usable);
        let place = place.map_err(|malformed| corrupt(no, malformed.0))?.expect("the gap has space for a cell");
        let (pointer_at, pointers_end) = (header.pointers_at() + POINTER_LEN * index, header.pointers_end());
        if pointer_at < pointers_end {
            page.copy_within(pointer_at..pointers_end, pointer_at + POINTER_LEN);
        }
        put_u16(&mut page, pointer_at, place as u16);
        header.cell_count += 1;
        header.write(&mut page);
        page.set_memo(edit::memo_without(memo, size + POINTER_LEN));
        self.write(&mut page[place..place + size]);
        Ok(place)
    }

    /// The parsed form of the cell, if it is written at `place`.
    #[inline(always)]
    pub(super) fn parsed(&self, place: usize) -> ParsedRow {
        let len = self.payload.len() as u32;
        let span = PayloadSpan { at: (place + self.front_len) as u32, local: len, len };
        ParsedRow { rowid: self.rowid.unwrap_or(0), span, is_saved: false }
    }
}

/// Puts a row or an entry where `seek` has found its place. `false`, and nothing has changed, if the cell is not ordinary.
#[inline(always)]
pub(super) fn put(
    cursor: &mut Cursor,
    btree: &Btree,
    rowid: Option<i64>,
    payload: &Payload<'_>,
    seek: Seek,
    if_equal: IfEqual,
) -> Result<bool> {
    let Some(bytes) = payload.as_slice().filter(|bytes| bytes.len() <= cursor.limits.max_local as usize) else {
        return Ok(false);
    };
    match (seek, cursor.state) {
        (Seek::Exact, State::Row) => replace(cursor, btree, rowid, bytes, if_equal),
        (Seek::Less | Seek::Greater, State::Row) => insert_beside(cursor, btree, rowid, bytes, seek),
        (Seek::Less, State::Written) => append(cursor, btree, rowid, bytes),
        _ => Ok(false),
    }
}

/// Replaces the entry on which the cursor stands.
#[inline(never)]
fn replace(cursor: &mut Cursor, btree: &Btree, rowid: Option<i64>, payload: &[u8], if_equal: IfEqual) -> Result<bool> {
    let span = cursor.parse()?.span;
    let Level { node, index } = cursor.here();
    let (no, kind, index) = (node.no, node.kind, usize::from(*index));
    if span.overflows() || !kind.is_leaf() || btree.secure_delete() {
        return Ok(false);
    }
    if span.len as usize == payload.len() {
        if if_equal == IfEqual::Skip && node.page[span.range()] == *payload {
            return Ok(true);
        }
        cursor.state = State::Nowhere;
        cursor.edit_page(btree, no, true, |mut page, _| {
            page[span.range()].copy_from_slice(payload);
            Ok(())
        })?;
    } else {
        let cell = OrdinaryCell::new(rowid, payload);
        let usable = cursor.limits.usable;
        let header = PageHeader::read(&node.page, usize::from(node.header_at), usable);
        let header = header.map_err(|malformed| corrupt(no, malformed.0))?;
        let old = edit::cell_until(&node.page, &header, index, span.end(), usable);
        let Some(old) = old.filter(|_| header.cell_count > 1) else { return Ok(false) };
        cursor.state = State::Nowhere;
        let place = cursor.edit_page(btree, no, true, |page, limits| cell.replace(page, header, limits, index, old))?;
        let Some(place) = place else { return put_elsewhere(cursor, btree, cell, Step { no, index }) };
        cursor.row = Some(cell.parsed(place));
    }
    cursor.path.version = btree.cells_changed(cursor.path.root, kind);
    // A statement that replaces a row mostly walks over the table, and continues from here.
    cursor.state = State::Row;
    Ok(true)
}

/// Puts the cell for which its page, from which the old cell was removed, is too full.
#[cold]
fn put_elsewhere(cursor: &mut Cursor, btree: &Btree, cell: OrdinaryCell<'_>, at: Step) -> Result<bool> {
    cursor.path.pop();
    cursor.put_where_full(btree, cell.rowid, cell.payload, at)?;
    Ok(true)
}

/// Inserts a cell before or after the entry on which the cursor stands.
#[inline(never)]
fn insert_beside(cursor: &mut Cursor, btree: &Btree, rowid: Option<i64>, payload: &[u8], seek: Seek) -> Result<bool> {
    let cell = OrdinaryCell::new(rowid, payload);
    let Level { node, index } = cursor.here();
    let at = Step { no: node.no, index: usize::from(*index) + usize::from(seek == Seek::Less) };
    let header = btree.header(&node.page, at.no)?;
    if !node.is_leaf() || header.gap() < cell.size() + POINTER_LEN {
        return Ok(false);
    }
    let is_last = seek == Seek::Less && (cursor.at_last || cursor.path.is_rightmost());
    cursor.state = State::Nowhere;
    let place = cursor.edit_page(btree, at.no, true, |page, limits| cell.insert(page, header, at.index, limits))?;
    // The page is not held, so that other cursors can write it in its place.
    cursor.path.pop();
    stand_on_written(cursor, btree, &cell, at, place, is_last);
    Ok(true)
}

/// Inserts a cell after the one that the cursor has written, the last of all.
#[inline(never)]
fn append(cursor: &mut Cursor, btree: &Btree, rowid: Option<i64>, payload: &[u8]) -> Result<bool> {
    let cell = OrdinaryCell::new(rowid, payload);
    let at = Step { no: cursor.written.no, index: cursor.written.index + 1 };
    if !cursor.at_last {
        return Ok(false);
    }
    let Some(page) = btree.edit(at.no, None) else { return Ok(false) };
    let header = btree.header(&page, at.no)?;
    if !header.kind.is_leaf() || header.gap() < cell.size() + POINTER_LEN {
        return Ok(false);
    }
    debug_assert!(at.index <= usize::from(header.cell_count), "a cursor stands on a cell of its page");
    cursor.state = State::Nowhere;
    let place = cell.insert(page, header, at.index, &cursor.limits)?;
    stand_on_written(cursor, btree, &cell, at, place, true);
    Ok(true)
}

#[inline(always)]
fn stand_on_written(
    cursor: &mut Cursor,
    btree: &Btree,
    cell: &OrdinaryCell<'_>,
    at: Step,
    place: usize,
    is_last: bool,
) {
    let leaf = cursor.kind().leaf();
    cursor.row = Some(cell.parsed(place));
    cursor.path.version = btree.cells_changed(cursor.path.root, leaf);
    cursor.at_last = is_last;
    cursor.written = at;
    cursor.state = State::Written;
}
