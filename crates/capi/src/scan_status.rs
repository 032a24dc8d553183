//! Scan status: the costs of the loops of a statement, beside the planner's estimates. Only statements are measured
//! that were prepared while SQLITE_DBCONFIG_STMT_SCANSTATUS was on; its default is off.

use std::ffi::{c_char, c_int, c_void};

use crate::column;
use crate::connection::statement::{sqlite3_stmt, statement};
use crate::ffi_guard::api;

/// The numbers of the properties (SQLITE_SCANSTAT_*).
const NLOOP: c_int = 0;
const NVISIT: c_int = 1;
const EST: c_int = 2;
const NAME: c_int = 3;
const EXPLAIN: c_int = 4;
const SELECTID: c_int = 5;
const PARENTID: c_int = 6;
const NCYCLE: c_int = 7;

/// All lines of the query plan count, not only the loops (SQLITE_SCANSTAT_COMPLEX).
const COMPLEX: c_int = 1;

/// The index that means the whole statement.
const WHOLE: c_int = -1;

/// A property's value, by its type.
enum Answer {
    Count(i64),
    Number(c_int),
    Estimate(f64),
    Text(*const c_char),
}

/// A property of an element of the query plan. None: there is no such element or property.
fn answer(statement: &sqlite3_stmt, index: c_int, op: c_int, flags: c_int) -> Option<Answer> {
    let mut inside = statement.enter().ok()?;
    let inner = inside.get();
    let among_all = flags & COMPLEX != 0;
    if index == WHOLE && op == NCYCLE {
        return inner.measured_cycles().map(|cycles| Answer::Count(cycles.cast_signed()));
    }
    let element = inner.plan_element(usize::try_from(index).ok()?, among_all)?;
    let count = |count: Option<u64>| Answer::Count(count.map_or(-1, u64::cast_signed));
    let (name, detail) =
        if among_all { (column::LINE_NAME, column::LINE_DETAIL) } else { (column::LOOP_NAME, column::LOOP_DETAIL) };
    Some(match op {
        NLOOP => count(element.loops),
        NVISIT => count(element.rows),
        EST => Answer::Estimate(element.estimated_rows),
        NAME => Answer::Text(column::kept(statement, name, index, element.name.as_deref())),
        EXPLAIN => Answer::Text(column::kept(statement, detail, index, Some(&element.detail))),
        SELECTID => Answer::Number(element.id),
        PARENTID => Answer::Number(element.parent),
        NCYCLE => count(element.cycles),
        _ => return None,
    })
}

/// Writes a property to `out`; returns 1 if there is none.
///
/// # Safety
/// `handle` is null or a live statement, and `out` points to a variable of the type of the property `op`.
unsafe fn scan_status(handle: *mut sqlite3_stmt, index: c_int, op: c_int, flags: c_int, out: *mut c_void) -> c_int {
    // SAFETY: our caller's promise.
    let Ok((statement, _db)) = (unsafe { statement(handle) }) else { return 1 };
    let Some(answer) = answer(statement, index, op, flags) else { return 1 };
    if out.is_null() {
        return 1;
    }
    // SAFETY: our caller's promise.
    unsafe {
        match answer {
            Answer::Count(count) => out.cast::<i64>().write(count),
            Answer::Number(number) => out.cast::<c_int>().write(number),
            Answer::Estimate(estimate) => out.cast::<f64>().write(estimate),
            Answer::Text(text) => out.cast::<*const c_char>().write(text),
        }
    }
    0
}

api! {
    fn sqlite3_stmt_scanstatus(handle: *mut sqlite3_stmt, index: c_int, op: c_int, out: *mut c_void) -> c_int {
        scan_status(handle, index, op, 0, out)
    }

    fn sqlite3_stmt_scanstatus_v2(
        handle: *mut sqlite3_stmt, index: c_int, op: c_int, flags: c_int, out: *mut c_void,
    ) -> c_int {
        scan_status(handle, index, op, flags, out)
    }

    fn sqlite3_stmt_scanstatus_reset(handle: *mut sqlite3_stmt) {
        if let Ok((statement, _db)) = statement(handle)
            && let Ok(mut inside) = statement.enter()
        {
            inside.get().reset_measurement();
        }
    }
}
