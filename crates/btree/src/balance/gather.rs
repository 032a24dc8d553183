//! Collecting the cells of siblings, in order, with the dividers between them.

use super::{CellList, Pending};
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::btree_page::{CHILD_LEN, FREEBLOCK_MIN, POINTER_LEN, PageKind, cell_pointer, right_child};
use lithe_format::payload::Limits;
use lithe_format::{PageNo, cell};
use lithe_pager::PageRef;

/// The cells of some siblings. They stay where they are, on the old versions of the pages, until they
/// are written to the new ones.
pub(crate) struct Gathered {
    pub kind: PageKind,
    pub limits: Limits,
    /// The right child of the last sibling so far, on interior pages.
    pub right_child: Option<PageNo>,
    sources: Vec<PageRef>,
    /// Cells that are on no page: first the pending ones, then dividers that came down from the parent.
    loose: CellList,
    pending_count: usize,
    cells: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Page { source: u8, at: u16, size: u16 },
    Loose(u32),
}

impl Gathered {
    /// The cells of `siblings`, with `pending` among those of the one at `middle`, and `dividers`
    /// between them.
    pub fn new(
        btree: &Btree,
        siblings: &[PageNo],
        middle: usize,
        pending: Option<Pending>,
        dividers: &CellList,
    ) -> Result<Gathered> {
        let kind = btree.header(&btree.page(siblings[0])?, siblings[0])?.kind;
        let (pending_at, loose) = match pending {
            Some(Pending { at, cells }) => (Some(at), cells),
            None => (None, CellList::default()),
        };
        let mut gathered = Gathered {
            kind,
            limits: btree.limits(kind),
            right_child: None,
            sources: Vec::with_capacity(siblings.len()),
            pending_count: loose.len(),
            loose,
            cells: Vec::with_capacity(128),
        };
        for (index, &no) in siblings.iter().enumerate() {
            if index > 0 {
                gathered.bring_down(dividers.get(index - 1), siblings[index - 1])?;
            }
            gathered.add_page(btree, no, pending_at.filter(|_| index == middle))?;
        }
        Ok(gathered)
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The bytes of a cell: on a leaf of an index perhaps with padding up to the least size.
    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        match self.cells[index] {
            Place::Page { source, at, size } => {
                &self.sources[usize::from(source)][usize::from(at)..][..usize::from(size)]
            }
            Place::Loose(index) => self.loose.get(index as usize),
        }
    }

    /// What each cell occupies, its pointer included.
    pub fn sizes(&self) -> Vec<u32> {
        (0..self.len()).map(|index| (self.get(index).len() + POINTER_LEN) as u32).collect()
    }

    /// The cell at `index` as the divider after page `left`.
    pub fn divider(&self, index: usize, left: PageNo, out: &mut Vec<u8>) -> Result<()> {
        let cell = self.get(index);
        let malformed = || corrupt(left, "cell outside the page");
        match self.kind {
            PageKind::TableLeaf => {
                let rowid = cell::read_leaf_rowid(cell, 0).ok_or_else(malformed)?;
                cell::push_table_interior(out, left, rowid);
            }
            PageKind::IndexLeaf => {
                // Without the padding, which an interior cell has no use for.
                let len = cell::read_index(cell, 0, self.kind, &self.limits).ok_or_else(malformed)?.end();
                out.extend_from_slice(&left.get().to_be_bytes());
                out.extend_from_slice(&cell[..len]);
            }
            PageKind::TableInterior | PageKind::IndexInterior => {
                out.extend_from_slice(&left.get().to_be_bytes());
                out.extend_from_slice(&cell[CHILD_LEN..]);
            }
        }
        Ok(())
    }

    /// The page before the cell at `index` of an interior page.
    pub fn left_child(&self, index: usize) -> Option<PageNo> {
        cell::left_child(self.get(index), 0)
    }

    fn add_page(&mut self, btree: &Btree, no: PageNo, mut pending_at: Option<usize>) -> Result<()> {
        let page = btree.page(no)?;
        let header = btree.header(&page, no)?;
        if header.kind != self.kind {
            return Err(corrupt(no, "siblings of different kinds"));
        }
        let source = self.sources.len() as u8;
        for index in 0..usize::from(header.cell_count) {
            if pending_at == Some(index) {
                pending_at = None;
                self.add_pending();
            }
            let at = cell_pointer(&page, header.pointers_at(), index).filter(|at| *at >= header.pointers_end());
            let place = at.and_then(|at| Some((at, cell::size(&page, at, self.kind, &self.limits)?)));
            let (at, size) = place.ok_or_else(|| corrupt(no, "cell outside the page"))?;
            self.cells.push(Place::Page { source, at: at as u16, size: size as u16 });
        }
        if pending_at.is_some() {
            self.add_pending();
        }
        if !self.kind.is_leaf() {
            self.right_child = right_child(&page, header.at);
        }
        self.sources.push(page);
        Ok(())
    }

    fn add_pending(&mut self) {
        self.cells.extend((0..self.pending_count as u32).map(Place::Loose));
    }

    /// The divider after page `left` becomes a cell among the others, unless it is a mere copy.
    fn bring_down(&mut self, divider: &[u8], left: PageNo) -> Result<()> {
        match self.kind {
            PageKind::TableLeaf => return Ok(()),
            PageKind::IndexLeaf => self.loose.push(|bytes| {
                let start = bytes.len();
                bytes.extend_from_slice(&divider[CHILD_LEN..]);
                bytes.resize(bytes.len().max(start + FREEBLOCK_MIN), 0);
            }),
            PageKind::TableInterior | PageKind::IndexInterior => {
                let child = self.right_child.ok_or_else(|| corrupt(left, "child page 0"))?;
                self.loose.push(|bytes| {
                    bytes.extend_from_slice(&child.get().to_be_bytes());
                    bytes.extend_from_slice(&divider[CHILD_LEN..]);
                });
            }
        }
        self.cells.push(Place::Loose(self.loose.len() as u32 - 1));
        Ok(())
    }
}
