//! The errors that this crate answers with.

use lithe_functions::error::code;
pub use lithe_functions::{FunctionError as Error, Result};

/// SQLITE_LOCKED_VTAB.
const LOCKED_VTAB: i32 = 518;

/// What the tables behind an R-Tree hold makes no sense.
pub fn corrupt() -> Error {
    Error { code: code::CORRUPT_VTAB, message: "database disk image is malformed".into() }
}

/// The table cannot be changed while a scan of it holds nodes.
pub fn locked() -> Error {
    Error { code: LOCKED_VTAB, message: "database table is locked".into() }
}

/// The change would violate a constraint.
pub fn constraint(message: String) -> Error {
    Error { code: code::CONSTRAINT, message: message.into() }
}

/// Something is wrong, and SQLite does not say what.
pub fn logic() -> Error {
    Error::new("SQL logic error")
}
