//! Counters: of the process, of a connection, of a statement.

use std::ffi::c_int;

use lithe_engine::{Counter, PageCounter};

use crate::code;
use crate::connection::statement::{sqlite3_stmt, statement};
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;

/// The verbs of `sqlite3_status`: 10 in all.
const STATUS_COUNT: c_int = 10;

/// The current and the highest value of a verb; 0 if it is not counted here.
fn process_status(op: c_int, reset: bool) -> Option<(i64, i64)> {
    (0..STATUS_COUNT).contains(&op).then(|| memory::status(op, reset).unwrap_or((0, 0)))
}

/// The same for a connection. There is no lookaside memory: its verbs are 0, as in SQLite without lookaside.
fn connection_status(db: &sqlite3, op: c_int, reset: bool) -> Option<(i64, i64)> {
    let core = db.core();
    let pages = |counter| core.page_count_of(counter, reset).cast_signed();
    let now = match op {
        // CACHE_USED and CACHE_USED_SHARED: connections share a cache only for files that are not mapped.
        1 | 11 => core.page_memory().cast_signed(),
        // SCHEMA_USED
        2 => core.schema_memory().cast_signed(),
        // STMT_USED
        3 => statement_memory(db),
        7 => pages(PageCounter::Hit),
        8 => pages(PageCounter::Miss),
        9 => pages(PageCounter::Write),
        12 => pages(PageCounter::Spill),
        // DEFERRED_FKS: 0 when every deferred constraint holds.
        10 => core.has_deferred_violations().into(),
        // TEMPBUF_SPILL
        13 => core.temporary_spilled(reset).cast_signed(),
        // LOOKASIDE_*
        0 | 4..=6 => 0,
        _ => return None,
    };
    Some((now, 0))
}

/// The memory of all statements of a connection.
fn statement_memory(db: &sqlite3) -> i64 {
    let mut bytes = 0;
    let mut next = db.statements.get();
    // SAFETY: the list has live statements of this connection, whose mutex is held.
    while let Some(statement) = unsafe { next.as_ref() } {
        bytes +=
            statement.enter().map_or(0, |mut inside| inside.get().status(Counter::MemoryUsed, false).cast_signed());
        next = statement.next.get();
    }
    bytes
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

    fn sqlite3_db_status64(db: *mut sqlite3, op: c_int, current: *mut i64, highest: *mut i64, reset: c_int) -> c_int {
        let (Ok(db), Some(current), Some(highest)) = (live(db), current.as_mut(), highest.as_mut()) else {
            return code::MISUSE;
        };
        let Some(status) = connection_status(&db, op, reset != 0) else { return code::ERROR };
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
