//! Calls under way, so that a panic in the middle of one is noticed.
//!
//! Each panic is a bug. Other connections must not suffer from it: the transaction is rolled back, no lock is kept, and
//! the connection answers SQLITE_INTERNAL until it is closed (`Connection::abandon`). User code that a step calls may
//! call the connection in turn, so the connection is abandoned only when no step is under way any more.

use crate::connection::transaction::TransactionState;

/// A call that is under way, from its beginning to its end.
pub(crate) struct UnderWay<'c> {
    state: &'c TransactionState,
}

impl<'c> UnderWay<'c> {
    #[inline]
    pub(crate) fn begin(state: &'c TransactionState) -> UnderWay<'c> {
        state.enter_call();
        UnderWay { state }
    }

    /// The call has returned.
    #[inline]
    pub(crate) fn end(self) {
        self.state.leave_call();
        std::mem::forget(self);
    }
}

impl Drop for UnderWay<'_> {
    /// The call has not returned: a panic goes through it.
    #[cold]
    fn drop(&mut self) {
        self.state.leave_call();
        self.state.note_panic();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_goes_through_the_calls_that_are_under_way() {
        let state = TransactionState::new();
        let outer = UnderWay::begin(&state);
        let inner = catch_unwind(AssertUnwindSafe(|| {
            let _inner = UnderWay::begin(&state);
            panic!("of a callback");
        }));
        assert!(inner.is_err() && state.is_broken() && state.is_under_way());
        outer.end();
        assert!(!state.is_under_way());
    }
}
