//! The handle of a statement, `sqlite3_stmt*`: its content, and the exclusive access to it.
//!
//! A statement is locked by its connection's mutex. While it steps, user functions and hooks run, and may make calls
//! with the handle of the very statement that is stepping. [`Inside`] gives only one call access to the engine's
//! statement; nested calls get values that are stored beside it.

use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use lithe_engine::{Error, SqlText, Statement};

use crate::code;
use crate::connection::published::Published;
use crate::connection::{self, Held, Locked, sqlite3};
use crate::memory;
use crate::value::sqlite3_value;

/// Names that were returned as C strings, by kind and number of the column or parameter.
type Names = HashMap<(u8, c_int), Box<[u8]>>;

/// A statement.
#[allow(non_camel_case_types)]
pub struct sqlite3_stmt {
    db: *mut sqlite3,
    /// Written by `create` and taken out by `finalize`, where it stands: it is large.
    inner: UnsafeCell<MaybeUninit<Statement>>,
    /// A call has access to `inner`.
    is_entered: Cell<bool>,
    /// Counts the rows of all runs: tells whether a column was fetched for the present row.
    pub(crate) row: Cell<u64>,
    /// The state that is read without the connection's mutex.
    pub(crate) published: Published,
    /// Runs that have ended.
    pub(crate) runs: Cell<i64>,
    /// The statement was stepped since the last reset.
    pub(crate) was_stepped: Cell<bool>,
    /// Whether it was compiled for a listing of itself (`sqlite3_stmt_explain`).
    pub(crate) was_listed: Cell<bool>,
    pub(crate) columns: UnsafeCell<Vec<sqlite3_value>>,
    /// Texts of this run may have been asked for in UTF-16, or are stored so: what a column's blob and its length are depends on its value's form.
    pub(crate) has_forms: Cell<bool>,
    /// The NULL value of columns that do not exist, made when one is asked for.
    pub(crate) no_column: UnsafeCell<Option<Box<sqlite3_value>>>,
    /// Made by `sqlite3_prepare` or `sqlite3_prepare16`: `sqlite3_reset` returns the errors.
    pub(crate) is_legacy: bool,
    /// The error of the last run, which `sqlite3_reset` returns.
    pub(crate) failure: Cell<Option<Box<Error>>>,
    /// The statement has expired, and is one of the old interface or could not be compiled again: what a reset returns is not the
    /// connection's last error.
    pub(crate) has_expired: Cell<bool>,
    pub(crate) sql: SqlText,
    /// The normalized text, computed at its first use.
    pub(crate) normalized: OnceCell<CString>,
    /// Names that were returned, if there are any.
    pub(crate) names: RefCell<Option<Box<Names>>>,
    /// When the run began, for `sqlite3_profile`.
    pub(crate) began: Cell<Option<std::time::Instant>>,
    /// The next statement in the list of the connection.
    pub(crate) next: Cell<*mut sqlite3_stmt>,
    previous: Cell<*mut sqlite3_stmt>,
}

impl sqlite3_stmt {
    /// Puts a statement on the heap and into the list of its connection.
    pub(crate) fn create(db: &sqlite3, handle: *mut sqlite3, inner: Statement, is_legacy: bool) -> *mut sqlite3_stmt {
        let next = db.statements.get();
        let statement = Box::into_raw(Box::write(
            Box::new_uninit(),
            sqlite3_stmt {
                db: handle,
                published: Published::new(&inner),
                runs: Cell::new(0),
                sql: inner.sql_text().clone(),
                inner: UnsafeCell::new(MaybeUninit::uninit()),
                is_entered: Cell::new(false),
                row: Cell::new(0),
                was_stepped: Cell::new(false),
                was_listed: Cell::new(false),
                columns: UnsafeCell::default(),
                has_forms: Cell::new(false),
                no_column: UnsafeCell::default(),
                is_legacy,
                failure: Cell::new(None),
                has_expired: Cell::new(false),
                normalized: OnceCell::new(),
                names: RefCell::default(),
                began: Cell::new(None),
                next: Cell::new(next),
                previous: Cell::new(null_mut()),
            },
        ));
        // SAFETY: the statement lives, and nobody else knows it.
        unsafe { (*statement).inner.get_mut().write(inner) };
        // SAFETY: the list holds live statements of this connection only, and its mutex is held.
        if let Some(next) = unsafe { next.as_ref() } {
            next.previous.set(statement);
        }
        db.statements.set(statement);
        statement
    }

    /// Removes the statement from the list.
    fn unlink(&self, db: &sqlite3) {
        let (next, previous) = (self.next.get(), self.previous.get());
        // SAFETY: as in `create`.
        unsafe {
            match previous.as_ref() {
                Some(previous) => previous.next.set(next),
                None => db.statements.set(next),
            }
            if let Some(next) = next.as_ref() {
                next.previous.set(previous);
            }
        }
    }

    /// The connection's handle.
    pub(crate) fn db(&self) -> *mut sqlite3 {
        self.db
    }

    /// The text with the values of its parameters, in memory that the application frees; null if it exceeds
    /// `length_max`.
    pub(crate) fn expanded_sql(&self, length_max: usize) -> *mut c_char {
        match self.enter() {
            Ok(mut inside) => {
                let text = inside.get().expanded_sql();
                if text.len() > length_max { null_mut() } else { memory::copy_text(&text) }
            }
            // A function of the application calls this while the statement runs: the text is returned without values.
            Err(_) => memory::copy_text(self.sql.as_bytes()),
        }
    }

