//! Reading payloads, chains in runs.

use super::{CHAIN_CUT, check_chain_page};
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;
use lithe_format::cell::PayloadSpan;
use lithe_format::overflow::{self as page, CONTENT_AT};
use lithe_format::payload::PayloadReader;
use lithe_pager::{Head, PageRef};

/// The most pages that one read brings: their links are on the stack.
const RUN_MAX: usize = 256;

/// The most pages of a short run.
const RUN_SHORT: usize = 8;

/// Fills `out` with the payload's bytes from `offset` on, which is on the leaf or on the first page of the chain. The caller
/// has checked that the bytes are within the payload.
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
    let skip = offset - local.len();
    debug_assert!(skip < btree.usable_size() as usize - CONTENT_AT, "a caller that begins further on knows the page");
    read_chain(btree, first, skip, out)
}

/// Puts the whole payload into `out`.
pub(crate) fn read_whole(
    btree: &Btree,
    leaf: &PageRef,
    no: PageNo,
    span: PayloadSpan,
    out: &mut Vec<u8>,
) -> Result<()> {
    // A payload longer than the database is damage, and must not make this function allocate memory for it.
    let pages = u64::from(btree.pager().page_count());
    if u64::from(span.len - span.local) > pages * u64::from(btree.usable_size()) {
        return Err(corrupt(no, "payload longer than the database"));
    }
    reserve(out, span.len as usize)?;
    read(btree, leaf, no, span, 0, out)
}

/// Makes `out` `len` bytes long, or reports that memory is short.
pub(crate) fn reserve(out: &mut Vec<u8>, len: usize) -> Result<()> {
    out.try_reserve_exact(len.saturating_sub(out.len())).map_err(|_| lithe_pager::Error::NoMem)?;
    out.resize(len, 0);
    Ok(())
}

/// The page `count` links after `no`.
pub(crate) fn page_of_chain(btree: &Btree, mut no: PageNo, count: usize) -> Result<PageNo> {
    for _ in 0..count {
        no = page::next(&btree.page(no)?).ok_or_else(|| corrupt(no, CHAIN_CUT))?;
    }
    Ok(no)
}

/// Whether the chain that begins with page `no` holds the next `len` bytes of a payload. Pages after the first that differs are not
/// read.
pub(crate) fn chain_is(btree: &Btree, mut no: PageNo, payload: &mut PayloadReader<'_, '_>, len: u32) -> Result<bool> {
    let content = btree.usable_size() as usize - CONTENT_AT;
    let mut rest = len as usize;
    loop {
        check_chain_page(btree, no)?;
        let page = btree.page(no)?;
        let here = rest.min(content);
        if !payload.is_next(&page[CONTENT_AT..][..here]) {
            return Ok(false);
        }
        rest -= here;
        if rest == 0 {
            return Ok(true);
        }
        no = page::next(&page).ok_or_else(|| corrupt(no, CHAIN_CUT))?;
    }
}

/// Fills `out` from the chain that continues with page `no`, after `skip` bytes of that page's content.
pub(crate) fn read_chain(btree: &Btree, no: PageNo, skip: usize, out: &mut [u8]) -> Result<()> {
    debug_assert!(skip < btree.usable_size() as usize - CONTENT_AT, "a caller that begins further on knows the page");
    let mut rest = Rest { btree, content: btree.usable_size() as usize - CONTENT_AT, no, skip, out };
    while !rest.out.is_empty() {
        if !rest.take_mapped()? && !rest.take_run()? {
            rest.take_page()?;
        }
    }
    Ok(())
}

/// The rest of a chain that is still to be read.
struct Rest<'b, 'o> {
    btree: &'b Btree,
    /// Bytes of content a page.
    content: usize,
    /// The page that comes next.
    no: PageNo,
    /// Bytes of the page's content that are skipped.
    skip: usize,
    out: &'o mut [u8],
}

impl Rest<'_, '_> {
    /// Takes the pages that follow each other in the mapped file; `false` if the file is not mapped there.
    fn take_mapped(&mut self) -> Result<bool> {
        let pager = self.btree.pager();
        let wanted = (self.skip + self.out.len()).div_ceil(self.content);
        let left = pager.page_count().saturating_sub(self.no.get() - 1);
        let count = u32::try_from(wanted).unwrap_or(u32::MAX).min(left);
        let Some(run) = pager.contiguous_pages(self.no, count) else { return Ok(false) };
        pager.expect_run(self.no, count);
        let first = self.no;
        for (index, page) in run.chunks_exact(pager.page_size().bytes()).enumerate() {
            if first.plus(index as u32) != Some(self.no) {
                break; // the chain continues elsewhere
            }
            self.take(page)?;
        }
        Ok(true)
    }

    /// Takes a run of pages that one system call brings, for as long as the links confirm it; `false` if there is none.
    fn take_run(&mut self) -> Result<bool> {
        let wanted = self.out.len().div_ceil(self.content).min(RUN_MAX);
        if self.skip > 0 || wanted < 2 {
            return Ok(false);
        }
        // Most runs are short, and not worth clearing the space of the longest.
        if wanted <= RUN_SHORT {
            self.take_run_with(&mut [[0; 4]; RUN_SHORT], wanted)
        } else {
            self.take_run_with(&mut [[0; 4]; RUN_MAX], wanted)
        }
    }

    fn take_run_with(&mut self, links: &mut [Head], wanted: usize) -> Result<bool> {
        let count = self.btree.pager().read_run(self.no, &mut links[..wanted], self.content, self.out)?;
        let first = self.no;
        for (index, link) in links[..count].iter().enumerate() {
            if first.plus(index as u32) != Some(self.no) {
                break;
            }
            let len = self.out.len().min(self.content);
            self.advance(len, PageNo::from_be_bytes(*link))?;
        }
        Ok(count > 0)
    }

    fn take_page(&mut self) -> Result<()> {
        let page = self.btree.page(self.no)?;
        self.take(&page)
    }

    /// Takes the content of `page`, which is the next one.
    fn take(&mut self, page: &[u8]) -> Result<()> {
        let content = &page[CONTENT_AT..][self.skip..self.content];
        let len = content.len().min(self.out.len());
        self.out[..len].copy_from_slice(&content[..len]);
        self.skip = 0;
        self.advance(len, page::next(page))
    }

    /// Advances by `len` bytes that were taken; `next` is the page after.
    fn advance(&mut self, len: usize, next: Option<PageNo>) -> Result<()> {
        self.out = &mut std::mem::take(&mut self.out)[len..];
        match next {
            Some(next) => self.no = next,
            None if self.out.is_empty() => {}
            None => return Err(corrupt(self.no, CHAIN_CUT)),
        }
        Ok(())
    }
}
