//! Functions that have their place and no engine behind them yet. Each says so: SQLITE_ERROR, and "not supported
//! yet: …" as the connection's message, where there is a connection.

use std::ffi::{c_char, c_int, c_void};

use crate::connection::{live, sqlite3};
use crate::door::api;
use crate::statement::sqlite3_stmt;

/// Says on the connection what is missing.
///
/// # Safety
/// `db` is a handle or null.
unsafe fn refuse(db: *mut sqlite3, what: &str) -> c_int {
    // SAFETY: our caller's promise.
    match unsafe { live(db) } {
        Ok(db) => db.not_supported(what),
        Err(code) => code,
    }
}

/// A state of a database in the past.
#[allow(non_camel_case_types)]
pub struct sqlite3_snapshot {
    _opaque: [u8; 0],
}

const SNAPSHOTS: &str = "snapshots";

api! {
    fn sqlite3_snapshot_get(
        db: *mut sqlite3, _schema: *const c_char, _snapshot: *mut *mut sqlite3_snapshot,
    ) -> c_int {
        refuse(db, SNAPSHOTS)
    }

    fn sqlite3_snapshot_open(db: *mut sqlite3, _schema: *const c_char, _snapshot: *mut sqlite3_snapshot) -> c_int {
        refuse(db, SNAPSHOTS)
    }

    fn sqlite3_snapshot_free(_snapshot: *mut sqlite3_snapshot) {}

    fn sqlite3_snapshot_cmp(_one: *mut sqlite3_snapshot, _other: *mut sqlite3_snapshot) -> c_int {
        0
    }

    fn sqlite3_snapshot_recover(db: *mut sqlite3, _schema: *const c_char) -> c_int {
        refuse(db, SNAPSHOTS)
    }

    /// Only a library compiled with SQLITE_ENABLE_STMT_SCANSTATUS counts loops: 1 says that there are none.
    fn sqlite3_stmt_scanstatus(_statement: *mut sqlite3_stmt, _index: c_int, _op: c_int, _out: *mut c_void) -> c_int {
        1
    }

    fn sqlite3_stmt_scanstatus_v2(
        _statement: *mut sqlite3_stmt, _index: c_int, _op: c_int, _flags: c_int, _out: *mut c_void,
    ) -> c_int {
        1
    }

    fn sqlite3_stmt_scanstatus_reset(_statement: *mut sqlite3_stmt) {}
}
