//! The space between the cells of a page: the list of freeblocks, the fragments, the gap.
//!
//! The functions change the page and the fields of its header; the caller writes the header. Each freeblock is behind the one before it,
//! so that a walk along them ends.

use lithe_format::Malformed;
use lithe_format::btree_page::{FRAGMENTED_MAX, FREEBLOCK_MIN, Freeblock, PageHeader};
use lithe_format::bytes::{get_u16, put_u16};

type Result<T> = std::result::Result<T, Malformed>;

/// Pages with more freeblocks are defragmented cell by cell.
const CLOSED_MAX: usize = 8;

/// So many freeblocks are told apart by two comparisons a cell.
const FEW: usize = 2;

const OUTSIDE: Malformed = Malformed("freeblock outside the page");

/// Finds `size` bytes of content without moving cells, and leaves `pointer_len` bytes of the gap for the pointer.
#[inline(always)]
pub(crate) fn allocate_content(
    page: &mut [u8],
    header: &mut PageHeader,
    size: usize,
    pointer_len: usize,
    usable: u32,
) -> Result<Option<usize>> {
    let gap = header.gap();
    if header.first_freeblock != 0
        && gap >= pointer_len
        && let Some(at) = allocate(page, header, size, usable)?
    {
        return Ok(Some(at));
    }
    if gap < size + pointer_len {
        return Ok(None);
    }
    header.content_at -= size as u32;
    Ok(Some(header.content_at as usize))
}

/// Allocates at the end of the first freeblock that is large enough. `None`: there is none, or the page should be defragmented.
#[inline(never)]
fn allocate(page: &mut [u8], header: &mut PageHeader, size: usize, usable: u32) -> Result<Option<usize>> {
    let mut before = 0;
    let mut at = usize::from(header.first_freeblock);
    while at != 0 {
        let block = read(page, at, usable)?;
        let Some(rest) = usize::from(block.size).checked_sub(size) else {
            before = at;
            at = usize::from(block.next);
            continue;
        };
        if rest >= FREEBLOCK_MIN {
            put_u16(page, at + 2, rest as u16);
            return Ok(Some(at + rest));
        }
        if usize::from(header.fragmented) + rest > usize::from(FRAGMENTED_MAX) {
            return Ok(None); // so that the page gets defragmented
        }
        header.fragmented += rest as u8;
        link(page, header, before, block.next);
        return Ok(Some(at + rest));
    }
    Ok(None)
}

/// Frees `size` bytes at `at`, and joins them with the freeblocks and fragments that touch them.
#[inline(never)]
pub(crate) fn free(page: &mut [u8], header: &mut PageHeader, at: usize, size: usize, usable: u32) -> Result<()> {
    let (mut start, mut end) = (at, at + size);
    let (mut before_that, mut before) = (0, 0);
    let mut next = usize::from(header.first_freeblock);
    while next != 0 && next < start {
        (before_that, before) = (before, next);
        // The rest of a freeblock is only checked when a cell is put into it.
        next = usize::from(get_u16(page, next).ok_or(OUTSIDE)?);
        if next <= before && next != 0 {
            return Err(Malformed("freeblocks out of order"));
        }
    }
    if next != 0 {
        let block = read(page, next, usable)?;
        if next < end {
            return Err(Malformed("freeblock inside a cell"));
        }
        if next < end + FREEBLOCK_MIN {
            take_fragment(header, next - end)?;
            end = next + usize::from(block.size);
            next = usize::from(block.next);
        }
    }
    if before != 0 {
        let block_end = before + usize::from(read(page, before, usable)?.size);
        if block_end > start {
            return Err(Malformed("cell inside a freeblock"));
        }
        if block_end + FREEBLOCK_MIN > start {
            take_fragment(header, start - block_end)?;
            (start, before) = (before, before_that);
        }
    }
    let content_at = header.content_at as usize;
    if start <= content_at {
        if start < content_at || before != 0 {
            return Err(Malformed("cell before the cell content"));
        }
        header.content_at = end as u32;
        header.first_freeblock = next as u16;
        return Ok(());
    }
    Freeblock { next: next as u16, size: (end - start) as u16 }.write(page, start);
    link(page, header, before, start as u16);
    Ok(())
}

