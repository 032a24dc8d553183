//! The columns of a row, and the names and types of a statement's columns.
//!
//! Numbers and blobs are read directly from the engine's row. Text needs a NUL behind it, and is copied to a value of
//! the statement, whose memory is reused from row to row.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;

use lithe_engine::value::{Encoding, ValueRef, cast};

use crate::code;
use crate::connection::sqlite3;
use crate::connection::statement::{looked_at, sqlite3_stmt, statement};
use crate::context::application_pointer;
use crate::ffi_guard::api;
use crate::text;
use crate::value::{kind_of, sqlite3_value};

/// Calls `f` with a column of the present row; a column that does not exist is NULL, and sets SQLITE_RANGE.
///
/// # Safety
/// `handle` is null or a live statement.
#[inline(always)]
unsafe fn with<T>(handle: *mut sqlite3_stmt, index: c_int, none: T, f: impl FnOnce(ValueRef<'_>) -> T) -> T {
    // SAFETY: our caller's promise.
    let Some((statement, db)) = (unsafe { looked_at(handle) }) else { return none };
    let Some(inner) = statement.look() else { return none };
    // A negative number becomes one far beyond the last column.
    match inner.value_if_any(index as u32 as usize) {
        Some(value) => f(value),
        None => {
            out_of_range(statement, &db);
            f(ValueRef::Null)
        }
    }
}

/// There is no such column. As in SQLite, the extended code of the statement's failure is lost, unless the connection has them on.
#[cold]
fn out_of_range(statement: &sqlite3_stmt, db: &sqlite3) {
    db.fail_code(code::RANGE);
    let failure = statement.failure.take().map(|error| {
        let code = db.masked(error.code().0);
        Box::new(if code == error.code().0 { *error } else { error.with_code(code) })
    });
    statement.failure.set(failure);
}

/// Calls `f` with the value that stores a column's text forms.
///
/// # Safety
/// `handle` is null or a live statement.
#[inline]
unsafe fn with_value<T>(
    handle: *mut sqlite3_stmt,
    index: c_int,
    none: T,
    f: impl FnOnce(&mut sqlite3_value) -> T,
) -> T {
    // SAFETY: our caller's promise.
    let Some((statement, db)) = (unsafe { looked_at(handle) }) else { return none };
    match fetched(statement, &db, index) {
        // SAFETY: the value lives as long as the statement, and the connection is locked, so no other reference to the
        // value is used.
        Some(value) => db.core().with_real_digits(|| f(unsafe { &mut *value })),
        None => {
            out_of_range(statement, &db);
            // SAFETY: the connection is locked, and no reference to this value is kept.
            f(unsafe { &mut *statement.no_column.get() }.get_or_insert_default())
        }
    }
}

/// The value of a column, filled in for the present row.
#[inline]
fn fetched(statement: &sqlite3_stmt, db: &sqlite3, index: c_int) -> Option<*mut sqlite3_value> {
    let inner = statement.look()?;
    let index = index as u32 as usize;
    let content = inner.value_if_any(index)?;
    // SAFETY: the connection is locked; pointers into the values' memory, and to the values themselves, were given to
    // the application, but none of them is read during this call.
    let columns = unsafe { &mut *statement.columns.get() };
    if index >= columns.len() {
        columns.resize_with(inner.column_count(), sqlite3_value::default);
    }
    let value = columns.get_mut(index)?;
    if value.row != statement.row.get() {
        // SAFETY: the row is valid until the next step or reset, and then `row` tells that the value is stale.
        unsafe { value.borrow_stored(content, db.core().encoding()) };
        value.row = statement.row.get();
    }
    Some(std::ptr::from_mut(value))
}

/// The text of a column with a NUL behind it: in place if the NUL fits there, else a copy. `other` handles values that
/// are not text.
///
/// # Safety
/// `handle` is null or a live statement.
#[inline(always)]
unsafe fn text_or<T>(handle: *mut sqlite3_stmt, index: c_int, other: fn(&mut sqlite3_value) -> *const T) -> *const T {
    // SAFETY: our caller's promise.
    let Some((statement, db)) = (unsafe { looked_at(handle) }) else { return null() };
    if !statement.has_forms.get() {
        let Ok(mut inside) = statement.enter() else { return null() };
        // The bytes are valid as long as the row.
        if let Some(text) = inside.get().text_with_nul(index as u32 as usize) {
            return text.as_ptr().cast();
        }
    }
    match fetched(statement, &db, index) {
        // SAFETY: the value lives as long as the statement, and the connection is locked, so no other reference to the
        // value is used.
        Some(value) => db.core().with_real_digits(|| other(unsafe { &mut *value })),
        None => {
            out_of_range(statement, &db);
            null()
        }
    }
}

/// Fills in the value's subtype, pointer and flags, which only functions that take values read.
///
/// # Safety
/// `handle` is a live statement whose connection is locked.
unsafe fn fill_in(handle: *mut sqlite3_stmt, index: c_int, value: &mut sqlite3_value) {
    // SAFETY: our caller's promise.
    let Some(statement) = (unsafe { handle.as_ref() }) else { return };
    if let (Ok(mut inside), Ok(index)) = (statement.enter(), usize::try_from(index)) {
        let inner = inside.get();
        value.subtype = inner.value_subtype(index);
        value.pointer = inner.value_pointer(index).and_then(|pointer| application_pointer(pointer));
    }
}

/// As [`with_value`], for calls after which the value may have another form than UTF-8.
///
/// # Safety
/// `handle` is null or a live statement.
unsafe fn with_form<T>(handle: *mut sqlite3_stmt, index: c_int, none: T, f: impl FnOnce(&mut sqlite3_value) -> T) -> T {
    // SAFETY: our caller's promise.
    unsafe {
        if let Some(statement) = handle.as_ref() {
            statement.has_forms.set(true);
        }
        with_value(handle, index, none, f)
    }
}

#[inline(always)]
fn len_unless_number(value: ValueRef<'_>) -> Option<usize> {
    match value {
        ValueRef::Null => Some(0),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.len()),
        ValueRef::Integer(_) | ValueRef::Real(_) => None,
    }
}

