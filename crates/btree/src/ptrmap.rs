//! Maintaining the pointer maps of auto-vacuum databases: the parent of each page.

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::btree_page::{cell_pointer, right_child};
use lithe_format::ptrmap::{Entry, Geometry, PtrmapType};
use lithe_format::{PageNo, cell};
use std::ops::Range;

impl Btree {
    /// The places of the pointer maps.
    pub(crate) fn ptrmap_geometry(&self) -> Geometry {
        Geometry::new(self.page_size(), self.usable_size())
    }

    /// The entry of page `no`.
    pub(crate) fn ptrmap(&self, no: PageNo) -> Result<Entry> {
        let (map, at) = self.ptrmap_place(no)?;
        Entry::read(&self.page(map)?, at).ok_or_else(|| corrupt(map, "pointer map entry of no known type"))
    }

    /// Stores the entry of page `no`. A map that has the entry already is not written.
    pub(crate) fn put_ptrmap(&self, no: PageNo, kind: PtrmapType, parent: Option<PageNo>) -> Result<()> {
        let (map, at) = self.ptrmap_place(no)?;
        let entry = Entry { kind, parent };
        if Entry::read(&self.page(map)?, at) != Some(entry) {
            entry.write(&mut self.write(map)?, at);
        }
        Ok(())
    }

    fn ptrmap_place(&self, no: PageNo) -> Result<(PageNo, usize)> {
        let geometry = self.ptrmap_geometry();
        let place = geometry.map_of(no).and_then(|map| Some((map, geometry.offset(map, no)?)));
        place.ok_or_else(|| corrupt(no, "page that no pointer map describes"))
    }

    /// Makes page `no`, a page of a tree, the parent of all that its cells point to.
    pub(crate) fn adopt_children(&self, no: PageNo) -> Result<()> {
        let page = self.page(no)?;
        let header = self.header(&page, no)?;
        if !header.kind.is_leaf() {
            let child = right_child(&page, header.at).ok_or_else(|| corrupt(no, "child page 0"))?;
            self.put_ptrmap(child, PtrmapType::Btree, Some(no))?;
        }
        drop(page);
        self.adopt_cells(no, 0..usize::from(header.cell_count))
    }

    /// Makes page `no` the parent of what some of its cells point to.
    pub(crate) fn adopt_cells(&self, no: PageNo, cells: Range<usize>) -> Result<()> {
        let page = self.page(no)?;
        let header = self.header(&page, no)?;
        let limits = self.limits(header.kind);
        debug_assert!(cells.start <= cells.end, "cells in reverse");
        for index in cells {
            let at = cell_pointer(&page, header.pointers_at(), index);
            let at = at.ok_or_else(|| corrupt(no, "cell pointer outside the page"))?;
            if !header.kind.is_leaf() {
                let child = cell::left_child(&page, at).ok_or_else(|| corrupt(no, "child page 0"))?;
                self.put_ptrmap(child, PtrmapType::Btree, Some(no))?;
            }
            let span = cell::read_payload(&page, at, header.kind, &limits);
            let span = span.ok_or_else(|| corrupt(no, "cell outside the page"))?;
            if let Some(span) = span.filter(|span| span.overflows()) {
                let first = span.overflow_page(&page).ok_or_else(|| corrupt(no, "overflow page 0"))?;
                self.put_ptrmap(first, PtrmapType::OverflowFirst, Some(no))?;
            }
        }
        Ok(())
    }
}
