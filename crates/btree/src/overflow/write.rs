//! Writing and freeing chains.

use super::{CHAIN_CUT, check_chain_page};
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;
use lithe_format::overflow::{self as page, CONTENT_AT};
use lithe_format::payload::PayloadReader;
use lithe_format::ptrmap::PtrmapType;

/// Writes the rest of a payload to a new chain; answers its first page.
pub(crate) fn write_chain(btree: &Btree, payload: &mut PayloadReader<'_, '_>, len: u32) -> Result<PageNo> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    assert!(len > 0, "a chain has content");
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
        btree.pager().finish_page(no)?;
        if index > 0 && btree.auto_vacuum()? {
            btree.put_ptrmap(no, PtrmapType::OverflowNext, Some(pages[index - 1]))?;
        }
    }
    let first = pages[0];
    btree.give_page_list(pages);
    Ok(first)
}

/// Writes the last `len` bytes of a payload over its chain, which begins with page `no`. The rest of the row is on the page `leaf`,
/// which was written before. The last page is not read before it is written, because no page follows it, and the bytes behind the
/// content are unused.
pub(crate) fn overwrite_whole_chain(
    btree: &Btree,
    mut no: PageNo,
    payload: &mut PayloadReader<'_, '_>,
    len: u32,
    leaf: PageNo,
) -> Result<()> {
    assert!(len > 0, "a chain has content");
    // A leaf of long values has few rows, and mostly lies beside their chains.
    btree.pager().finish_page(leaf)?;
    let content = btree.usable_size() - CONTENT_AT as u32;
    let in_last = (len - 1) % content + 1;
    if len > in_last {
        no = overwrite_chain(btree, no, 0, payload, len - in_last)?.ok_or_else(|| corrupt(no, CHAIN_CUT))?;
    }
    check_chain_page(btree, no)?;
    let usable = btree.usable_size() as usize;
    let mut page = btree.overwrite(no, 0..usable)?;
    let (here, behind) = page[..usable].split_at_mut(CONTENT_AT + in_last as usize);
    page::put_next(here, None);
    payload.copy_to(&mut here[CONTENT_AT..]);
    behind.fill(0);
    drop(page);
    btree.pager().finish_page(no)
}

/// Writes the next `len` bytes of a payload over a chain that is long enough, after `skip` bytes of the content of
/// page `no`. Answers the page that follows the last one.
pub(crate) fn overwrite_chain(
    btree: &Btree,
    mut no: PageNo,
    mut skip: usize,
    payload: &mut PayloadReader<'_, '_>,
    len: u32,
) -> Result<Option<PageNo>> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    assert!(skip < content, "a caller that begins further on knows the page");
    let mut rest = len as usize;
    loop {
        check_chain_page(btree, no)?;
        let here = rest.min(content - skip);
        let anew = CONTENT_AT + skip..CONTENT_AT + skip + here;
        let mut page = btree.overwrite(no, anew.clone())?;
        payload.copy_to(&mut page[anew]);
        let next = page::next(&page);
        drop(page);
        btree.pager().finish_page(no)?;
        rest -= here;
        skip = 0;
        if rest == 0 {
            return Ok(next);
        }
        no = next.ok_or_else(|| corrupt(no, CHAIN_CUT))?;
    }
}

/// Frees the chain of a payload of which `len` bytes are not local.
pub(crate) fn free_chain(btree: &Btree, first: PageNo, len: u32) -> Result<()> {
    let count = len.div_ceil(btree.usable_size() - CONTENT_AT as u32);
    assert!(count > 0, "a chain has pages");
    let mut no = first;
    for left in (0..count).rev() {
        check_chain_page(btree, no)?;
        let next = if left > 0 { page::next(&btree.page(no)?) } else { None };
        btree.free(no)?;
        match next {
            Some(next) => no = next,
            None if left > 0 => return Err(corrupt(no, CHAIN_CUT)),
            None => {}
        }
    }
    Ok(())
}
