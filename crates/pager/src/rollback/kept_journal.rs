//! The rollback journal between two transactions: a file that the last commit has left open, and what is known of its end.
//!
//! ```text
//!              a commit keeps locks: its journal stays                 the next transaction takes it
//!   free     ────────────────────────────────────────► ours ─────────────────────────────────────────► in the transaction
//!      ▲                                                 │
//!      └────── the EXCLUSIVE lock is given up ◄──────────┘
//! ```

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use lithe_vfs::File;

/// What a transaction leaves of its journal.
#[derive(Debug)]
pub(crate) struct KeptJournal {
    /// The file that the last commit has left open: it is closed with the last lock.
    file: RefCell<Option<Arc<dyn File>>>,
    /// The journal stays between transactions, for as long as the EXCLUSIVE lock is held.
    is_ours: Cell<bool>,
    /// The last journal, of whatever connection, may come back after a power loss: as far as is known, its end was not synced.
    may_come_back: Cell<bool>,
}

impl Default for KeptJournal {
    fn default() -> KeptJournal {
        KeptJournal { file: RefCell::default(), is_ours: Cell::new(false), may_come_back: Cell::new(true) }
    }
}

impl KeptJournal {
    /// The open file, for the next transaction; `None` if this connection has held a lesser lock since, under which another one may have
    /// deleted the journal.
    pub(crate) fn take(&self) -> Option<Arc<dyn File>> {
        self.file.take().filter(|_| self.is_ours.get())
    }

    /// The open file.
    pub(crate) fn file(&self) -> Option<Arc<dyn File>> {
        self.file.borrow().clone()
    }

    /// A commit leaves its journal open.
    pub(crate) fn keep_open(&self, file: Arc<dyn File>) {
        self.file.replace(Some(file));
    }

    /// Closes the file.
    pub(crate) fn close(&self) {
        self.file.take();
    }

    /// Says whether the journal of the last commit stays, and no other connection may use it.
    pub(crate) fn set_ours(&self, is_ours: bool) {
        self.is_ours.set(is_ours);
    }

    /// Whether the journal of the last commit stays, and no other connection may use it.
    pub(crate) fn is_ours(&self) -> bool {
        self.is_ours.get()
    }

    /// Says whether the end of the last journal may be lost with the power.
    pub(crate) fn set_may_come_back(&self, may: bool) {
        self.may_come_back.set(may);
    }

    /// Whether the end of the last journal may be lost with the power.
    pub(crate) fn may_come_back(&self) -> bool {
        self.may_come_back.get()
    }
}
