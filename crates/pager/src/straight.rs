//! Runs of whole pages that go from where their bytes are to their place, past the dirty set.
//!
//! Once a transaction without a journal writes in place (see `in_place`), a private copy of a page that is overwritten as a
//! whole is good for nothing. The overflow pages of a long value follow each other, and its leaf mostly lies
//! beside them: with it they are written by one call, out of the application's memory.
//!
//! ```text
//!   file    ... | head, content | head, content | leaf | ...      ^ one write
//!                     4, 4092         4, 4092     a page of the dirty set, or none
//! ```

use std::io::IoSlice;

use lithe_format::PageNo;

use crate::error::Result;
use crate::file_store::FileStore;
use crate::pager::{Pager, State, Store};
use crate::run::Head;

impl Pager {
    /// Whether runs of whole pages may go straight to their place now.
    pub fn may_put_straight(&self) -> bool {
        self.state.get() == State::Writing
            && self.reserved() == 0
            && self.failure.borrow().is_none()
            && self.wrote_in_place()
            && matches!(&self.store, Store::File(file) if self.writes_in_place(file, &mut self.txn.borrow_mut()))
    }

    /// Whether page `no` is one that may go straight to its place where [`Pager::may_put_straight`] says so: this transaction has
    /// not written it otherwise, and it is not page 1, which waits for the commit.
    pub fn is_straight(&self, no: PageNo) -> Result<bool> {
        self.check_page_no(no)?;
        Ok(no != PageNo::FIRST && no.get() <= self.pages_before() && !self.is_written(no))
    }

    /// Whether page `no`, which this transaction has in memory, may go along.
    pub fn may_go_along(&self, no: PageNo) -> bool {
        let txn = self.txn.borrow();
        no != PageNo::FIRST && no.get() <= txn.pages_before && txn.dirty.find(no).is_some()
    }

    /// The first bytes of the clean page `no`, by a call: no other of its bytes is wanted, and a fault would cost more.
    pub fn head_in_file(&self, no: PageNo) -> Result<Head> {
        let mut head = Head::default();
        if let Store::File(file) = &self.store {
            file.file.read_at(&mut head, no.offset(self.page_size().get()))?;
        }
        Ok(head)
    }

    /// Writes the `count` pages from `first` on, which `pieces` are together: straight ones, and among them `along`, if that is one,
    /// as it is in memory. What was there is gone for good, and nobody refers to it.
    pub fn put_straight(&self, first: PageNo, count: u32, along: Option<PageNo>, pieces: &[IoSlice<'_>]) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        debug_assert!(self.wrote_in_place(), "only where there is no way back");
        self.bump_write_version();
        file.file.write_vectored_at(pieces, first.offset(self.page_size().get()))?;
        let run = (0..count).filter_map(|index| first.plus(index));
        file.database.pool.forget(run.filter(|&no| Some(no) != along));
        if let Some(along) = along {
            self.rests_in_pool(file, along);
        }
        Ok(())
    }

    /// Page `no` is in its place as the dirty set has it. It rests in the pool for whoever goes on with its next row, until another
    /// page does: few buffers that are used again and again stay in the processor's cache, as those of all the pool would not.
    fn rests_in_pool(&self, file: &FileStore, no: PageNo) {
        let txn = &mut *self.txn.borrow_mut();
        if let Some(bytes) = txn.dirty.take(no) {
            file.put_into_pool(no, bytes);
        }
        // It may have been put elsewhere before, when a savepoint was open.
        txn.temp.forget(no);
        let before = txn.rests_in_pool.replace(no).filter(|&before| before != no);
        file.database.pool.forget(before.into_iter());
    }
}