/// The value as an integer. The conversion of other types is not inlined.
#[inline(always)]
fn integer_of(value: ValueRef<'_>) -> i64 {
    #[inline(never)]
    fn convert(value: ValueRef<'_>) -> i64 {
        cast::to_integer(value)
    }
    if let ValueRef::Integer(integer) = value { integer } else { convert(value) }
}

api! {
    fn sqlite3_column_count(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(0, |statement| statement.published.column_count())
    }

    fn sqlite3_column_type(statement: *mut sqlite3_stmt, index: c_int) -> c_int {
        with(statement, index, code::NULL, kind_of)
    }

    fn sqlite3_column_int(statement: *mut sqlite3_stmt, index: c_int) -> c_int {
        with(statement, index, 0, integer_of) as c_int
    }

    fn sqlite3_column_int64(statement: *mut sqlite3_stmt, index: c_int) -> i64 {
        with(statement, index, 0, integer_of)
    }

    fn sqlite3_column_double(statement: *mut sqlite3_stmt, index: c_int) -> f64 {
        with(statement, index, 0.0, cast::to_real)
    }

    fn sqlite3_column_text(statement: *mut sqlite3_stmt, index: c_int) -> *const u8 {
        text_or(statement, index, sqlite3_value::text)
    }

    fn sqlite3_column_text16(statement: *mut sqlite3_stmt, index: c_int) -> *const c_void {
        with_form(statement, index, null(), |value| value.wide(Encoding::UTF16_NATIVE))
    }

    fn sqlite3_column_blob(statement: *mut sqlite3_stmt, index: c_int) -> *const c_void {
        // Programs that read text this way expect the NUL that SQLite happens to leave behind it.
        let start = text_or(statement, index, sqlite3_value::blob);
        if start.is_null() || with(statement, index, None, len_unless_number) != Some(0) { start } else { null() }
    }

    fn sqlite3_column_bytes(statement: *mut sqlite3_stmt, index: c_int) -> c_int {
        // The number of digits of a real is a setting of the connection.
        let has_forms = statement.as_ref().is_some_and(|statement| statement.has_forms.get());
        match with(statement, index, Some(0), len_unless_number) {
            Some(len) if !has_forms => len as c_int,
            _ => with_value(statement, index, 0, |value| value.len() as c_int),
        }
    }

    fn sqlite3_column_bytes16(statement: *mut sqlite3_stmt, index: c_int) -> c_int {
        with_form(statement, index, 0, |value| value.wide_len() as c_int)
    }

    fn sqlite3_column_value(statement: *mut sqlite3_stmt, index: c_int) -> *mut sqlite3_value {
        with_form(statement, index, std::ptr::null_mut(), |value| {
            fill_in(statement, index, value);
            std::ptr::from_mut(value)
        })
    }
}

