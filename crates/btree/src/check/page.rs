//! A page of a tree, and everything below it.

use super::{Check, Place};
use crate::edit::free_bytes;
use crate::node::MAX_DEPTH;
use lithe_format::PageNo;
use lithe_format::btree_page::{PageHeader, PageKind, RIGHT_CHILD_AT, cell_pointer, header_at, max_cells};
use lithe_format::bytes::{at_u32, get_u32};
use lithe_format::cell::{self, PayloadSpan};
use lithe_format::payload::Limits;
use lithe_format::ptrmap::PtrmapType;
use lithe_pager::PageRef;

/// What the page above has to know of a subtree.
pub(super) struct Subtree {
    /// Levels below and with the page; 0 if it could not be checked.
    depth: usize,
    /// The smallest rowid in it.
    smallest: i64,
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
        let subtree = match self.open(tree, no, level) {
            Some(checked) => self.check_cells(&checked, largest),
            None => unknown,
        };
        self.place = place;
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
        let overlap = header.pointers_end() > header.content_at as usize;
        if overlap || free_bytes(&page, &header, self.usable as u32).is_err() {
            self.say(format_args!("free space corruption"));
            return None;
        }
        let limits = self.btree.limits(header.kind);
        Some(Checked { tree, no, page, header, limits, level })
    }

    fn check_cells(&mut self, checked: &Checked, largest: i64) -> Subtree {
        let Checked { tree, no, header, .. } = *checked;
        let mut subtree = Subtree { depth: 0, smallest: largest };
        let mut may_equal = true; // the largest rowid of a subtree is in the parent too
        if !header.kind.is_leaf() {
            self.place = Place::RightChild { tree, page: no };
            let child = at_u32(&checked.page, header.at + RIGHT_CHILD_AT);
            self.check_ptrmap(child, PtrmapType::Btree, no);
            subtree = self.check_page(tree, child, checked.level + 1, largest);
            may_equal = false;
        }
        let mut cells = Some(Vec::with_capacity(usize::from(header.cell_count)));
        for index in (0..usize::from(header.cell_count)).rev() {
            if self.is_full() {
                break;
            }
            self.place = Place::Cell { tree, page: no, cell: index };
            match self.check_cell(checked, index, &mut subtree, may_equal) {
                Some(stretch) => cells.iter_mut().for_each(|cells| cells.push(stretch)),
                None => cells = None,
            }
            may_equal = false;
        }
        if header.kind.is_leaf() || !header.kind.is_table() {
            self.entries += u64::from(header.cell_count);
        }
        if let Some(cells) = cells
            && !self.is_full()
        {
            self.check_coverage(no, &checked.page, &header, cells);
        }
        Subtree { depth: subtree.depth + 1, ..subtree }
    }

    /// Checks one cell and what it points to; answers where it lies, if within the page.
    fn check_cell(
        &mut self,
        checked: &Checked,
        index: usize,
        subtree: &mut Subtree,
        may_equal: bool,
    ) -> Option<(usize, usize)> {
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
        if header.kind.is_table() {
            self.check_rowid(page, at, header.kind, subtree, may_equal);
        }
        if let Some(span) = cell::read_payload(page, at, header.kind, limits).flatten() {
            self.check_payload(*no, page, span);
        }
        if !header.kind.is_leaf() {
            let child = get_u32(page, at).unwrap_or(0);
            self.check_ptrmap(child, PtrmapType::Btree, *no);
            let below = self.check_page(*tree, child, level + 1, subtree.smallest);
            if below.depth != subtree.depth {
                self.say(format_args!("Child page depth differs"));
            }
            *subtree = below;
        }
        Some((at, at + size - 1))
    }

    fn check_rowid(&mut self, page: &[u8], at: usize, kind: PageKind, subtree: &mut Subtree, may_equal: bool) {
        let rowid = if kind.is_leaf() { cell::read_leaf_rowid(page, at) } else { cell::read_interior_rowid(page, at) };
        let rowid = rowid.expect("the cell's size was found");
        let in_order = if may_equal { rowid <= subtree.smallest } else { rowid < subtree.smallest };
        if !in_order {
            self.say(format_args!("Rowid {rowid} out of order"));
        }
        subtree.smallest = rowid;
    }

    fn check_payload(&mut self, no: u32, page: &[u8], span: PayloadSpan) {
        // A record's header counts its own length and has at least one serial type.
        if page.get(span.at as usize).is_some_and(|header_len| *header_len <= 1) {
            self.say(format_args!("Bad cell header size"));
        }
        if span.overflows() {
            let first = span.overflow_page(page).map_or(0, PageNo::get);
            self.check_ptrmap(first, PtrmapType::OverflowFirst, no);
            let pages = (span.len - span.local).div_ceil(self.usable as u32 - 4);
            self.check_chain(first, pages);
        }
    }
}

/// The header, with no more checks than opening a page needs.
fn read_header(page: &[u8], no: u32, usable: usize) -> Option<PageHeader> {
    let header = PageHeader::read_fields(page, header_at(PageNo::new(no)?))?;
    (usize::from(header.cell_count) <= max_cells(usable)).then_some(header)
}
