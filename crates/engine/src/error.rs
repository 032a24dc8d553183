//! The engine's error: a result code, a message, an offset in the SQL.

use std::fmt;

use lithe_catalog::ErrorKind;
use lithe_functions::FunctionError;
use lithe_vfs::ResultCode;
use lithe_vm::error::Error as VmError;

/// An error as users of SQLite see it.
///
/// Boxed because errors are rare: the result of every step, and of every call in it, fits into registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Report>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Report {
    code: ResultCode,
    message: String,
    offset: Option<u32>,
    /// Where reading of the SQL ended, if that was before its first statement's end.
    tail: Option<u32>,
    /// The detail that SQLite's messages lack: which file, which operation, why.
    detail: Option<Box<str>>,
    /// The system's error number.
    errno: Option<i32>,
    /// What the application can still define, so that the same statement would succeed.
    missing: Option<Missing>,
    /// Whether it says what the schema lacks or has already.
    is_of_schema: bool,
}

/// What a statement lacked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Missing {
    /// The collation of this name.
    Collation(Box<str>),
    /// The module of a virtual table.
    Module,
}

/// A result of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

const _: () = assert!(size_of::<Result<()>>() == size_of::<usize>());

impl Error {
    /// An error with a message of its own.
    #[cold]
    pub fn new(code: ResultCode, message: impl Into<String>) -> Error {
        Error(Box::new(Report {
            code,
            message: message.into(),
            offset: None,
            tail: None,
            detail: None,
            errno: None,
            missing: None,
            is_of_schema: false,
        }))
    }

    /// An error whose message is the code's standard text.
    pub fn from_code(code: ResultCode) -> Error {
        Error::new(code, code.text())
    }

    /// SQLITE_ERROR with a message.
    pub fn generic(message: impl Into<String>) -> Error {
        Error::new(ResultCode::ERROR, message)
    }

    /// The error after an interruption.
    pub(crate) fn interrupted() -> Error {
        Error::new(ResultCode::INTERRUPT, "interrupted")
    }

    /// An error for a feature that is not supported yet.
    pub fn not_supported(what: &str) -> Error {
        Error::generic(format!("not supported yet: {what}"))
    }

    /// Adds the byte offset into the SQL at which the error was found.
    #[must_use]
    pub fn at(mut self, offset: Option<u32>) -> Error {
        self.0.offset = offset;
        self
    }

    /// Adds the byte offset into the SQL at which reading ended.
    #[must_use]
    pub(crate) fn read_to(mut self, tail: Option<u32>) -> Error {
        self.0.tail = tail;
        self
    }

    /// The byte offset into the SQL at which reading ended; `None`: behind the statement.
    pub(crate) fn tail(&self) -> Option<u32> {
        self.0.tail
    }

    /// Adds a detail that SQLite's message does not have.
    #[must_use]
    pub(crate) fn because(mut self, detail: Option<Box<str>>) -> Error {
        self.0.detail = detail;
        self
    }

    /// Adds the system's error number.
    #[must_use]
    pub(crate) fn with_errno(mut self, errno: Option<i32>) -> Error {
        self.0.errno = errno;
        self
    }

    /// Adds the name of the collation that compiling a statement lacked.
    #[must_use]
    pub(crate) fn with_missing_collation(mut self, name: Option<Box<str>>) -> Error {
        self.0.missing = name.map(Missing::Collation);
        self
    }

    /// The name of the collation that compiling a statement lacked.
    pub(crate) fn missing_collation(&self) -> Option<&str> {
        match &self.0.missing {
            Some(Missing::Collation(name)) => Some(name),
            Some(Missing::Module) | None => None,
        }
    }

    /// Notes whether the error says what the schema lacks or has already.
    #[must_use]
    pub(crate) fn of_schema(mut self, is_of_schema: bool) -> Error {
        self.0.is_of_schema = is_of_schema;
        self
    }

