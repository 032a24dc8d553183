//! A B-tree page: header, cell pointers, a gap, and the cells, which grow downwards.
//!
//! ```text
//!   at+0   1   2   3   4   5   6   7   8              12 (interior) or 8 (leaf)
//!   | kind | first | cells | content | frag- | right   | pointer 0 | pointer 1 | ...
//!   |      | free- |       | starts  | mented| child * |
//!   |      | block |       | at **   | bytes |         |
//!
//!   | header | pointers ->        gap        <- cells and freeblocks | reserved |
//!                                            ^ content starts        ^ usable size
//! ```
//!
//! `at` is 100 on page 1, after the database header, and 0 on every other page.
//! \* only on interior pages. \*\* 0 means 65536.
//!
//! A freeblock is a hole of at least four bytes between cells, linked in ascending order; holes of
//! one to three bytes are only counted, as fragmented bytes.
//!
//! ```text
//!   | next freeblock, 0 at the end (2) | size of this one, these four bytes included (2) | ...
//! ```

use crate::bytes::{at_u16, at_u32, get_u16, put_u16, put_u32};
use crate::{Malformed, PageNo, db_header};

/// Offset in the header of the page kind.
pub const KIND_AT: usize = 0;
/// Offset in the header of the first freeblock.
pub const FIRST_FREEBLOCK_AT: usize = 1;
/// Offset in the header of the number of cells.
pub const CELL_COUNT_AT: usize = 3;
/// Offset in the header of the start of the cell content.
pub const CONTENT_AT: usize = 5;
/// Offset in the header of the number of fragmented bytes.
pub const FRAGMENTED_AT: usize = 7;
/// Offset in the header of the right child, on interior pages.
pub const RIGHT_CHILD_AT: usize = 8;
/// Length of the header of a leaf.
pub const LEAF_HEADER_LEN: usize = 8;
/// Length of the header of an interior page.
pub const INTERIOR_HEADER_LEN: usize = 12;
/// Length of one cell pointer.
pub const POINTER_LEN: usize = 2;
/// The smallest freeblock, and the least that a cell occupies.
pub const FREEBLOCK_MIN: usize = 4;
/// More fragmented bytes than this make a writer defragment the page.
pub const FRAGMENTED_MAX: u8 = 60;
/// Length of the child page number in front of an interior cell.
pub const CHILD_LEN: usize = 4;

const _: () = assert!(FRAGMENTED_AT + 1 == LEAF_HEADER_LEN);
const _: () = assert!(RIGHT_CHILD_AT == LEAF_HEADER_LEN);
const _: () = assert!(RIGHT_CHILD_AT + 4 == INTERIOR_HEADER_LEN);
const _: () = assert!(PageKind::TableLeaf.header_len() == LEAF_HEADER_LEN && PageKind::IndexLeaf.is_leaf());
const _: () =
    assert!(PageKind::IndexInterior.header_len() == INTERIOR_HEADER_LEN && !PageKind::TableInterior.is_leaf());
const _: () =
    assert!(PageKind::TableLeaf.is_table() && PageKind::TableInterior.is_table() && !PageKind::IndexLeaf.is_table());

/// The bit in the byte of a page kind that leaves have.
const LEAF_BIT: u8 = 8;

/// The bit in the byte of a page kind that pages of tables have.
const TABLE_BIT: u8 = 1;

/// The four kinds of B-tree page, by the byte that the file stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PageKind {
    /// Interior page of an index.
    IndexInterior = 2,
    /// Interior page of a table: rowids only.
    TableInterior = 5,
    /// Leaf of an index.
    IndexLeaf = 10,
    /// Leaf of a table.
    TableLeaf = 13,
}

impl PageKind {
    /// The kind of the byte, or `None`.
    #[inline]
    pub const fn decode(byte: u8) -> Option<PageKind> {
        match byte {
            2 => Some(PageKind::IndexInterior),
            5 => Some(PageKind::TableInterior),
            10 => Some(PageKind::IndexLeaf),
            13 => Some(PageKind::TableLeaf),
            _ => None,
        }
    }

    /// Whether pages of this kind have no children.
    #[inline]
    pub const fn is_leaf(self) -> bool {
        self as u8 & LEAF_BIT != 0
    }

