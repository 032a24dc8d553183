//! The error of a function.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use lithe_value::arith::ConcatError;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::formatted;

/// An SQLite result code and its message. It takes one word, because nearly every function here returns one or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionError(Box<Failure>);

/// The content of a [`FunctionError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The result code, perhaps an extended one.
    pub code: i32,
    /// The message for the application.
    pub message: Cow<'static, str>,
    /// Whether an empty message is meant, and not the one of the code.
    pub is_exact: bool,
}

const _: () = assert!(size_of::<FunctionError>() == size_of::<usize>());

impl Deref for FunctionError {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.0
    }
}

/// The result codes of functions and modules.
pub mod code {
    use lithe_base::ResultCode;

    /// SQLITE_ERROR: anything that has no code of its own.
    pub const ERROR: i32 = ResultCode::ERROR.0;
    /// SQLITE_INTERNAL: a bug of the code, not a fault of its input.
    pub const INTERNAL: i32 = ResultCode::INTERNAL.0;
    /// SQLITE_PERM.
    pub const PERM: i32 = ResultCode::PERM.0;
    /// SQLITE_ABORT: a callback has ended the statement.
    pub const ABORT: i32 = ResultCode::ABORT.0;
    /// SQLITE_BUSY.
    pub const BUSY: i32 = ResultCode::BUSY.0;
    /// SQLITE_LOCKED: a conflict with another statement of the connection.
    pub const LOCKED: i32 = ResultCode::LOCKED.0;
    /// SQLITE_NOMEM.
    pub const NOMEM: i32 = ResultCode::NOMEM.0;
    /// SQLITE_READONLY.
    pub const READONLY: i32 = ResultCode::READONLY.0;
    /// SQLITE_INTERRUPT.
    pub const INTERRUPT: i32 = ResultCode::INTERRUPT.0;
    /// SQLITE_IOERR.
    pub const IOERR: i32 = ResultCode::IOERR.0;
    /// SQLITE_CORRUPT.
    pub const CORRUPT: i32 = ResultCode::CORRUPT.0;
    /// SQLITE_NOTFOUND.
    pub const NOTFOUND: i32 = ResultCode::NOTFOUND.0;
    /// SQLITE_FULL.
    pub const FULL: i32 = ResultCode::FULL.0;
    /// SQLITE_SCHEMA.
    pub const SCHEMA: i32 = ResultCode::SCHEMA.0;
    /// SQLITE_TOOBIG: a text or blob beyond SQLITE_LIMIT_LENGTH.
    pub const TOOBIG: i32 = ResultCode::TOOBIG.0;
    /// SQLITE_CONSTRAINT: a change violates a rule; the conflict policy decides what to do.
    pub const CONSTRAINT: i32 = ResultCode::CONSTRAINT.0;
    /// SQLITE_MISMATCH.
    pub const MISMATCH: i32 = ResultCode::MISMATCH.0;
    /// SQLITE_MISUSE.
    pub const MISUSE: i32 = ResultCode::MISUSE.0;
    /// SQLITE_AUTH: the authorizer does not allow it.
    pub const AUTH: i32 = ResultCode::AUTH.0;
    /// SQLITE_RANGE.
    pub const RANGE: i32 = ResultCode::RANGE.0;
    /// SQLITE_CORRUPT_VTAB: the stored content of a virtual table is invalid.
    pub const CORRUPT_VTAB: i32 = ResultCode::CORRUPT_VTAB.0;
    /// SQLITE_CONSTRAINT_VTAB.
    pub const CONSTRAINT_VTAB: i32 = ResultCode::CONSTRAINT_VTAB.0;
}

impl FunctionError {
    /// An error with the code SQLITE_ERROR.
    pub fn new(message: impl Into<Cow<'static, str>>) -> FunctionError {
        FunctionError::with_code(code::ERROR, message)
    }

    /// An error with a message that quotes texts of any length: SQLITE_NOMEM if there is no memory for the message.
    pub fn quoting(code: i32, message: fmt::Arguments<'_>) -> FunctionError {
        formatted(message).map_or_else(FunctionError::from, |message| FunctionError::with_code(code, message))
    }

    /// The text or blob would be longer than the limit of the connection.
    pub fn too_big() -> FunctionError {
        FunctionError::with_code(code::TOOBIG, "string or blob too big")
    }

    /// An error with a code of its own and this message; an empty message means the default message of the code.
    pub fn with_code(code: i32, message: impl Into<Cow<'static, str>>) -> FunctionError {
        FunctionError(Box::new(Failure { code, message: message.into(), is_exact: false }))
    }

    /// As [`FunctionError::with_code`], with this message even if it is empty.
    pub fn with_exact_message(code: i32, message: impl Into<Cow<'static, str>>) -> FunctionError {
        FunctionError(Box::new(Failure { code, message: message.into(), is_exact: true }))
    }

    /// The message, of an error that is not needed any more.
    pub fn into_message(self) -> Cow<'static, str> {
        self.0.message
    }

    /// An error with the message of its code.
    pub fn of_code(code: i32) -> FunctionError {
        FunctionError::with_code(code, "")
    }

    /// The error reduced to its code: of SQL that the application did not write, whose message would mislead.
    pub fn silent(self) -> FunctionError {
        FunctionError::of_code(self.code)
    }

    /// The error of a function that cannot be used in the context of its call.
    pub fn unusable(name: &str) -> FunctionError {
        FunctionError::new(format!("unable to use function {name} in the requested context"))
    }

    /// There is not enough memory for a value.
    pub fn out_of_memory() -> FunctionError {
        FunctionError::with_code(code::NOMEM, "out of memory")
    }
}

impl From<ConcatError> for FunctionError {
    fn from(error: ConcatError) -> Self {
        match error {
            ConcatError::TooBig => FunctionError::too_big(),
            ConcatError::OutOfMemory => FunctionError::out_of_memory(),
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

/// The result of a function: the value itself is stored in [`Context::out`](crate::Context).
pub type Result<T = (), E = FunctionError> = std::result::Result<T, E>;
