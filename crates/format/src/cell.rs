//! The cells of the four kinds of B-tree page.
//!
//! ```text
//!   table leaf      | payload length | rowid | local payload ... | first overflow page * |
//!                     varint           varint                      4
//!   table interior  | left child | rowid |
//!                     4            varint
//!   index leaf      | payload length | local payload ... | first overflow page * |
//!   index interior  | left child | payload length | local payload ... | first overflow page * |
//! ```
//!
//! \* only if the payload is longer than what stays on the page (module [`payload`](crate::payload)).
//! A cell occupies at least four bytes, so that a freeblock fits in its place.

use crate::btree_page::{CHILD_LEN, FREEBLOCK_MIN, PageKind};
use crate::bytes::get_u32;
use crate::payload::{Limits, MAX_PAYLOAD};
use crate::{PageNo, overflow, varint};

/// The place of a cell's payload on its page, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PayloadSpan {
    /// Offset on the page of the first local byte.
    pub at: u32,
    /// The number of local bytes.
    pub local: u32,
    /// The length of the whole payload.
    pub len: u32,
}

impl PayloadSpan {
    /// Whether part of the payload is on overflow pages.
    #[inline]
    pub fn overflows(&self) -> bool {
        self.local < self.len
    }

    /// The local bytes, as a range of the page.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.at as usize..(self.at + self.local) as usize
    }

    /// Where the cell ends, its overflow pointer included.
    #[inline]
    pub fn end(&self) -> usize {
        let pointer = if self.overflows() { overflow::POINTER_LEN } else { 0 };
        (self.at + self.local) as usize + pointer
    }

    /// The first overflow page, if there is one and its number is valid.
    #[inline]
    pub fn overflow_page(&self, page: &[u8]) -> Option<PageNo> {
        if !self.overflows() {
            return None;
        }
        PageNo::new(get_u32(page, (self.at + self.local) as usize)?)
    }

    /// The span of a payload of `len` bytes that starts at `at`; `None` if it leaves the page.
    #[inline]
    fn new(at: usize, len: u64, limits: &Limits) -> Option<PayloadSpan> {
        if len > MAX_PAYLOAD {
            return None;
        }
        let len = len as u32;
        let span = PayloadSpan { at: at as u32, local: limits.local(len), len };
        (span.end() <= limits.usable as usize).then_some(span)
    }
}

/// The longest front of a cell that the fast path reads: a length of two bytes and a rowid of eight.
const FRONT_LEN: usize = 10;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// A cell of a table's leaf: a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLeafCell {
    /// The row's key.
    pub rowid: i64,
    /// The row's record.
    pub payload: PayloadSpan,
}

/// Reads the cell at `at` of a table's leaf.
#[inline]
pub fn read_table_leaf(page: &[u8], at: usize, limits: &Limits) -> Option<TableLeafCell> {
    let (len, rowid_at) = varint::read_at(page, at)?;
    let (rowid, rowid_len) = varint::read_wide(page.get(rowid_at..)?)?;
    let payload = PayloadSpan::new(rowid_at + rowid_len, len, limits)?;
    Some(TableLeafCell { rowid: rowid as i64, payload })
}

/// The payload of the cell at `at` of a leaf, if it is an ordinary one: all of it is on the page.
#[inline]
pub fn read_usual_payload(page: &[u8], at: usize, has_rowid: bool, max_local: u32, usable: u32) -> Option<PayloadSpan> {
    let front: &[u8; FRONT_LEN] = page.get(at..)?.first_chunk()?;
    let (len, mut front_len) = match *front {
        [a @ ..0x80, ..] => (u32::from(a), 1),
        [a, b @ ..0x80, ..] => (u32::from(a & 0x7f) << 7 | u32::from(b), 2),
        _ => return None,
    };
    if has_rowid {
        front_len += varint_len(front.get(front_len..)?.first_chunk()?)?;
    }
    let span = PayloadSpan { at: (at + front_len) as u32, local: len, len };
    let is_whole = len <= max_local && span.at + len <= usable;
    is_whole.then_some(span)
}

