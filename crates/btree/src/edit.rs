//! Changing one page: adding and removing cells, and managing the space between them.
//!
//! Space for a cell comes, in this order, from a freeblock, from the gap between pointers and
//! content, or from the gap after all cells have been moved together (defragmented).

use crate::btree::Btree;
use crate::error::{Error, Result, corrupt};
use crate::node::Node;
use lithe_format::btree_page::{
    self, FRAGMENTED_MAX, FREEBLOCK_MIN, Freeblock, POINTER_LEN, PageHeader, PageKind, put_right_child,
};
use lithe_format::bytes::{at_u16, put_u16, put_u32};
use lithe_format::cell;
use lithe_format::payload::Limits;
use lithe_format::{Malformed, PageNo};
use lithe_pager::PageMut;
use std::ops::Range;

/// Pages with more freeblocks are defragmented cell by cell.
const CLOSED_MAX: usize = 8;

/// A page of a tree, open for changes. Only one page is open at a time: a corrupt file may name the
/// same page twice.
pub(crate) struct EditPage<'p> {
    page: PageMut<'p>,
    pub header: PageHeader,
    limits: Limits,
    /// The page's memo, for the next caller that opens the page: one more than the number of free bytes, if these have been summed
    /// up, else 0. Free bytes are those that cells could have.
    free: u32,
    secure_delete: bool,
}

/// The memo if the number of free bytes is not known.
const NOT_SUMMED_UP: u32 = 0;

