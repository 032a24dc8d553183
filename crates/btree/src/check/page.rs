//! A page of a tree, and everything below it.

use super::{Check, Place};
use crate::node::MAX_DEPTH;
use lithe_format::PageNo;
use lithe_format::btree_page::{
    FREEBLOCK_MIN, Freeblock, PageHeader, PageKind, RIGHT_CHILD_AT, cell_pointer, header_at, max_cells,
};
use lithe_format::bytes::{at_u32, get_u32};
use lithe_format::cell::{self, PayloadSpan};
use lithe_format::payload::Limits;
use lithe_format::ptrmap::PtrmapType;
use lithe_pager::PageRef;

/// The result of a subtree's check, for the page above.
pub(super) struct Subtree {
    /// Levels below the page; 0 as for a leaf if it could not be checked.
    depth: usize,
    /// The smallest rowid in it.
    smallest: i64,
}

/// The results for the cells after the next one of a page.
struct Seen {
    /// The depth of the children so far.
    children_depth: Option<usize>,
    /// The smallest rowid.
    smallest: i64,
    /// Whether the next rowid may equal it: an interior cell repeats the largest rowid of its child.
    may_equal: bool,
}

/// A page that is being checked.
struct Checked {
    tree: u32,
    no: u32,
    page: PageRef,
    header: PageHeader,
    limits: Limits,
    level: usize,
}

