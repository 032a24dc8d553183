//! The handle of a statement, `sqlite3_stmt*`: what it holds, and who may be inside it.
//!
//! A statement is locked by its connection's mutex. While it steps, user functions and hooks run, and they may call
//! in again with the handle of the very statement that is stepping: [`Inside`] lets only one call in at a time, and
//! the others are answered from what stands beside the engine's statement.

use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::ptr::null_mut;

use lithe_engine::{Error, Statement};

use crate::code;
use crate::connection::published::Published;
use crate::connection::{self, Held, Locked, sqlite3};
use crate::memory;
use crate::value::sqlite3_value;

/// Names that were given out as C strings, by what they are of and the column or parameter.
type Names = HashMap<(u8, c_int), Box<[u8]>>;

/// A statement.
#[allow(non_camel_case_types)]
pub struct sqlite3_stmt {
    db: *mut sqlite3,
    inner: UnsafeCell<Statement>,
    /// A call is inside `inner`.
    is_entered: Cell<bool>,
    /// Rows so far, all runs together: whether a column was fetched for the present one.
    pub(crate) row: Cell<u64>,
    /// What is told without the connection's mutex.
    pub(crate) published: Published,
    /// Runs that have ended.
    pub(crate) runs: Cell<i64>,
    /// It was stepped since the last reset.
    pub(crate) was_stepped: Cell<bool>,
    pub(crate) columns: UnsafeCell<Vec<sqlite3_value>>,
    /// The NULL that is a column that does not exist.
    pub(crate) no_column: UnsafeCell<sqlite3_value>,
    /// Made by `sqlite3_prepare` or `sqlite3_prepare16`: errors come out of `sqlite3_reset`.
    pub(crate) is_legacy: bool,
    /// The error that the last run ended with: `sqlite3_reset` answers it.
    pub(crate) failure: Cell<Option<Box<Error>>>,
    pub(crate) sql: CString,
    /// The normalized text, once somebody has asked for it.
    pub(crate) normalized: OnceCell<CString>,
    /// Names that were given out.
    pub(crate) names: RefCell<Names>,
    /// When the run began, for `sqlite3_profile`.
    pub(crate) began: Cell<Option<std::time::Instant>>,
    /// The list of the connection's statements.
    pub(crate) next: Cell<*mut sqlite3_stmt>,
    previous: Cell<*mut sqlite3_stmt>,
}

impl sqlite3_stmt {
    /// Puts a statement on the heap and into the list of its connection.
    pub(crate) fn create(
        db: &sqlite3,
        handle: *mut sqlite3,
        inner: Statement,
        sql: CString,
        is_legacy: bool,
    ) -> *mut sqlite3_stmt {
        let next = db.statements.get();
        let statement = Box::into_raw(Box::new(sqlite3_stmt {
            db: handle,
            published: Published::new(&inner),
            runs: Cell::new(0),
            inner: UnsafeCell::new(inner),
            is_entered: Cell::new(false),
            row: Cell::new(0),
            was_stepped: Cell::new(false),
            columns: UnsafeCell::default(),
            no_column: UnsafeCell::default(),
            is_legacy,
            failure: Cell::new(None),
            sql,
            normalized: OnceCell::new(),
            names: RefCell::default(),
            began: Cell::new(None),
            next: Cell::new(next),
            previous: Cell::new(null_mut()),
        }));
        // SAFETY: the list holds live statements of this connection only, and its mutex is held.
        if let Some(next) = unsafe { next.as_ref() } {
            next.previous.set(statement);
        }
        db.statements.set(statement);
        statement
    }

    /// Takes it out of the list.
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

    /// The text with the values of its parameters, in memory that the application frees; null if longer than `length_max`.
    pub(crate) fn expanded_sql(&self, length_max: usize) -> *mut c_char {
        match self.enter() {
            Ok(mut inside) => {
                let text = inside.get().expanded_sql();
                if text.len() > length_max { null_mut() } else { memory::copy_text(&text) }
            }
            // A function of the application asks while the statement is at work: the text has to do as it is.
            Err(_) => memory::copy_text(self.sql.as_bytes()),
        }
    }

    /// Goes inside, unless somebody is there.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Inside<'_>, c_int> {
        if self.is_entered.replace(true) {
            return Err(code::MISUSE);
        }
        Ok(Inside { statement: self })
    }

    /// Looks inside, unless somebody is there who may change it.
    #[inline(always)]
    pub(crate) fn look(&self) -> Option<&Statement> {
        if self.is_entered.get() {
            return None;
        }
        // SAFETY: nobody is inside, the mutex keeps other threads out, and a call that only looks calls nothing that could come in.
        Some(unsafe { &*self.inner.get() })
    }

    /// Nobody goes or looks inside any more: its connection was given up.
    pub(crate) fn close(&self) {
        self.is_entered.set(true);
    }

    /// The values of the present row do not stand any more.
    #[inline]
    pub(crate) fn leave_row(&self) {
        self.row.set(self.row.get() + 1);
    }
}

/// The one call that is inside a statement.
pub(crate) struct Inside<'s> {
    statement: &'s sqlite3_stmt,
}

impl Inside<'_> {
    /// The engine's statement.
    #[inline]
    pub(crate) fn get(&mut self) -> &mut Statement {
        // SAFETY: `is_entered` keeps every other call out, and the mutex other threads.
        unsafe { &mut *self.statement.inner.get() }
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

/// The statement behind a handle for a call that only looks at it, with its connection held.
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

/// Ends a statement and frees it. Answers what its last run ended with.
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
        return answer; // it is running, further up on this very stack
    }
    statement.unlink(&db);
    // SAFETY: it was made by `create`, and nothing refers to it any more.
    let sqlite3_stmt { inner, .. } = *unsafe { Box::from_raw(handle) };
    if !connection::is_poisoned(&db) {
        db.core().put_back(inner.into_inner());
    }
    drop(db);
    // SAFETY: the lock has been given back, and no reference is left.
    unsafe { connection::free_if_unused(db_handle) };
    answer
}

/// Ends the run. Answers what it ended with, as `sqlite3_reset` does.
#[inline(always)]
pub(crate) fn reset(statement: &sqlite3_stmt, db: &sqlite3) -> c_int {
    let Ok(mut inside) = statement.enter() else { return code::MISUSE };
    if !statement.was_stepped.replace(false) {
        // The last error is another call's, and stays.
        return code::OK;
    }
    statement.leave_row();
    statement.runs.set(statement.runs.get() + 1);
    inside.get().reset(db.core());
    statement.published.end_step(false);
    drop(inside);
    if db.hooks.is_traced() || statement.began.get().is_some() {
        db.hooks.profile(statement);
    }
    match statement.failure.take() {
        None => db.ok(),
        // It becomes the connection's last one, whatever has happened since.
        Some(error) => db.fail(&error),
    }
}