    /// Whether the error says what the schema lacks or has already: with a newer schema the same statement may succeed. As in
    /// SQLite, nothing else that compiling finds is a reason to read the schema again.
    pub(crate) fn may_be_of_old_schema(&self) -> bool {
        self.0.is_of_schema
    }

    /// No module of that name makes virtual tables.
    pub(crate) fn no_such_module(name: impl fmt::Display) -> Error {
        let mut error = Error::generic(format!("no such module: {name}"));
        error.0.missing = Some(Missing::Module);
        error
    }

    /// Whether the error is that a module of a virtual table is missing.
    pub(crate) fn is_missing_module(&self) -> bool {
        self.0.missing == Some(Missing::Module)
    }

    /// The system's error number (`sqlite3_system_errno`).
    pub fn system_errno(&self) -> Option<i32> {
        self.0.errno
    }

    /// The extended result code.
    pub fn code(&self) -> ResultCode {
        self.0.code
    }

    /// The same error with another code.
    #[must_use]
    pub fn with_code(mut self, code: i32) -> Error {
        self.0.code = ResultCode(code);
        self
    }

    /// The message, of an error that is not needed any more.
    pub(crate) fn into_message(self) -> String {
        self.0.message
    }

    /// The message (`sqlite3_errmsg`).
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The detail that SQLite's message does not have: which file could not be written, and why; which page is damaged.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The byte offset into the SQL (`sqlite3_error_offset`).
    pub fn offset(&self) -> Option<u32> {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        self.0.detail.iter().try_for_each(|detail| write!(f, " ({detail})"))
    }
}

impl std::error::Error for Error {}

impl From<lithe_sql::ParseError> for Error {
    fn from(error: lithe_sql::ParseError) -> Error {
        let code = if error.too_big { ResultCode::TOOBIG } else { ResultCode::ERROR };
        Error::new(code, error.message).at(error.offset).read_to(Some(error.tail))
    }
}

impl From<lithe_catalog::CompileError> for Error {
    fn from(error: lithe_catalog::CompileError) -> Error {
        let error = error.into_report();
        let missing = match error.kind {
            ErrorKind::NoSuchCollation(name) => Some(name.to_string().into()),
            _ => None,
        };
        Error::new(error.code, error.message)
            .at(error.offset)
            .read_to(error.tail)
            .with_missing_collation(missing)
            .of_schema(error.is_of_schema)
    }
}

/// An engine error passes through the machine unchanged.
impl From<Error> for VmError {
    fn from(error: Error) -> VmError {
        if error.code() == ResultCode::SCHEMA {
            return VmError::Schema;
        }
        VmError::with_detail(error.code(), error.message(), error.detail().map(Into::into))
    }
}

impl From<VmError> for Error {
    fn from(error: VmError) -> Error {
        match error {
            VmError::Store(error) => Error::from(*error),
            VmError::Failed(failure) => Error::new(failure.code, failure.message).because(failure.detail),
            VmError::File(error) => {
                let detail = Some(error.detail().to_string().into());
                Error::from_code(error.code()).because(detail).with_errno(error.errno())
            }
            error => Error::new(error.code(), error.to_string()),
        }
    }
}

impl From<lithe_btree::Error> for Error {
    fn from(error: lithe_btree::Error) -> Error {
        let errno = match &error {
            lithe_btree::Error::Io(error) => error.errno(),
            _ => None,
        };
        let plain = Error::from_code(error.code()).with_errno(errno);
        plain.because(match error {
            lithe_btree::Error::Io(error) => Some(error.detail().to_string().into()),
            lithe_btree::Error::Corrupt { page: Some(page), what } => Some(format!("page {page}: {what}").into()),
            lithe_btree::Error::Corrupt { page: None, what } => Some(what.into()),
            _ => None,
        })
    }
}

impl From<Error> for FunctionError {
    fn from(error: Error) -> FunctionError {
        FunctionError::with_code(error.code().0, error.into_message())
    }
}
