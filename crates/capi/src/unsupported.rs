//! Functions that have their place and no engine behind them yet.

use std::ffi::{c_int, c_void};

use crate::connection::statement::sqlite3_stmt;
use crate::ffi_guard::api;

api! {
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
