//! Changing one page: cells in and out, and the space between them.
//!
//! Space for a cell comes, in this order, from a freeblock, from the gap between pointers and
//! content, or from the gap after all cells have been moved together (defragmented).

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use crate::node::Node;
use lithe_format::btree_page::{
    self, FRAGMENTED_MAX, FREEBLOCK_MIN, Freeblock, POINTER_LEN, PageHeader, PageKind, put_right_child,
};
use lithe_format::bytes::{put_u16, put_u32};
use lithe_format::cell;
use lithe_format::payload::Limits;
use lithe_format::{Malformed, PageNo};
use lithe_pager::PageMut;

/// A page of a tree, open for changes. Only one page is open at a time: a corrupt file may name the
/// same page twice.
pub(crate) struct EditPage<'p> {
    page: PageMut<'p>,
    no: PageNo,
    pub header: PageHeader,
    limits: Limits,
    secure_delete: bool,
}

impl<'p> EditPage<'p> {
    /// Opens page `no`.
    #[inline]
    pub fn open(btree: &'p Btree, no: PageNo) -> Result<EditPage<'p>> {
        let page = btree.write(no)?;
        let header = PageHeader::read(&page, btree_page::header_at(no), btree.usable_size());
        let header = header.map_err(|malformed| corrupt(no, malformed.0))?;
        let limits = btree.limits(header.kind);
        Ok(EditPage { page, no, header, limits, secure_delete: btree.secure_delete() })
    }

    /// Makes page `no` an empty page of the given kind, whatever it was.
    pub fn create(btree: &'p Btree, mut page: PageMut<'p>, no: PageNo, kind: PageKind) -> EditPage<'p> {
        let at = btree_page::header_at(no);
        let limits = btree.limits(kind);
        let header = PageHeader::empty(at, kind, limits.usable);
        debug_assert!(header.cell_count == 0 && page.len() >= limits.usable as usize, "an empty page has its size");
        if btree.secure_delete() {
            page[at..limits.usable as usize].fill(0);
        }
        header.write(&mut page);
        EditPage { page, no, header, limits, secure_delete: btree.secure_delete() }
    }

    /// Bytes that cells could have, pointers included: the gap, the freeblocks, the fragments.
    pub fn free_bytes(&self) -> Result<usize> {
        free_bytes(&self.page, &self.header, self.limits.usable).map_err(|e| corrupt(self.no, e.0))
    }

    /// Whether so much is free that the page should be merged with its siblings.
    pub fn is_underfull(&self) -> Result<bool> {
        Ok(self.free_bytes()? * 3 > self.limits.usable as usize * 2)
    }

    /// The cell at `index`: where it starts and how many bytes it occupies.
    pub fn cell(&self, index: usize) -> Result<(usize, usize)> {
        let at = btree_page::cell_pointer(&self.page, self.header.pointers_at(), index);
        let at = at.filter(|at| *at >= self.header.pointers_end() && index < usize::from(self.header.cell_count));
        let size = at.and_then(|at| cell::size(&self.page, at, self.header.kind, &self.limits));
        match (at, size) {
            (Some(at), Some(size)) => Ok((at, size)),
            _ => Err(corrupt(self.no, "cell outside the page")),
        }
    }

    /// Reserves space for a cell of `size` bytes before cell `index`, and answers where, for the caller to
    /// [fill](EditPage::bytes_mut); or `None`, and nothing has changed, if the page is too full.
    #[inline]
    pub fn insert(&mut self, index: usize, size: usize) -> Result<Option<usize>> {
        debug_assert!(size >= FREEBLOCK_MIN && index <= usize::from(self.header.cell_count));
        let Some(at) = self.allocate(size)? else { return Ok(None) };
        let pointer_at = self.header.pointers_at() + POINTER_LEN * index;
        let pointers_end = self.header.pointers_end();
        if pointer_at < pointers_end {
            self.page.copy_within(pointer_at..pointers_end, pointer_at + POINTER_LEN);
        }
        put_u16(&mut self.page, pointer_at, at as u16);
        self.header.cell_count += 1;
        self.header.write(&mut self.page);
        Ok(Some(at))
    }

