//! The cells of one page, read independently: damage to one cell does not affect the rest.

use lithe_format::btree_page::{self, PageHeader, PageKind, header_at};
use lithe_format::cell::{self, PayloadSpan};
use lithe_format::payload::Limits;
use lithe_format::{PageNo, overflow};

use crate::geometry::Geometry;
use crate::page_set::PageSet;
use crate::pages::PageSource;
use crate::record::Row;

/// A B-tree page.
pub(crate) struct TreePage<'p> {
    bytes: &'p [u8],
    header: PageHeader,
    geometry: &'p Geometry,
}

impl<'p> TreePage<'p> {
    /// The page, if it is one of a B-tree.
    pub(crate) fn new(no: PageNo, bytes: &'p [u8], geometry: &'p Geometry) -> Option<TreePage<'p>> {
        if geometry.is_pointer_map(no) {
            return None;
        }
        let header = PageHeader::read_fields(bytes, header_at(no))?;
        Some(TreePage { bytes, header, geometry })
    }

    pub(crate) fn kind(&self) -> PageKind {
        self.header.kind
    }

    /// The offsets of those cells that begin after the header.
    fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        let pointers_at = self.header.pointers_at();
        let count = usize::from(self.header.cell_count).min(btree_page::max_cells(self.geometry.usable as usize));
        let pointers = (0..count).filter_map(move |index| btree_page::cell_pointer(self.bytes, pointers_at, index));
        pointers.filter(move |at| *at >= pointers_at && *at < self.geometry.usable as usize)
    }

    /// The children of an interior page, left to right.
    pub(crate) fn children(&self) -> Vec<PageNo> {
        if self.header.kind.is_leaf() {
            return Vec::new();
        }
        let right_at = self.header.at + btree_page::RIGHT_CHILD_AT;
        let left = self.offsets().filter_map(|at| cell::left_child(self.bytes, at));
        left.chain(cell::left_child(self.bytes, right_at)).collect()
    }

    /// The rows of the page. Their overflow pages are marked as taken, and are not read for later rows.
    pub(crate) fn rows(&self, source: &dyn PageSource, taken: &mut PageSet) -> Vec<Row> {
        let kind = self.header.kind;
        let limits = match kind {
            PageKind::TableInterior => return Vec::new(),
            PageKind::TableLeaf => Limits::table_leaf(self.geometry.usable),
            PageKind::IndexLeaf | PageKind::IndexInterior => Limits::index(self.geometry.usable),
        };
        let row = |at: usize| {
            let (rowid, span) = match kind {
                PageKind::TableLeaf => {
                    let cell = cell::read_table_leaf(self.bytes, at, &limits)?;
                    (Some(cell.rowid), cell.payload)
                }
                _ => (None, cell::read_index(self.bytes, at, kind, &limits)?),
            };
            Some(Row::new(rowid, self.payload(&span, source, taken)?))
        };
        self.offsets().filter_map(row).collect()
    }

    /// A payload, as far as its overflow pages can be read.
    fn payload(&self, span: &PayloadSpan, source: &dyn PageSource, taken: &mut PageSet) -> Option<Vec<u8>> {
        let mut payload = self.bytes.get(span.range())?.to_vec();
        let mut next = span.overflow_page(self.bytes);
        while let Some(no) = next {
            let missing = (span.len as usize).saturating_sub(payload.len());
            if missing == 0 || !taken.insert(no) {
                break;
            }
            let Some(page) = source.page(no) else { break };
            let content = page.get(overflow::CONTENT_AT..self.geometry.usable as usize).unwrap_or_default();
            payload.extend_from_slice(content.get(..missing).unwrap_or(content));
            next = overflow::next(&page);
        }
        Some(payload)
    }
}
