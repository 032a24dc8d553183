//! Writing pages: into private copies, which no other connection sees before the commit.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use lithe_format::{PageNo, PageSize};

use super::in_place::PageInPlace;
use super::{Pager, State, Store};
use crate::dirty::{NO_MEMO, SlotId};
use crate::error::{Error, Result};
use crate::page_ref::{PageRef, UniquePage};
use crate::snapshot::Shape;
use crate::write_txn::{Pending, WriteTxn};

/// A page being written. While it lives, the same page must not be read or written by another way.
pub struct PageMut<'p> {
    pager: &'p Pager,
    slot: SlotId,
    no: PageNo,
    memo: u32,
    page: UniquePage,
}

impl Pager {
    /// The page `no`, for writing. A [`crate::PageRef`] of the page keeps the version before.
    pub fn write(&self, no: PageNo) -> Result<PageMut<'_>> {
        let mut page = self.write_with_memo(no)?;
        page.memo = NO_MEMO;
        Ok(page)
    }

    /// The page `no`, as [`Pager::write`] gives it, for a caller that keeps the page's [memo](PageMut::memo) valid.
    #[inline(always)]
    pub fn write_with_memo(&self, no: PageNo) -> Result<PageMut<'_>> {
        match self.write_again(no) {
            Some(page) => Ok(page),
            None => {
                let slot = self.write_first(no)?;
                Ok(self.take_from(&mut self.txn.borrow_mut(), slot, no))
            }
        }
    }

    /// The page `no`, if the transaction has written it before.
    #[inline(always)]
    fn write_again(&self, no: PageNo) -> Option<PageMut<'_>> {
        self.debug_assert_state();
        if !self.is_writing() {
            return None;
        }
        let txn = &mut *self.txn.borrow_mut();
        let slot = txn.dirty.find(no)?;
        txn.savepoints.note_write(&mut txn.dirty, slot);
        Some(self.take_from(txn, slot, no))
    }

    /// Puts the page `no` into the dirty set.
    #[inline(never)]
    fn write_first(&self, no: PageNo) -> Result<SlotId> {
        self.misuse_unless(self.is_writing(), "a page is written outside a write transaction")?;
        self.assert_state();
        self.make_neighbours_dirty(no)?;
        self.make_dirty(no)
    }

    /// The page `no`, for writing in its place, if it is ready for that. `held` is the caller's reference to the page's newest version, if
    /// it has one: it then shows what is written. The caller keeps the page's [memo](PageInPlace::memo) valid.
    #[inline(always)]
    pub fn write_in_place<'p>(&'p self, no: PageNo, held: Option<&'p mut PageRef>) -> Option<PageInPlace<'p>> {
        self.debug_assert_state();
        if !self.is_writing() {
            return None;
        }
        let txn = self.txn.borrow_mut();
        let slot = txn.dirty.find(no)?;
        let page = PageInPlace::of_slot(txn, slot, no, held)?;
        debug_assert_eq!(page.len(), self.page_size().bytes(), "a page has its size");
        self.changes.bump();
        Some(page)
    }

    /// Makes the page `no` ready to be written in its place, by a caller that holds no reference to it. Answers the page.
    #[inline(never)]
    pub fn make_ready(&self, no: PageNo) -> Result<PageRef> {
        if let Some(page) = self.write_again(no) {
            return Ok(page.share());
        }
        let slot = self.write_first(no)?;
        if let Some(bytes) =
            self.txn.borrow().dirty.slot(slot).bytes.as_ref().filter(|bytes| Arc::strong_count(bytes) == 1)
        {
            self.changes.bump();
            return Ok(PageRef::from_arc(Arc::clone(bytes)));
        }
        // A savepoint, or a reader of spilled pages, has these bytes, too.
        let page = self.take_from(&mut self.txn.borrow_mut(), slot, no);
        Ok(page.share())
    }

    /// The page `no`, as [`Pager::write`] gives it, of which the caller writes all of `anew`: the bytes of that range
    /// are arbitrary until then, because a copy would be wasted.
    pub fn overwrite(&self, no: PageNo, anew: Range<usize>) -> Result<PageMut<'_>> {
        let is_clean = self.state.get() == State::Writing && !self.is_written(no);
        if !is_clean || self.keeps_version(&self.txn.borrow(), no) {
            return self.write(no);
        }
        self.assert_state();
        self.make_neighbours_dirty(no)?;
        let is_whole = anew == (0..self.page_size().bytes());
        // A concurrent transaction records which pages it has read.
        let is_read = !is_whole || self.concurrent.is_active();
        // Where pages are overwritten in their place, a page that is about to be overwritten is not worth a place in
        // the pool.
        let comes_in_parts = self.view.reads_copies.get() && self.txn.borrow().spill.overwrites;
        let clean = if is_read && !comes_in_parts { Some(self.page_to_copy(no)?) } else { None };
        let txn = &mut *self.txn.borrow_mut();
        self.prepare_to_write(txn, no)?;
        self.spill_if_full(txn)?;
        let copy = match clean {
            Some(clean) => txn.dirty.buffer_but(&clean, anew),
            None => self.copy_from_file(txn, no, anew)?,
        };
        let slot = self.insert(txn, no, copy);
        Ok(self.take_from(txn, slot, no))
    }

    /// A page whose old content does not matter, all zeros: one beyond the end of the database, which then ends with
    /// it, or a leaf of the freelist.
    pub fn new_page(&self, no: PageNo) -> Result<PageMut<'_>> {
        self.misuse_unless(self.state.get() == State::Writing, "a page is added outside a write transaction")?;
        self.assert_state();
        if no == self.view.lock_byte_page.get() {
            return Err(Error::corrupt_page(no, "the page of the lock bytes is used"));
        }
        self.misuse_unless(self.is_next_or_before(no), "pages are added one after the other")?;
        if no.get() > self.page_count() && no.get() > self.max_page_count() {
            return Err(Error::Full);
        }
        if no.get() > self.page_count() {
            self.journal_page_1()?;
        }
        if self.keeps_version(&self.txn.borrow(), no) {
            self.view.page_count.set(self.page_count().max(no.get()));
            let mut page = self.write(no)?;
            page.fill(0);
            return Ok(page);
        }
        self.make_neighbours_dirty(no)?;
        let txn = &mut *self.txn.borrow_mut();
        let blank = txn.dirty.zeroed(self.page_size().bytes());
        let slot = match txn.dirty.find(no) {
            Some(slot) => {
                txn.savepoints.note_write(&mut txn.dirty, slot);
                let reused = txn.dirty.slot_mut(slot);
                reused.memo = NO_MEMO;
                let old = reused.bytes.replace(blank);
                assert!(old.is_some(), "page {no} is being written");
                txn.dirty.recycle(old);
                txn.note_change(no);
                slot
            }
            None => {
                self.prepare_to_write(txn, no)?;
                self.spill_if_full(txn)?;
                self.insert(txn, no, blank)
            }
        };
        if no.get() > self.page_count() {
            self.view.page_count.set(no.get());
        }
        Ok(self.take_from(txn, slot, no))
    }

    /// Journals page 1 when the database becomes longer, as SQLite does, because the new size is written there.
    fn journal_page_1(&self) -> Result<()> {
        match &self.store {
            Store::File(file) if !file.calls.journals_at_commit => {
                self.make_neighbours_dirty(PageNo::FIRST)?;
                self.with_pending(|pending| file.journal_page(pending, PageNo::FIRST))
            }
            _ => Ok(()),
        }
    }

    /// Hints that the caller does not expect to write page `no` again in this transaction: it may be spilled as soon as
    /// there are enough such pages, while it is in the processor's cache. The page can still be read and written.
    pub fn finish_page(&self, no: PageNo) -> Result<()> {
        self.debug_assert_state();
        let txn = &mut *self.txn.borrow_mut();
        let Some(slot) = txn.dirty.find(no) else { return Ok(()) };
        if txn.dirty.finish(slot) < self.finished_enough(txn) { Ok(()) } else { self.spill_finished(txn) }
    }

    /// Whether adding page `no` leaves no gap; the page of the lock bytes does not count as one.
    fn is_next_or_before(&self, no: PageNo) -> bool {
        let next = u64::from(self.page_count()) + 1;
        let skipped = u64::from(next == u64::from(self.view.lock_byte_page.get().get()));
        u64::from(no.get()) <= next + skipped
    }

    /// Makes the database `n` pages long. Shorter: the pages at its end are forgotten. Longer: the numbers are reserved, and
    /// the caller creates every one of the pages by [`Pager::new_page`] before the commit.
    pub fn set_page_count(&self, n: u32) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "the size is changed outside a write transaction")?;
        self.assert_state();
        if n > self.page_count() && n > self.max_page_count() {
            return Err(Error::Full);
        }
        self.journal_page_1()?;
        self.view.page_count.set(n);
        self.disable_direct_reads();
        self.changes.bump();
        Ok(())
    }

    /// Puts a copy of the clean page into the dirty set.
    fn make_dirty(&self, no: PageNo) -> Result<SlotId> {
        let clean = self.page_to_copy(no)?;
        let txn = &mut *self.txn.borrow_mut();
        self.prepare_to_write(txn, no)?;
        self.spill_if_full(txn)?;
        let copy = match txn.spill.reads.take(no) {
            Some(spilled) => spilled,
            None => txn.dirty.copy(&clean).into_shared(),
        };
        drop(clean);
        Ok(self.insert(txn, no, copy))
    }

    /// Puts the other pages of the sector into the dirty set: with a VFS of the application and pages smaller than its sectors, SQLite
    /// writes all pages of a sector with one of them.
    fn make_neighbours_dirty(&self, no: PageNo) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        if file.calls.journals_at_commit {
            return Ok(());
        }
        for neighbour in file.unwritten_neighbours(self.page_size(), self.page_count(), no) {
            if self.txn.borrow().dirty.find(neighbour).is_none() {
                self.make_dirty(neighbour)?;
            }
        }
        Ok(())
    }

    /// The page `no`, to be copied right away. A clean page comes from the mapping even where references to mapped pages
    /// must not be kept.
    fn page_to_copy(&self, no: PageNo) -> Result<PageRef> {
        if !self.view.reads_copies.get() || self.is_written(no) {
            return self.page(no);
        }
        self.check_page_no(no)?;
        self.view.mapped_page(no).map_or_else(|| self.page(no), Ok)
    }

    /// A copy of the clean page `no`, except that the range `anew` is arbitrary: the bytes that are to be overwritten are
    /// not read.
    fn copy_from_file(&self, txn: &mut WriteTxn, no: PageNo, anew: Range<usize>) -> Result<Arc<[u8]>> {
        self.check_page_no(no)?;
        let mut page = txn.dirty.blank(self.page_size().bytes());
        if let Store::File(file) = &self.store {
            let offset = no.offset(self.page_size().get());
            if anew.start > 0 {
                file.file.read_at(&mut page[..anew.start], offset)?;
            }
            if anew.end < page.len() {
                file.file.read_at(&mut page[anew.end..], offset + anew.end as u64)?;
            }
        }
        Ok(page.into_shared())
    }

    /// Opens the journal at the first write of a transaction, and reports what makes writing impossible; or journals the page,
    /// where old pages go to the journal one by one.
    #[inline]
    fn prepare_to_write(&self, txn: &WriteTxn, no: PageNo) -> Result<()> {
        match &self.store {
            Store::File(file) if !file.calls.journals_at_commit => {
                file.journal_page(&Pending { txn, view: &self.view }, no)
            }
            Store::File(file) if txn.dirty.len() == 0 && !file.is_wal() => {
                file.open_journal(&Pending { txn, view: &self.view })
            }
            _ => Ok(()),
        }
    }

    fn insert(&self, txn: &mut WriteTxn, no: PageNo, bytes: Arc<[u8]>) -> SlotId {
        txn.note_change(no);
        assert!(self.state.get() == State::Writing, "a page is written within a write transaction");
        self.disable_direct_reads();
        if self.keeps_version(txn, no) {
            let slot = txn.dirty.insert(no, bytes, txn.savepoints.saved(no));
            txn.savepoints.note_write(&mut txn.dirty, slot);
            return slot;
        }
        txn.savepoints.note_arrival();
        txn.dirty.insert(no, bytes, txn.savepoints.newest())
    }

    /// Takes the bytes out of their slot; if a reader or a savepoint holds them too, a copy.
    #[inline(always)]
    fn take_from(&self, txn: &mut WriteTxn, slot: SlotId, no: PageNo) -> PageMut<'_> {
        self.changes.bump();
        let taken = txn.dirty.slot_mut(slot);
        taken.touch();
        taken.unfinish();
        let memo = taken.memo;
        let bytes = taken.bytes.take().expect("a page is not written twice at once");
        debug_assert_eq!(bytes.len(), self.page_size().bytes(), "a page has its size");
        let page = match UniquePage::new(bytes) {
            Ok(page) => page,
            Err(shared) => copy_of_shared(txn, no, &shared),
        };
        PageMut { pager: self, slot, no, memo, page }
    }

    /// Begins to replace the whole content by pages of another size. From here on the database is empty, and the caller
    /// creates every page, from 1 on. It has to come before anything is written or a savepoint is opened. A rollback
    /// restores the old content, because the journal gets all old pages in their size. The first page of a database that had none is
    /// made again, too.
    ///
    /// `false`: this database cannot change its page size, and nothing has happened. A log has frames of one size only.
    pub fn reshape(&self, size: PageSize, reserved: u8) -> Result<bool> {
        self.misuse_unless(self.is_writing(), "the page size is changed outside a write transaction")?;
        if self.txn.borrow().pages_before == 0 {
            self.txn.borrow_mut().dirty.remove(PageNo::FIRST);
            self.view.page_count.set(0);
        }
        self.misuse_unless(!self.has_changes(), "the page size is changed after something was written")?;
        self.assert_state();
        let Store::File(file) = &self.store else { return Ok(false) };
        if file.is_wal() || size.usable(reserved).is_none() {
            return Ok(false);
        }
        // The journal has the old page size.
        self.with_pending(|pending| file.open_journal(pending))?;
        self.txn.borrow_mut().shape_before = Some(self.view.shape());
        self.view.set_shape(Shape { page_size: size, reserved });
        self.view.page_count.set(0);
        self.disable_direct_reads();
        self.change_mapped_bytes()?;
        self.changes.bump();
        Ok(true)
    }
}

