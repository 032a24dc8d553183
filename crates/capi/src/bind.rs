//! Values for parameters.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;
use std::rc::Rc;

use lithe_engine::BindValue;
use lithe_engine::value::{Encoding, ValueRef};

use crate::code;
use crate::connection::sqlite3;
use crate::connection::statement::{sqlite3_stmt, statement};
use crate::context::engine_pointer;
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;
use crate::value::{Pointer, sqlite3_value};

/// Binds a value. The statement must not be running.
///
/// # Safety
/// `handle` is null or a live statement.
#[inline(always)]
unsafe fn bind(handle: *mut sqlite3_stmt, number: c_int, value: BindValue<'_>) -> c_int {
    // SAFETY: our caller's promise.
    match unsafe { statement(handle) } {
        Ok((statement, db)) => {
            let code = bind_locked(statement, &db, number, value);
            db.release();
            code
        }
        Err(code) => code,
    }
}

/// The same. The connection has been locked.
#[inline(always)]
fn bind_locked(statement: &sqlite3_stmt, db: &sqlite3, number: c_int, value: BindValue<'_>) -> c_int {
    let Ok(mut inside) = statement.enter() else { return db.fail_code(code::MISUSE) };
    if statement.was_stepped.get() && inside.get().has_begun() {
        return db.fail_code(code::MISUSE); // the statement must be reset first, even at its end
    }
    // A negative number becomes one far beyond the last parameter.
    match inside.get().bind(db.core(), number as u32 as usize, value) {
        // As in SQLite, integers leave the connection's last error what it is.
        Ok(()) if matches!(value, BindValue::Value(ValueRef::Integer(_))) => code::OK,
        Ok(()) => db.ok(),
        Err(error) => db.fail_code(error.code().0),
    }
}

/// Binds bytes, and calls the destructor: the bytes were copied, or binding has failed.
///
/// # Safety
/// As the C functions document it.
#[inline]
unsafe fn bind_bytes<'v>(
    handle: *mut sqlite3_stmt,
    number: c_int,
    start: *const c_void,
    destructor: Destructor,
    value: ValueRef<'v>,
) -> c_int {
    let value = if start.is_null() { ValueRef::Null } else { value };
    // SAFETY: our caller's promise.
    unsafe {
        let answer = bind(handle, number, BindValue::Value(value));
        if !start.is_null() {
            memory::destroy(destructor, start);
        }
        answer
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn bind_wide(
    handle: *mut sqlite3_stmt,
    number: c_int,
    start: *const c_void,
    len: i64,
    destructor: Destructor,
    encoding: Encoding,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        let utf8 = text::from_utf16(text::sized16(start, len), encoding);
        bind_bytes(handle, number, start, destructor, ValueRef::Text(&utf8))
    }
}

/// Refuses a length that no value can have.
///
/// # Safety
/// As the C functions document it.
unsafe fn refuse_too_big(handle: *mut sqlite3_stmt, start: *const c_void, destructor: Destructor) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        memory::destroy(destructor, start);
        match statement(handle) {
            Ok((_, db)) => db.fail_code(code::TOOBIG),
            Err(code) => code,
        }
    }
}

/// `sqlite3_bind_zeroblob` does not check the limit: the statement fails when it runs.
///
/// # Safety
/// `handle` is a live statement that has this parameter.
unsafe fn bind_too_many_zeros(handle: *mut sqlite3_stmt, number: c_int) -> c_int {
    // SAFETY: our caller's promise.
    let (statement, db) = match unsafe { statement(handle) } {
        Ok(found) => found,
        Err(code) => return code,
    };
    if let (Ok(mut inside), Ok(number)) = (statement.enter(), usize::try_from(number)) {
        inside.get().bind_too_many_zeros(number);
    }
    db.ok()
}