    /// Gets exclusive access to the engine's statement; SQLITE_MISUSE if another call further down on the stack has it.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Inside<'_>, c_int> {
        if self.is_entered.replace(true) {
            return Err(code::MISUSE);
        }
        Ok(Inside { statement: self })
    }

    /// Gets read access to the engine's statement; `None` if another call, which may change it, has access.
    #[inline(always)]
    pub(crate) fn look(&self) -> Option<&Statement> {
        if self.is_entered.get() {
            return None;
        }
        // SAFETY: no call has access, the mutex keeps other threads out, and a call that only reads makes no call that
        // could get access.
        Some(unsafe { (*self.inner.get()).assume_init_ref() })
    }

    /// Prevents all later access to the engine's statement: its connection was abandoned.
    pub(crate) fn close(&self) {
        self.is_entered.set(true);
    }

    /// Invalidates the values of the current row.
    #[inline]
    pub(crate) fn leave_row(&self) {
        self.row.set(self.row.get() + 1);
    }
}

/// The exclusive access of one call to a statement.
pub(crate) struct Inside<'s> {
    statement: &'s sqlite3_stmt,
}

impl Inside<'_> {
    /// The engine's statement.
    #[inline]
    pub(crate) fn get(&mut self) -> &mut Statement {
        // SAFETY: `is_entered` keeps out every other call of this thread, and the mutex keeps out other threads.
        unsafe { (*self.statement.inner.get()).assume_init_mut() }
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.statement.is_entered.set(false);
    }
}

/// The statement behind a handle, with its connection locked.
///
/// # Safety
/// `handle` is null, or a statement that was prepared and not finalized.
#[inline(always)]
pub(crate) unsafe fn statement<'a>(handle: *mut sqlite3_stmt) -> Result<(&'a sqlite3_stmt, Locked<'a>), c_int> {
    // SAFETY: our caller's promise.
    let statement = unsafe { handle.as_ref() }.ok_or(code::MISUSE)?;
    // SAFETY: a connection lives at least as long as its statements.
    let db = unsafe { connection::of_statement(statement.db) };
    if connection::is_poisoned(&db) {
        return Err(db.fail_poisoned());
    }
    Ok((statement, db))
}

/// The statement behind a handle for a call that only reads it, with its connection held.
///
/// # Safety
/// As [`statement`].
#[inline(always)]
pub(crate) unsafe fn looked_at<'a>(handle: *mut sqlite3_stmt) -> Option<(&'a sqlite3_stmt, Held<'a>)> {
    // SAFETY: our caller's promise.
    let statement = unsafe { handle.as_ref() }?;
    // SAFETY: a connection lives at least as long as its statements.
    Some((statement, unsafe { connection::held(statement.db) }))
}

/// Ends a statement and frees it. Returns the result of its last run.
///
/// # Safety
/// As [`statement`]; the handle is not used afterwards.
pub(crate) unsafe fn finalize(handle: *mut sqlite3_stmt) -> c_int {
    // SAFETY: our caller's promise.
    let Some(statement) = (unsafe { handle.as_ref() }) else { return code::OK };
    let db_handle = statement.db;
    // SAFETY: as in `statement`.
    let db = unsafe { connection::of_object(db_handle) };
    let is_running = statement.is_entered.get() && !db.is_abandoned();
    let answer = if connection::is_poisoned(&db) && !is_running { db.fail_poisoned() } else { reset(statement, &db) };
    if answer == code::MISUSE && statement.is_entered.get() {
        return answer; // it is running, further down on this stack
    }
    statement.unlink(&db);
    let inner = statement.inner.get().cast::<Statement>().cast_const();
    let mut abandoned = None;
    if connection::is_poisoned(&db) {
        // SAFETY: nothing refers to the statement any more, and it is taken out once.
        abandoned = Some(unsafe { inner.read() });
    } else {
        // SAFETY: as above.
        db.core().put_back(unsafe { inner.read() });
    }
    // SAFETY: it was made by `create`.
    drop(unsafe { Box::from_raw(handle) });
    drop(db);
    // SAFETY: the lock was released, and no reference is left.
    unsafe { connection::free_if_unused(db_handle) };
    drop(abandoned);
    answer
}

/// Ends the run. Returns its result, as `sqlite3_reset` does.
#[inline(always)]
pub(crate) fn reset(statement: &sqlite3_stmt, db: &sqlite3) -> c_int {
    let Ok(mut inside) = statement.enter() else { return code::MISUSE };
    if !statement.was_stepped.replace(false) {
        // The last error belongs to another call, and stays.
        return code::OK;
    }
    statement.leave_row();
    statement.runs.set(statement.runs.get() + 1);
    let ended = inside.get().reset(db.core());
    statement.published.end_step(false);
    drop(inside);
    if db.hooks.is_traced() || statement.began.get().is_some() {
        db.hooks.profile(statement);
    }
    match (statement.failure.take(), ended) {
        (None, Ok(())) => db.ok(),
        (Some(error), _) if statement.has_expired.take() => db.masked(error.code().0),
        // The run's error becomes the connection's last error, whatever has happened since.
        (Some(error), _) => db.fail(&error),
        (None, Err(error)) => db.fail(&error),
    }
}
