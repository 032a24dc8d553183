//! The errors of this crate.

use lithe_functions::error::code;
pub use lithe_functions::{FunctionError as Error, Result};

/// SQLITE_LOCKED_VTAB.
const LOCKED_VTAB: i32 = 518;

/// The shadow tables have invalid content.
pub fn corrupt() -> Error {
    Error { code: code::CORRUPT_VTAB, message: "database disk image is malformed".into() }
}

/// The table cannot change while a scan stands on one of its rows.
pub fn locked() -> Error {
    Error { code: LOCKED_VTAB, message: "database table is locked".into() }
}

/// The change would violate a constraint.
pub fn constraint(message: String) -> Error {
    Error { code: code::CONSTRAINT, message: message.into() }
}

/// An error for which SQLite has no message of its own.
pub fn logic() -> Error {
    Error::new("SQL logic error")
}