    /// Whether the page belongs to a table tree, with rowids for keys.
    #[inline]
    pub const fn is_table(self) -> bool {
        self as u8 & TABLE_BIT != 0
    }

    /// The kind of an interior page of the same tree.
    #[inline]
    pub const fn interior(self) -> PageKind {
        if self.is_table() { PageKind::TableInterior } else { PageKind::IndexInterior }
    }

    /// The kind of a leaf of the same tree.
    #[inline]
    pub const fn leaf(self) -> PageKind {
        if self.is_table() { PageKind::TableLeaf } else { PageKind::IndexLeaf }
    }

    /// The length of the header of such a page.
    #[inline]
    pub const fn header_len(self) -> usize {
        // Half the bit of a leaf is the length of the right child, which a leaf lacks: no branch.
        INTERIOR_HEADER_LEN - (self as u8 & LEAF_BIT) as usize / 2
    }
}

/// Where the B-tree header of page `no` starts.
#[inline]
pub const fn header_at(no: PageNo) -> usize {
    if no.get() == 1 { db_header::HEADER_LEN } else { 0 }
}

/// The most cells that a page of `usable` bytes can point to: each takes at least its pointer and
/// four bytes.
#[inline]
pub const fn max_cells(usable: usize) -> usize {
    (usable - LEAF_HEADER_LEN) / (POINTER_LEN + FREEBLOCK_MIN)
}

/// The fields of a page header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// Where the header starts: 100 on page 1, else 0.
    pub at: usize,
    /// What the page holds.
    pub kind: PageKind,
    /// Offset of the first freeblock, 0 for none.
    pub first_freeblock: u16,
    /// The number of cells.
    pub cell_count: u16,
    /// Where the cell content starts (up to 65536).
    pub content_at: u32,
    /// Bytes in holes too small for a freeblock.
    pub fragmented: u8,
}

impl PageHeader {
    /// The header of an empty page whose content area ends at `usable`.
    pub fn empty(at: usize, kind: PageKind, usable: u32) -> PageHeader {
        PageHeader { at, kind, first_freeblock: 0, cell_count: 0, content_at: usable, fragmented: 0 }
    }

    /// Reads the header at `at` and checks in constant time that the kind is valid, and that pointers and content do
    /// not overlap and end within the usable size.
    #[inline]
    pub fn read(page: &[u8], at: usize, usable: u32) -> Result<PageHeader, Malformed> {
        let bytes = page.get(at..).and_then(|tail| tail.first_chunk());
        let bytes: &[u8; LEAF_HEADER_LEN] = bytes.ok_or(Malformed("page shorter than its header"))?;
        let kind = PageKind::decode(bytes[KIND_AT]).ok_or(Malformed("page kind is none"))?;
        let header = PageHeader::from_bytes(bytes, at, kind);
        if header.pointers_end() > header.content_at as usize {
            return Err(Malformed("cell pointers reach into the cell content"));
        }
        if header.content_at > usable {
            return Err(Malformed("cell content starts past the end of the page"));
        }
        Ok(header)
    }

    /// The fields of the page's header, unchecked, for callers that check them otherwise; `None` if the page kind is
    /// not valid.
    pub fn read_fields(page: &[u8], at: usize) -> Option<PageHeader> {
        let bytes = page.get(at..)?.first_chunk()?;
        Some(PageHeader::from_bytes(bytes, at, PageKind::decode(bytes[KIND_AT])?))
    }

    #[inline]
    fn from_bytes(bytes: &[u8; LEAF_HEADER_LEN], at: usize, kind: PageKind) -> PageHeader {
        PageHeader {
            at,
            kind,
            first_freeblock: at_u16(bytes, FIRST_FREEBLOCK_AT),
            cell_count: at_u16(bytes, CELL_COUNT_AT),
            content_at: decode_content_at(at_u16(bytes, CONTENT_AT)),
            fragmented: bytes.get(FRAGMENTED_AT).copied().unwrap_or_default(),
        }
    }

    /// Writes every field; the right child of an interior page is unchanged.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a caller owes a page, which is longer than its header")]
    pub fn write(&self, page: &mut [u8]) {
        let header = &mut page[self.at..][..LEAF_HEADER_LEN];
        header[KIND_AT] = self.kind as u8;
        put_u16(header, FIRST_FREEBLOCK_AT, self.first_freeblock);
        put_u16(header, CELL_COUNT_AT, self.cell_count);
        put_u16(header, CONTENT_AT, self.content_at as u16); // 65536 becomes 0
        header[FRAGMENTED_AT] = self.fragmented;
    }

