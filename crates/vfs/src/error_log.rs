//! The error log of the process: what an administrator may want to know, and no caller is told.

use std::sync::OnceLock;

static LOG: OnceLock<fn(i32, &[u8])> = OnceLock::new();

/// Says who writes the error log (`sqlite_log()` in SQL): a code and a text. The first one counts.
pub fn set_error_log(log: fn(i32, &[u8])) {
    let _ = LOG.set(log);
}

/// Writes to the error log, if there is one.
pub fn log_error(code: i32, message: &[u8]) {
    if let Some(log) = LOG.get() {
        log(code, message);
    }
}