    /// The bytes of a cell that was just inserted.
    #[inline]
    pub fn bytes_mut(&mut self, at: usize, size: usize) -> &mut [u8] {
        &mut self.page[at..at + size]
    }

    /// Reserves space for a cell of `size` bytes in the place of cell `index`, which is taken out and ends at `old_end`.
    /// Answers where, for the caller to [fill](EditPage::bytes_mut); `None` if the page is too full for the new cell.
    #[inline]
    pub fn replace(&mut self, index: usize, old_end: usize, size: usize) -> Result<Option<usize>> {
        let at = btree_page::cell_pointer(&self.page, self.header.pointers_at(), index);
        let at = at.filter(|at| (self.header.pointers_end()..old_end).contains(at));
        let at = at.ok_or_else(|| corrupt(self.no, "cell outside the page"))?;
        let old_size = (old_end - at).max(FREEBLOCK_MIN);
        if old_size == size && at + size <= self.limits.usable as usize {
            return Ok(Some(at));
        }
        self.replace_elsewhere(index, at, old_size, size)
    }

    /// [`EditPage::replace`] where cell `index`, of `old_size` bytes at `at`, and the new one are not equally long.
    fn replace_elsewhere(&mut self, index: usize, at: usize, old_size: usize, size: usize) -> Result<Option<usize>> {
        if self.header.cell_count == 1 || at + old_size > self.limits.usable as usize {
            self.remove(index)?;
            return self.insert(index, size);
        }
        self.free(at, old_size)?;
        // The pointer is there already.
        if let Some(place) = self.allocate_content(size, 0)? {
            put_u16(&mut self.page, self.header.pointers_at() + POINTER_LEN * index, place as u16);
            self.header.write(&mut self.page);
            return Ok(Some(place));
        }
        self.remove_pointer(index);
        self.header.write(&mut self.page);
        self.insert(index, size)
    }

