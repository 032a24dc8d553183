//! Reading and writing parts of a payload in place, for incremental BLOB access: in any order, without walking the whole chain
//! of overflow pages each time.

use super::{Cursor, Level, State};
use crate::btree::Btree;
use crate::error::{Error, Result};
use crate::node::Node;
use crate::overflow;
use lithe_format::PageNo;
use lithe_format::cell::PayloadSpan;
use lithe_format::overflow::CONTENT_AT;
use lithe_format::payload::Payload;

/// The overflow pages of one payload that were visited so far.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// The version of the tree for which the pages are known.
    version: u64,
    pages: Vec<PageNo>,
}

impl Chain {
    /// The page `index` of the chain that starts with `first`.
    fn page(&mut self, btree: &Btree, first: PageNo, version: u64, index: usize) -> Result<PageNo> {
        if self.version != version || self.pages.first() != Some(&first) {
            self.version = version;
            self.pages.clear();
            self.pages.push(first);
        }
        while self.pages.len() <= index {
            let last = self.pages[self.pages.len() - 1];
            self.pages.push(overflow::page_of_chain(btree, last, 1)?);
        }
        Ok(self.pages[index])
    }
}

impl Cursor {
    /// Fills `out` with the payload's bytes from `offset` on, overflow pages included.
    pub fn read_payload(&mut self, btree: &Btree, offset: u32, out: &mut [u8]) -> Result<()> {
        self.assert_cursor_state();
        let span = self.check_stretch(btree, offset, out.len())?;
        if out.is_empty() {
            return Ok(()); // the end of the payload is on no page
        }
        let content = btree.usable_size() - CONTENT_AT as u32;
        if offset >= span.local && offset - span.local >= content {
            let (no, skip) = self.chain_page(btree, (offset - span.local) as usize, content as usize)?;
            return overflow::read_chain(btree, no, skip, out);
        }
        // A read from the beginning of a chain needs no list of its pages.
        let node = &self.here().node;
        overflow::read(btree, &node.page, node.no, span, offset, out)
    }

    /// Overwrites the payload's bytes from `offset` on. The length of a payload does not change, and neither may
    /// the key of an index entry.
    pub fn write_payload(&mut self, btree: &Btree, offset: u32, bytes: &[u8]) -> Result<()> {
        self.assert_cursor_state();
        assert!(btree.pager().is_writing(), "a payload is written within a write transaction");
        let span = self.check_stretch(btree, offset, bytes.len())?;
        let local = span.range();
        let split = (local.len().saturating_sub(offset as usize)).min(bytes.len());
        let (on_page, on_chain) = bytes.split_at(split);
        if !on_chain.is_empty() {
            let offset = offset + split as u32;
            let content = btree.usable_size() as usize - CONTENT_AT;
            let (first, skip) = self.chain_page(btree, offset as usize - local.len(), content)?;
            let payload = Payload::from_bytes(on_chain);
            overflow::overwrite_chain(btree, first, skip, &mut payload.reader(), payload.len())?;
        }
        if !on_page.is_empty() {
            let Level { node, index } = self.path.pop().expect("an entry has a path");
            let Node { page, no, .. } = node;
            drop(page); // the pager copies a page before a write while another reference to it exists
            self.state = State::Nowhere;
            let mut page = btree.write(no)?;
            page[local.start + offset as usize..][..split].copy_from_slice(on_page);
            self.path.push(Level { node: Node { page: page.share(), ..node }, index });
            self.state = State::Row;
        }
        let chain_is_known = self.chain.version == self.path.version;
        self.path.version = btree.changed(self.path.root);
        if chain_is_known {
            self.chain.version = self.path.version; // the content has changed, but no link
        }
        Ok(())
    }

    /// Calls `edit` with all bytes of the payload, which it may change in place. `None`: some of them are on overflow pages. Neither
    /// the length of a payload may change nor the key of an index entry.
    pub fn edit_payload<T>(&mut self, btree: &Btree, edit: impl FnOnce(&mut [u8]) -> T) -> Result<Option<T>> {
        self.assert_cursor_state();
        assert!(btree.pager().is_writing(), "a payload is written within a write transaction");
        let span = self.row(btree)?.span;
        if span.overflows() {
            return Ok(None);
        }
        let node = &self.here().node;
        let (no, kind) = (node.no, node.kind);
        self.state = State::Nowhere;
        let result = self.edit_page(btree, no, true, |mut page, _| Ok(edit(&mut page[span.range()])))?;
        self.path.version = btree.cells_changed(self.path.root, kind);
        self.state = State::Row;
        Ok(Some(result))
    }

    /// The payload of the row, if the range is part of it.
    #[inline]
    fn check_stretch(&mut self, btree: &Btree, offset: u32, len: usize) -> Result<PayloadSpan> {
        let span = self.row(btree)?.span;
        let within = u64::from(offset) + len as u64 <= u64::from(span.len);
        if within { Ok(span) } else { Err(Error::Misuse("a stretch beyond the end of a payload")) }
    }

    fn chain_page(&mut self, btree: &Btree, skip: usize, content: usize) -> Result<(PageNo, usize)> {
        let span = self.parse()?.span;
        let node = &self.here().node;
        let first = span.overflow_page(&node.page).ok_or_else(|| node.corrupt("overflow page 0"))?;
        let no = self.chain.page(btree, first, self.path.version, skip / content)?;
        Ok((no, skip % content))
    }
}
