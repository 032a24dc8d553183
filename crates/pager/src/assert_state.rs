//! What holds in each state of a connection, asserted where its calls begin and end.
//!
//! | state | pages are shown in place | may write beside others | rests | lock on the file |
//! | --- | --- | --- | --- | --- |
//! | Idle | none | no | no | any that is kept |
//! | Reading | perhaps | no | perhaps | SHARED or more |
//! | Writing | perhaps | perhaps | no | without a log RESERVED or more |
//!
//! Cheap enough for every build: a few cells are looked at. What the file says is never asserted, only what this
//! connection has noted.

use lithe_vfs::LockLevel;

use crate::pager::{Pager, State, Store};

impl Pager {
    /// A call begins or ends.
    #[inline]
    #[track_caller]
    pub(crate) fn assert_pager_state(&self) {
        match self.state.get() {
            State::Idle => {
                assert!(self.view.direct.get() == 0, "pages are shown without a snapshot");
                assert!(!self.is_resting(), "who reads nothing cannot rest");
                assert!(!self.concurrent.is_active(), "a concurrent transaction without a snapshot");
            }
            State::Reading => {
                assert!(!self.concurrent.is_active(), "a concurrent transaction that may not write");
            }
            State::Writing => assert!(!self.is_resting(), "who writes cannot rest"),
        }
        self.assert_locks();
    }

    /// What the locks on the file allow.
    #[inline]
    #[track_caller]
    fn assert_locks(&self) {
        let Store::File(file) = &self.store else { return };
        let level = file.level.get();
        match self.state.get() {
            State::Idle => {}
            State::Reading => assert!(level >= LockLevel::Shared, "a snapshot without a lock"),
            State::Writing if file.is_wal() => {
                assert!(level >= LockLevel::Shared, "a snapshot of a log without a lock")
            }
            State::Writing => assert!(level >= LockLevel::Reserved, "a write transaction beside others"),
        }
    }

    /// A write transaction has ended.
    #[inline]
    #[track_caller]
    pub(crate) fn assert_nothing_written(&self) {
        assert!(self.state.get() == State::Reading, "a write transaction has ended, and its snapshot stays");
        let txn = self.txn.borrow();
        assert!(txn.dirty.len() == 0, "pages of a transaction that has ended are dirty");
        assert!(txn.savepoints.len() == 0, "savepoints of a transaction that has ended are open");
        assert!(!txn.spilled && txn.shape_before.is_none(), "a transaction that has ended left something behind");
    }
}