    /// Takes cell `index` out.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        let (at, size) = self.cell(index)?;
        self.remove_pointer(index);
        if self.header.cell_count == 0 {
            self.clear();
        } else {
            self.free(at, size)?;
        }
        self.header.write(&mut self.page);
        Ok(())
    }

    fn remove_pointer(&mut self, index: usize) {
        assert!(index < usize::from(self.header.cell_count), "cell {index} is removed of {}", self.header.cell_count);
        let pointer_at = self.header.pointers_at() + POINTER_LEN * index;
        let pointers_end = self.header.pointers_end();
        self.page.copy_within(pointer_at + POINTER_LEN..pointers_end, pointer_at);
        self.header.cell_count -= 1;
    }

    /// Ends the changes, and answers the page as a cursor keeps it.
    pub fn into_node(self) -> Node {
        let EditPage { page, no, header, .. } = self;
        Node::of(page.share(), no, &header)
    }

    /// Adds a cell after all others, on a page without holes on which the cell fits. The header is written by
    /// [`EditPage::end_of_cells`].
    pub fn push(&mut self, cell: &[u8]) {
        self.push_run(cell, std::iter::once(0));
    }

    /// Adds cells that lie in one piece, in `bytes` at `offsets`, as [`EditPage::push`] does.
    pub fn push_run(&mut self, bytes: &[u8], offsets: impl Iterator<Item = usize>) {
        let content_at = (self.header.content_at as usize).checked_sub(bytes.len());
        let content_at = content_at.expect("the cells were planned to fit");
        self.page[content_at..][..bytes.len()].copy_from_slice(bytes);
        let mut pointer_at = self.header.pointers_end();
        for offset in offsets {
            put_u16(&mut self.page, pointer_at, (content_at + offset) as u16);
            pointer_at += POINTER_LEN;
            self.header.cell_count += 1;
        }
        debug_assert!(pointer_at <= content_at, "pointers and cells meet on page {}", self.no);
        self.header.content_at = content_at as u32;
    }

    /// Writes the header after all cells are there.
    pub fn end_of_cells(&mut self) {
        let fits = self.header.pointers_end() <= self.header.content_at as usize;
        assert!(fits, "more cells than fit on page {}", self.no);
        self.header.write(&mut self.page);
    }

    /// Puts `cell` in the place of cell `index`, if that has the same length; answers whether.
    pub fn overwrite(&mut self, index: usize, cell: &[u8]) -> Result<bool> {
        let (at, size) = self.cell(index)?;
        if size == cell.len() {
            self.page[at..at + size].copy_from_slice(cell);
        }
        Ok(size == cell.len())
    }

    /// Changes the child before cell `index`, or after the last cell.
    pub fn set_child(&mut self, index: usize, child: PageNo) -> Result<()> {
        if index == usize::from(self.header.cell_count) {
            put_right_child(&mut self.page, self.header.at, child);
        } else {
            let (at, _) = self.cell(index)?;
            put_u32(&mut self.page, at, child.get());
        }
        Ok(())
    }

    fn clear(&mut self) {
        if self.secure_delete {
            self.page[self.header.content_at as usize..self.limits.usable as usize].fill(0);
        }
        self.header = PageHeader::empty(self.header.at, self.header.kind, self.limits.usable);
    }

    /// Finds `size` bytes of content and two for the pointer; only `header` is changed.
    #[inline]
    fn allocate(&mut self, size: usize) -> Result<Option<usize>> {
        if let Some(at) = self.allocate_content(size, POINTER_LEN)? {
            return Ok(Some(at));
        }
        if self.header.first_freeblock == 0 && self.header.fragmented == 0 || self.free_bytes()? < size + POINTER_LEN {
            return Ok(None);
        }
        self.defragment()?;
        match self.allocate_content(size, POINTER_LEN)? {
            None => Err(corrupt(self.no, "freeblocks overlap")),
            found => Ok(found),
        }
    }

    /// Finds `size` bytes of content where nothing has to be moved for it, and leaves as much of the gap as the pointer
    /// takes; only `header` is changed.
    #[inline]
    fn allocate_content(&mut self, size: usize, pointer_len: usize) -> Result<Option<usize>> {
        let gap = self.header.gap();
        if self.header.first_freeblock != 0
            && gap >= pointer_len
            && let Some(at) = self.allocate_freeblock(size)?
        {
            return Ok(Some(at));
        }
        if gap < size + pointer_len {
            return Ok(None);
        }
        self.header.content_at -= size as u32;
        Ok(Some(self.header.content_at as usize))
    }

    /// The end of the first freeblock that is large enough.
    fn allocate_freeblock(&mut self, size: usize) -> Result<Option<usize>> {
        let mut before = None;
        let mut at = usize::from(self.header.first_freeblock);
        while at != 0 {
            let block = self.freeblock(at)?;
            let block_size = usize::from(block.size);
            if block_size >= size {
                let rest = block_size - size;
                if rest >= FREEBLOCK_MIN {
                    Freeblock { size: rest as u16, ..block }.write(&mut self.page, at);
                    return Ok(Some(at + rest));
                }
                if usize::from(self.header.fragmented) + rest > usize::from(FRAGMENTED_MAX) {
                    return Ok(None); // so that the page gets defragmented
                }
                self.header.fragmented += rest as u8;
                self.link_freeblock(before, block.next);
                return Ok(Some(at + rest));
            }
            before = Some(at);
            at = usize::from(block.next);
        }
        Ok(None)
    }

    /// Gives `size` bytes at `at` back, joined with the freeblocks and fragments that touch them.
    fn free(&mut self, at: usize, size: usize) -> Result<()> {
        if self.secure_delete {
            self.page[at..at + size].fill(0);
        }
        let (mut start, mut end) = (at, at + size);
        let mut before = None;
        let mut before_that = None;
        let mut next = usize::from(self.header.first_freeblock);
        while next != 0 && next < start {
            before_that = before;
            before = Some(next);
            next = usize::from(self.freeblock(next)?.next);
        }
        if next != 0 {
            let block = self.freeblock(next)?;
            if next < end {
                return Err(corrupt(self.no, "freeblock inside a cell"));
            }
            if next < end + FREEBLOCK_MIN {
                self.take_fragment(next - end)?;
                end = next + usize::from(block.size);
                next = usize::from(block.next);
            }
        }
        if let Some(block_at) = before {
            let block_end = block_at + usize::from(self.freeblock(block_at)?.size);
            if block_end > start {
                return Err(corrupt(self.no, "cell inside a freeblock"));
            }
            if block_end + FREEBLOCK_MIN > start {
                self.take_fragment(start - block_end)?;
                start = block_at;
                before = before_that;
            }
        }
        if start <= self.header.content_at as usize {
            if start < self.header.content_at as usize || before.is_some() {
                return Err(corrupt(self.no, "cell before the cell content"));
            }
            self.header.content_at = end as u32;
            self.header.first_freeblock = next as u16;
            return Ok(());
        }
        Freeblock { next: next as u16, size: (end - start) as u16 }.write(&mut self.page, start);
        self.link_freeblock(before, start as u16);
        Ok(())
    }

    fn take_fragment(&mut self, bytes: usize) -> Result<()> {
        let rest = usize::from(self.header.fragmented).checked_sub(bytes);
        self.header.fragmented = rest.ok_or_else(|| corrupt(self.no, "fragments not counted"))? as u8;
        Ok(())
    }

    /// Makes `next` the freeblock after the one at `before`, or the first.
    fn link_freeblock(&mut self, before: Option<usize>, next: u16) {
        match before {
            Some(before) => put_u16(&mut self.page, before, next),
            None => self.header.first_freeblock = next,
        }
    }

    fn freeblock(&self, at: usize) -> Result<Freeblock> {
        read_freeblock(&self.page, at, self.limits.usable).map_err(|e| corrupt(self.no, e.0))
    }

    /// Moves all cells to the end of the page, so that all free bytes are in the gap.
    fn defragment(&mut self) -> Result<()> {
        let old = self.page.to_vec();
        let usable = self.limits.usable as usize;
        let mut content_at = usable;
        let pointers_end = self.header.pointers_end();
        for index in 0..usize::from(self.header.cell_count) {
            let pointer_at = self.header.pointers_at() + POINTER_LEN * index;
            let at = btree_page::cell_pointer(&old, pointer_at, 0).unwrap_or(0);
            let size = cell::size(&old, at, self.header.kind, &self.limits).filter(|_| at >= pointers_end);
            let size = size.ok_or_else(|| corrupt(self.no, "cell outside the page"))?;
            if size > content_at - pointers_end {
                return Err(corrupt(self.no, "cells overlap"));
            }
            content_at -= size;
            self.page[content_at..content_at + size].copy_from_slice(&old[at..at + size]);
            put_u16(&mut self.page, pointer_at, content_at as u16);
        }
        if self.secure_delete {
            self.page[pointers_end..content_at].fill(0);
        }
        self.header.content_at = content_at as u32;
        self.header.first_freeblock = 0;
        self.header.fragmented = 0;
        Ok(())
    }
}

