//! The error log of the process: messages for an administrator that are not returned to a caller.

use std::sync::OnceLock;

static LOG: OnceLock<fn(i32, &[u8])> = OnceLock::new();

/// Sets the function that writes the error log (`sqlite_log()` in SQL): it gets a code and a text. Only the first call
/// has an effect.
pub fn set_error_log(log: fn(i32, &[u8])) {
    let _ = LOG.set(log);
}

/// Writes to the error log, if it is set.
pub fn log_error(code: i32, message: &[u8]) {
    if let Some(log) = LOG.get() {
        log(code, message);
    }
}
