//! The error log of the process (`SQLITE_CONFIG_LOG`), and its messages about statements in SQLite's words.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use lithe_engine::{Error, ResultCode};

type LogFn = unsafe extern "C" fn(*mut c_void, c_int, *const c_char);

/// The log's function as an address, 0 for none, and its pointer.
static LOG: AtomicUsize = AtomicUsize::new(0);
static LOG_ARG: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// `SQLITE_WARNING`
const WARNING: c_int = 28;

/// Sets the log's function (null: none) and its pointer.
pub(crate) fn set(function: *mut c_void, arg: *mut c_void) {
    LOG_ARG.store(arg, Ordering::Release);
    LOG.store(function.expose_provenance(), Ordering::Release);
}

/// Whether there is a log. Messages are only made if there is.
#[inline]
pub(crate) fn is_kept() -> bool {
    LOG.load(Ordering::Acquire) != 0
}

/// Logs that a statement could not be compiled. A conflicting lock is not logged, because it is not a fault of the
/// statement.
#[cold]
pub(crate) fn note_uncompiled(error: &Error, sql: &[u8]) {
    if error.code().primary() != ResultCode::BUSY {
        write(error.code().0, &[error.message().as_bytes(), b" in \"", sql, b"\""]);
    }
}

/// Logs that a run of a statement has ended with an error. (SQLite adds the number of the instruction, which would mean
/// nothing here.)
#[cold]
pub(crate) fn note_aborted(error: &Error, sql: &CStr) {
    if error.code().primary() != ResultCode::BUSY {
        let message = error.message();
        write(error.code().0, &[b"statement aborts at 0: ", message.as_bytes(), b"; [", sql.to_bytes(), b"]"]);
    }
}

/// Logs words in double quotes that name nothing and were taken for strings.
#[cold]
pub(crate) fn note_quoted_strings(strings: &[Box<[u8]>]) {
    for string in strings {
        write(WARNING, &[b"double-quoted string literal: \"", string, b"\""]);
    }
}

/// Logs the concatenation of the parts, up to the first NUL.
pub(crate) fn write(code: c_int, parts: &[&[u8]]) {
    let address = LOG.load(Ordering::Acquire);
    if address == 0 {
        return;
    }
    let mut message = parts.concat();
    message.truncate(memchr::memchr(0, &message).unwrap_or(message.len()));
    let Ok(message) = CString::new(message) else { return };
    // SAFETY: the address is that of the function that the application gave for this.
    let function = unsafe { std::mem::transmute::<usize, LogFn>(address) };
    // SAFETY: called as documented.
    unsafe { function(LOG_ARG.load(Ordering::Acquire), code, message.as_ptr()) };
}
