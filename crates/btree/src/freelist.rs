//! Allocating pages, from the freelist or at the end of the file, and freeing them.

use crate::btree::Btree;
use crate::error::{Error, Result, corrupt};
use lithe_format::bytes::{at_u32, put_u32};
use lithe_format::db_header::{FREELIST_COUNT_AT, FREELIST_TRUNK_AT};
use lithe_format::freelist as trunk;
use lithe_format::ptrmap::PtrmapType;
use lithe_format::{MAX_PAGE_NO, PageNo};

impl Btree {
    /// Allocates an unused page. Its content does not matter: the caller calls `new_page` for it.
    pub(crate) fn allocate(&self) -> Result<PageNo> {
        assert!(self.pager().is_writing(), "a page is allocated within a write transaction");
        if self.freelist_count()? == 0 {
            return self.extend();
        }
        let mut pages = Vec::with_capacity(1);
        self.take_from_trunk(1, &mut pages)?;
        Ok(pages[0])
    }

    /// Adds `count` unused pages to `pages`, in runs of successive numbers as far as the freelist
    /// allows, because chains of overflow pages are read in runs.
    pub(crate) fn allocate_run(&self, count: usize, pages: &mut Vec<PageNo>) -> Result<()> {
        assert!(self.pager().is_writing(), "pages are allocated within a write transaction");
        let wanted = pages.len() + count;
        while pages.len() < wanted {
            if self.freelist_count()? == 0 {
                pages.push(self.extend()?);
            } else {
                self.take_from_trunk(wanted - pages.len(), pages)?;
            }
        }
        assert_eq!(pages.len(), wanted, "as many pages are allocated as were asked for");
        Ok(())
    }

    /// The number of pages on the freelist.
    pub fn freelist_count(&self) -> Result<u32> {
        Ok(at_u32(&self.page(PageNo::FIRST)?, FREELIST_COUNT_AT))
    }

    /// Allocates a page at the end of the file, behind pages that hold no data of their own.
    pub(crate) fn extend(&self) -> Result<PageNo> {
        loop {
            let count = self.pager().page_count();
            let no = if count < MAX_PAGE_NO { PageNo::new(count + 1) } else { None };
            let no = no.ok_or(Error::Full)?;
            self.set_page_count(no.get())?;
            if no == self.page_size().lock_byte_page() {
                continue;
            }
            if self.auto_vacuum()? && self.ptrmap_geometry().is_map(no) {
                self.new_page(no)?;
                continue;
            }
            return Ok(no);
        }
    }

    /// Takes up to `count` pages from the first trunk: the last leaves, or the trunk itself if it has no leaves left.
    fn take_from_trunk(&self, count: usize, pages: &mut Vec<PageNo>) -> Result<()> {
        assert!(count > 0, "a page is taken from the freelist");
        let first = self.page(PageNo::FIRST)?;
        let free = at_u32(&first, FREELIST_COUNT_AT);
        let trunk_no = PageNo::new(at_u32(&first, FREELIST_TRUNK_AT));
        drop(first);
        let trunk_no = trunk_no.ok_or_else(|| corrupt(PageNo::FIRST, "freelist shorter than its count"))?;
        self.check_free(trunk_no, PageNo::FIRST)?;
        let page = self.page(trunk_no)?;
        let leaves = trunk::leaf_count(&page);
        if leaves > trunk::max_leaves(self.usable_size()) {
            return Err(corrupt(trunk_no, "more leaves than a trunk page holds"));
        }
        if leaves == 0 {
            let next = trunk::next(&page);
            drop(page);
            pages.push(trunk_no);
            return self.put_freelist(free.wrapping_sub(1), next);
        }
        let run = last_run(&page, leaves, count as u32).min(free.saturating_sub(1).max(1));
        for index in leaves - run..leaves {
            let leaf = trunk::leaf(&page, index).ok_or_else(|| corrupt(trunk_no, "freelist leaf 0"))?;
            self.check_free(leaf, trunk_no)?;
            pages.push(leaf);
        }
        drop(page);
        trunk::put_leaf_count(&mut self.write(trunk_no)?, leaves - run);
        self.put_freelist(free.wrapping_sub(run), Some(trunk_no))
    }

