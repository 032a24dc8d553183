//! `BEGIN CONCURRENT`: write transactions side by side, which take turns only to commit.
//!
//! Such a transaction works on its snapshot without the write lock, and remembers which pages it has
//! read. When it commits, it becomes the writer and looks at what others have committed since: if they
//! wrote a page that it has read or written, somebody would not have read what it read, and it fails
//! (`BusySnapshot`); otherwise its pages go on top of theirs.
//!
//! Page 1 is special: everybody reads it, and a transaction that makes the database larger writes it. What matters
//! of it to a transaction that neither takes nor frees pages are the fields that describe the schema.

use std::cell::{Cell, RefCell};

use hashbrown::HashSet;
use lithe_format::PageNo;
use lithe_format::db_header::{CHANGE_COUNTER_AT, FREELIST_COUNT_AT, HEADER_LEN, VERSION_VALID_FOR_AT};

use crate::dirty::PageHashes;
use crate::page_ref::PageRef;

/// What a connection remembers of its concurrent transaction.
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

/// Whether two versions of page 1 say the same to a transaction: but for the counters of transactions,
/// and unless it takes or frees pages, for size and freelist.
pub(crate) fn says_the_same(before: &[u8], now: &PageRef, takes_or_frees: bool) -> bool {
    let until = if takes_or_frees { CHANGE_COUNTER_AT + 4 } else { FREELIST_COUNT_AT + 4 };
    let schema = |page: &[u8]| [page[..CHANGE_COUNTER_AT].to_vec(), page[until..VERSION_VALID_FOR_AT].to_vec()];
    before.len() == now.len() && schema(before) == schema(now) && before[HEADER_LEN..] == now[HEADER_LEN..]
}
