//! Why a statement cannot be compiled.

use std::fmt;

use lithe_sql::ast::Span;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::NameBuf;

/// An error of compilation: SQLite's code and words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The result code, usually SQLITE_ERROR.
    pub code: ResultCode,
    /// The message.
    pub message: String,
    /// Where in the statement's text the fault lies (`sqlite3_error_offset`).
    pub offset: Option<u32>,
    /// The virtual table that has to be connected first.
    pub unconnected: Option<Box<Unconnected>>,
    /// Whether a star has nothing that it stands for: SQLite then looks at the rest of FROM nevertheless.
    pub is_of_star: bool,
    /// Whether SQLite looks at the rest of the expression nevertheless: an error that it finds there is the one it reports.
    pub goes_on: bool,
}

/// A virtual table that a statement names and whose module has not been asked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unconnected {
    /// Its database.
    pub db: Db,
    /// Its name.
    pub name: NameBuf,
}

/// What compilation gives.
pub type Result<T, E = CompileError> = std::result::Result<T, E>;

impl CompileError {
    /// SQLITE_ERROR with this message.
    pub fn new(message: impl Into<String>) -> CompileError {
        CompileError {
            code: ResultCode::ERROR,
            message: message.into(),
            offset: None,
            unconnected: None,
            is_of_star: false,
            goes_on: false,
        }
    }

    /// SQLITE_ERROR with this message, at the start of `span`.
    pub fn at(span: Span, message: impl Into<String>) -> CompileError {
        CompileError { offset: Some(span.start), ..CompileError::new(message) }
    }

    /// A star that stands for nothing.
    pub fn of_star(message: impl Into<String>) -> CompileError {
        CompileError { is_of_star: true, ..CompileError::new(message) }
    }

    /// The same as one after which the rest of the expression is still looked at.
    #[must_use]
    pub fn going_on(self) -> CompileError {
        CompileError { goes_on: true, ..self }
    }

    /// What Lithe cannot do yet.
    pub fn not_supported(what: &str) -> CompileError {
        CompileError::new(format!("not supported yet: {what}"))
    }

    /// The authorizer has said that the statement shall do nothing: no error, but nothing to be compiled either.
    pub fn nothing_to_do() -> CompileError {
        CompileError::new("").with_code(ResultCode::OK)
    }

    /// The virtual table has to be connected first: then the statement is compiled again.
    pub fn unconnected(db: Db, table: &NameBuf) -> CompileError {
        let unconnected = Some(Box::new(Unconnected { db, name: table.clone() }));
        CompileError { unconnected, ..CompileError::new(format!("no such module: {table}")) }
    }

    /// The same with another code.
    #[must_use]
    pub fn with_code(self, code: ResultCode) -> CompileError {
        CompileError { code, ..self }
    }

    /// The same without a place: the text it arose in is not the statement's.
    #[must_use]
    pub fn without_offset(self) -> CompileError {
        CompileError { offset: None, ..self }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CompileError {}

/// `Err` of a [`CompileError::new`].
pub fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(CompileError::new(message))
}
