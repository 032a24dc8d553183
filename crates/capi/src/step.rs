//! Running statements.

use std::ffi::c_int;

use lithe_engine::value::Encoding;
use lithe_engine::{Statement, Step};

use crate::code;
use crate::connection::statement::{Inside, finalize, reset, sqlite3_stmt, statement};
use crate::connection::{self, Locked, sqlite3};
use crate::error_log;
use crate::ffi_guard::api;

/// One step. The connection has been locked.
#[inline]
fn step(statement: &sqlite3_stmt, db: &Locked<'_>) -> c_int {
    let Ok(mut inside) = statement.enter() else { return db.fail_code(code::MISUSE) };
    statement.leave_row();
    let is_first = !statement.was_stepped.replace(true);
    let is_under_way = statement.published.is_running();
    let begins = !inside.get().is_running();
    if !is_first && (begins || inside.get().waits()) {
        let failure = statement.failure.take();
        if !is_under_way {
            // The run before has ended: as if by sqlite3_reset.
            match failure {
                Some(_) if statement.has_expired.take() => {}
                Some(error) => drop(db.fail(&error)),
                None => drop(db.ok()),
            }
        }
    }
    statement.published.begin_step();
    if db.hooks.is_traced() {
        return step_traced(statement, db, inside, begins && !is_under_way);
    }
    let result = inside.get().step(db.core());
    publish(statement, db, &mut inside, begins, &result);
    match result {
        Ok(Step::Row) => row(db),
        Ok(Step::Done) => done(db),
        Err(_) => end(statement, db, result, Ended::of(inside.get())),
    }
}

/// What the result of a step that gave no row depends on.
#[derive(Clone, Copy, Default)]
struct Ended {
    /// The statement did not turn out to have expired.
    has_begun: bool,
    /// It had, before it ran, and could not be compiled again.
    is_refused: bool,
    /// A statement of the old interface, too, returns SQLITE_BUSY.
    tells_busy: bool,
    /// After SQLITE_BUSY the statement is under way.
    waits: bool,
}

impl Ended {
    fn of(statement: &Statement) -> Ended {
        let waits = statement.waits();
        let (has_begun, is_refused) = (statement.has_begun(), statement.is_refused());
        Ended { has_begun, is_refused, tells_busy: waits || statement.has_program(), waits }
    }
}

/// Publishes the state for calls without the mutex. The first step of a run may have compiled the statement again.
#[inline]
fn publish(
    statement: &sqlite3_stmt,
    db: &sqlite3,
    inside: &mut Inside<'_>,
    begins: bool,
    result: &Result<Step, lithe_engine::Error>,
) {
    if begins {
        statement.published.begin_run(inside.get());
        statement.has_forms.set(db.core().encoding() != Encoding::Utf8);
    }
    statement.published.end_step(matches!(result, Ok(Step::Row)));
}

#[inline]
fn row(db: &sqlite3) -> c_int {
    db.error.set_step(code::ROW);
    code::ROW
}

#[inline]
fn done(db: &sqlite3) -> c_int {
    db.error.set_step(code::DONE);
    code::DONE
}

/// The end of a step without a row.
fn end(statement: &sqlite3_stmt, db: &sqlite3, result: Result<Step, lithe_engine::Error>, ended: Ended) -> c_int {
    match result {
        Err(_) if connection::is_poisoned(db) => db.fail_poisoned(),
        Err(error) => {
            if error_log::is_kept() {
                error_log::note_aborted(&error, statement.sql.as_c_str());
            }
            let code = error.code().0;
            // A statement of the old interface returns SQLITE_ERROR; the error itself is returned by its reset.
            if statement.is_legacy && !ended.has_begun && code == code::SCHEMA {
                // As in SQLite, the last error is that of another call, and stays.
                statement.has_expired.set(true);
                statement.failure.set(Some(Box::new(error)));
                return code::ERROR;
            }
            let is_busy = code::primary(code) == code::BUSY;
            if is_busy && ended.waits {
                statement.published.wait();
            }
            // A reset returns the code of a statement that could not be compiled again, but leaves the connection's last error as it is.
            statement.has_expired.set(!statement.is_legacy && ended.is_refused);
            let is_told = !statement.is_legacy || is_busy && ended.tells_busy || code::primary(code) == code::MISUSE;
            let answer = if is_told { db.fail(&error) } else { db.fail_untold() };
            statement.failure.set(Some(Box::new(error)));
            answer
        }
        Ok(_) => done(db),
    }
}

/// The same, with calls of the trace callbacks. `is_new`: they have not been told of this run, which has not waited.
#[cold]
fn step_traced<'s>(statement: &'s sqlite3_stmt, db: &Locked<'_>, mut inside: Inside<'s>, is_new: bool) -> c_int {
    let begins = !inside.get().is_running();
    let explains = inside.get().explain() != 0;
    if is_new {
        let current = inside.get().make_current(db.core());
        drop(inside);
        if let Err(error) = current {
            statement.published.end_step(false);
            return end(statement, db, Err(error), Ended { is_refused: true, ..Ended::default() });
        }
        db.hooks.trace_statement(statement, explains);
        let Ok(again) = statement.enter() else { return db.fail_code(code::MISUSE) };
        inside = again;
    }
    let around = db.hooks.begin_step(statement);
    let result = Statement::step(inside.get(), db.core());
    publish(statement, db, &mut inside, begins, &result);
    db.hooks.end_step(around);
    let ended = Ended::of(inside.get());
    drop(inside);
    if let Ok(Step::Row) = result {
        let answer = row(db);
        if !explains {
            db.hooks.trace_row(statement);
        }
        return answer;
    }
    let answer = end(statement, db, result, ended);
    db.hooks.profile(statement);
    answer
}

api! {
    fn sqlite3_step(handle: *mut sqlite3_stmt) -> c_int {
        match statement(handle) {
            Ok((statement, db)) => {
                let code = step(statement, &db);
                db.release();
                code
            }
            Err(code) => code,
        }
    }

    fn sqlite3_reset(handle: *mut sqlite3_stmt) -> c_int {
        if handle.is_null() {
            return code::OK;
        }
        match statement(handle) {
            Ok((statement, db)) => {
                let code = reset(statement, &db);
                db.release();
                code
            }
            Err(code) => code,
        }
    }

    fn sqlite3_finalize(handle: *mut sqlite3_stmt) -> c_int {
        finalize(handle)
    }

    fn sqlite3_data_count(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(0, |statement| statement.published.data_count())
    }
}