    /// Checks that a page of the freelist is one that can be free.
    fn check_free(&self, no: PageNo, found_on: PageNo) -> Result<()> {
        let possible =
            no != PageNo::FIRST && no.get() <= self.pager().page_count() && no != self.page_size().lock_byte_page();
        if possible { Ok(()) } else { Err(corrupt(found_on, "freelist names an impossible page")) }
    }

    pub(crate) fn put_freelist(&self, count: u32, first_trunk: Option<PageNo>) -> Result<()> {
        let mut first = self.write(PageNo::FIRST)?;
        put_u32(&mut first, FREELIST_COUNT_AT, count);
        put_u32(&mut first, FREELIST_TRUNK_AT, first_trunk.map_or(0, PageNo::get));
        Ok(())
    }

    /// Puts page `no` on the freelist.
    pub(crate) fn free(&self, no: PageNo) -> Result<()> {
        assert!(self.pager().is_writing(), "a page is freed within a write transaction");
        self.check_free(no, no)?;
        if self.zero_free_pages() {
            self.write(no)?.fill(0);
        }
        if self.auto_vacuum()? {
            self.put_ptrmap(no, PtrmapType::Free, None)?;
        }
        let first = self.page(PageNo::FIRST)?;
        let count = at_u32(&first, FREELIST_COUNT_AT);
        let trunk_no = PageNo::new(at_u32(&first, FREELIST_TRUNK_AT));
        drop(first);
        if count >= self.pager().page_count() {
            return Err(corrupt(PageNo::FIRST, "more free pages than pages"));
        }
        match trunk_no.filter(|_| count > 0) {
            Some(trunk_no) if self.add_to_trunk(trunk_no, no)? => self.put_freelist(count + 1, Some(trunk_no)),
            next => {
                let mut page = self.new_page(no)?;
                trunk::put_next(&mut page, next);
                drop(page);
                self.put_freelist(count + 1, Some(no))
            }
        }
    }

    /// All pages of the freelist, trunks included.
    pub(crate) fn free_pages(&self) -> Result<Vec<PageNo>> {
        let mut pages = Vec::new();
        self.walk_freelist(|_, trunk_no, page, leaves| {
            pages.push(trunk_no);
            for index in 0..leaves {
                let leaf = trunk::leaf(page, index).ok_or_else(|| corrupt(trunk_no, "freelist leaf 0"))?;
                self.check_free(leaf, trunk_no)?;
                pages.push(leaf);
            }
            Ok(false)
        })?;
        Ok(pages)
    }

    /// Removes page `no` from the freelist, on which it must be.
    pub(crate) fn allocate_exactly(&self, no: PageNo) -> Result<()> {
        assert!(self.pager().is_writing(), "a page is taken within a write transaction");
        let mut found = None;
        self.walk_freelist(|before, trunk_no, page, leaves| {
            let leaf = (0..leaves).find(|index| trunk::leaf(page, *index) == Some(no));
            if trunk_no == no || leaf.is_some() {
                found = Some((before, trunk_no, leaf));
            }
            Ok(found.is_some())
        })?;
        let count = self.freelist_count()?;
        match found {
            None => return Err(corrupt(no, "page not on the freelist")),
            Some((_, trunk_no, Some(leaf))) => self.remove_leaf(trunk_no, leaf)?,
            Some((before, _, None)) => {
                let next = self.remove_trunk(no)?;
                match before {
                    Some(before) => trunk::put_next(&mut self.write(before)?, next),
                    None => return self.put_freelist(count - 1, next),
                }
            }
        }
        let first = PageNo::new(at_u32(&self.page(PageNo::FIRST)?, FREELIST_TRUNK_AT));
        self.put_freelist(count - 1, first)
    }

