//! Who wants to know which pages this connection's commits change: online backups of the database.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

use crate::in_place::InPlace;
use crate::pager::{Pager, Store};

/// The pages that commits of one connection have changed since somebody last took them.
#[derive(Debug, Default)]
pub struct ChangeLog {
    pages: RefCell<BTreeSet<u32>>,
    unknown: Cell<bool>,
}

impl ChangeLog {
    /// The numbers of the pages that were changed since the last call; `None`: too many to tell.
    pub fn take(&self) -> Option<BTreeSet<u32>> {
        let pages = self.pages.take();
        (!self.unknown.replace(false)).then_some(pages)
    }
}

/// The change logs that somebody still reads.
#[derive(Debug, Default)]
pub(crate) struct ChangeLogs(RefCell<Vec<Weak<ChangeLog>>>);

impl Pager {
    /// From now on every commit of this connection leaves the numbers of its pages in the log that is answered.
    pub fn log_changes(&self) -> Rc<ChangeLog> {
        let log = Rc::new(ChangeLog::default());
        self.change_logs.0.borrow_mut().push(Rc::downgrade(&log));
        log
    }

    /// A commit is about to publish what the transaction wrote.
    #[inline]
    pub(crate) fn tell_change_logs(&self) {
        if !self.change_logs.0.borrow().is_empty() {
            self.tell_each_change_log();
        }
    }

    #[cold]
    fn tell_each_change_log(&self) {
        let txn = self.txn.borrow();
        // What was spilled into a log is known to the log only; what was written to its place, to nobody.
        let is_wal = matches!(&self.store, Store::File(file) if file.is_wal());
        let unknown = (txn.spilled && is_wal) || txn.shape_before.is_some() || txn.in_place == InPlace::Done;
        let mut logs = self.change_logs.0.borrow_mut();
        logs.retain(|log| log.strong_count() > 0);
        for log in logs.iter().filter_map(Weak::upgrade) {
            log.unknown.set(log.unknown.get() || unknown);
            let written = txn.dirty.iter().map(|(no, _)| no).chain(txn.temp.page_numbers());
            let written = written.chain(txn.added.page_numbers(txn.pages_before));
            log.pages.borrow_mut().extend(written.map(lithe_format::PageNo::get));
        }
    }
}