impl<'p> EditPage<'p> {
    /// Opens page `no`.
    pub fn open(btree: &'p Btree, no: PageNo) -> Result<EditPage<'p>> {
        EditPage::open_limited(btree, no, |kind| btree.limits(kind))
    }

    /// Opens page `no` for a caller that knows the payload arithmetic of its tree.
    #[inline(always)]
    pub fn open_of(btree: &'p Btree, no: PageNo, limits: &Limits) -> Result<EditPage<'p>> {
        EditPage::open_limited(btree, no, |_| *limits)
    }

    #[inline(always)]
    fn open_limited(btree: &'p Btree, no: PageNo, limits: impl Fn(PageKind) -> Limits) -> Result<EditPage<'p>> {
        let page = btree.edit(no)?;
        let header = PageHeader::read(&page, btree_page::header_at(no), btree.usable_size());
        let header = header.map_err(|malformed| corrupt(no, malformed.0))?;
        let limits = limits(header.kind);
        let free = page.memo();
        debug_assert!(is_sum(free, &page, &header, &limits), "the memo of page {no} is not what is free");
        Ok(EditPage { page, header, limits, free, secure_delete: btree.secure_delete() })
    }

    /// Makes page `no` an empty page of the given kind, whatever its content.
    pub fn create(btree: &'p Btree, mut page: PageMut<'p>, no: PageNo, kind: PageKind) -> EditPage<'p> {
        let at = btree_page::header_at(no);
        let limits = btree.limits(kind);
        let header = PageHeader::empty(at, kind, limits.usable);
        debug_assert!(header.cell_count == 0 && page.len() >= limits.usable as usize, "an empty page has its size");
        if btree.secure_delete() {
            page[at..limits.usable as usize].fill(0);
        }
        let free = header.gap() as u32 + 1;
        let mut page = EditPage { page, header, limits, free, secure_delete: btree.secure_delete() };
        page.write_header();
        page
    }

    /// Writes the header, which makes the page well-formed again, and sets the memo.
    #[inline]
    fn write_header(&mut self) {
        self.header.write(&mut self.page);
        self.page.set_memo(self.free);
    }

    /// Adds to the number of free bytes.
    #[inline]
    fn note_freed(&mut self, bytes: usize) {
        if self.free != NOT_SUMMED_UP {
            self.free += bytes as u32;
        }
    }

    /// Subtracts from the number of free bytes.
    #[inline]
    fn note_taken(&mut self, bytes: usize) {
        if self.free != NOT_SUMMED_UP {
            debug_assert!(bytes < self.free as usize, "more bytes are taken than were free");
            self.free = self.free.saturating_sub(bytes as u32);
        }
    }

    /// The bytes that cells could have, pointers included: the gap, the freeblocks, the fragments.
    #[inline]
    pub fn free_bytes(&mut self) -> Result<usize> {
        if self.free != NOT_SUMMED_UP { Ok(self.free as usize - 1) } else { self.sum_up_free_bytes() }
    }

    fn sum_up_free_bytes(&mut self) -> Result<usize> {
        let free = free_bytes(&self.page, &self.header, self.limits.usable).map_err(|e| self.corrupt(e.0))?;
        self.free = free as u32 + 1;
        Ok(free)
    }

    /// Whether so many bytes are free, once `bytes` more are, that the page should be merged with its siblings.
    #[inline]
    pub fn is_underfull_without(&mut self, bytes: usize) -> Result<bool> {
        Ok((self.free_bytes()? + bytes) * 3 > self.limits.usable as usize * 2)
    }

    /// Bytes of the page.
    #[inline]
    pub fn bytes(&self, range: Range<usize>) -> Option<&[u8]> {
        self.page.get(range)
    }

    /// The cell at `index`: where it starts and how many bytes it occupies.
    pub fn cell(&self, index: usize) -> Result<(usize, usize)> {
        let at = btree_page::cell_pointer(&self.page, self.header.pointers_at(), index);
        let at = at.filter(|at| *at >= self.header.pointers_end() && index < usize::from(self.header.cell_count));
        let size = at.and_then(|at| cell::size(&self.page, at, self.header.kind, &self.limits));
        match (at, size) {
            (Some(at), Some(size)) => Ok((at, size)),
            _ => Err(self.corrupt("cell outside the page")),
        }
    }

    /// Reserves space for a cell of `size` bytes before cell `index`, and answers its offset, for the caller to
    /// [fill](EditPage::bytes_mut). `None`, and nothing has changed, if the page is too full.
    #[inline]
    pub fn insert(&mut self, index: usize, size: usize) -> Result<Option<usize>> {
        debug_assert!(size >= FREEBLOCK_MIN && index <= usize::from(self.header.cell_count));
        self.page.set_memo(NOT_SUMMED_UP);
        let Some(at) = self.allocate(size)? else { return Ok(None) };
        let pointer_at = self.header.pointers_at() + POINTER_LEN * index;
        let pointers_end = self.header.pointers_end();
        if pointer_at < pointers_end {
            self.page.copy_within(pointer_at..pointers_end, pointer_at + POINTER_LEN);
        }
        put_u16(&mut self.page, pointer_at, at as u16);
        self.header.cell_count += 1;
        self.note_taken(size + POINTER_LEN);
        self.write_header();
        Ok(Some(at))
    }

    /// The bytes of a cell that was just inserted.
    #[inline]
    pub fn bytes_mut(&mut self, at: usize, size: usize) -> &mut [u8] {
        &mut self.page[at..at + size]
    }

    /// Reserves space for a cell of `size` bytes in place of cell `index`, which is removed and ends at `old_end`.
    /// Answers the offset, for the caller to [fill](EditPage::bytes_mut); `None` if the page is too full for the new
    /// cell.
    #[inline]
    pub fn replace(&mut self, index: usize, old_end: usize, size: usize) -> Result<Option<usize>> {
        let (at, old_size) = self.cell_until(index, old_end)?;
        if old_size == size && at + size <= self.limits.usable as usize {
            return Ok(Some(at));
        }
        self.replace_elsewhere(index, at, old_size, size)
    }

    /// [`EditPage::replace`] if cell `index`, of `old_size` bytes at `at`, and the new one are not equally long.
    fn replace_elsewhere(&mut self, index: usize, at: usize, old_size: usize, size: usize) -> Result<Option<usize>> {
        if self.header.cell_count == 1 || at + old_size > self.limits.usable as usize {
            self.remove(index)?;
            return self.insert(index, size);
        }
        self.page.set_memo(NOT_SUMMED_UP);
        self.free(at, old_size)?;
        // The pointer has space already.
        if let Some(place) = self.allocate_content(size, 0)? {
            self.note_taken(size);
            put_u16(&mut self.page, self.header.pointers_at() + POINTER_LEN * index, place as u16);
            self.write_header();
            return Ok(Some(place));
        }
        self.remove_pointer(index);
        self.write_header();
        self.insert(index, size)
    }

    /// The start and length of cell `index`, which is known to end at `end`.
    #[inline]
    pub fn cell_until(&self, index: usize, end: usize) -> Result<(usize, usize)> {
        let at = btree_page::cell_pointer(&self.page, self.header.pointers_at(), index);
        let at = at.filter(|at| (self.header.pointers_end()..end).contains(at));
        let at = at.ok_or_else(|| self.corrupt("cell outside the page"))?;
        Ok((at, (end - at).max(FREEBLOCK_MIN)))
    }

    /// Removes cell `index`.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        let cell = self.cell(index)?;
        self.remove_cell(index, cell)
    }

    /// Removes cell `index`, whose start and length are known.
    pub fn remove_cell(&mut self, index: usize, (at, size): (usize, usize)) -> Result<()> {
        self.page.set_memo(NOT_SUMMED_UP);
        self.remove_pointer(index);
        if self.header.cell_count == 0 {
            self.clear();
        } else {
            self.free(at, size)?;
        }
        self.write_header();
        Ok(())
    }

    fn remove_pointer(&mut self, index: usize) {
        assert!(index < usize::from(self.header.cell_count), "cell {index} is removed of {}", self.header.cell_count);
        let pointer_at = self.header.pointers_at() + POINTER_LEN * index;
        let pointers_end = self.header.pointers_end();
        self.page.copy_within(pointer_at + POINTER_LEN..pointers_end, pointer_at);
        self.header.cell_count -= 1;
        self.note_freed(POINTER_LEN);
    }

    /// Ends the changes, and answers the page as a cursor keeps it.
    #[inline(always)]
    pub fn into_node(self) -> Node {
        let EditPage { page, header, .. } = self;
        let no = page.no();
        Node::of(page.share(), no, &header)
    }

    /// An error about this page.
    #[cold]
    fn corrupt(&self, what: &'static str) -> Error {
        corrupt(self.page.no(), what)
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
        self.page.set_memo(NOT_SUMMED_UP);
        self.page[content_at..][..bytes.len()].copy_from_slice(bytes);
        let mut pointer_at = self.header.pointers_end();
        for offset in offsets {
            put_u16(&mut self.page, pointer_at, (content_at + offset) as u16);
            pointer_at += POINTER_LEN;
            self.header.cell_count += 1;
        }
        debug_assert!(pointer_at <= content_at, "pointers and cells meet on page {}", self.page.no());
        self.free = (content_at - pointer_at) as u32 + 1;
        self.header.content_at = content_at as u32;
    }

    /// Writes the header after all cells are added.
    pub fn end_of_cells(&mut self) {
        let fits = self.header.pointers_end() <= self.header.content_at as usize;
        assert!(fits, "more cells than fit on page {}", self.page.no());
        self.write_header();
    }

    /// Writes `cell` over cell `index`, if that has the same length; answers whether.
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
        self.free = self.header.gap() as u32 + 1;
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
        self.make_gap(size + POINTER_LEN)?;
        match self.allocate_content(size, POINTER_LEN)? {
            None => Err(self.corrupt("freeblocks overlap")),
            found => Ok(found),
        }
    }