impl Check<'_> {
    /// Checks page `no` of the tree at `tree`, all of whose rowids must not exceed `largest`.
    pub(super) fn check_page(&mut self, tree: u32, no: u32, level: usize, largest: i64) -> Subtree {
        let unknown = Subtree { depth: 0, smallest: largest };
        if self.is_full() || no == 0 || !self.claim(no) {
            return unknown;
        }
        let place = std::mem::replace(&mut self.place, Place::Page { tree, page: no });
        let cell = self.cell;
        let subtree = match self.open(tree, no, level) {
            Some(checked) => self.check_cells(&checked, largest),
            None => unknown,
        };
        self.place = place;
        self.cell = cell;
        subtree
    }

    /// Reads the page and checks its header.
    fn open(&mut self, tree: u32, no: u32, level: usize) -> Option<Checked> {
        let Ok(page) = self.page(no) else {
            self.say(format_args!("unable to get the page. error code=11"));
            return None;
        };
        let Some(header) = read_header(&page, no, self.usable).filter(|_| level < MAX_DEPTH) else {
            self.say(format_args!("btreeInitPage() returns error code 11"));
            return None;
        };
        if !is_space_plausible(&page, &header, self.usable) {
            self.say(format_args!("free space corruption"));
            return None;
        }
        let limits = self.btree.limits(header.kind);
        Some(Checked { tree, no, page, header, limits, level })
    }

    fn check_cells(&mut self, checked: &Checked, largest: i64) -> Subtree {
        let Checked { tree, no, header, .. } = *checked;
        // Cells are checked from the last to the first.
        let mut seen = Seen { children_depth: None, smallest: largest, may_equal: true };
        if !header.kind.is_leaf() {
            self.place = self.place_of_cell(checked);
            let child = at_u32(&checked.page, header.at + RIGHT_CHILD_AT);
            self.check_ptrmap(child, PtrmapType::Btree, no);
            let below = self.check_page(tree, child, checked.level + 1, largest);
            seen = Seen { children_depth: Some(below.depth), smallest: below.smallest, may_equal: false };
        }
        let mut cells = Some(Vec::with_capacity(usize::from(header.cell_count)));
        for index in (0..usize::from(header.cell_count)).rev() {
            if self.is_full() {
                break;
            }
            self.cell = index;
            self.place = self.place_of_cell(checked);
            match self.check_cell(checked, index, &mut seen) {
                Some(stretch) => cells.iter_mut().for_each(|cells| cells.push(stretch)),
                None => cells = None,
            }
        }
        if header.kind.is_leaf() || !header.kind.is_table() {
            self.entries += u64::from(header.cell_count);
        }
        if let Some(cells) = cells
            && !self.is_full()
        {
            self.check_coverage(no, &checked.page, &header, cells);
        }
        Subtree { depth: seen.children_depth.map_or(0, |depth| depth + 1), smallest: seen.smallest }
    }

    /// The beginning of SQLite's messages about cells. A message about the right child names the cell that was checked
    /// last on the page above; in auto-vacuum databases it says "right child", but then for all children of the page.
    fn place_of_cell(&self, checked: &Checked) -> Place {
        let Checked { tree, no: page, ref header, .. } = *checked;
        if self.ptrmap.is_some() && !header.kind.is_leaf() {
            Place::RightChild { tree, page }
        } else {
            Place::Cell { tree, page, cell: self.cell }
        }
    }

    /// Checks one cell and what it points to; answers where it lies, if within the page.
    fn check_cell(&mut self, checked: &Checked, index: usize, seen: &mut Seen) -> Option<(usize, usize)> {
        let Checked { tree, no, page, header, limits, level } = checked;
        let at = cell_pointer(page, header.pointers_at(), index).unwrap_or(0);
        let (from, to) = (header.content_at as usize, self.usable - 4);
        if at < from || at > to {
            self.say(format_args!("Offset {at} out of range {from}..{to}"));
            return None;
        }
        let Some(size) = cell::size(page, at, header.kind, limits) else {
            self.say(format_args!("Extends off end of page"));
            return None;
        };
        let payload = cell::read_payload(page, at, header.kind, limits).flatten();
        // A record's header counts its own length and has at least one serial type.
        if payload.is_some_and(|span| span.len > 0 && page[span.at as usize] <= 1) {
            self.say(format_args!("Bad cell header size"));
            return None;
        }
        if header.kind.is_table() {
            self.check_rowid(page, at, header.kind, seen);
        }
        if let Some(span) = payload.filter(PayloadSpan::overflows) {
            self.check_overflow(*no, page, span);
        }
        if !header.kind.is_leaf() {
            let child = get_u32(page, at).unwrap_or(0);
            self.check_ptrmap(child, PtrmapType::Btree, *no);
            let below = self.check_page(*tree, child, level + 1, seen.smallest);
            if Some(below.depth) != seen.children_depth {
                self.say(format_args!("Child page depth differs"));
            }
            *seen = Seen { children_depth: Some(below.depth), smallest: below.smallest, may_equal: false };
        }
        Some((at, at + size - 1))
    }

    fn check_rowid(&mut self, page: &[u8], at: usize, kind: PageKind, seen: &mut Seen) {
        let rowid = if kind.is_leaf() { cell::read_leaf_rowid(page, at) } else { cell::read_interior_rowid(page, at) };
        let rowid = rowid.expect("the cell's size was found");
        let in_order = if seen.may_equal { rowid <= seen.smallest } else { rowid < seen.smallest };
        if !in_order {
            self.say(format_args!("Rowid {rowid} out of order"));
        }
        seen.smallest = rowid;
        seen.may_equal = false;
    }

    fn check_overflow(&mut self, no: u32, page: &[u8], span: PayloadSpan) {
        let first = span.overflow_page(page).map_or(0, PageNo::get);
        self.check_ptrmap(first, PtrmapType::OverflowFirst, no);
        self.check_chain(first, (span.len - span.local).div_ceil(self.usable as u32 - 4));
    }
}

/// The header, with only the checks that opening a page needs.
fn read_header(page: &[u8], no: u32, usable: usize) -> Option<PageHeader> {
    let header = PageHeader::read_fields(page, header_at(PageNo::new(no)?))?;
    (usize::from(header.cell_count) <= max_cells(usable)).then_some(header)
}

/// Whether the freeblocks are a list in ascending order, and the bytes add up to a page. A write checks more; further
/// damage is found by the check of each cell.
fn is_space_plausible(page: &[u8], header: &PageHeader, usable: usize) -> bool {
    let mut free = header.content_at as usize + usize::from(header.fragmented);
    let mut at = usize::from(header.first_freeblock);
    if at != 0 && at < header.content_at as usize {
        return false;
    }
    while at != 0 {
        let block = Freeblock::read(page, at).filter(|_| at <= usable - FREEBLOCK_MIN);
        let Some(block) = block.filter(|block| usize::from(block.size) >= FREEBLOCK_MIN) else { return false };
        let end = at + usize::from(block.size);
        free += usize::from(block.size);
        at = usize::from(block.next);
        if (at == 0 && end > usable) || (at != 0 && at < end + FREEBLOCK_MIN) {
            return false;
        }
    }
    header.pointers_end() <= free && free <= usable
}
