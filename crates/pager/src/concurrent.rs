//! `BEGIN CONCURRENT`: write transactions side by side, which take turns only to commit.
//!
//! Such a transaction works on its snapshot without the write lock, and remembers which pages it has
//! read. When it commits, it takes its turn and looks at what others have committed since: if they
//! wrote a page that it has read or written, somebody would not have read what it read, and it fails
//! (`BusySnapshot`); otherwise its pages go on top of theirs.
//!
//! Page 1 is special: everybody reads it, and whoever makes the database larger writes it. What matters
//! of it to a transaction that neither takes nor frees pages are the fields that describe the schema.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use hashbrown::HashSet;
use lithe_format::PageNo;
use lithe_format::db_header::{CHANGE_COUNTER_AT, FREELIST_COUNT_AT, HEADER_LEN, VERSION_VALID_FOR_AT};

use crate::dirty::PageHashes;
use crate::error::{Error, Result, zeros};
use crate::file_store::{FileStore, PATIENCE};
use crate::page_ref::PageRef;
use crate::pager::Pager;
use crate::wal::Wal;

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

    fn has_read(&self, no: PageNo) -> bool {
        self.read.borrow().contains(&no)
    }
}

impl FileStore {
    /// Turns the concurrent transaction into an ordinary one, on top of what others have committed.
    pub(crate) fn take_turn_to_commit(&self, pager: &Pager) -> Result<()> {
        let first_page = (pager.page_count() > 0).then(|| pager.clean_page(PageNo::FIRST)).transpose()?;
        let first_page = first_page.map(|page| page.to_vec());
        let patience = if pager.waits_when_busy() { PATIENCE } else { Duration::ZERO };
        let conflicts = |no: PageNo| no != PageNo::FIRST && (pager.concurrent.has_read(no) || pager.is_written(no));
        let went_on = pager.retry_while_busy(|| self.with_wal(|wal| wal.begin_commit(patience, &conflicts)))?;
        if went_on && let Err(error) = self.go_on_from_others(pager, first_page.as_deref()) {
            self.with_wal(Wal::roll_back);
            return Err(error);
        }
        pager.concurrent.end();
        self.move_spilled_pages(pager)
    }

    /// The snapshot is that of others now, who wrote none of our pages, but perhaps page 1.
    fn go_on_from_others(&self, pager: &Pager, first_page: Option<&[u8]>) -> Result<()> {
        // A log without commits leaves the database as it is.
        let count = self.with_wal(Wal::page_count).unwrap_or(pager.pages_before());
        let takes_or_frees = pager.is_written(PageNo::FIRST) || pager.is_resized();
        let now = self.page(&pager.view, PageNo::FIRST)?;
        let same = first_page.is_some_and(|before| says_the_same(before, &now, takes_or_frees));
        if !same || (takes_or_frees && count != pager.pages_before()) {
            return Err(Error::BusySnapshot);
        }
        if !takes_or_frees {
            pager.view.page_count.set(count);
            pager.txn.borrow_mut().pages_before = count;
        }
        Ok(())
    }

    /// Without a turn, pages were spilled into a temporary file; now there is a better place.
    fn move_spilled_pages(&self, pager: &Pager) -> Result<()> {
        const BATCH: usize = 128;
        let txn = &mut *pager.txn.borrow_mut();
        let kept = |no: &PageNo| no.get() <= pager.page_count() && txn.dirty.find(*no).is_none();
        let mut spilled: Vec<PageNo> = txn.temp.page_numbers().filter(kept).collect();
        spilled.sort_unstable();
        let page_size = pager.page_size().bytes();
        let mut buf = zeros(page_size * BATCH.min(spilled.len()))?;
        for batch in spilled.chunks(BATCH) {
            txn.temp.read_all(batch, page_size, &mut buf[..batch.len() * page_size])?;
            let pages: Vec<(PageNo, &[u8])> = batch.iter().copied().zip(buf.chunks_exact(page_size)).collect();
            self.spill_wal(pager, &pages)?;
        }
        txn.temp.clear();
        Ok(())
    }
}

/// Whether two versions of page 1 say the same to a transaction: but for the counters of transactions,
/// and unless it takes or frees pages, for size and freelist.
fn says_the_same(before: &[u8], now: &PageRef, takes_or_frees: bool) -> bool {
    let until = if takes_or_frees { CHANGE_COUNTER_AT + 4 } else { FREELIST_COUNT_AT + 4 };
    let schema = |page: &[u8]| [page[..CHANGE_COUNTER_AT].to_vec(), page[until..VERSION_VALID_FOR_AT].to_vec()];
    before.len() == now.len() && schema(before) == schema(now) && before[HEADER_LEN..] == now[HEADER_LEN..]
}
