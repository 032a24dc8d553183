//! After a panic in the middle of a call.
//!
//! Each panic is a bug. Until it is mended, others should not suffer from it: the transaction is rolled back, no lock is kept,
//! and the connection answers SQLITE_INTERNAL until it is closed. What user code of a statement calls in between stands on
//! the stack above it, so that the connection is given up only when no step is under way any more.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::error::{Error, Result};

/// A call that is under way, from its beginning to its end: what a panic must not go through unnoticed.
pub(crate) struct UnderWay<'c> {
    connection: &'c Connection,
}

impl<'c> UnderWay<'c> {
    #[inline]
    pub(crate) fn begin(connection: &'c Connection) -> UnderWay<'c> {
        let count = &connection.transaction.under_way;
        count.set(count.get() + 1);
        UnderWay { connection }
    }

    #[inline]
    fn leave(&self) {
        let count = &self.connection.transaction.under_way;
        count.set(count.get() - 1);
    }

    /// The call has come back.
    #[inline]
    pub(crate) fn end(self) {
        self.leave();
        std::mem::forget(self);
    }
}

impl Drop for UnderWay<'_> {
    /// It has not: a panic goes through it.
    #[cold]
    fn drop(&mut self) {
        self.leave();
        self.connection.transaction.is_broken.set(true);
    }
}

impl Connection {
    /// Whether a panic has gone through a call on this connection.
    #[inline]
    pub fn is_broken(&self) -> bool {
        self.transaction.is_broken.get()
    }

    /// Fails if a panic has gone through a call on this connection.
    #[inline]
    pub(crate) fn check_unbroken(&self) -> Result<()> {
        if self.is_broken() { Err(broken()) } else { Ok(()) }
    }

    /// Whether a call that may run user code is under way, further down on the stack.
    pub fn is_under_way(&self) -> bool {
        self.transaction.under_way.get() > 0
    }

    /// Gives the connection up, unless a call on it is still under way.
    pub(crate) fn abandon_if_at_rest(&self) {
        if !self.is_under_way() {
            self.abandon();
        }
    }

    /// After a panic in the middle of a call on this connection: rolls its transaction back, and gives every lock back, so that
    /// others can go on. It answers SQLITE_INTERNAL from then on, and can only be closed.
    ///
    /// The caller makes sure that no call on the connection is under way.
    pub fn abandon(&self) {
        self.transaction.is_broken.set(true);
        if self.transaction.is_abandoned.replace(true) {
            return;
        }
        for (_, database) in self.databases() {
            if let Some(btree) = database.opened() {
                quietly(|| btree.pager().abandon());
            }
            if let Some(cache) = database.shared() {
                quietly(|| cache.leave(self.id));
            }
        }
        self.forget_transaction();
        quietly(|| self.roll_back_virtual_tables());
    }
}

/// What a connection answers that a panic has gone through.
fn broken() -> Error {
    let message = "internal error: the transaction was rolled back, and the connection must be closed";
    Error::new(ResultCode::INTERNAL, message)
}

/// One step of giving up. A panic in it changes nothing for the others.
fn quietly(step: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(step));
}
