//! The errors of a run, typed by what the engine must do about them.

use std::collections::TryReserveError;
use std::fmt;

use lithe_format::Malformed;
use lithe_value::arith::ConcatError;
use lithe_value::buffer::OutOfMemory;
use lithe_vfs::ResultCode;

use crate::operand::OnConflict;

/// Why a step returned neither a row nor the end.
#[derive(Debug)]
pub enum Error {
    /// The schema differs from the one that the program was compiled for: the engine compiles it again.
    Schema,
    /// The statement was interrupted.
    Interrupt,
    /// A constraint failed, or RAISE was called: its policy says what is undone.
    Constraint(Box<Constraint>),
    /// Any other error with a message of its own. The changes of the statement are undone.
    Failed(Box<Failure>),
    /// An error of the B-tree or its pager: I/O, corruption, locks.
    Store(Box<lithe_btree::Error>),
    /// A file operation on a temporary file.
    File(lithe_vfs::Error),
}

/// A constraint that failed.
#[derive(Debug)]
pub struct Constraint {
    /// What is undone: rollback the transaction, abort the statement, fail (nothing).
    pub policy: OnConflict,
    /// The extended result code.
    pub code: ResultCode,
    /// SQLite's message.
    pub message: String,
}

/// A failure with a message.
#[derive(Debug)]
pub struct Failure {
    /// The extended result code.
    pub code: ResultCode,
    /// SQLite's message.
    pub message: String,
    /// More detail from the host.
    pub detail: Option<Box<str>>,
}

impl Error {
    /// A failure with a code and a message.
    #[cold]
    pub fn new(code: ResultCode, message: impl Into<String>) -> Error {
        Error::with_detail(code, message, None)
    }

    /// As [`Error::new`], with more detail than SQLite's message has.
    #[cold]
    pub fn with_detail(code: ResultCode, message: impl Into<String>, detail: Option<Box<str>>) -> Error {
        Error::Failed(Box::new(Failure { code, message: message.into(), detail }))
    }

    /// A failure whose message is the text of its code.
    #[cold]
    pub fn from_code(code: ResultCode) -> Error {
        Error::new(code, code.text())
    }

    /// A constraint that failed.
    #[cold]
    pub fn constraint(policy: OnConflict, code: ResultCode, message: impl Into<String>) -> Error {
        Error::Constraint(Box::new(Constraint { policy, code, message: message.into() }))
    }

    /// "datatype mismatch".
    #[cold]
    pub fn mismatch() -> Error {
        Error::from_code(ResultCode::MISMATCH)
    }

    /// "string or blob too big".
    #[cold]
    pub fn too_big() -> Error {
        Error::from_code(ResultCode::TOOBIG)
    }

    /// "out of memory".
    #[cold]
    pub fn no_memory() -> Error {
        Error::from_code(ResultCode::NOMEM)
    }

    /// A feature that is not implemented.
    #[cold]
    pub fn unsupported(what: &str) -> Error {
        Error::new(ResultCode::ERROR, format!("not supported yet: {what}"))
    }

    /// The extended result code.
    pub fn code(&self) -> ResultCode {
        match self {
            Error::Schema => ResultCode::SCHEMA,
            Error::Interrupt => ResultCode::INTERRUPT,
            Error::Constraint(constraint) => constraint.code,
            Error::Failed(failure) => failure.code,
            Error::Store(error) => error.code(),
            Error::File(error) => error.code(),
        }
    }

    /// What is undone: the policy of a constraint, else ABORT.
    pub fn policy(&self) -> OnConflict {
        match self {
            Error::Constraint(constraint) => constraint.policy,
            _ => OnConflict::Abort,
        }
    }
}

/// The message, as `sqlite3_errmsg` gives it.
impl From<OutOfMemory> for Error {
    fn from(_: OutOfMemory) -> Error {
        Error::no_memory()
    }
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Error {
        Error::no_memory()
    }
}

impl From<ConcatError> for Error {
    fn from(error: ConcatError) -> Error {
        match error {
            ConcatError::TooBig => Error::too_big(),
            ConcatError::OutOfMemory => Error::no_memory(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Constraint(constraint) => f.write_str(&constraint.message),
            Error::Failed(failure) => f.write_str(&failure.message),
            other => f.write_str(other.code().text()),
        }
    }
}

impl std::error::Error for Error {}

impl From<lithe_btree::Error> for Error {
    #[cold]
    fn from(error: lithe_btree::Error) -> Error {
        Error::Store(Box::new(error))
    }
}

impl From<lithe_vfs::Error> for Error {
    #[cold]
    fn from(error: lithe_vfs::Error) -> Error {
        Error::File(error)
    }
}

impl From<Malformed> for Error {
    #[cold]
    fn from(_: Malformed) -> Error {
        Error::from_code(ResultCode::CORRUPT)
    }
}