    /// Where the cell pointers start.
    #[inline]
    pub const fn pointers_at(&self) -> usize {
        self.at + self.kind.header_len()
    }

    /// Where the cell pointers end and the gap starts.
    #[inline]
    pub const fn pointers_end(&self) -> usize {
        self.pointers_at() + POINTER_LEN * self.cell_count as usize
    }

    /// The bytes between the pointers and the content.
    #[inline]
    pub const fn gap(&self) -> usize {
        self.content_at as usize - self.pointers_end()
    }
}

#[inline]
const fn decode_content_at(field: u16) -> u32 {
    if field == 0 { 65536 } else { field as u32 }
}

/// The cell pointer `index` of a page whose pointers start at `pointers_at`, as the file stores it.
#[inline]
pub fn cell_pointer(page: &[u8], pointers_at: usize, index: usize) -> Option<usize> {
    get_u16(page, pointers_at + POINTER_LEN * index).map(usize::from)
}

/// The right child of the interior page whose header starts at `at`.
#[inline]
pub fn right_child(page: &[u8], at: usize) -> Option<PageNo> {
    PageNo::new(at_u32(page, at + RIGHT_CHILD_AT))
}

/// Stores the right child of the interior page whose header starts at `at`.
#[inline]
pub fn put_right_child(page: &mut [u8], at: usize, child: PageNo) {
    put_u32(page, at + RIGHT_CHILD_AT, child.get());
}

/// A freeblock's two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freeblock {
    /// Offset of the next freeblock, 0 at the end of the list.
    pub next: u16,
    /// The size, the four bytes of these fields included.
    pub size: u16,
}

impl Freeblock {
    /// Reads the freeblock at `at`, or `None` if its fields are not within the page.
    #[inline]
    pub fn read(page: &[u8], at: usize) -> Option<Freeblock> {
        let fields: &[u8; FREEBLOCK_MIN] = page.get(at..)?.first_chunk()?;
        Some(Freeblock { next: at_u16(fields, 0), size: at_u16(fields, 2) })
    }

    /// Writes the two fields at `at`.
    #[inline]
    pub fn write(self, page: &mut [u8], at: usize) {
        put_u16(page, at, self.next);
        put_u16(page, at + 2, self.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_comes_back() {
        for (at, kind) in [(0, PageKind::TableLeaf), (100, PageKind::IndexInterior)] {
            let mut page = vec![0xee; 65536];
            let header = PageHeader { at, kind, first_freeblock: 700, cell_count: 12, content_at: 600, fragmented: 3 };
            header.write(&mut page);
            assert_eq!(PageHeader::read(&page, at, 65536), Ok(header));
            assert_eq!(header.pointers_at(), at + kind.header_len());
            assert_eq!(header.gap(), 600 - at - kind.header_len() - 24);
        }
    }

    #[test]
    fn content_of_an_empty_large_page() {
        let mut page = vec![0; 65536];
        let header = PageHeader::empty(0, PageKind::IndexLeaf, 65536);
        header.write(&mut page);
        assert_eq!(page[CONTENT_AT..][..2], [0, 0]);
        assert_eq!(PageHeader::read(&page, 0, 65536), Ok(header));
        // The same bytes on a smaller page claim content past its end.
        assert!(PageHeader::read(&page, 0, 4096).is_err());
    }

    #[test]
    fn malformed_headers() {
        let mut page = vec![0; 512];
        assert_eq!(PageHeader::read(&page, 0, 512), Err(Malformed("page kind is none")));
        let mut header = PageHeader::empty(0, PageKind::TableLeaf, 512);
        header.cell_count = 253;
        header.write(&mut page);
        assert_eq!(PageHeader::read(&page, 0, 512), Err(Malformed("cell pointers reach into the cell content")));
        assert!(PageHeader::read(&page[..7], 0, 512).is_err());
    }

    #[test]
    fn freeblocks() {
        let mut page = vec![0; 512];
        let block = Freeblock { next: 400, size: 20 };
        block.write(&mut page, 300);
        assert_eq!(Freeblock::read(&page, 300), Some(block));
        assert_eq!(Freeblock::read(&page, 509), None);
    }
}
