//! Databases that have no file: all pages are private, and a commit moves buffers.

use std::cell::RefCell;
use std::sync::Arc;

use lithe_format::PageNo;

use crate::dirty::DirtySet;
use crate::page_ref::PageRef;

/// The committed pages.
#[derive(Debug, Default)]
pub(crate) struct MemoryStore {
    pages: RefCell<Vec<Arc<[u8]>>>,
}

impl MemoryStore {
    pub(crate) fn page(&self, no: PageNo) -> Option<PageRef> {
        self.pages.borrow().get(no.index()).cloned().map(PageRef::from_arc)
    }

    /// Takes over what a transaction wrote. Answers nothing that could fail: this is the commit.
    pub(crate) fn publish(&self, dirty: &mut DirtySet, page_count: u32, page_size: usize) {
        let mut pages = self.pages.borrow_mut();
        let len = page_count as usize;
        if len > pages.len() {
            let blank = dirty.zeroed(page_size);
            pages.resize(len, blank);
        }
        dirty.drain(|no, bytes| match pages.get_mut(no.index()) {
            Some(place) if no.index() < len => Some(std::mem::replace(place, bytes)),
            _ => Some(bytes),
        });
        pages.truncate(len);
    }
}
