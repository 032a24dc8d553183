//! Logs of the pages that this connection's commits change: for online backups of the database.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

use crate::write_txn::WriteTxn;

/// The pages that commits of one connection have changed since the reader last took them.
#[derive(Debug, Default)]
pub struct ChangeLog {
    pages: RefCell<BTreeSet<u32>>,
    unknown: Cell<bool>,
}

impl ChangeLog {
    /// Takes the numbers of the pages that were changed since the last call; `None`: unknown pages were changed too.
    pub fn take(&self) -> Option<BTreeSet<u32>> {
        let pages = self.pages.take();
        (!self.unknown.replace(false)).then_some(pages)
    }
}

/// The change logs that still have a reader.
#[derive(Debug, Default)]
pub(super) struct ChangeLogs(RefCell<Vec<Weak<ChangeLog>>>);

impl ChangeLogs {
    /// Opens a log: from now on every commit adds the numbers of its pages to it.
    pub(super) fn open(&self) -> Rc<ChangeLog> {
        let log = Rc::new(ChangeLog::default());
        self.0.borrow_mut().push(Rc::downgrade(&log));
        log
    }

    /// Whether no log is open.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Records a commit that is about to publish what the transaction wrote. The pages are unknown if some were spilled into the
    /// write-ahead log, which `is_wal` says exists, because only the log knows them, or if some were overwritten in their place.
    #[cold]
    pub(super) fn tell(&self, txn: &WriteTxn, is_wal: bool) {
        let was_spilled = txn.spill.target.is_some();
        let unknown = (was_spilled && is_wal) || txn.shape_before.is_some() || txn.spill.overwrites;
        let mut logs = self.0.borrow_mut();
        logs.retain(|log| log.strong_count() > 0);
        for log in logs.iter().filter_map(Weak::upgrade) {
            log.unknown.set(log.unknown.get() || unknown);
            log.pages.borrow_mut().extend(txn.page_numbers().map(lithe_format::PageNo::get));
        }
    }
}
