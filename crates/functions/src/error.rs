//! What a function answers when it has no value to answer.

use std::borrow::Cow;
use std::fmt;

use lithe_value::arith::NoRoom;
use lithe_value::buffer::OutOfMemory;

/// An SQLite result code and the message that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionError {
    /// The result code, perhaps an extended one.
    pub code: i32,
    /// What the application reads.
    pub message: Cow<'static, str>,
}

/// The codes that functions of this crate fail with.
pub mod code {
    /// SQLITE_ERROR: anything that has no code of its own.
    pub const ERROR: i32 = 1;
    /// SQLITE_NOMEM.
    pub const NOMEM: i32 = 7;
    /// SQLITE_TOOBIG: a text or blob beyond SQLITE_LIMIT_LENGTH.
    pub const TOOBIG: i32 = 18;
}

impl FunctionError {
    /// An error with the code SQLITE_ERROR.
    pub fn new(message: impl Into<Cow<'static, str>>) -> FunctionError {
        FunctionError { code: code::ERROR, message: message.into() }
    }

    /// The text or blob would be longer than the limit of the connection.
    pub fn too_big() -> FunctionError {
        FunctionError { code: code::TOOBIG, message: "string or blob too big".into() }
    }

    /// A value beyond what memory can hold.
    pub fn out_of_memory() -> FunctionError {
        FunctionError { code: code::NOMEM, message: "out of memory".into() }
    }
}

impl From<NoRoom> for FunctionError {
    fn from(error: NoRoom) -> Self {
        match error {
            NoRoom::TooBig => FunctionError::too_big(),
            NoRoom::OutOfMemory => FunctionError::out_of_memory(),
        }
    }
}

impl From<OutOfMemory> for FunctionError {
    fn from(_: OutOfMemory) -> Self {
        FunctionError::out_of_memory()
    }
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FunctionError {}

/// What functions return: the value itself goes to [`Context::out`](crate::Context).
pub type Result<T = (), E = FunctionError> = std::result::Result<T, E>;
