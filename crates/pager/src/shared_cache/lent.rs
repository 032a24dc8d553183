//! A write transaction that its connection has, or has lent to the shared cache. The connection takes it back before each use.

use std::cell::{Cell, OnceCell, Ref, RefCell, RefMut};
use std::sync::Arc;

use super::SharedCache;
use crate::write_txn::WriteTxn;

/// The write transaction of a connection.
#[derive(Debug, Default)]
pub(crate) struct OwnTxn {
    /// An empty transaction while the connection's is lent.
    txn: RefCell<WriteTxn>,
    is_lent: Cell<bool>,
    cache: OnceCell<Arc<SharedCache>>,
}

impl OwnTxn {
    #[inline]
    pub(crate) fn borrow(&self) -> Ref<'_, WriteTxn> {
        if self.is_lent.get() {
            self.take_back();
        }
        self.txn.borrow()
    }

    #[inline]
    pub(crate) fn borrow_mut(&self) -> RefMut<'_, WriteTxn> {
        if self.is_lent.get() {
            self.take_back();
        }
        self.txn.borrow_mut()
    }

    pub(crate) fn is_lent(&self) -> bool {
        self.is_lent.get()
    }

    /// Sets the cache that the transaction may be lent to.
    pub(crate) fn lend_to(&self, cache: &Arc<SharedCache>) {
        let _ = self.cache.set(Arc::clone(cache));
    }

    /// Lends the transaction: swaps it with the empty one in `place`.
    pub(super) fn put_into(&self, place: &mut WriteTxn) {
        std::mem::swap(&mut *self.txn.borrow_mut(), place);
        self.is_lent.set(true);
    }

    /// Forgets the transaction, wherever it is.
    pub(crate) fn abandon(&self) {
        if self.is_lent.get() {
            self.take_back();
        }
        self.txn.take();
    }

    #[cold]
    fn take_back(&self) {
        let cache = self.cache.get().expect("it was lent to somebody");
        let slot = &mut *cache.slot();
        std::mem::swap(&mut *self.txn.borrow_mut(), &mut slot.txn);
        slot.lent = None;
        self.is_lent.set(false);
    }
}