/// The cell at `at` of a table's leaf, if it is an ordinary one: as [`read_usual_payload`], with the rowid.
#[inline]
pub fn read_usual_row(page: &[u8], at: usize, max_local: u32, usable: u32) -> Option<TableLeafCell> {
    let front: &[u8; FRONT_LEN] = page.get(at..)?.first_chunk()?;
    let (len, len_len) = match *front {
        [a @ ..0x80, ..] => (u32::from(a), 1),
        [a, b @ ..0x80, ..] => (u32::from(a & 0x7f) << 7 | u32::from(b), 2),
        _ => return None,
    };
    let (rowid, rowid_len) = varint::read_wide(front.get(len_len..)?)?;
    let payload = PayloadSpan { at: (at + len_len + rowid_len) as u32, local: len, len };
    let is_whole = len <= max_local && payload.at + len <= usable;
    is_whole.then_some(TableLeafCell { rowid: rowid as i64, payload })
}

/// The length of the varint at the start, if it is less than nine.
#[inline]
fn varint_len(bytes: &[u8; 8]) -> Option<usize> {
    let stops = !u64::from_le_bytes(*bytes) & HIGH_BITS;
    (stops != 0).then(|| stops.trailing_zeros() as usize / 8 + 1)
}

/// Reads only the rowid of the cell at `at` of a table's leaf.
#[inline]
pub fn read_leaf_rowid(page: &[u8], at: usize) -> Option<i64> {
    let (_, rowid_at) = varint::read_at(page, at)?;
    let (rowid, _) = varint::read_wide(page.get(rowid_at..)?)?;
    Some(rowid as i64)
}

/// Reads only the rowid of the cell at `at` of a table's interior page.
#[inline]
pub fn read_interior_rowid(page: &[u8], at: usize) -> Option<i64> {
    let (rowid, _) = varint::read_wide(page.get(at + CHILD_LEN..)?)?;
    Some(rowid as i64)
}

/// Reads the payload span of the cell at `at` of an index page; on an interior page it follows the
/// child.
#[inline]
pub fn read_index(page: &[u8], at: usize, kind: PageKind, limits: &Limits) -> Option<PayloadSpan> {
    let at = if kind.is_leaf() { at } else { at + CHILD_LEN };
    let (len, payload_at) = varint::read_at(page, at)?;
    PayloadSpan::new(payload_at, len, limits)
}

/// The left child in the cell at `at` of an interior page.
#[inline]
pub fn left_child(page: &[u8], at: usize) -> Option<PageNo> {
    PageNo::new(get_u32(page, at)?)
}

/// The payload span of a cell of any kind; the inner `None` is for the one kind without payload.
#[inline]
pub fn read_payload(page: &[u8], at: usize, kind: PageKind, limits: &Limits) -> Option<Option<PayloadSpan>> {
    match kind {
        PageKind::TableLeaf => read_table_leaf(page, at, limits).map(|cell| Some(cell.payload)),
        PageKind::TableInterior => read_interior_rowid(page, at).map(|_| None),
        PageKind::IndexLeaf | PageKind::IndexInterior => read_index(page, at, kind, limits).map(Some),
    }
}

/// The bytes that the cell at `at` occupies; `None` if it does not end within the page.
#[inline]
pub fn size(page: &[u8], at: usize, kind: PageKind, limits: &Limits) -> Option<usize> {
    match kind {
        PageKind::TableLeaf => size_table_leaf(page, at, limits),
        PageKind::TableInterior => size_table_interior(page, at, limits),
        PageKind::IndexLeaf => size_index(page, at, 0, limits),
        PageKind::IndexInterior => size_index(page, at, CHILD_LEN, limits),
    }
}

/// [`size`] on a leaf of a table.
#[inline]
pub fn size_table_leaf(page: &[u8], at: usize, limits: &Limits) -> Option<usize> {
    let (len, rowid_at) = varint::read_at(page, at)?;
    let payload_at = rowid_at + varint::skip(page.get(rowid_at..)?)?;
    size_from_end(at, PayloadSpan::new(payload_at, len, limits)?.end(), limits)
}

/// [`size`] on an interior page of a table.
#[inline]
pub fn size_table_interior(page: &[u8], at: usize, limits: &Limits) -> Option<usize> {
    let rowid_at = at + CHILD_LEN;
    size_from_end(at, rowid_at + varint::skip(page.get(rowid_at..)?)?, limits)
}

