//! A running statement's part in its connection's transaction.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use lithe_catalog::Catalog;
use lithe_vfs::ResultCode;

use crate::error::Error;

/// Violations of deferred foreign keys, and of immediate ones that `defer_foreign_keys` has deferred.
pub(super) type Violations = (i64, i64);

/// A running statement's part in its connection's transaction.
#[derive(Debug, Default)]
pub(crate) struct StatementRun {
    pub(super) is_writer: Cell<bool>,
    /// The statement has begun to use a database.
    pub(super) is_user: Cell<bool>,
    /// The number of the statement's own savepoint.
    pub(super) savepoint: Cell<Option<u64>>,
    pub(super) violations_before: Cell<Violations>,
    pub(super) rollbacks_before: Cell<u64>,
    pub(super) schema_rollbacks_before: Cell<u64>,
    /// How many expirations this run has caused, which do not concern the statement itself.
    pub(crate) own_expirations: Cell<u64>,
    /// The statement has expired by its own run: it is compiled again before the next one.
    pub(crate) is_used_up: Cell<bool>,
    /// The program is stale: the statement begins its transaction, and is compiled again.
    pub(crate) is_stale: Cell<bool>,
    pub(super) catalog_before: RefCell<Option<Arc<Catalog>>>,
    /// For an incremental vacuum between two rows: how many pages it has freed.
    pub(crate) vacuumed: Cell<Option<u32>>,
    /// A database was locked, and nothing was done.
    pub(crate) waits: Cell<bool>,
    /// The error that a command returns after its rows; that which keeps a stale statement from being compiled again.
    pub(crate) late_error: RefCell<Option<Error>>,
}

impl StatementRun {
    /// Whether the statement writes, or may write.
    pub(crate) fn is_writer(&self) -> bool {
        self.is_writer.get()
    }

    /// Notes how the run has failed. `may_wait`: the statement goes on when a lock that is missing is free.
    pub(crate) fn failed(&self, error: Error, may_wait: bool) -> Error {
        self.waits.set(may_wait && error.code().primary() == ResultCode::BUSY);
        error
    }

    /// Whether the statement has begun to use a database.
    pub(crate) fn is_user(&self) -> bool {
        self.is_user.get()
    }
}