// ---- names ----

const NAME: u8 = 0;
const DATABASE: u8 = 1;
const TABLE: u8 = 2;
const ORIGIN: u8 = 3;
const DECLARED: u8 = 4;
/// Names of scan status for a line of a query plan: the name of the table or index, and the text of the line, among the
/// loops or among all lines.
pub(crate) const LOOP_NAME: u8 = 6;
pub(crate) const LOOP_DETAIL: u8 = 7;
pub(crate) const LINE_NAME: u8 = 8;
pub(crate) const LINE_DETAIL: u8 = 9;
/// Added to the above for the UTF-16 form.
const WIDE: u8 = 16;

/// A name as a C string that is valid as long as the statement.
pub(crate) fn kept(statement: &sqlite3_stmt, what: u8, index: c_int, name: Option<&str>) -> *const c_char {
    let Some(name) = name else { return null() };
    let mut names = statement.names.borrow_mut();
    let names = names.get_or_insert_default();
    let kept = names.get(&(what, index));
    // A recompiled statement may have other columns: the stored name is valid only if it is still the same.
    if kept.is_none_or(|kept| &kept[..kept.len() - 1] != name.as_bytes()) {
        names.insert((what, index), [name.as_bytes(), b"\0"].concat().into_boxed_slice());
    }
    names[&(what, index)].as_ptr().cast()
}

/// As [`kept`], in UTF-16.
fn kept_wide(statement: &sqlite3_stmt, what: u8, index: c_int, name: Option<&str>) -> *const c_void {
    let Some(name) = name else { return null() };
    let wide = text::to_utf16(name.as_bytes(), Encoding::UTF16_NATIVE);
    let wide: Box<[u8]> = wide.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
    let mut names = statement.names.borrow_mut();
    let names = names.get_or_insert_default();
    let kept = names.entry((what | WIDE, index)).or_default();
    if **kept != *wide {
        *kept = wide;
    }
    kept.as_ptr().cast()
}

/// Calls `f` with the statement and the name of a column, if there is one.
///
/// # Safety
/// `handle` is null or a live statement.
unsafe fn name_of<T>(
    handle: *mut sqlite3_stmt,
    index: c_int,
    what: u8,
    f: fn(&sqlite3_stmt, u8, c_int, Option<&str>) -> *const T,
) -> *const T {
    // SAFETY: our caller's promise.
    let Ok((statement, _db)) = (unsafe { statement(handle) }) else { return null() };
    let Ok(mut inside) = statement.enter() else { return null() };
    let inner = inside.get();
    let Some(column) = usize::try_from(index).ok().and_then(|at| inner.column(at)) else { return null() };
    let origin = column.origin;
    let name = match what {
        NAME => Some(column.name),
        DATABASE => origin.map(|origin| origin.database),
        TABLE => origin.map(|origin| origin.table),
        ORIGIN => origin.map(|origin| origin.column),
        _ => column.declared_type,
    };
    f(statement, what, index, name)
}

/// The functions for one kind of name, in both encodings.
macro_rules! names {
    ($($narrow:ident, $wide:ident, $what:ident;)*) => {
        api! { $(
            fn $narrow(statement: *mut sqlite3_stmt, index: c_int) -> *const c_char {
                name_of(statement, index, $what, kept)
            }

            fn $wide(statement: *mut sqlite3_stmt, index: c_int) -> *const c_void {
                name_of(statement, index, $what, kept_wide)
            }
        )* }
    };
}

names! {
    sqlite3_column_name, sqlite3_column_name16, NAME;
    sqlite3_column_database_name, sqlite3_column_database_name16, DATABASE;
    sqlite3_column_table_name, sqlite3_column_table_name16, TABLE;
    sqlite3_column_origin_name, sqlite3_column_origin_name16, ORIGIN;
    sqlite3_column_decltype, sqlite3_column_decltype16, DECLARED;
}
