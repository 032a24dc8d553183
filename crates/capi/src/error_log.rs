//! What goes to the error log of the process (`SQLITE_CONFIG_LOG`) about statements, as SQLite words it.

use std::ffi::{CStr, c_int};

use lithe_engine::{Error, ResultCode};

use crate::config;
use crate::error::c_string;

/// `SQLITE_WARNING`
const WARNING: c_int = 28;

/// Whether there is a log: else nothing needs to be worded.
#[inline]
pub(crate) fn is_kept() -> bool {
    config::has_log()
}

/// A statement could not be compiled. A lock that is in the way is no fault of the statement.
#[cold]
pub(crate) fn note_uncompiled(error: &Error, sql: &[u8]) {
    if error.code().primary() != ResultCode::BUSY {
        write(error.code().0, &[error.message().as_bytes(), b" in \"", sql, b"\""]);
    }
}

/// A run of a statement has ended with an error. (SQLite says at which of its instructions; there are no such instructions here.)
#[cold]
pub(crate) fn note_aborted(error: &Error, sql: &CStr) {
    if error.code().primary() != ResultCode::BUSY {
        let message = error.message();
        write(error.code().0, &[b"statement aborts at 0: ", message.as_bytes(), b"; [", sql.to_bytes(), b"]"]);
    }
}

/// What a statement has in double quotes names nothing, and was taken for strings.
#[cold]
pub(crate) fn note_quoted_strings(strings: &[Box<[u8]>]) {
    for string in strings {
        write(WARNING, &[b"double-quoted string literal: \"", string, b"\""]);
    }
}

fn write(code: c_int, parts: &[&[u8]]) {
    config::log(code, &c_string(&parts.concat()));
}
