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
use crate::payload::{Limits, MAX_PAYLOAD, Payload};
use crate::{PageNo, overflow, varint};

/// The longest that a cell's header gets: child, payload length, rowid.
pub const MAX_HEADER_LEN: usize = CHILD_LEN + 5 + varint::MAX_LEN;

/// Where a cell's payload lies on its page, and how much of it.
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

    /// The first overflow page, if there is one and the page names it.
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
    let (rowid, payload_at) = varint::read_at(page, rowid_at)?;
    let payload = PayloadSpan::new(payload_at, len, limits)?;
    Some(TableLeafCell { rowid: rowid as i64, payload })
}

/// Reads only the rowid of the cell at `at` of a table's leaf.
#[inline]
pub fn read_leaf_rowid(page: &[u8], at: usize) -> Option<i64> {
    let (_, rowid_at) = varint::read_at(page, at)?;
    let (rowid, _) = varint::read_at(page, rowid_at)?;
    Some(rowid as i64)
}

/// Reads only the rowid of the cell at `at` of a table's interior page.
#[inline]
pub fn read_interior_rowid(page: &[u8], at: usize) -> Option<i64> {
    let (rowid, _) = varint::read_at(page, at + CHILD_LEN)?;
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

/// The payload span of a cell of any kind; `None` inside for the one kind without payload.
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
    let end = match kind {
        PageKind::TableLeaf => read_table_leaf(page, at, limits)?.payload.end(),
        PageKind::TableInterior => varint::read_at(page, at + CHILD_LEN)?.1,
        PageKind::IndexLeaf | PageKind::IndexInterior => read_index(page, at, kind, limits)?.end(),
    };
    let size = (end - at).max(FREEBLOCK_MIN);
    (at + size <= limits.usable as usize).then_some(size)
}

/// The front of a cell, put together on the stack: everything before the payload.
#[derive(Clone, Copy, Debug)]
pub struct CellHeader {
    bytes: [u8; MAX_HEADER_LEN],
    len: u8,
}

impl CellHeader {
    /// Of a row.
    #[inline]
    pub fn table_leaf(payload: &Payload<'_>, rowid: i64) -> CellHeader {
        let mut header = CellHeader::index_leaf(payload);
        let at = usize::from(header.len);
        header.len += varint::write(&mut header.bytes[at..], rowid as u64) as u8;
        header
    }

    /// Of an index key.
    #[inline]
    pub fn index_leaf(payload: &Payload<'_>) -> CellHeader {
        let mut bytes = [0; MAX_HEADER_LEN];
        let len = varint::write(&mut bytes, u64::from(payload.len())) as u8;
        CellHeader { bytes, len }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Appends an interior cell of a table to `out`.
pub fn push_table_interior(out: &mut Vec<u8>, child: PageNo, rowid: i64) {
    out.extend_from_slice(&child.get().to_be_bytes());
    varint::push(out, rowid as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row() {
        let limits = Limits::table_leaf(512);
        let record = [7u8; 300];
        let payload = Payload::from_bytes(&record);
        let header = CellHeader::table_leaf(&payload, -2);
        let mut page = vec![0; 512];
        page[100..][..header.as_slice().len()].copy_from_slice(header.as_slice());
        let cell = read_table_leaf(&page, 100, &limits).unwrap();
        assert_eq!(cell.rowid, -2);
        assert_eq!(cell.payload, PayloadSpan { at: 111, local: 300, len: 300 });
        assert_eq!(size(&page, 100, PageKind::TableLeaf, &limits), Some(311));
        assert_eq!(read_leaf_rowid(&page, 100), Some(-2));
        // The same cell further down would leave the page.
        page.copy_within(100..120, 300);
        assert_eq!(read_table_leaf(&page, 300, &limits), None);
    }

    #[test]
    fn a_row_with_overflow() {
        let limits = Limits::table_leaf(512);
        let payload = Payload::from_parts(&[&[1; 2000]], 500);
        let header = CellHeader::table_leaf(&payload, 1);
        let mut page = vec![0; 512];
        page[..3].copy_from_slice(header.as_slice());
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
}
