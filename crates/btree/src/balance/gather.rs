//! Collecting the cells of siblings, in order, with the dividers between them.

use super::plan::Share;
use super::{CellList, Pending};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use lithe_format::btree_page::{CHILD_LEN, FREEBLOCK_MIN, POINTER_LEN, PageKind, right_child};
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
    places: Vec<Place>,
    /// The bytes that each cell occupies, its pointer included.
    sizes: Vec<u32>,
}

/// Where a cell is.
#[derive(Clone, Copy)]
struct Place {
    /// The index of the page in `sources`, or [`LOOSE`].
    source: u16,
    /// The offset on the page, or the index in `loose`.
    at: u16,
}

const LOOSE: u16 = u16::MAX;

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
        assert!(middle < siblings.len(), "the page to be balanced is one of the siblings");
        assert_eq!(dividers.len() + 1, siblings.len(), "a divider stands between two siblings");
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
            places: Vec::with_capacity(256),
            sizes: Vec::with_capacity(256),
        };
        for (index, &no) in siblings.iter().enumerate() {
            if index > 0 {
                gathered.bring_down(dividers.get(index - 1), siblings[index - 1])?;
            }
            gathered.add_page(btree, no, pending_at.filter(|_| index == middle))?;
        }
        assert_eq!(gathered.places.len(), gathered.sizes.len(), "each cell has a place and a size");
        assert_eq!(gathered.sources.len(), siblings.len(), "each sibling is a source");
        Ok(gathered)
    }

    /// The bytes that each cell occupies, its pointer included.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Puts a share of the cells on an empty page.
    ///
    /// Cells mostly lie on their old page as the last balancing left them, each directly below the one before: such
    /// runs are copied in one piece.
    pub fn write(&self, page: &mut EditPage<'_>, share: Share) {
        assert!(share.start <= share.end && share.end <= self.places.len(), "a share of cells that are not there");
        let mut index = share.start;
        while index < share.end {
            let end = self.run_end(index, share.end);
            let first_len = self.len_of(index);
            match self.places[index] {
                Place { source: LOOSE, at } => page.push(self.loose.get(usize::from(at))),
                Place { source, at } => {
                    let bottom = usize::from(self.places[end - 1].at);
                    let top = usize::from(at) + first_len;
                    page.push_run(
                        &self.sources[usize::from(source)][bottom..top],
                        self.places[index..end].iter().map(|place| usize::from(place.at) - bottom),
                    );
                }
            }
            index = end;
        }
        page.end_of_cells();
    }

    /// The end of the run of cells that begins with cell `index`: of one page, each directly below the one before.
    fn run_end(&self, index: usize, limit: usize) -> usize {
        debug_assert!(index < limit, "a run has at least one cell");
        let mut end = index + 1;
        let mut above = self.places[index];
        while end < limit && above.source != LOOSE {
            let place = self.places[end];
            if place.source != above.source || usize::from(place.at) + self.len_of(end) != usize::from(above.at) {
                break;
            }
            above = place;
            end += 1;
        }
        end
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
                // Without the padding, which an interior cell does not need.
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

    /// The bytes of a cell: on a leaf of an index perhaps with padding up to the least size.
    fn get(&self, index: usize) -> &[u8] {
        match self.places[index] {
            Place { source: LOOSE, at } => self.loose.get(usize::from(at)),
            Place { source, at } => &self.sources[usize::from(source)][usize::from(at)..][..self.len_of(index)],
        }
    }

    fn len_of(&self, index: usize) -> usize {
        self.sizes[index] as usize - POINTER_LEN
    }

    fn add_page(&mut self, btree: &Btree, no: PageNo, pending_at: Option<usize>) -> Result<()> {
        let page = btree.page(no)?;
        let header = btree.header(&page, no)?;
        if header.kind != self.kind {
            return Err(corrupt(no, "siblings of different kinds"));
        }
        let count = usize::from(header.cell_count);
        let pointers = (header.pointers_at(), header.pointers_end());
        let middle = pending_at.unwrap_or(count).min(count);
        self.add_cells(&page, pointers, 0..middle).ok_or_else(|| corrupt(no, "cell outside the page"))?;
        if pending_at.is_some() {
            (0..self.pending_count).for_each(|index| self.add_loose(index));
        }
        self.add_cells(&page, pointers, middle..count).ok_or_else(|| corrupt(no, "cell outside the page"))?;
        if !self.kind.is_leaf() {
            self.right_child = right_child(&page, header.at);
        }
        self.sources.push(page);
        Ok(())
    }

    /// Adds some cells of the page that is the next source; `None` if one is not within the page.
    fn add_cells(&mut self, page: &[u8], pointers: (usize, usize), cells: std::ops::Range<usize>) -> Option<()> {
        // The kind is matched once and not for every cell.
        let limits = self.limits;
        match self.kind {
            PageKind::TableLeaf => self.add_sized(page, pointers, cells, |at| {
                usual_size(page, at, true, &limits).or_else(|| cell::size_table_leaf(page, at, &limits))
            }),
            PageKind::TableInterior => {
                self.add_sized(page, pointers, cells, |at| cell::size_table_interior(page, at, &limits))
            }
            PageKind::IndexLeaf => self.add_sized(page, pointers, cells, |at| {
                usual_size(page, at, false, &limits).or_else(|| cell::size_index(page, at, 0, &limits))
            }),
            PageKind::IndexInterior => {
                self.add_sized(page, pointers, cells, |at| cell::size_index(page, at, CHILD_LEN, &limits))
            }
        }
    }

    #[inline]
    fn add_sized(
        &mut self,
        page: &[u8],
        (pointers_at, pointers_end): (usize, usize),
        cells: std::ops::Range<usize>,
        size: impl Fn(usize) -> Option<usize>,
    ) -> Option<()> {
        let (source, count) = (self.sources.len() as u16, self.places.len());
        let pointers = pointers_at + POINTER_LEN * cells.start..pointers_at + POINTER_LEN * cells.end;
        let pointers = page.get(pointers)?.as_chunks().0;
        self.places.resize(count + cells.len(), Place { source, at: 0 });
        self.sizes.resize(count + cells.len(), 0);
        let slots = self.places[count..].iter_mut().zip(&mut self.sizes[count..]);
        for (pointer, (place, occupied)) in pointers.iter().zip(slots) {
            let at = u16::from_be_bytes(*pointer);
            if usize::from(at) < pointers_end {
                return None;
            }
            place.at = at;
            *occupied = (size(usize::from(at))? + POINTER_LEN) as u32;
        }
        Some(())
    }

    fn add_loose(&mut self, index: usize) {
        self.places.push(Place { source: LOOSE, at: index as u16 });
        self.sizes.push((self.loose.get(index).len() + POINTER_LEN) as u32);
    }

    /// Makes the divider after page `left` a cell between those of its neighbours, unless it is only a copy.
    fn bring_down(&mut self, divider: &[u8], left: PageNo) -> Result<()> {
        debug_assert!(divider.len() >= CHILD_LEN, "a divider names a child");
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
        self.add_loose(self.loose.len() - 1);
        Ok(())
    }
}

/// The bytes that the cell at `at` of a leaf occupies, if it is an ordinary one: all of its payload on the page.
#[inline]
fn usual_size(page: &[u8], at: usize, has_rowid: bool, limits: &Limits) -> Option<usize> {
    let payload = cell::read_usual_payload(page, at, has_rowid, limits.max_local, limits.usable)?;
    Some(payload.end() - at).filter(|size| *size >= FREEBLOCK_MIN)
}