/// [`size`] on a page of an index, with `child_len` bytes before the payload length.
#[inline]
pub fn size_index(page: &[u8], at: usize, child_len: usize, limits: &Limits) -> Option<usize> {
    let (len, payload_at) = varint::read_at(page, at + child_len)?;
    size_from_end(at, PayloadSpan::new(payload_at, len, limits)?.end(), limits)
}

#[inline]
fn size_from_end(at: usize, end: usize, limits: &Limits) -> Option<usize> {
    let size = (end - at).max(FREEBLOCK_MIN);
    (at + size <= limits.usable as usize).then_some(size)
}

/// Appends an interior cell of a table to `out`.
pub fn push_table_interior(out: &mut Vec<u8>, child: PageNo, rowid: i64) {
    let mut cell = [0; TABLE_INTERIOR_MAX];
    let len = write_table_interior(&mut cell, child, rowid);
    out.extend_from_slice(cell.get(..len).unwrap_or(&cell));
}

/// The longest cell of an interior page of a table: the child, and a rowid.
pub const TABLE_INTERIOR_MAX: usize = CHILD_LEN + varint::MAX_LEN;

/// Writes a cell of an interior page of a table; answers its length.
#[inline]
pub fn write_table_interior(out: &mut [u8; TABLE_INTERIOR_MAX], child: PageNo, rowid: i64) -> usize {
    out[..CHILD_LEN].copy_from_slice(&child.get().to_be_bytes());
    CHILD_LEN + varint::write(&mut out[CHILD_LEN..], rowid as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The front of a row's cell.
    fn header(len: u64, rowid: i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::push(&mut bytes, len);
        varint::push(&mut bytes, rowid as u64);
        bytes
    }

    #[test]
    fn a_row() {
        let limits = Limits::table_leaf(512);
        let header = header(300, -2);
        let mut page = vec![0; 512];
        page[100..][..header.len()].copy_from_slice(&header);
        let cell = read_table_leaf(&page, 100, &limits).unwrap();
        assert_eq!(cell.rowid, -2);
        assert_eq!(cell.payload, PayloadSpan { at: 111, local: 300, len: 300 });
        assert_eq!(size(&page, 100, PageKind::TableLeaf, &limits), Some(311));
        assert_eq!(read_leaf_rowid(&page, 100), Some(-2));
        // The same cell further down would leave the page.
        page.copy_within(100..120, 300);
        assert_eq!(read_table_leaf(&page, 300, &limits), None);
        assert_eq!(size(&page, 300, PageKind::TableLeaf, &limits), None);
    }

    #[test]
    fn a_row_with_overflow() {
        let limits = Limits::table_leaf(512);
        let mut page = vec![0; 512];
        page[..3].copy_from_slice(&header(2500, 1));
        let span = read_table_leaf(&page, 0, &limits).unwrap().payload;
        assert_eq!((span.len, span.local), (2500, limits.local(2500)));
        page[span.end() - 4..span.end()].copy_from_slice(&9u32.to_be_bytes());
        assert_eq!(span.overflow_page(&page), PageNo::new(9));
    }

    #[test]
    fn interior_cells_and_the_least_size() {
        let limits = Limits::index(512);
        let mut cell = Vec::new();
        push_table_interior(&mut cell, PageNo::new(0x0102_0304).unwrap(), 300);
        cell.resize(512, 0);
        assert_eq!(left_child(&cell, 0).unwrap().get(), 0x0102_0304);
        assert_eq!(read_interior_rowid(&cell, 0), Some(300));
        assert_eq!(size(&cell, 0, PageKind::TableInterior, &limits), Some(6));
        assert_eq!(size(&[1, 0, 0, 0, 0], 0, PageKind::IndexLeaf, &limits), Some(4));
        assert_eq!(size(&vec![0; 512], 510, PageKind::IndexLeaf, &limits), None);
        assert_eq!(size(&[0x8f, 0xff, 0xff, 0xff, 0x7f, 0], 0, PageKind::IndexLeaf, &limits), None);
        assert_eq!(size(&cell, usize::MAX - 8, PageKind::IndexInterior, &limits), None);
    }

    #[test]
    fn lengths_of_varints() {
        let mut bytes = [0; 9];
        for shift in 0..64 {
            let value = 1u64 << shift;
            let len = varint::write(&mut bytes, value);
            let expected = (len < 9).then_some(len);
            assert_eq!(varint_len(bytes.first_chunk().unwrap()), expected, "{value}");
        }
    }
}
