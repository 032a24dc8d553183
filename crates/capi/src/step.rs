//! Running statements.

use std::ffi::c_int;

use lithe_engine::{Statement, Step};

use crate::code;
use crate::connection::{Locked, sqlite3};
use crate::door::api;
use crate::statement::{Inside, finalize, looked_at, reset, sqlite3_stmt, statement};

/// One step. The connection has been locked.
#[inline]
fn step(statement: &sqlite3_stmt, db: &Locked<'_>) -> c_int {
    let Ok(mut inside) = statement.enter() else { return db.fail_code(code::MISUSE) };
    statement.leave_row();
    statement.was_stepped.set(true);
    if db.hooks.is_traced() {
        return step_traced(statement, db, inside);
    }
    match inside.get().step(db.core()) {
        Ok(Step::Row) => row(db),
        other => end(statement, db, other),
    }
}

#[inline]
fn row(db: &sqlite3) -> c_int {
    db.error.set_code(code::ROW);
    code::ROW
}

fn end(statement: &sqlite3_stmt, db: &sqlite3, result: Result<Step, lithe_engine::Error>) -> c_int {
    match result {
        Err(error) => {
            statement.last.set(error.code().0);
            let code = db.fail(&error);
            // Statements of the old interface say only that something went wrong, until they are reset.
            if statement.is_legacy && !matches!(code::primary(code), code::BUSY | code::MISUSE) {
                code::ERROR
            } else {
                code
            }
        }
        Ok(_) => {
            statement.last.set(code::OK);
            db.error.set_code(code::DONE);
            code::DONE
        }
    }
}

/// The same with everybody told who wants to be.
#[cold]
fn step_traced<'s>(statement: &'s sqlite3_stmt, db: &Locked<'_>, mut inside: Inside<'s>) -> c_int {
    let begins = !inside.get().is_running();
    if begins {
        drop(inside);
        db.hooks.trace_statement(statement);
        let Ok(again) = statement.enter() else { return db.fail_code(code::MISUSE) };
        inside = again;
    }
    let result = Statement::step(inside.get(), db.core());
    drop(inside);
    if let Ok(Step::Row) = result {
        let answer = row(db);
        db.hooks.trace_row(statement);
        return answer;
    }
    let answer = end(statement, db, result);
    db.hooks.profile(statement);
    answer
}

api! {
    fn sqlite3_step(handle: *mut sqlite3_stmt) -> c_int {
        match statement(handle) {
            Ok((statement, db)) => step(statement, &db),
            Err(code) => code,
        }
    }

    fn sqlite3_reset(handle: *mut sqlite3_stmt) -> c_int {
        if handle.is_null() {
            return code::OK;
        }
        match statement(handle) {
            Ok((statement, db)) => reset(statement, &db),
            Err(code) => code,
        }
    }

    fn sqlite3_finalize(handle: *mut sqlite3_stmt) -> c_int {
        finalize(handle)
    }

    fn sqlite3_data_count(handle: *mut sqlite3_stmt) -> c_int {
        let Some((statement, _db)) = looked_at(handle) else { return 0 };
        let row = statement.look().filter(|inner| inner.is_on_row());
        row.map_or(0, |inner| inner.column_count() as c_int)
    }
}
