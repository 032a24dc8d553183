//! `BEGIN CONCURRENT`: write transactions side by side, which serialize only to commit.
//!
//! Such a transaction works on its snapshot without the write lock, and records which pages it has read. At its commit
//! it becomes the writer and compares these pages with those that other transactions have committed since. If another
//! transaction wrote a page that this one has read or written, the commit fails (`BusySnapshot`), because no serial
//! order explains what was read. Otherwise its pages are appended after theirs.
//!
//! Page 1 is special: every transaction reads it, and one that makes the database larger writes it. For a transaction
//! that neither allocates nor frees pages only the fields of page 1 that describe the schema count.

use std::cell::{Cell, RefCell};

use hashbrown::HashSet;
use lithe_format::PageNo;
use lithe_format::db_header::{CHANGE_COUNTER_AT, FREELIST_COUNT_AT, HEADER_LEN, VERSION_VALID_FOR_AT};

use crate::dirty::PageHashes;
use crate::page_ref::PageRef;

/// The read set of a connection's concurrent transaction.
#[derive(Debug, Default)]
pub(crate) struct Concurrent {
    active: Cell<bool>,
    read: RefCell<HashSet<PageNo, PageHashes>>,
}

impl Concurrent {
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.get()
    }

    pub(crate) fn begin(&self) {
        self.active.set(true);
    }

    pub(crate) fn end(&self) {
        if self.active.replace(false) {
            self.read.borrow_mut().clear();
        }
    }

    pub(crate) fn note_read(&self, no: PageNo) {
        self.read.borrow_mut().insert(no);
    }

    pub(crate) fn has_read(&self, no: PageNo) -> bool {
        self.read.borrow().contains(&no)
    }
}

/// Whether two versions of page 1 mean the same to a transaction. The transaction counters do not count; nor do size
/// and freelist, unless the transaction allocates or frees pages.
pub(crate) fn is_equivalent_page_1(before: &[u8], now: &PageRef, allocates_or_frees: bool) -> bool {
    let until = if allocates_or_frees { CHANGE_COUNTER_AT + 4 } else { FREELIST_COUNT_AT + 4 };
    let schema = |page: &[u8]| [page[..CHANGE_COUNTER_AT].to_vec(), page[until..VERSION_VALID_FOR_AT].to_vec()];
    before.len() == now.len() && schema(before) == schema(now) && before[HEADER_LEN..] == now[HEADER_LEN..]
}
