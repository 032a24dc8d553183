//! From text to statements, and properties of a statement.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use lithe_engine::Limit;
use lithe_engine::value::Encoding;

use crate::code;
use crate::connection::statement::{sqlite3_stmt, statement};
use crate::connection::{Locked, live, sqlite3};
use crate::error_log;
use crate::ffi_guard::api;
use crate::text;
use crate::text::c_string;

/// The SQL of one prepare call.
struct Source<'a> {
    sql: &'a [u8],
    how: How,
}

/// The kind of call, and its flags.
#[derive(Clone, Copy)]
struct How {
    /// The statement reports errors as those of the old interface do.
    is_legacy: bool,
    flags: c_uint,
}

impl How {
    const LEGACY: How = How { is_legacy: true, flags: 0 };
    const V2: How = How { is_legacy: false, flags: 0 };

    fn v3(flags: c_uint) -> How {
        How { is_legacy: false, flags }
    }
}

/// The value in the header. (The other flags of `sqlite3_prepare_v3` are hints.)
const SQLITE_PREPARE_NO_VTAB: c_uint = 0x04;

/// Compiles the first statement. Returns the code and how many bytes were used.
fn prepare(db: &Locked<'_>, handle: *mut sqlite3, source: &Source<'_>, out: &mut *mut sqlite3_stmt) -> (c_int, usize) {
    let prepared = match source.how.flags & SQLITE_PREPARE_NO_VTAB {
        0 => db.core().prepare(source.sql),
        _ => db.core().prepare_without_virtual_tables(source.sql),
    };
    match prepared {
        Ok(prepared) => {
            if let Some(mut inner) = prepared.statement {
                inner.set_can_wait();
                if source.how.is_legacy {
                    inner.set_legacy();
                }
                if error_log::is_kept() {
                    error_log::note_quoted_strings(inner.quoted_strings());
                }
                *out = sqlite3_stmt::create(db, handle, inner, source.how.is_legacy);
            }
            (db.ok(), prepared.tail)
        }
        Err(error) => {
            if error_log::is_kept() {
                error_log::note_uncompiled(&error, source.sql);
            }
            (db.fail(&error), db.core().tail_after_error(source.sql, &error))
        }
    }
}

/// As `sqlite3_prepare_v2`, of a text whose length is known. Returns the code and how many bytes were used.
pub(crate) fn prepare_one(
    db: &Locked<'_>,
    handle: *mut sqlite3,
    sql: &[u8],
    out: &mut *mut sqlite3_stmt,
) -> (c_int, usize) {
    prepare(db, handle, &Source { sql, how: How::V2 }, out)
}

/// The text up to its NUL, and at most `n` bytes if `n` is not negative; of a long one, no more than its first statement. A
/// program may prepare a script of many megabytes statement by statement: to look for its end each time would take
/// longer than to run it.
///
/// # Safety
/// `sql` ends with NUL or is `n` bytes long.
unsafe fn source<'a>(sql: *const c_char, n: c_int) -> &'a [u8] {
    /// Most statements are shorter.
    const FIRST_LOOK: usize = 1024;
    let longest = usize::try_from(n).unwrap_or(isize::MAX as usize);
    // The log of errors quotes the whole text.
    let mut looked = if error_log::is_kept() { longest } else { FIRST_LOOK };
    loop {
        // SAFETY: our caller's promise; strnlen stops at the first of the two ends.
        let text = unsafe { std::slice::from_raw_parts(sql.cast(), libc::strnlen(sql, looked.min(longest))) };
        if text.len() < looked || looked >= longest {
            return text;
        }
        if let Some(len) = lithe_engine::sql::first_statement_len(text) {
            return &text[..len];
        }
        looked = looked.saturating_mul(8);
    }
}

/// Whether a text of `n` bytes, which does not end with NUL, is longer than the limit. Of others the statement is measured.
///
/// # Safety
/// `sql` ends with NUL or is `n` bytes long.
unsafe fn is_too_long(db: &Locked<'_>, sql: *const c_char, n: c_int) -> bool {
    let Ok(len) = usize::try_from(n) else { return false };
    // SAFETY: our caller's promise.
    let has_end = len > 0 && unsafe { *sql.add(len - 1) } == 0;
    !has_end && n > db.core().limit(Limit::SqlLength)
}

/// Locks the connection and sets the output to null. The error is the code of a misuse.
///
/// # Safety
/// As the C functions document it.
unsafe fn begin<'a>(
    handle: *mut sqlite3,
    sql: *const c_void,
    statement: *mut *mut sqlite3_stmt,
) -> Result<(Locked<'a>, &'a mut *mut sqlite3_stmt), c_int> {
    // SAFETY: our caller's promise.
    let (out, db) = unsafe {
        let out = statement.as_mut().ok_or(code::MISUSE)?;
        *out = null_mut();
        (out, live(handle)?)
    };
    // As for misuse in general, the connection's last error is not changed.
    if sql.is_null() { Err(code::MISUSE) } else { Ok((db, out)) }
}

