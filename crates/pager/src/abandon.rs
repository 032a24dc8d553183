//! After a panic in the middle of a call: a connection that nobody may use any more gives everything back.
//!
//! ```text
//!   roll back and close, as ever ──── went well ────► Idle, no lock is held
//!              │
//!         panics, or fails
//!              ▼
//!   by force: as if the process had died. A journal that others need stays, and the next reader plays it back; what a log
//!   has behind its last commit does not count
//! ```
//!
//! A panic usually comes from above the pager, and has left it as it was; then the ordinary way is the right one. Where it comes
//! from within, the assertions of the ordinary way notice, or the second way does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lithe_vfs::LockLevel;

use crate::file_store::FileStore;
use crate::pager::{Pager, State, Store};

impl Pager {
    /// Rolls back, and gives every lock back: for the use of whoever has caught a panic in the middle of a call. The pager is of no
    /// use afterwards; it may be dropped.
    pub fn abandon(&self) {
        // The log is left to others: nothing is copied into the database by somebody in this state.
        self.set_checkpoint_on_close(false);
        let closed = catch_unwind(AssertUnwindSafe(|| self.close().is_ok()));
        if !matches!(closed, Ok(true)) {
            self.abandon_by_force();
        }
        // The end of a transaction may have come half-way before the panic.
        quietly(|| self.give_seat_up());
        quietly(|| self.let_others_go_on());
        if let Store::File(file) = &self.store {
            // Nobody reads from buffers what may have been put there half-way.
            quietly(|| file.database.pool.expire());
        }
    }

    /// Each step for itself: one that panics keeps no lock.
    fn abandon_by_force(&self) {
        if let Store::File(file) = &self.store {
            quietly(|| file.restore_from_memory(self));
        }
        self.state.set(State::Idle);
        self.view.direct.set(0);
        quietly(|| self.end_epoch());
        quietly(|| self.txn.abandon());
        if let Store::File(file) = &self.store {
            // Others of a shared cache look for the journal before they go on.
            quietly(|| self.note_half_way());
            quietly(|| file.abandon_log());
            quietly(|| drop(file.leave_to_recovery()));
            quietly(|| drop(file.unlock(LockLevel::None)));
        }
        quietly(|| drop(self.failure.replace(None)));
    }
}

impl FileStore {
    /// Leaves the log as it is, with everything given back that others wait for.
    fn abandon_log(&self) {
        let logs = [self.wal.take(), self.shared_wal.take()];
        for wal in logs.iter().flatten() {
            quietly(|| wal.close(false));
            quietly(|| wal.abandon());
        }
    }
}

/// One step of giving up. A panic in it changes nothing for the others.
fn quietly(step: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(step));
}
