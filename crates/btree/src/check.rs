//! The integrity check of everything below rows: each page is used once, by the tree, chain, list or map
//! that claims it; cells lie within their pages and do not overlap; rowids ascend.
//!
//! The messages are SQLite's, word for word. Whether indexes agree with their tables and rows with
//! their constraints is checked by the layers above.

mod coverage;
mod lists;
mod page;

use crate::btree::Btree;
use crate::error::Result;
use lithe_format::PageNo;
use lithe_format::bytes::at_u32;
use lithe_format::db_header::{FREELIST_TRUNK_AT, Meta};
use lithe_format::ptrmap::{Entry, Geometry, PtrmapType};
use lithe_pager::PageRef;
use std::fmt;

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One message a fault; empty if all is well.
    pub messages: Vec<String>,
    /// The number of entries of each tree, in the order of the roots that were given.
    pub counts: Vec<u64>,
}

impl Btree {
    /// Checks the trees with the given roots, and unless that is only `part` of the database, that no page is lost;
    /// also the freelist, unless the part is without the schema. Stops after `max_messages` messages.
    pub fn integrity_check(&self, roots: &[PageNo], part: bool, max_messages: usize) -> Result<Report> {
        let pages = self.pager().page_count();
        if pages == 0 {
            return Ok(Report { messages: Vec::new(), counts: vec![0; roots.len()] });
        }
        let mut check = Check {
            btree: self,
            pages,
            usable: self.usable_size() as usize,
            seen: vec![0; pages as usize / 64 + 1],
            ptrmap: if self.auto_vacuum()? { Some(self.ptrmap_geometry()) } else { None },
            place: Place::Database,
            cell: 0,
            max_messages,
            messages: Vec::new(),
            entries: 0,
        };
        let counts = check.run(roots, part)?;
        Ok(Report { messages: check.messages, counts })
    }
}

struct Check<'b> {
    btree: &'b Btree,
    pages: u32,
    usable: usize,
    /// One bit a page: whether something has claimed it.
    seen: Vec<u64>,
    /// In auto-vacuum databases.
    ptrmap: Option<Geometry>,
    place: Place,
    /// The cell that is being checked, on the page being checked or, before there is one, the page above.
    cell: usize,
    max_messages: usize,
    messages: Vec<String>,
    /// Entries of the tree that is being checked.
    entries: u64,
}

/// The subject of a message, with which it begins.
#[derive(Clone, Copy)]
enum Place {
    Database,
    Freelist,
    Page { tree: u32, page: u32 },
    Cell { tree: u32, page: u32, cell: usize },
    RightChild { tree: u32, page: u32 },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Database => Ok(()),
            Place::Freelist => write!(f, "Freelist: "),
            Place::Page { tree, page } => write!(f, "Tree {tree} page {page}: "),
            Place::Cell { tree, page, cell } => write!(f, "Tree {tree} page {page} cell {cell}: "),
            Place::RightChild { tree, page } => write!(f, "Tree {tree} page {page} right child: "),
        }
    }
}

impl Check<'_> {
    fn run(&mut self, roots: &[PageNo], part: bool) -> Result<Vec<u64>> {
        let lock_byte_page = self.btree.page_size().lock_byte_page().get();
        if lock_byte_page <= self.pages {
            self.mark(lock_byte_page);
        }
        // As in SQLite, the freelist is checked with the root of the schema, where it begins.
        if !part || roots.contains(&PageNo::FIRST) {
            self.place = Place::Freelist;
            let first = self.page(PageNo::FIRST.get())?;
            let trunk = at_u32(&first, FREELIST_TRUNK_AT);
            self.check_freelist(trunk, at_u32(&first, Meta::FreelistCount.offset()));
            self.place = Place::Database;
        }
        if !part {
            self.check_largest_root(roots)?;
        }
        let mut counts = Vec::with_capacity(roots.len());
        for root in roots {
            self.entries = 0;
            if !self.is_full() {
                self.check_tree(root.get(), part);
            }
            counts.push(self.entries);
        }
        if !part {
            self.check_all_used();
        }
        Ok(counts)
    }

    fn check_tree(&mut self, root: u32, part: bool) {
        self.place = Place::Database;
        if root > 1 && !part {
            self.check_ptrmap(root, PtrmapType::Root, 0);
        }
        self.check_page(root, root, 0, i64::MAX);
    }

    fn check_largest_root(&mut self, roots: &[PageNo]) -> Result<()> {
        let in_header = self.btree.meta(Meta::LargestRoot)?;
        if self.ptrmap.is_some() {
            let largest = roots.iter().map(|root| root.get()).max().unwrap_or(0);
            if largest != in_header {
                self.say(format_args!("max rootpage ({largest}) disagrees with header ({in_header})"));
            }
        } else if self.btree.meta(Meta::IncrementalVacuum)? != 0 {
            self.say(format_args!("incremental_vacuum enabled with a max rootpage of zero"));
        }
        Ok(())
    }

    fn check_all_used(&mut self) {
        self.place = Place::Database;
        for no in 1..=self.pages {
            if self.is_full() {
                return;
            }
            let is_map = match (self.ptrmap, PageNo::new(no)) {
                (Some(ptrmap), Some(no)) => ptrmap.is_map(no),
                _ => false,
            };
            match (self.is_marked(no), is_map) {
                (false, false) => self.say(format_args!("Page {no}: never used")),
                (true, true) => self.say(format_args!("Page {no}: pointer map referenced")),
                _ => {}
            }
        }
    }

    /// Claims page `no`; `false` if that is impossible, which is then reported.
    fn claim(&mut self, no: u32) -> bool {
        if no == 0 || no > self.pages {
            self.say(format_args!("invalid page number {no}"));
            return false;
        }
        if self.is_marked(no) {
            self.say(format_args!("2nd reference to page {no}"));
            return false;
        }
        self.mark(no);
        true
    }

    fn mark(&mut self, no: u32) {
        self.seen[no as usize / 64] |= 1 << (no % 64);
    }

    fn is_marked(&self, no: u32) -> bool {
        self.seen[no as usize / 64] & 1 << (no % 64) != 0
    }

    /// Checks that the pointer map has the right parent of page `no`.
    fn check_ptrmap(&mut self, no: u32, kind: PtrmapType, parent: u32) {
        if self.ptrmap.is_none() {
            return;
        }
        match self.raw_ptrmap(no) {
            None => self.say(format_args!("Failed to read ptrmap key={no}")),
            Some((found_kind, found_parent)) => {
                if (found_kind, found_parent) != (kind as u8, parent) {
                    let kind = kind as u8;
                    self.say(format_args!(
                        "Bad ptr map entry key={no} expected=({kind},{parent}) got=({found_kind},{found_parent})"
                    ));
                }
            }
        }
    }

    fn raw_ptrmap(&self, no: u32) -> Option<(u8, u32)> {
        let geometry = self.ptrmap?;
        let no = PageNo::new(no)?;
        let map = geometry.map_of(no)?;
        let page = self.btree.page(map).ok()?;
        let entry = Entry::read(&page, geometry.offset(map, no)?)?;
        Some((entry.kind as u8, entry.parent.map_or(0, PageNo::get)))
    }

    fn page(&self, no: u32) -> Result<PageRef> {
        let no = PageNo::new(no).expect("a page is read after its number was checked");
        self.btree.page(no)
    }

    fn say(&mut self, what: fmt::Arguments<'_>) {
        if !self.is_full() {
            self.messages.push(format!("{}{what}", self.place));
        }
    }

    fn is_full(&self) -> bool {
        self.messages.len() >= self.max_messages
    }
}
