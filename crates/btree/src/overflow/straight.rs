//! Overwriting chains without private copies of their pages, where the pager has no use for them.
//!
//! ```text
//!   leaf's page or none | head 8 | 4092 bytes | head 9 | 4092 bytes | head 0 | rest, zeros | leaf's page or none
//!                         of the chain: its links are looked at first, but for the last one
//! ```

use std::io::IoSlice;

use super::check_chain_page;
use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;
use lithe_format::overflow::CONTENT_AT;
use lithe_format::payload::{PayloadReader, zeros};
use lithe_pager::{Head, PageRef};

/// Pages of a chain that are written by one call at most: their links lie on the stack.
const STRETCH_MAX: usize = 32;

/// Writes the last `len` bytes of a payload over its chain, which begins with page `no`, as long as that may go straight to its
/// place, with the page `leaf` if it lies beside. Answers where the chain goes on, and how much of the payload is left, if any is.
pub(super) fn overwrite_straight(
    btree: &Btree,
    mut no: PageNo,
    payload: &mut PayloadReader<'_, '_>,
    mut len: u32,
    leaf: (PageNo, &PageRef),
) -> Result<Option<(PageNo, u32)>> {
    if !btree.pager().may_put_straight() {
        return Ok(Some((no, len)));
    }
    let mut leaf = Some(leaf).filter(|(no, _)| btree.pager().may_go_along(*no));
    let content = btree.usable_size() - CONTENT_AT as u32;
    let mut heads = [Head::default(); STRETCH_MAX];
    loop {
        let stretch = Stretch::look(btree, no, len.div_ceil(content) as usize, &mut heads)?;
        if stretch.heads.is_empty() {
            return Ok(Some((no, len)));
        }
        let here = len.min(content * stretch.heads.len() as u32);
        if stretch.write(btree, payload, here, leaf)? {
            leaf = None;
        }
        len -= here;
        if len == 0 {
            if let Some((leaf, _)) = leaf {
                btree.pager().finish_page(leaf)?;
            }
            return Ok(None);
        }
        no = stretch.next.ok_or_else(|| corrupt(no, super::CHAIN_CUT))?;
    }
}

/// Pages of a chain that follow each other in the file.
struct Stretch<'h> {
    first: PageNo,
    heads: &'h [Head],
    /// Where the chain goes on.
    next: Option<PageNo>,
}

impl<'h> Stretch<'h> {
    /// Looks how far a chain of `count` pages does, from page `first` on, and may go straight to its place.
    fn look(btree: &Btree, first: PageNo, count: usize, heads: &'h mut [Head]) -> Result<Stretch<'h>> {
        let pager = btree.pager();
        let (mut found, mut next) = (0, Some(first));
        while let Some(no) = next
            && found < heads.len().min(count)
            && first.plus(found as u32) == next
        {
            check_chain_page(btree, no)?;
            if !pager.is_straight(no)? {
                break;
            }
            let is_last = found + 1 == count;
            heads[found] = if is_last { Head::default() } else { pager.head_in_file(no)? };
            next = PageNo::from_be_bytes(heads[found]);
            found += 1;
        }
        Ok(Stretch { first, heads: &heads[..found], next })
    }

    /// Writes the next `len` bytes of the payload over these pages. Answers whether the leaf went along.
    fn write(
        &self,
        btree: &Btree,
        payload: &mut PayloadReader<'_, '_>,
        len: u32,
        leaf: Option<(PageNo, &PageRef)>,
    ) -> Result<bool> {
        let content = btree.usable_size() as usize - CONTENT_AT;
        let count = self.heads.len() as u32;
        let before = leaf.filter(|(no, _)| no.plus(1) == Some(self.first));
        let behind = leaf.filter(|(no, _)| self.first.plus(count) == Some(*no));
        let mut pieces = Vec::with_capacity(2 * self.heads.len() + 4);
        pieces.extend(before.map(|(_, page)| IoSlice::new(page)));
        let mut rest = len as usize;
        for head in self.heads {
            pieces.push(IoSlice::new(head));
            let here = rest.min(content);
            payload.pieces(here, |piece| pieces.push(IoSlice::new(piece)));
            rest -= here;
            zeros(content - here, |piece| pieces.push(IoSlice::new(piece)));
        }
        pieces.extend(behind.map(|(_, page)| IoSlice::new(page)));
        let along = before.or(behind).map(|(no, _)| no);
        let first = before.map_or(self.first, |(no, _)| no);
        btree.put_straight(first, count + u32::from(along.is_some()), along, &pieces)?;
        Ok(along.is_some())
    }
}