    /// Removes the leaf at `index`: the last leaf takes its place.
    fn remove_leaf(&self, trunk_no: PageNo, index: u32) -> Result<()> {
        let mut page = self.write(trunk_no)?;
        let leaves = trunk::leaf_count(&page);
        if let Some(last) = trunk::leaf(&page, leaves - 1) {
            trunk::put_leaf(&mut page, index, last);
        }
        trunk::put_leaf_count(&mut page, leaves - 1);
        Ok(())
    }

    /// The replacement of the trunk `no`: its last leaf, which gets the other leaves, or the next trunk.
    fn remove_trunk(&self, no: PageNo) -> Result<Option<PageNo>> {
        let old = self.page(no)?;
        let leaves = trunk::leaf_count(&old);
        if leaves == 0 {
            return Ok(trunk::next(&old));
        }
        let heir = trunk::leaf(&old, leaves - 1).ok_or_else(|| corrupt(no, "freelist leaf 0"))?;
        self.check_free(heir, no)?;
        let mut page = self.new_page(heir)?;
        page.copy_from_slice(&old);
        trunk::put_leaf_count(&mut page, leaves - 1);
        Ok(Some(heir))
    }

    /// Visits the trunks, each with the trunk before it and its number of leaves, until `visit` answers `true`.
    fn walk_freelist(&self, mut visit: impl FnMut(Option<PageNo>, PageNo, &[u8], u32) -> Result<bool>) -> Result<()> {
        let mut left = self.freelist_count()?;
        let mut before = None;
        let mut next = PageNo::new(at_u32(&self.page(PageNo::FIRST)?, FREELIST_TRUNK_AT));
        while let Some(trunk_no) = next {
            self.check_free(trunk_no, before.unwrap_or(PageNo::FIRST))?;
            let page = self.page(trunk_no)?;
            let leaves = trunk::leaf_count(&page);
            if leaves > trunk::max_leaves(self.usable_size()) {
                return Err(corrupt(trunk_no, "more leaves than a trunk page holds"));
            }
            // Each trunk reduces the count, so that a circle of trunks comes to an end.
            left = left.checked_sub(leaves + 1).ok_or_else(|| corrupt(trunk_no, "freelist longer than its count"))?;
            if visit(before, trunk_no, &page, leaves)? {
                return Ok(());
            }
            before = Some(trunk_no);
            next = trunk::next(&page);
        }
        Ok(())
    }

    /// Makes `no` a leaf of the trunk; `false` if the trunk is full.
    fn add_to_trunk(&self, trunk_no: PageNo, no: PageNo) -> Result<bool> {
        self.check_free(trunk_no, PageNo::FIRST)?;
        let leaves = trunk::leaf_count(&self.page(trunk_no)?);
        if leaves > trunk::max_leaves(self.usable_size()) {
            return Err(corrupt(trunk_no, "more leaves than a trunk page holds"));
        }
        if leaves >= trunk::fill_leaves(self.usable_size()) {
            return Ok(false);
        }
        let mut page = self.write(trunk_no)?;
        trunk::put_leaf(&mut page, leaves, no);
        trunk::put_leaf_count(&mut page, leaves + 1);
        Ok(true)
    }
}

/// How many of the last leaves have successive numbers, up to `count`: at least one. A freed overflow
/// chain leaves such runs, because its pages were freed in its order.
fn last_run(page: &[u8], leaves: u32, count: u32) -> u32 {
    let number = |index| trunk::leaf(page, index).map_or(0, PageNo::get);
    debug_assert!(leaves > 0 && count > 0, "a run has at least one page");
    let mut run = 1;
    while run < count && run < leaves && number(leaves - run - 1).wrapping_add(1) == number(leaves - run) {
        run += 1;
    }
    run
}
