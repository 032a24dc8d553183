//! Payloads that do not fit on their page: reading chains of overflow pages in runs.

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;
use lithe_format::cell::PayloadSpan;
use lithe_format::overflow::{self as page, CONTENT_AT};
use lithe_format::payload::PayloadReader;
use lithe_format::ptrmap::PtrmapType;
use lithe_pager::PageRef;

/// Fills `out` with the payload's bytes from `offset` on. The caller has checked that they are part of it.
pub(crate) fn read(
    btree: &Btree,
    leaf: &PageRef,
    no: PageNo,
    span: PayloadSpan,
    offset: u32,
    mut out: &mut [u8],
) -> Result<()> {
    let local = &leaf[span.range()];
    let mut offset = offset as usize;
    if let Some(here) = local.get(offset..) {
        let (head, tail) = out.split_at_mut(here.len().min(out.len()));
        head.copy_from_slice(&here[..head.len()]);
        offset += head.len();
        out = tail;
    }
    if out.is_empty() {
        return Ok(());
    }
    let first = span.overflow_page(leaf).ok_or_else(|| corrupt(no, "overflow page 0"))?;
    read_chain(btree, first, offset - local.len(), out)
}

/// Puts the whole payload into `out`.
pub(crate) fn read_whole(
    btree: &Btree,
    leaf: &PageRef,
    no: PageNo,
    span: PayloadSpan,
    out: &mut Vec<u8>,
) -> Result<()> {
    check_len(btree, no, span)?;
    out.resize(span.len as usize, 0);
    read(btree, leaf, no, span, 0, out)
}

/// A payload longer than the database is a lie, and must not cost its memory.
fn check_len(btree: &Btree, no: PageNo, span: PayloadSpan) -> Result<()> {
    let pages = u64::from(btree.pager().page_count());
    if u64::from(span.len - span.local) > pages * u64::from(btree.usable_size()) {
        return Err(corrupt(no, "payload longer than the database"));
    }
    Ok(())
}

/// Fills `out` from the chain that starts at `first`, after `skip` bytes of its content.
fn read_chain(btree: &Btree, first: PageNo, mut skip: usize, mut out: &mut [u8]) -> Result<()> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    let mut no = first;
    loop {
        let overflow = btree.page(no)?;
        if skip < content {
            let here = &overflow[CONTENT_AT..][skip..content];
            let (head, tail) = out.split_at_mut(here.len().min(out.len()));
            head.copy_from_slice(&here[..head.len()]);
            out = tail;
            if out.is_empty() {
                return Ok(());
            }
        }
        skip = skip.saturating_sub(content);
        no = page::next(&overflow).ok_or_else(|| corrupt(no, "overflow chain ends too soon"))?;
    }
}

/// Writes the rest of a payload to a new chain; answers its first page.
pub(crate) fn write_chain(btree: &Btree, payload: &mut PayloadReader<'_, '_>, len: u32) -> Result<PageNo> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    let mut rest = len as usize;
    let mut pages = btree.take_page_list();
    btree.allocate_run(rest.div_ceil(content), &mut pages)?;
    for (index, &no) in pages.iter().enumerate() {
        let mut page = btree.new_page(no)?;
        page::put_next(&mut page, pages.get(index + 1).copied());
        let here = rest.min(content);
        payload.copy_to(&mut page[CONTENT_AT..][..here]);
        rest -= here;
        drop(page);
        if index > 0 && btree.auto_vacuum()? {
            btree.put_ptrmap(no, PtrmapType::OverflowNext, Some(pages[index - 1]))?;
        }
    }
    let first = pages[0];
    btree.give_page_list(pages);
    Ok(first)
}

/// Writes the rest of a payload over a chain of the same length.
pub(crate) fn overwrite_chain(
    btree: &Btree,
    first: PageNo,
    payload: &mut PayloadReader<'_, '_>,
    len: u32,
) -> Result<()> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    let mut rest = len as usize;
    let mut no = first;
    loop {
        check_chain_page(btree, no)?;
        let mut page = btree.write(no)?;
        let here = rest.min(content);
        payload.copy_to(&mut page[CONTENT_AT..][..here]);
        rest -= here;
        if rest == 0 {
            return Ok(());
        }
        no = page::next(&page).ok_or_else(|| corrupt(no, "overflow chain ends too soon"))?;
    }
}

/// Frees the chain of a payload of which `len` bytes are not local.
pub(crate) fn free_chain(btree: &Btree, first: PageNo, len: u32) -> Result<()> {
    let count = len.div_ceil(btree.usable_size() - CONTENT_AT as u32);
    let mut no = first;
    for left in (0..count).rev() {
        check_chain_page(btree, no)?;
        let next = if left > 0 { page::next(&btree.page(no)?) } else { None };
        btree.free(no)?;
        match next {
            Some(next) => no = next,
            None if left > 0 => return Err(corrupt(no, "overflow chain ends too soon")),
            None => {}
        }
    }
    Ok(())
}

fn check_chain_page(btree: &Btree, no: PageNo) -> Result<()> {
    if no == PageNo::FIRST || no.get() > btree.pager().page_count() {
        return Err(corrupt(no, "overflow chain names an impossible page"));
    }
    Ok(())
}