#[inline]
fn take_fragment(header: &mut PageHeader, bytes: usize) -> Result<()> {
    let rest = usize::from(header.fragmented).checked_sub(bytes);
    header.fragmented = rest.ok_or(Malformed("fragments not counted"))? as u8;
    Ok(())
}

/// Makes `next` the freeblock after the one at `before`, or the first if that is 0.
#[inline]
fn link(page: &mut [u8], header: &mut PageHeader, before: usize, next: u16) {
    match before {
        0 => header.first_freeblock = next,
        _ => put_u16(page, before, next),
    }
}

/// Moves each range of cells between freeblocks towards the end of the page as a whole, so that only fragments are left between
/// cells. `false`, and nothing has changed, if there are so many freeblocks that moving cell by cell costs no more.
pub(crate) fn close(page: &mut [u8], header: &mut PageHeader, usable: u32) -> Result<bool> {
    let mut blocks = [(0, 0); CLOSED_MAX];
    let mut count = 0;
    let mut at = usize::from(header.first_freeblock);
    if at != 0 && at < header.content_at as usize {
        return Err(Malformed("freeblock before the cell content"));
    }
    while at != 0 {
        let block = read(page, at, usable)?;
        let Some(place) = blocks.get_mut(count) else { return Ok(false) };
        *place = (at, usize::from(block.size));
        (count, at) = (count + 1, usize::from(block.next));
    }
    let content_at = header.content_at as usize;
    let cells = content_at..usable as usize;
    let pointers = page[header.pointers_at()..header.pointers_end()].as_chunks_mut().0;
    // The freeblocks over which a cell is moved lie behind it.
    let shifted =
        |shift: usize, cell: usize, (at, size): &(usize, usize)| if cell < *at { shift + size } else { shift };
    let are_inside = if count <= FEW {
        let [one, two, ..] = blocks; // one that is not there lies before every cell
        shift_cells(pointers, |cell| cells.contains(&cell).then(|| shifted(shifted(0, cell, &one), cell, &two)))
    } else {
        let shift = |cell| blocks[..count].iter().fold(0, |shift, block| shifted(shift, cell, block));
        shift_cells(pointers, |cell| cells.contains(&cell).then(|| shift(cell)))
    };
    if !are_inside {
        return Err(Malformed("cell outside the page"));
    }
    let mut shift = 0;
    for (number, (at, size)) in blocks[..count].iter().enumerate().rev() {
        shift += size;
        let from = number.checked_sub(1).map_or(content_at, |before| blocks[before].0 + blocks[before].1);
        page.copy_within(from..*at, from + shift);
    }
    header.content_at = (content_at + shift) as u32;
    header.first_freeblock = 0;
    Ok(true)
}

/// Adds to each cell pointer what `shift` says of it; false where that is `None`.
#[inline(always)]
fn shift_cells(pointers: &mut [[u8; 2]], shift: impl Fn(usize) -> Option<usize>) -> bool {
    pointers.iter_mut().all(|pointer| {
        let cell = usize::from(u16::from_be_bytes(*pointer));
        let Some(shift) = shift(cell) else { return false };
        *pointer = ((cell + shift) as u16).to_be_bytes();
        true
    })
}

/// The bytes of a page that cells could have: the gap, the freeblocks, the fragments.
pub(crate) fn free_bytes(page: &[u8], header: &PageHeader, usable: u32) -> Result<usize> {
    let mut free = header.gap() + usize::from(header.fragmented);
    let mut at = usize::from(header.first_freeblock);
    if at != 0 && at < header.content_at as usize {
        return Err(Malformed("freeblock before the cell content"));
    }
    while at != 0 {
        let block = read(page, at, usable)?;
        free += usize::from(block.size);
        at = usize::from(block.next);
    }
    if free > usable as usize {
        return Err(Malformed("more bytes free than there are"));
    }
    Ok(free)
}

/// The freeblock at `at`.
#[inline]
fn read(page: &[u8], at: usize, usable: u32) -> Result<Freeblock> {
    let block = Freeblock::read(page, at).ok_or(OUTSIDE)?;
    let end = at + usize::from(block.size);
    if end > usable as usize || usize::from(block.size) < FREEBLOCK_MIN {
        return Err(OUTSIDE);
    }
    if block.next != 0 && usize::from(block.next) < end {
        return Err(Malformed("freeblocks out of order"));
    }
    Ok(block)
}
