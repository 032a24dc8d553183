//! Reading pages: the hottest path there is.

use lithe_format::PageNo;

use crate::counts::PageCounter;
use crate::error::{Error, Result};
use crate::page_ref::PageRef;
use crate::pager::{Pager, State, Store};

impl Pager {
    /// The page `no` of this transaction.
    ///
    /// A clean page of a mapped file is a pointer into the mapping, found by arithmetic.
    #[inline]
    pub fn page(&self, no: PageNo) -> Result<PageRef> {
        debug_assert!(!self.is_resting(), "a page is read while a commit may change it");
        let view = &self.view;
        if no.get() <= view.direct.get() && no != view.lock_byte_page.get() {
            let page_size = view.page_size.get();
            return Ok(view.mapped.get().page(no.index() * page_size.bytes(), page_size.get(), view.epoch.get()));
        }
        self.page_elsewhere(no)
    }

    /// A page that may be dirty, in the log, or not mapped.
    fn page_elsewhere(&self, no: PageNo) -> Result<PageRef> {
        self.check_page_no(no)?;
        if self.state.get() == State::Writing
            && let Some(page) = self.written_page(no)?
        {
            return Ok(page);
        }
        if self.has_draft()
            && let Some(page) = self.drafted_page(no)?
        {
            return Ok(page);
        }
        if self.concurrent.is_active() {
            self.concurrent.note_read(no);
        }
        self.clean_page(no)
    }

    pub(crate) fn check_page_no(&self, no: PageNo) -> Result<()> {
        if self.state.get() == State::Idle {
            return Err(Error::Misuse("a page is read outside a transaction"));
        }
        self.check_failure()?;
        if no.get() > self.page_count() {
            return Err(Error::corrupt_page(no, "page number beyond the end of the database"));
        }
        if no == self.view.lock_byte_page.get() {
            return Err(Error::corrupt_page(no, "the page of the lock bytes is used"));
        }
        Ok(())
    }

    /// Whether this transaction has written the page.
    pub(crate) fn is_written(&self, no: PageNo) -> bool {
        let txn = self.txn.borrow();
        txn.dirty.find(no).is_some() || self.is_spilled(&txn, no).unwrap_or(true)
    }

    /// The page as this transaction has written it, if it has.
    fn written_page(&self, no: PageNo) -> Result<Option<PageRef>> {
        let txn = self.txn.borrow();
        let Some(id) = txn.dirty.find(no) else { return self.spilled_page(&txn, no) };
        let slot = txn.dirty.slot(id);
        slot.touch();
        let bytes = slot.bytes.as_ref().expect("a page is not read while it is being written");
        Ok(Some(PageRef::from_arc(bytes.clone())))
    }

    /// The page as the snapshot has it, whatever this transaction wrote.
    pub(crate) fn clean_page(&self, no: PageNo) -> Result<PageRef> {
        match &self.store {
            Store::Memory(memory) => {
                self.counts.add(PageCounter::Hit, 1);
                let page = memory.page(no, self.page_size().bytes())?;
                page.ok_or(Error::corrupt_page(no, "page beyond the end of the database"))
            }
            Store::File(file) => file.page(&self.view, no),
        }
    }

    /// Whether `page` is still the current version of page `no`.
    pub fn is_current(&self, no: PageNo, page: &PageRef) -> bool {
        if no.get() > self.page_count() || self.state.get() == State::Idle || !self.is_intact(page) {
            return false;
        }
        if self.state.get() == State::Writing {
            let txn = self.txn.borrow();
            if let Some(id) = txn.dirty.find(no) {
                return txn.dirty.slot(id).bytes.as_ref().is_some_and(|bytes| page.is_of(bytes));
            }
            if self.has_spilled(&txn) && self.is_spilled(&txn, no).unwrap_or(true) {
                return false;
            }
        }
        if self.has_draft()
            && let Some(is_version) = self.is_drafted(no, page)
        {
            return is_version;
        }
        match &self.store {
            Store::Memory(_) => self.clean_page(no).is_ok_and(|current| current.is_same(page)),
            Store::File(file) => file.page_at_hand(&self.view, no).is_some_and(|current| current.is_same(page)),
        }
    }

    /// The `n` pages from `first` on in one piece, if they lie in one piece in the mapped file and
    /// nothing newer than the file must be looked at.
    #[inline]
    pub fn contiguous_pages(&self, first: PageNo, n: u32) -> Option<PageRef> {
        let last = first.get().checked_add(n)?.checked_sub(1)?;
        let lock_byte_page = self.view.lock_byte_page.get().get();
        let within = n > 0 && last <= self.view.direct.get();
        if !within || (first.get() <= lock_byte_page && lock_byte_page <= last) {
            return None;
        }
        let page_size = self.page_size().bytes();
        let len = u32::try_from(n as usize * page_size).ok()?;
        Some(self.view.mapped.get().page(first.index() * page_size, len, self.view.epoch.get()))
    }
}
