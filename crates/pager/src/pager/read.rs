//! Reading pages: the hottest path.

use lithe_format::PageNo;

use super::{Pager, State, Store};
use crate::counts::PageCounter;
use crate::error::{Error, Result};
use crate::file_store::FileStore;
pub use crate::file_store::Head;
use crate::file_store::{RunPlace, Stretch};
use crate::page_ref::PageRef;
use crate::read_ahead::Shown;

/// One system call takes no more pieces than this.
const RUN_PAGES_MAX: usize = 256;

impl Pager {
    /// The page `no` of this transaction.
    ///
    /// A clean page of a mapped file is a pointer into the mapping, found by arithmetic.
    #[inline]
    pub fn page(&self, no: PageNo) -> Result<PageRef> {
        self.debug_assert_state();
        debug_assert!(!self.is_paused(), "a page is read while a commit may change it");
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
        if self.member.has_overlay()
            && let Some(page) = self.member.overlaid_page(no)?
        {
            return Ok(page);
        }
        if self.concurrent.is_active() {
            self.concurrent.note_read(no);
        }
        self.clean_page(no)
    }

    pub(super) fn check_page_no(&self, no: PageNo) -> Result<()> {
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
    pub(super) fn is_written(&self, no: PageNo) -> bool {
        let txn = self.txn.borrow();
        txn.dirty.find(no).is_some() || self.is_spilled(&txn, no)
    }

    /// The page as this transaction has written it, if it has.
    fn written_page(&self, no: PageNo) -> Result<Option<PageRef>> {
        let txn = &mut *self.txn.borrow_mut();
        let Some(id) = txn.dirty.find(no) else { return self.spilled_page(txn, no) };
        let slot = txn.dirty.slot(id);
        slot.touch();
        let bytes = slot.bytes.as_ref().expect("a page is not read while it is being written");
        Ok(Some(PageRef::from_arc(bytes.clone())))
    }

    /// The page as the snapshot has it, whatever this transaction wrote.
    pub(super) fn clean_page(&self, no: PageNo) -> Result<PageRef> {
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
        self.debug_assert_state();
        if no.get() > self.page_count() || self.state.get() == State::Idle || !self.is_intact(page) {
            return false;
        }
        if self.state.get() == State::Writing {
            let txn = self.txn.borrow();
            if let Some(id) = txn.dirty.find(no) {
                return txn.dirty.slot(id).bytes.as_ref().is_some_and(|bytes| page.is_of(bytes));
            }
            if self.is_spilled(&txn, no) {
                return self.is_newest_of_spilled(&txn, no, page);
            }
        }
        if self.member.has_overlay()
            && let Some(is_version) = self.member.is_overlaid(no, page)
        {
            return is_version;
        }
        match &self.store {
            Store::Memory(_) => self.clean_page(no).is_ok_and(|current| current.is_same(page)),
            Store::File(file) => file.page_at_hand(&self.view, no).is_some_and(|current| current.is_same(page)),
        }
    }

    /// The `n` pages from `first` on in one piece, if they lie in one piece in the mapped file and the file has their
    /// newest versions.
    #[inline]
    pub fn contiguous_pages(&self, first: PageNo, n: u32) -> Option<PageRef> {
        self.debug_assert_state();
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

    /// Reads up to `heads.len()` pages, `first` and those after it, as far as they lie one after the other and a single
    /// read brings them: the first four bytes of each into `heads`, and the `content_len` bytes that follow into
    /// `content`, one page's behind the other's; `content` may end within the last page's.
    ///
    /// Answers how many pages were read. 0 says that the caller has to read page by page: the pages are mapped, where a
    /// copy from [`Pager::page`] costs no more, or were written by this transaction.
    pub fn read_run(&self, first: PageNo, heads: &mut [Head], content_len: usize, content: &mut [u8]) -> Result<usize> {
        self.debug_assert_state();
        let Store::File(file) = &self.store else { return Ok(0) };
        let wanted = heads.len().min(content.len().div_ceil(content_len.max(1))).min(RUN_PAGES_MAX);
        if !file.calls.joins_neighbours {
            return Ok(0);
        }
        if self.state.get() == State::Idle
            || self.member.has_overlay()
            || wanted < 2
            || self.view.direct.get() >= first.get()
        {
            return Ok(0);
        }
        let Some((place, count)) = self.find_run(file, first, wanted)? else { return Ok(0) };
        assert!(count <= wanted, "more pages are found than were asked for");
        let content_end = content.len().min(count * content_len);
        let stretch = Stretch { page_size: self.page_size(), content_len };
        file.read_stretch(place, first, &stretch, &mut heads[..count], &mut content[..content_end])?;
        Ok(count)
    }

    /// How many of the pages from `first` on lie one after the other, and where.
    fn find_run(&self, file: &FileStore, first: PageNo, wanted: usize) -> Result<Option<(RunPlace, usize)>> {
        if self.state.get() == State::Reading && !file.is_wal() {
            return Ok(self.find_run_in_file(file, first, wanted).map(|count| (RunPlace::Database, count)));
        }
        let mut start = None;
        let mut count = 0;
        while count < wanted {
            let Some(no) = first.plus(count as u32) else { break };
            if no.get() > self.page_count() || no == self.view.lock_byte_page.get() || self.was_written(no) {
                break;
            }
            let Some(place) = file.run_place_of(&self.view, no)? else { break };
            let expected = match *start.get_or_insert(place) {
                RunPlace::Database => RunPlace::Database,
                RunPlace::Log(frame) => RunPlace::Log(frame.saturating_add(count as u32)),
            };
            if place != expected {
                break;
            }
            if self.concurrent.is_active() {
                self.concurrent.note_read(no);
            }
            count += 1;
        }
        Ok(start.filter(|_| count > 1).map(|start| (start, count)))
    }

    /// As [`Pager::find_run`], where all pages are in the file.
    fn find_run_in_file(&self, file: &FileStore, first: PageNo, wanted: usize) -> Option<usize> {
        let lock_byte_page = self.view.lock_byte_page.get().get();
        let end = if first.get() <= lock_byte_page { lock_byte_page - 1 } else { u32::MAX };
        let left = self.page_count().min(end).checked_sub(first.get())?.saturating_add(1);
        let count = wanted.min(left as usize);
        (!file.reads_mapped(&self.view) && count > 1).then_some(count)
    }

    fn was_written(&self, no: PageNo) -> bool {
        self.state.get() == State::Writing && self.is_written(no)
    }

    /// Hint: a run of `count` pages, from `first` on, will be read.
    #[inline]
    pub fn expect_run(&self, first: PageNo, count: u32) {
        if let Store::File(file) = &self.store {
            self.read_ahead.expect_run(&Shown { mapping: &file.mapping.last, view: &self.view }, first, count);
        }
    }

    /// Hint: page `no`, likely a leaf, will be read.
    #[inline]
    pub fn expect_leaf(&self, no: PageNo) {
        if let Store::File(file) = &self.store {
            self.read_ahead.expect_leaf(&Shown { mapping: &file.mapping.last, view: &self.view }, no);
        }
    }
}
