//! Counters: of the process, of a connection, of a statement.

use std::ffi::c_int;

use lithe_engine::Counter;

use crate::code;
use crate::connection::{live, sqlite3};
use crate::door::api;
use crate::memory;
use crate::statement::{sqlite3_stmt, statement};

/// The verbs of `sqlite3_status`: 10 in all.
const STATUS_COUNT: c_int = 10;

/// The current and the highest value of a verb; what is not counted here is 0.
fn process_status(op: c_int, reset: bool) -> Option<(i64, i64)> {
    (0..STATUS_COUNT).contains(&op).then(|| memory::status(op, reset).unwrap_or((0, 0)))
}

/// The same of a connection.
fn connection_status(db: &sqlite3, op: c_int) -> Option<(i64, i64)> {
    match op {
        // DEFERRED_FKS: 0 when every deferred constraint holds.
        10 => Some((i64::from(db.core().has_deferred_violations()), 0)),
        0..=13 => Some((0, 0)),
        _ => None,
    }
}

api! {
    fn sqlite3_status64(op: c_int, current: *mut i64, highest: *mut i64, reset: c_int) -> c_int {
        let (Some(status), Some(current), Some(highest)) =
            (process_status(op, reset != 0), current.as_mut(), highest.as_mut())
        else {
            return code::MISUSE;
        };
        (*current, *highest) = status;
        code::OK
    }

    fn sqlite3_status(op: c_int, current: *mut c_int, highest: *mut c_int, reset: c_int) -> c_int {
        let (Some(status), Some(current), Some(highest)) =
            (process_status(op, reset != 0), current.as_mut(), highest.as_mut())
        else {
            return code::MISUSE;
        };
        (*current, *highest) = (status.0 as c_int, status.1 as c_int);
        code::OK
    }

    fn sqlite3_db_status64(db: *mut sqlite3, op: c_int, current: *mut i64, highest: *mut i64, _reset: c_int) -> c_int {
        let (Ok(db), Some(current), Some(highest)) = (live(db), current.as_mut(), highest.as_mut()) else {
            return code::MISUSE;
        };
        let Some(status) = connection_status(&db, op) else { return code::ERROR };
        (*current, *highest) = status;
        code::OK
    }

    fn sqlite3_db_status(
        db: *mut sqlite3, op: c_int, current: *mut c_int, highest: *mut c_int, reset: c_int,
    ) -> c_int {
        let (Some(current), Some(highest)) = (current.as_mut(), highest.as_mut()) else { return code::MISUSE };
        let (mut now, mut most) = (0, 0);
        let code = sqlite3_db_status64(db, op, &mut now, &mut most, reset);
        if code == code::OK {
            (*current, *highest) = (now as c_int, most as c_int);
        }
        code
    }

    fn sqlite3_stmt_status(handle: *mut sqlite3_stmt, op: c_int, reset: c_int) -> c_int {
        let (Ok((statement, _db)), Some(counter)) = (statement(handle), Counter::from_number(op)) else { return 0 };
        statement.enter().map_or(0, |mut inside| inside.get().status(counter, reset != 0) as c_int)
    }
}