/// Bytes of a page that cells could have: the gap, the freeblocks, the fragments.
pub(crate) fn free_bytes(page: &[u8], header: &PageHeader, usable: u32) -> std::result::Result<usize, Malformed> {
    let mut free = header.gap() + usize::from(header.fragmented);
    let mut at = usize::from(header.first_freeblock);
    if at != 0 && at < header.content_at as usize {
        return Err(Malformed("freeblock before the cell content"));
    }
    while at != 0 {
        let block = read_freeblock(page, at, usable)?;
        free += usize::from(block.size);
        at = usize::from(block.next);
    }
    if free > usable as usize {
        return Err(Malformed("more bytes free than there are"));
    }
    Ok(free)
}

/// The freeblock at `at`. Each is after the one before it, so a walk along them ends.
fn read_freeblock(page: &[u8], at: usize, usable: u32) -> std::result::Result<Freeblock, Malformed> {
    let block = Freeblock::read(page, at).ok_or(Malformed("freeblock outside the page"))?;
    let end = at + usize::from(block.size);
    if end > usable as usize || usize::from(block.size) < FREEBLOCK_MIN {
        return Err(Malformed("freeblock outside the page"));
    }
    if block.next != 0 && usize::from(block.next) < end {
        return Err(Malformed("freeblocks out of order"));
    }
    Ok(block)
}