api! {
    fn sqlite3_bind_null(statement: *mut sqlite3_stmt, number: c_int) -> c_int {
        bind(statement, number, BindValue::Value(ValueRef::Null))
    }

    fn sqlite3_bind_int(statement: *mut sqlite3_stmt, number: c_int, value: c_int) -> c_int {
        bind(statement, number, BindValue::Value(ValueRef::Integer(value.into())))
    }

    fn sqlite3_bind_int64(statement: *mut sqlite3_stmt, number: c_int, value: i64) -> c_int {
        bind(statement, number, BindValue::Value(ValueRef::Integer(value)))
    }

    fn sqlite3_bind_double(statement: *mut sqlite3_stmt, number: c_int, value: f64) -> c_int {
        let value = if value.is_nan() { ValueRef::Null } else { ValueRef::Real(value) };
        bind(statement, number, BindValue::Value(value))
    }

    fn sqlite3_bind_text(
        statement: *mut sqlite3_stmt, number: c_int, start: *const c_char, n: c_int, destructor: Destructor,
    ) -> c_int {
        let value = ValueRef::Text(text::sized(start.cast(), n.into()));
        bind_bytes(statement, number, start.cast(), destructor, value)
    }

    fn sqlite3_bind_text64(
        statement: *mut sqlite3_stmt, number: c_int, start: *const c_char, n: u64, destructor: Destructor,
        encoding: u8,
    ) -> c_int {
        let Ok(len) = c_int::try_from(n) else { return refuse_too_big(statement, start.cast(), destructor) };
        match text::encoding(encoding.into()) {
            Some(wide @ (Encoding::Utf16le | Encoding::Utf16be)) => {
                bind_wide(statement, number, start.cast(), len.into(), destructor, wide)
            }
            _ => {
                let value = ValueRef::Text(text::sized(start.cast(), len.into()));
                bind_bytes(statement, number, start.cast(), destructor, value)
            }
        }
    }

    fn sqlite3_bind_text16(
        statement: *mut sqlite3_stmt, number: c_int, start: *const c_void, n: c_int, destructor: Destructor,
    ) -> c_int {
        bind_wide(statement, number, start, n.into(), destructor, Encoding::UTF16_NATIVE)
    }

    fn sqlite3_bind_blob(
        statement: *mut sqlite3_stmt, number: c_int, start: *const c_void, n: c_int, destructor: Destructor,
    ) -> c_int {
        // After a misuse the bytes still belong to the application.
        if n < 0 {
            return code::MISUSE;
        }
        bind_bytes(statement, number, start, destructor, ValueRef::Blob(text::sized(start, n.into())))
    }

    fn sqlite3_bind_blob64(
        statement: *mut sqlite3_stmt, number: c_int, start: *const c_void, n: u64, destructor: Destructor,
    ) -> c_int {
        let Ok(len) = c_int::try_from(n) else { return refuse_too_big(statement, start, destructor) };
        bind_bytes(statement, number, start, destructor, ValueRef::Blob(text::sized(start, len.into())))
    }

    fn sqlite3_bind_zeroblob(statement: *mut sqlite3_stmt, number: c_int, n: c_int) -> c_int {
        let answer = bind(statement, number, BindValue::ZeroBlob(u64::try_from(n).unwrap_or(0)));
        if code::primary(answer) == code::TOOBIG { bind_too_many_zeros(statement, number) } else { answer }
    }

    fn sqlite3_bind_zeroblob64(statement: *mut sqlite3_stmt, number: c_int, n: u64) -> c_int {
        bind(statement, number, BindValue::ZeroBlob(n))
    }

    fn sqlite3_bind_value(statement: *mut sqlite3_stmt, number: c_int, value: *const sqlite3_value) -> c_int {
        let value = value.as_ref().map_or(ValueRef::Null, |value| value.get());
        bind(statement, number, BindValue::Value(value))
    }

    fn sqlite3_bind_pointer(
        handle: *mut sqlite3_stmt, number: c_int, address: *mut c_void, kind: *const c_char, destructor: Destructor,
    ) -> c_int {
        // The destructor runs when the engine drops the pointer, or here if the engine does not take it.
        let pointer = Rc::new(engine_pointer(Pointer { address, kind, destructor }));
        let answer = bind(handle, number, BindValue::Value(ValueRef::Null));
        let Ok((statement, db)) = statement(handle) else { return answer };
        let Ok(mut inside) = statement.enter() else { return answer };
        match usize::try_from(number) {
            Ok(number) if answer == code::OK => db.finish(inside.get().bind_pointer(number, pointer)),
            _ => answer,
        }
    }

    fn sqlite3_bind_parameter_count(handle: *mut sqlite3_stmt) -> c_int {
        handle.as_ref().map_or(0, |statement| statement.published.parameter_count)
    }

    fn sqlite3_bind_parameter_name(handle: *mut sqlite3_stmt, number: c_int) -> *const c_char {
        let name = handle.as_ref().and_then(|statement| statement.published.parameter_name(&statement.sql, number));
        name.map_or(null(), |name| name.as_ptr().cast())
    }

    fn sqlite3_bind_parameter_index(handle: *mut sqlite3_stmt, name: *const c_char) -> c_int {
        let (Some(statement), Some(name)) = (handle.as_ref(), text::name(name)) else { return 0 };
        statement.published.parameter_index(&statement.sql, name.as_bytes()).unwrap_or(0)
    }

    fn sqlite3_clear_bindings(handle: *mut sqlite3_stmt) -> c_int {
        let (statement, _db) = match statement(handle) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let Ok(mut inside) = statement.enter() else { return code::MISUSE };
        inside.get().clear_bindings();
        code::OK
    }

    /// Deprecated.
    fn sqlite3_transfer_bindings(from: *mut sqlite3_stmt, to: *mut sqlite3_stmt) -> c_int {
        let (Ok((from, db)), Ok((to, _db))) = (statement(from), statement(to)) else { return code::MISUSE };
        if !std::ptr::eq(from.db(), to.db()) {
            return code::MISUSE;
        }
        if std::ptr::eq(from, to) {
            // As in SQLite, the values are moved away.
            return from.enter().map_or(code::MISUSE, |mut inside| {
                inside.get().clear_bindings();
                code::OK
            });
        }
        let (Ok(mut from), Ok(mut to)) = (from.enter(), to.enter()) else { return code::MISUSE };
        match to.get().take_bindings(db.core(), from.get()) {
            Ok(true) => code::OK,
            Ok(false) => code::ERROR,
            Err(error) => db.fail(&error),
        }
    }
}