/// # Safety
/// As the C functions document it.
unsafe fn prepare8(
    handle: *mut sqlite3,
    sql: *const c_char,
    n: c_int,
    how: How,
    statement: *mut *mut sqlite3_stmt,
    tail: *mut *const c_char,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        let (db, out) = match begin(handle, sql.cast(), statement) {
            Ok(begun) => begun,
            Err(code) => return code,
        };
        if is_too_long(&db, sql, n) {
            return db.fail_with(code::TOOBIG, "statement too long");
        }
        let (code, used) = prepare(&db, handle, &Source { sql: source(sql, n), how }, out);
        if let Some(tail) = tail.as_mut() {
            *tail = sql.add(used);
        }
        code
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn prepare16(
    handle: *mut sqlite3,
    sql: *const c_void,
    n: c_int,
    how: How,
    statement: *mut *mut sqlite3_stmt,
    tail: *mut *const c_void,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        let (db, out) = match begin(handle, sql.cast(), statement) {
            Ok(begun) => begun,
            Err(code) => return code,
        };
        let wide = text::sized16(sql, n.into());
        let end = wide.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(wide.len(), |units| 2 * units);
        let mut utf8 = lithe_engine::value::Buffer::new();
        Encoding::UTF16_NATIVE.decode(&wide[..end], &mut utf8);
        let sql8 = utf8.into_vec();
        let (code, used) = prepare(&db, handle, &Source { sql: &sql8, how }, out);
        if let Some(tail) = tail.as_mut() {
            *tail = sql.byte_add(text::utf16_len(&sql8[..used]));
        }
        code
    }
}

api! {
    fn sqlite3_prepare(
        db: *mut sqlite3, sql: *const c_char, n: c_int, statement: *mut *mut sqlite3_stmt, tail: *mut *const c_char,
    ) -> c_int {
        prepare8(db, sql, n, How::LEGACY, statement, tail)
    }

    fn sqlite3_prepare_v2(
        db: *mut sqlite3, sql: *const c_char, n: c_int, statement: *mut *mut sqlite3_stmt, tail: *mut *const c_char,
    ) -> c_int {
        prepare8(db, sql, n, How::V2, statement, tail)
    }

    fn sqlite3_prepare_v3(
        db: *mut sqlite3, sql: *const c_char, n: c_int, flags: c_uint, statement: *mut *mut sqlite3_stmt,
        tail: *mut *const c_char,
    ) -> c_int {
        prepare8(db, sql, n, How::v3(flags), statement, tail)
    }

    fn sqlite3_prepare16(
        db: *mut sqlite3, sql: *const c_void, n: c_int, statement: *mut *mut sqlite3_stmt, tail: *mut *const c_void,
    ) -> c_int {
        prepare16(db, sql, n, How::LEGACY, statement, tail)
    }

    fn sqlite3_prepare16_v2(
        db: *mut sqlite3, sql: *const c_void, n: c_int, statement: *mut *mut sqlite3_stmt, tail: *mut *const c_void,
    ) -> c_int {
        prepare16(db, sql, n, How::V2, statement, tail)
    }

    fn sqlite3_prepare16_v3(
        db: *mut sqlite3, sql: *const c_void, n: c_int, flags: c_uint, statement: *mut *mut sqlite3_stmt,
        tail: *mut *const c_void,
    ) -> c_int {
        prepare16(db, sql, n, How::v3(flags), statement, tail)
    }

    fn sqlite3_sql(handle: *mut sqlite3_stmt) -> *const c_char {
        handle.as_ref().map_or(null(), |statement| statement.sql.as_ptr().cast())
    }

    fn sqlite3_expanded_sql(handle: *mut sqlite3_stmt) -> *mut c_char {
        let Ok((statement, db)) = statement(handle) else { return null_mut() };
        statement.expanded_sql(db.length_max())
    }

    fn sqlite3_normalized_sql(handle: *mut sqlite3_stmt) -> *const c_char {
        let Ok((statement, _db)) = statement(handle) else { return null() };
        if let Some(known) = statement.normalized.get() {
            return known.as_ptr();
        }
        // The property cannot be read while a call changes the statement.
        let Some(inner) = statement.look() else { return null() };
        let text = inner.normalized_sql();
        statement.normalized.get_or_init(|| c_string(&text)).as_ptr()
    }

    fn sqlite3_stmt_readonly(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(1, |statement| statement.published.is_read_only.into())
    }

    fn sqlite3_stmt_isexplain(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(0, |statement| statement.published.explain())
    }

    fn sqlite3_stmt_explain(handle: *mut sqlite3_stmt, mode: c_int) -> c_int {
        let (statement, db) = match statement(handle) {
            Ok(found) => found,
            Err(code) => return code,
        };
        // The call that has access is running the statement.
        let Ok(mut inside) = statement.enter() else { return code::BUSY };
        let is_other = c_int::from(inside.get().explain()) != mode;
        // Statements of the old interface are never compiled again.
        if !(0..=2).contains(&mode) || is_other && statement.is_legacy {
            return code::ERROR;
        }
        if is_other && statement.was_stepped.get() {
            return code::BUSY;
        }
        let changed = inside.get().set_explain(db.core(), mode);
        statement.published.set_columns(inside.get());
        match changed {
            // As in SQLite, the first listing is a preparation; those that follow leave the last error what it is.
            Ok(()) if is_other && mode != 0 && !statement.was_listed.replace(true) => db.ok(),
            Ok(()) => code::OK,
            Err(error) => db.fail(&error),
        }
    }

    fn sqlite3_stmt_busy(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(0, |statement| statement.published.is_running().into())
    }

    fn sqlite3_db_handle(handle: *mut sqlite3_stmt) -> *mut sqlite3 {
        handle.as_ref().map_or(null_mut(), sqlite3_stmt::db)
    }

    fn sqlite3_next_stmt(db: *mut sqlite3, handle: *mut sqlite3_stmt) -> *mut sqlite3_stmt {
        let Ok(db) = live(db) else { return null_mut() };
        match handle.as_ref() {
            Some(statement) => statement.next.get(),
            None => db.statements.get(),
        }
    }

    /// Deprecated.
    fn sqlite3_expired(handle: *mut sqlite3_stmt) -> c_int {
        let Ok((statement, db)) = statement(handle) else { return 1 };
        statement.enter().map_or(0, |mut inside| inside.get().is_expired(db.core()).into())
    }
}
