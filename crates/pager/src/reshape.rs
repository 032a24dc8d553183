//! Giving a database another page size: its content is replaced as a whole within a transaction.
//!
//! ```text
//!                  reshape                      commit
//!   old pages ───────────────► no pages, then ──────────► the journal has all old pages in their size,
//!   of the old size            new ones of the            the file all new ones in theirs
//!                              new size
//! ```
//!
//! A log has frames of one size only, so a database in WAL mode keeps its page size.

use lithe_format::{PageNo, PageSize};

use crate::error::Result;
use crate::file_store::FileStore;
use crate::page_ref::PageRef;
use crate::pager::{Pager, State, Store};

impl Pager {
    /// Begins to replace the whole content by pages of another size. From here on the database is empty, and the caller
    /// makes every page anew, from 1 on. It has to come before anything is written or a savepoint is opened; a rollback
    /// brings back what was there.
    ///
    /// `false`: this database cannot change its page size, and nothing has happened.
    pub fn reshape(&self, size: PageSize, reserved: u8) -> Result<bool> {
        self.misuse_unless(self.state.get() == State::Writing, "the page size is changed outside a write transaction")?;
        self.misuse_unless(!self.has_changes(), "the page size is changed after something was written")?;
        let Store::File(file) = &self.store else { return Ok(false) };
        if file.is_wal() || size.usable(reserved).is_none() {
            return Ok(false);
        }
        // The journal is of the old size.
        file.open_journal(self, &self.txn.borrow())?;
        self.txn.borrow_mut().shape_before = Some((self.page_size(), self.reserved()));
        self.adopt_page_size(size, reserved);
        self.view.page_count.set(0);
        self.look_twice();
        self.change_mapped_bytes()?;
        self.bump_write_version();
        Ok(true)
    }

    /// The size that pages had when this transaction began.
    pub(crate) fn page_size_before(&self) -> PageSize {
        self.txn.borrow().shape_before.map_or(self.page_size(), |(size, _)| size)
    }

    /// Whether this transaction changes the page size.
    pub(crate) fn is_reshaped(&self) -> bool {
        self.txn.borrow().shape_before.is_some()
    }

    /// Before a rollback: pages have the size again that they had.
    pub(crate) fn restore_shape(&self) {
        let before = self.txn.borrow_mut().shape_before.take();
        if let Some((size, reserved)) = before {
            self.adopt_page_size(size, reserved);
        }
    }
}

impl FileStore {
    /// The page `no` as it was when the transaction began, for the journal.
    pub(crate) fn page_before(&self, pager: &Pager, no: PageNo) -> Result<PageRef> {
        if !pager.is_reshaped() {
            return pager.clean_page(no);
        }
        let size = pager.page_size_before();
        let mut bytes = vec![0; size.bytes()];
        self.file.read_at(&mut bytes, no.offset(size.get()))?;
        Ok(PageRef::from_arc(bytes.into()))
    }
}
