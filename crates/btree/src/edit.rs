//! Changing one page: adding and removing cells, and managing the space between them.
//!
//! Space for a cell comes, in this order, from a freeblock, from the gap between pointers and
//! content, or from the gap after all cells have been moved together (defragmented).

use crate::btree::Btree;
use crate::error::{Error, Result, corrupt};
use crate::freeblocks::{self, free_bytes};
use crate::node::Node;
use lithe_format::PageNo;
use lithe_format::btree_page::{
    self, FRAGMENTED_MAX, FREEBLOCK_MIN, POINTER_LEN, PageHeader, PageKind, put_right_child,
};
use lithe_format::bytes::{put_u16, put_u32};
use lithe_format::cell;
use lithe_format::payload::Limits;
use lithe_pager::{PageInPlace, PageMut};

/// A page of a tree, open for changes. Only one page is open at a time, and no other is read meanwhile: the bytes stay in the pager's
/// dirty set.
pub(crate) struct EditPage<'p> {
    page: PageInPlace<'p>,
    pub header: PageHeader,
    limits: Limits,
    /// The page's memo, for the next caller that opens the page: one more than the number of free bytes, if these have been summed
    /// up, else 0. Free bytes are those that cells could have.
    free: u32,
    secure_delete: bool,
}

/// The memo if the number of free bytes is not known.
pub(crate) const NOT_SUMMED_UP: u32 = 0;

/// The memo once `bytes` more are free.
#[inline(always)]
pub(crate) fn memo_with(memo: u32, bytes: usize) -> u32 {
    if memo == NOT_SUMMED_UP { memo } else { memo + bytes as u32 }
}

/// The memo once `bytes` that were free are taken.
#[inline(always)]
pub(crate) fn memo_without(memo: u32, bytes: usize) -> u32 {
    debug_assert!(memo == NOT_SUMMED_UP || bytes < memo as usize, "more bytes are taken than were free");
    if memo == NOT_SUMMED_UP { memo } else { memo.saturating_sub(bytes as u32) }
}

