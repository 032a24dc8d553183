//! Auto-vacuum: pages at the end of the file move into free ones, and the file gets shorter.
//!
//! ```text
//!   | 1 | map | root | root | tree | free | tree | free | tree | tree |
//!                                    ^             ^      |      |
//!                                    └─────────────┼──────┼──────┘    the pointer map has the parent
//!                                                  └──────┘           of each page that moves
//!   | 1 | map | root | root | tree | tree | tree | tree |             <- end
//! ```

use crate::btree::{AutoVacuum, Btree};
use crate::error::{Result, corrupt};
use crate::relocate::Mover;
use lithe_format::PageNo;
use lithe_format::db_header::Meta;
use lithe_format::ptrmap::PtrmapType;

/// The sizes of a database when a commit is about to remove free pages from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Pages in the database.
    pub pages: u32,
    /// Free ones among them.
    pub free_pages: u32,
    /// Bytes in a page.
    pub page_size: u32,
}

impl Btree {
    /// Removes free pages before a commit, in auto-vacuum mode FULL: all of them, unless `how_many`, called with the sizes,
    /// answers a lower number. The caller calls this before the pager commits. It does nothing in other databases.
    pub fn auto_vacuum_commit(&self, how_many: Option<&dyn Fn(Sizes) -> u32>) -> Result<()> {
        let empty = self.pager().page_count() == 0;
        if empty || self.auto_vacuum_mode()? != AutoVacuum::Full {
            return Ok(());
        }
        let free_pages = self.freelist_count()?;
        let sizes = Sizes { pages: self.pager().page_count(), free_pages, page_size: self.pager().page_size().get() };
        // As in SQLite, the function is called even if there is no free page.
        match how_many.map_or(free_pages, |how_many| how_many(sizes)).min(free_pages) {
            0 => Ok(()),
            count => self.incremental_vacuum(count).map(drop),
        }
    }

    /// Removes up to `count` free pages from the file's end, or all of them for 0. Answers whether any page is still
    /// free.
    pub fn incremental_vacuum(&self, count: u32) -> Result<bool> {
        if self.pager().page_count() == 0 || !self.auto_vacuum()? {
            return Ok(false);
        }
        let free = self.freelist_count()?;
        if count == 0 || count >= free {
            if free > 0 {
                self.vacuum_all()?;
            }
            return Ok(false);
        }
        let mut mover = Mover::new(self);
        for _ in 0..count {
            self.vacuum_last_page(&mut mover)?;
        }
        Ok(true)
    }

    fn vacuum_all(&self) -> Result<()> {
        assert!(self.pager().is_writing(), "a database shrinks within a write transaction");
        let free = self.free_pages()?;
        let end = self.pager().page_count();
        let wanted_end = self.size_without(end, free.len() as u32)?;
        let mut targets = free.iter().copied().filter(|no| no.get() <= wanted_end).collect::<Vec<_>>();
        targets.sort_unstable_by(|a, b| b.cmp(a)); // the smallest is the last, and is taken first
        let geometry = self.ptrmap_geometry();
        let mut mover = Mover::new(self);
        for no in (wanted_end + 1..=end).rev().filter_map(PageNo::new) {
            if !geometry.is_content(no) || self.ptrmap(no)?.kind == PtrmapType::Free {
                continue;
            }
            let to = targets.pop().ok_or_else(|| corrupt(no, "more pages to move than free ones"))?;
            assert!(to < no, "pages move to the front");
            mover.relocate(no, to)?;
        }
        self.put_freelist(0, None)?;
        self.set_page_count(wanted_end)?;
        self.all_changed();
        Ok(())
    }

    /// The size of a database of `end` pages after `free` of them are removed, with the pointer maps that then describe
    /// no page.
    fn size_without(&self, end: u32, free: u32) -> Result<u32> {
        let geometry = self.ptrmap_geometry();
        let is_content = |n| PageNo::new(n).is_some_and(|no| geometry.is_content(no));
        let mut size = end;
        let mut left = free;
        while left > 0 {
            left -= u32::from(is_content(size));
            size = size.checked_sub(1).ok_or_else(|| corrupt(PageNo::FIRST, "more free pages than pages"))?;
        }
        while size > 1 && !is_content(size) {
            size -= 1;
        }
        let largest_root = self.meta(Meta::LargestRoot)?;
        if size < largest_root.max(1) {
            return Err(corrupt(PageNo::FIRST, "free pages among the roots"));
        }
        Ok(size)
    }

    fn vacuum_last_page(&self, mover: &mut Mover<'_>) -> Result<()> {
        assert!(self.pager().is_writing(), "a database shrinks within a write transaction");
        let last = PageNo::new(self.pager().page_count()).expect("a database with free pages has pages");
        let entry = self.ptrmap(last)?;
        if entry.kind == PtrmapType::Free {
            self.allocate_exactly(last)?;
        } else {
            let to = self.allocate()?;
            if to >= last {
                return Err(corrupt(PageNo::FIRST, "freelist shorter than its count"));
            }
            mover.relocate(last, to)?;
        }
        let geometry = self.ptrmap_geometry();
        let mut size = last.get() - 1;
        while size > 1 && PageNo::new(size).is_some_and(|no| !geometry.is_content(no)) {
            size -= 1;
        }
        self.set_page_count(size)?;
        self.all_changed();
        Ok(())
    }

    /// The page after the largest root, emptied: a page of another tree that lay there is moved.
    pub(crate) fn free_place_for_root(&self) -> Result<PageNo> {
        let geometry = self.ptrmap_geometry();
        let largest = self.meta(Meta::LargestRoot)?;
        if largest > self.pager().page_count() {
            return Err(corrupt(PageNo::FIRST, "largest root beyond the end"));
        }
        let mut root = PageNo::new(largest).and_then(|largest| largest.plus(1));
        while let Some(no) = root.filter(|no| !geometry.is_content(*no)) {
            root = no.plus(1);
        }
        let root = root.ok_or_else(|| corrupt(PageNo::FIRST, "largest root beyond the end"))?;
        if root.get() > self.pager().page_count() {
            while self.pager().page_count() < root.get() {
                self.extend()?;
            }
        } else if self.ptrmap(root)?.kind == PtrmapType::Free {
            self.allocate_exactly(root)?;
        } else {
            if self.ptrmap(root)?.kind == PtrmapType::Root {
                return Err(corrupt(root, "root larger than the largest root"));
            }
            let to = self.allocate()?;
            if to == root {
                return Err(corrupt(root, "page in use on the freelist"));
            }
            Mover::new(self).relocate(root, to)?;
        }
        Ok(root)
    }
}
