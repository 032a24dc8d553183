//! The errors of this crate.

use lithe_functions::error::code;
pub use lithe_functions::{FunctionError as Error, Result};

/// SQLITE_LOCKED_VTAB.
const LOCKED_VTAB: i32 = 518;

/// The shadow tables have invalid content.
pub fn corrupt() -> Error {
    Error::with_code(code::CORRUPT_VTAB, "database disk image is malformed")
}

/// The table cannot change while a scan stands on one of its rows.
pub fn locked() -> Error {
    Error::with_code(LOCKED_VTAB, "database table is locked")
}

/// The change would violate a constraint.
pub fn constraint(message: String) -> Error {
    Error::with_code(code::CONSTRAINT, message)
}

/// An error for which SQLite has no message of its own.
pub fn logic() -> Error {
    Error::new("SQL logic error")
}
