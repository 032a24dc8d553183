//! The rows of open BLOB handles: a change or removal of the row ends the access.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lithe_format::PageNo;
use lithe_vm::operand::Db;

/// The row of an open BLOB handle.
pub(crate) struct RowWatch {
    db: Db,
    root: PageNo,
    rowid: Cell<i64>,
    /// Set when the row was changed or removed: the number of rollbacks so far.
    expired_at: Cell<Option<u64>>,
}

impl RowWatch {
    /// A watch on a row of the table with this root.
    pub(crate) fn new(db: Db, root: PageNo, rowid: i64) -> Rc<RowWatch> {
        Rc::new(RowWatch { db, root, rowid: Cell::new(rowid), expired_at: Cell::new(None) })
    }

    pub(crate) fn rowid(&self) -> i64 {
        self.rowid.get()
    }

    /// Watches another row of the table instead, in its present state.
    pub(crate) fn move_to(&self, rowid: i64) {
        self.rowid.set(rowid);
        self.expired_at.set(None);
    }

    /// The number of rollbacks at the time when the row was changed or removed, if it was.
    pub(crate) fn expired_at(&self) -> Option<u64> {
        self.expired_at.get()
    }
}

/// The watches of all open BLOB handles of a connection.
#[derive(Default)]
pub(crate) struct RowWatches(RefCell<Vec<Rc<RowWatch>>>);

impl RowWatches {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    pub(crate) fn add(&self, watch: &Rc<RowWatch>) {
        let mut watches = self.0.borrow_mut();
        debug_assert!(!watches.iter().any(|other| Rc::ptr_eq(other, watch)), "a row is watched twice for one handle");
        watches.push(Rc::clone(watch));
    }

    pub(crate) fn remove(&self, watch: &Rc<RowWatch>) {
        self.0.borrow_mut().retain(|other| !Rc::ptr_eq(other, watch));
    }

    /// A row of the table with this root, or all rows, were changed or removed.
    pub(crate) fn row_changed(&self, db: Db, root: PageNo, rowid: Option<i64>, rollbacks: u64) {
        for watch in self.0.borrow().iter() {
            if watch.db == db && watch.root == root && rowid.is_none_or(|rowid| rowid == watch.rowid.get()) {
                watch.expired_at.set(Some(rollbacks));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_row_that_changes_expires() {
        let watches = RowWatches::default();
        let other_root = PageNo::new(2).unwrap();
        let [one, two, other] = [(PageNo::FIRST, 1), (PageNo::FIRST, 2), (other_root, 1)]
            .map(|(root, rowid)| RowWatch::new(Db::MAIN, root, rowid));
        [&one, &two, &other].iter().for_each(|watch| watches.add(watch));
        watches.row_changed(Db::MAIN, PageNo::FIRST, Some(1), 3);
        assert_eq!([&one, &two, &other].map(|watch| watch.expired_at()), [Some(3), None, None]);
        one.move_to(5);
        assert_eq!((one.rowid(), one.expired_at()), (5, None));
        watches.row_changed(Db::MAIN, PageNo::FIRST, None, 4);
        assert_eq!([&one, &two, &other].map(|watch| watch.expired_at()), [Some(4), Some(4), None]);
        [&one, &two, &other].iter().for_each(|watch| watches.remove(watch));
        assert!(watches.is_empty());
    }
}
