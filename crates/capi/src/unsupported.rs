//! Functions that have their place and no engine behind them yet. Each says so: SQLITE_ERROR, and "not supported
//! yet: …" as the connection's message, where there is a connection.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use crate::connection::{live, sqlite3};
use crate::door::api;
use crate::statement::sqlite3_stmt;
use crate::value::sqlite3_value;

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

const PREUPDATE: &str = "the pre-update hook";
const SNAPSHOTS: &str = "snapshots";

api! {
    fn sqlite3_preupdate_hook(db: *mut sqlite3, _hook: *const c_void, _arg: *mut c_void) -> *mut c_void {
        refuse(db, PREUPDATE);
        null_mut()
    }

    fn sqlite3_preupdate_old(db: *mut sqlite3, _column: c_int, _value: *mut *mut sqlite3_value) -> c_int {
        refuse(db, PREUPDATE)
    }

    fn sqlite3_preupdate_new(db: *mut sqlite3, _column: c_int, _value: *mut *mut sqlite3_value) -> c_int {
        refuse(db, PREUPDATE)
    }

    fn sqlite3_preupdate_count(db: *mut sqlite3) -> c_int {
        refuse(db, PREUPDATE);
        0
    }

    fn sqlite3_preupdate_depth(db: *mut sqlite3) -> c_int {
        refuse(db, PREUPDATE);
        0
    }

    fn sqlite3_preupdate_blobwrite(db: *mut sqlite3) -> c_int {
        refuse(db, PREUPDATE);
        -1
    }

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