    /// Finds `size` bytes of content without moving cells, and leaves `pointer_len` bytes of the gap for the pointer;
    /// only `header` is changed.
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

    /// Allocates at the end of the first freeblock that is large enough.
    fn allocate_freeblock(&mut self, size: usize) -> Result<Option<usize>> {
        let mut before = 0;
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
            before = at;
            at = usize::from(block.next);
        }
        Ok(None)
    }

    /// Frees `size` bytes at `at`, and joins them with the freeblocks and fragments that touch them.
    fn free(&mut self, at: usize, size: usize) -> Result<()> {
        if self.secure_delete {
            self.page[at..at + size].fill(0);
        }
        let (mut start, mut end) = (at, at + size);
        let (mut before_that, mut before) = (0, 0);
        let mut next = usize::from(self.header.first_freeblock);
        let page: &[u8] = &self.page;
        while next != 0 && next < start {
            (before_that, before) = (before, next);
            // The rest of a freeblock is only checked when a cell is put into it.
            next = usize::from(at_u16(page, next));
            if next <= before && next != 0 {
                return Err(self.corrupt("freeblocks out of order"));
            }
        }
        self.note_freed(size);
        if next != 0 {
            let block = self.freeblock(next)?;
            if next < end {
                return Err(self.corrupt("freeblock inside a cell"));
            }
            if next < end + FREEBLOCK_MIN {
                self.take_fragment(next - end)?;
                end = next + usize::from(block.size);
                next = usize::from(block.next);
            }
        }
        if before != 0 {
            let block_end = before + usize::from(self.freeblock(before)?.size);
            if block_end > start {
                return Err(self.corrupt("cell inside a freeblock"));
            }
            if block_end + FREEBLOCK_MIN > start {
                self.take_fragment(start - block_end)?;
                (start, before) = (before, before_that);
            }
        }
        if start <= self.header.content_at as usize {
            if start < self.header.content_at as usize || before != 0 {
                return Err(self.corrupt("cell before the cell content"));
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
        self.header.fragmented = rest.ok_or_else(|| self.corrupt("fragments not counted"))? as u8;
        Ok(())
    }

    /// Makes `next` the freeblock after the one at `before`, or the first if that is 0.
    fn link_freeblock(&mut self, before: usize, next: u16) {
        match before {
            0 => self.header.first_freeblock = next,
            _ => put_u16(&mut self.page, before, next),
        }
    }

    fn freeblock(&self, at: usize) -> Result<Freeblock> {
        read_freeblock(&self.page, at, self.limits.usable).map_err(|e| self.corrupt(e.0))
    }

    /// Moves cells, so that the gap is at least `wanted` bytes long. The page has that many free bytes.
    fn make_gap(&mut self, wanted: usize) -> Result<()> {
        let without_fragments = self.free_bytes()?.saturating_sub(usize::from(self.header.fragmented));
        let few = self.header.fragmented <= FRAGMENTED_MAX / 2;
        if few && without_fragments >= wanted && self.close_freeblocks()? { Ok(()) } else { self.defragment() }
    }

    /// Moves each range of cells between freeblocks towards the end of the page as a whole, so that only fragments are left between
    /// cells. `false`, and nothing has changed, if there are so many freeblocks that moving cell by cell costs no more.
    fn close_freeblocks(&mut self) -> Result<bool> {
        let mut blocks = [(0, 0); CLOSED_MAX];
        let mut count = 0;
        let mut at = usize::from(self.header.first_freeblock);
        if at != 0 && at < self.header.content_at as usize {
            return Err(self.corrupt("freeblock before the cell content"));
        }
        while at != 0 {
            let block = self.freeblock(at)?;
            let Some(place) = blocks.get_mut(count) else { return Ok(false) };
            *place = (at, usize::from(block.size));
            (count, at) = (count + 1, usize::from(block.next));
        }
        let blocks = &blocks[..count];
        let (content_at, usable) = (self.header.content_at as usize, self.limits.usable as usize);
        let pointers = self.header.pointers_at()..self.header.pointers_end();
        let gap_at = pointers.end;
        let page: &mut [u8] = &mut self.page;
        for pointer in page[pointers].as_chunks_mut().0 {
            let cell = usize::from(u16::from_be_bytes(*pointer));
            if !(content_at..usable).contains(&cell) {
                return Err(self.corrupt("cell outside the page"));
            }
            let shift = blocks.iter().fold(0, |shift, (at, size)| if cell < *at { shift + size } else { shift });
            // The freeblocks over which a cell is moved lie behind it.
            *pointer = ((cell + shift) as u16).to_be_bytes();
        }
        let mut shift = 0;
        for (number, (at, size)) in blocks.iter().enumerate().rev() {
            shift += size;
            let from = number.checked_sub(1).map_or(content_at, |before| blocks[before].0 + blocks[before].1);
            page.copy_within(from..*at, from + shift);
        }
        if self.secure_delete {
            page[gap_at..content_at + shift].fill(0);
        }
        self.header.content_at = (content_at + shift) as u32;
        self.header.first_freeblock = 0;
        Ok(true)
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
            let size = size.ok_or_else(|| self.corrupt("cell outside the page"))?;
            if size > content_at - pointers_end {
                return Err(self.corrupt("cells overlap"));
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

/// Whether the memo `free` is right. For a damaged page, whose cells and freeblocks overlap, the answer is `true`: a cell that is
/// written may have changed a freeblock.
fn is_sum(free: u32, page: &[u8], header: &PageHeader, limits: &Limits) -> bool {
    let sum = free_bytes(page, header, limits.usable);
    if free == NOT_SUMMED_UP || sum.as_ref().is_ok_and(|sum| sum + 1 == free as usize) {
        return true;
    }
    let cell = |index| {
        let at = btree_page::cell_pointer(page, header.pointers_at(), index)?;
        cell::size(page, at, header.kind, limits)
    };
    let cells: Option<usize> = (0..usize::from(header.cell_count)).map(cell).sum();
    let used = cells.map(|cells| header.pointers_end() + cells);
    !matches!((sum, used), (Ok(sum), Some(used)) if sum + used == limits.usable as usize)
}

/// The bytes of a page that cells could have: the gap, the freeblocks, the fragments.
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

/// The freeblock at `at`. Each is behind the one before it, so a walk along them ends.
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