impl<'p> EditPage<'p> {
    /// Opens page `no`, which the caller does not hold.
    pub fn open(btree: &'p Btree, no: PageNo) -> Result<EditPage<'p>> {
        let page = match btree.edit(no, None) {
            Some(page) => page,
            None => {
                btree.make_ready(no)?;
                btree.edit(no, None).expect("a page that was made ready is written in its place")
            }
        };
        EditPage::of(btree, page, |kind| btree.limits(kind))
    }

    /// Opens a page for a caller that knows the payload arithmetic of its tree.
    #[inline(always)]
    pub fn of_tree(btree: &Btree, page: PageInPlace<'p>, limits: &Limits) -> Result<EditPage<'p>> {
        EditPage::of(btree, page, |_| *limits)
    }

    #[inline(always)]
    fn of(btree: &Btree, page: PageInPlace<'p>, limits: impl Fn(PageKind) -> Limits) -> Result<EditPage<'p>> {
        let no = page.no();
        let header = PageHeader::read(&page, btree_page::header_at(no), btree.usable_size());
        let header = header.map_err(|malformed| corrupt(no, malformed.0))?;
        let limits = limits(header.kind);
        let free = page.memo();
        debug_assert!(is_sum(free, &page, &header, &limits), "the memo of page {no} is not what is free");
        Ok(EditPage { page, header, limits, free, secure_delete: btree.secure_delete() })
    }

    /// Goes on with changes that were begun: `header` is not written yet, and `free` is the memo of what the page will be.
    pub fn resume(page: PageInPlace<'p>, header: PageHeader, limits: Limits, free: u32) -> EditPage<'p> {
        EditPage { page, header, limits, free, secure_delete: false }
    }

    /// Makes a page that was just opened or made an empty page of the given kind, whatever its content.
    pub fn create(btree: &'p Btree, page: PageMut<'p>, kind: PageKind) -> EditPage<'p> {
        let no = page.no();
        drop(page);
        let mut page = btree.edit(no, None).expect("a page that was just written is ready to be written again");
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
        self.free = memo_with(self.free, bytes);
    }

    /// Subtracts from the number of free bytes.
    #[inline]
    fn note_taken(&mut self, bytes: usize) {
        self.free = memo_without(self.free, bytes);
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

    /// The cell at `index`: where it starts and how many bytes it occupies.
    pub fn cell(&self, index: usize) -> Result<(usize, usize)> {
        let at = btree_page::cell_pointer(&self.page, self.header.pointers_at(), index);
        let at = at.filter(|at| *at >= self.header.pointers_end() && index < usize::from(self.header.cell_count));
        let size = at.and_then(|at| cell::size(&self.page, at, self.header.kind, &self.limits));
        match (at, size) {
            (Some(at), Some(size)) => Ok((at, size)),
            _ => Err(self.corrupt(OUTSIDE)),
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
        let old = cell_until(&self.page, &self.header, index, old_end, self.limits.usable);
        let (at, old_size) = old.ok_or_else(|| self.corrupt(OUTSIDE))?;
        if old_size == size {
            return Ok(Some(at));
        }
        self.replace_elsewhere(index, at, old_size, size)
    }

    /// [`EditPage::replace`] if cell `index`, of `old_size` bytes at `at`, and the new one are not equally long.
    fn replace_elsewhere(&mut self, index: usize, at: usize, old_size: usize, size: usize) -> Result<Option<usize>> {
        if self.header.cell_count == 1 {
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
        self.replace_freed(index, size)
    }

    /// [`EditPage::replace`] if the old cell's bytes are free already, and not enough free bytes lie together for the new one.
    pub fn replace_freed(&mut self, index: usize, size: usize) -> Result<Option<usize>> {
        self.remove_pointer(index);
        self.write_header();
        self.insert(index, size)
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
    #[inline(always)]
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

    /// See [`freeblocks::allocate_content`].
    #[inline(always)]
    fn allocate_content(&mut self, size: usize, pointer_len: usize) -> Result<Option<usize>> {
        let usable = self.limits.usable;
        let place = freeblocks::allocate_content(&mut self.page, &mut self.header, size, pointer_len, usable);
        place.map_err(|malformed| self.corrupt(malformed.0))
    }

    /// Frees `size` bytes at `at`, and joins them with the freeblocks and fragments that touch them.
    #[inline]
    fn free(&mut self, at: usize, size: usize) -> Result<()> {
        if self.secure_delete {
            self.page[at..at + size].fill(0);
        }
        self.note_freed(size);
        let freed = freeblocks::free(&mut self.page, &mut self.header, at, size, self.limits.usable);
        freed.map_err(|malformed| self.corrupt(malformed.0))
    }

    /// Moves cells, so that the gap is at least `wanted` bytes long. The page has that many free bytes.
    fn make_gap(&mut self, wanted: usize) -> Result<()> {
        let without_fragments = self.free_bytes()?.saturating_sub(usize::from(self.header.fragmented));
        let few = self.header.fragmented <= FRAGMENTED_MAX / 2;
        if few && without_fragments >= wanted && self.close_freeblocks()? { Ok(()) } else { self.defragment() }
    }

    /// See [`freeblocks::close`].
    fn close_freeblocks(&mut self) -> Result<bool> {
        let (gap_at, usable) = (self.header.pointers_end(), self.limits.usable);
        let closed = freeblocks::close(&mut self.page, &mut self.header, usable);
        let closed = closed.map_err(|malformed| self.corrupt(malformed.0))?;
        if closed && self.secure_delete {
            self.page[gap_at..self.header.content_at as usize].fill(0);
        }
        Ok(closed)
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

const OUTSIDE: &str = "cell outside the page";

/// The start and length of cell `index`, which is known to end at `end`; `None` if the bytes that it occupies are not all among those of cells.
#[inline(always)]
pub(crate) fn cell_until(
    page: &[u8],
    header: &PageHeader,
    index: usize,
    end: usize,
    usable: u32,
) -> Option<(usize, usize)> {
    let at = btree_page::cell_pointer(page, header.pointers_at(), index)?;
    let is_inside = index < usize::from(header.cell_count) && (header.pointers_end()..end).contains(&at);
    let size = end.saturating_sub(at).max(FREEBLOCK_MIN);
    (is_inside && at + size <= usable as usize).then_some((at, size))
}

/// A cell that is about to be removed from its page.
pub(crate) struct Removal {
    header: PageHeader,
    index: usize,
    at: usize,
    size: usize,
    /// The memo of the page as it is.
    free: u32,
    usable: u32,
}

impl Removal {
    /// Cell `index`, which ends at `end`, of a page. With `sums_up`, the page's free bytes are summed up if they are not known.
    #[inline(always)]
    pub fn new(
        btree: &Btree,
        page: &PageInPlace<'_>,
        limits: &Limits,
        index: usize,
        end: usize,
        sums_up: bool,
    ) -> Result<Removal> {
        let (no, usable) = (page.no(), limits.usable);
        let header = btree.header(page, no)?;
        let (at, size) = cell_until(page, &header, index, end, usable).ok_or_else(|| corrupt(no, OUTSIDE))?;
        let free = match page.memo() {
            NOT_SUMMED_UP if sums_up => free_bytes(page, &header, usable).map_err(|e| corrupt(no, e.0))? as u32 + 1,
            free => free,
        };
        debug_assert!(is_sum(free, page, &header, limits), "the memo of page {no} is not what is free");
        Ok(Removal { header, index, at, size, free, usable })
    }

    /// Whether so many bytes are free without the cell that the page should be merged with its siblings.
    #[inline(always)]
    pub fn leaves_page_underfull(&self) -> bool {
        debug_assert!(self.free != NOT_SUMMED_UP, "the free bytes were summed up");
        (self.free as usize - 1 + self.size + POINTER_LEN) * 3 > self.usable as usize * 2
    }

    /// The kind of the page.
    #[inline(always)]
    pub fn kind(&self) -> PageKind {
        self.header.kind
    }

    /// Removes the cell from its page, which has not changed since.
    #[inline(always)]
    pub fn remove(self, btree: &Btree, mut page: PageInPlace<'_>, limits: &Limits) -> Result<()> {
        let Removal { mut header, index, at, size, free, usable } = self;
        if header.cell_count == 1 || btree.secure_delete() {
            let mut page = EditPage::of_tree(btree, page, limits)?;
            return page.remove_cell(index, (at, size));
        }
        page.set_memo(NOT_SUMMED_UP);
        let pointer_at = header.pointers_at() + POINTER_LEN * index;
        page.copy_within(pointer_at + POINTER_LEN..header.pointers_end(), pointer_at);
        header.cell_count -= 1;
        let freed = freeblocks::free(&mut page, &mut header, at, size, usable);
        freed.map_err(|malformed| corrupt(page.no(), malformed.0))?;
        header.write(&mut page);
        page.set_memo(memo_with(free, size + POINTER_LEN));
        Ok(())
    }
}

/// Whether the memo `free` is right. For a damaged page, whose cells and freeblocks overlap, the answer is `true`: a cell that is
/// written may have changed a freeblock.
pub(crate) fn is_sum(free: u32, page: &[u8], header: &PageHeader, limits: &Limits) -> bool {
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