/// A copy of page `no`, whose bytes a reader or a savepoint holds.
#[inline(never)]
fn copy_of_shared(txn: &mut WriteTxn, no: PageNo, shared: &[u8]) -> UniquePage {
    txn.note_change(no);
    txn.dirty.copy(shared)
}

impl PageMut<'_> {
    /// The number of the page.
    #[inline]
    pub fn no(&self) -> PageNo {
        self.no
    }

    /// A number that the page's writer keeps beside the bytes as long as they are in the dirty set, so that it need not compute it from
    /// them the next time; 0 if there is none. The pager clears the memo whenever the bytes change in another way: by [`Pager::write`],
    /// [`Pager::new_page`] or a rollback.
    #[inline]
    pub fn memo(&self) -> u32 {
        self.memo
    }

    /// Leaves a memo for the next writer.
    #[inline]
    pub fn set_memo(&mut self, memo: u32) {
        self.memo = memo;
    }

    /// Ends the writing, and answers the page as it is now, which spares the caller a lookup.
    #[inline(always)]
    pub fn share(mut self) -> PageRef {
        let bytes = self.page.take_shared().expect("a page is shared once");
        let page = PageRef::from_arc(bytes.clone());
        self.put_back(bytes);
        std::mem::forget(self); // the bytes are back in their slot: nothing is left to drop
        page
    }

    #[inline(always)]
    fn put_back(&self, bytes: Arc<[u8]>) {
        let mut txn = self.pager.txn.borrow_mut();
        let slot = txn.dirty.slot_mut(self.slot);
        debug_assert!(slot.bytes.is_none(), "page {} was put back twice", self.no);
        slot.bytes = Some(bytes);
        slot.memo = self.memo;
    }
}

impl Deref for PageMut<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.page
    }
}

impl DerefMut for PageMut<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.page
    }
}

impl Drop for PageMut<'_> {
    fn drop(&mut self) {
        if let Some(bytes) = self.page.take_shared() {
            self.put_back(bytes);
        }
    }
}

impl fmt::Debug for PageMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageMut({}, {} bytes)", self.no, self.len())
    }
}
