//! Why a statement cannot be compiled.

use std::fmt;
use std::ops::Deref;

use lithe_base::Db;
use lithe_base::ResultCode;
use lithe_sql::ast::Span;

use crate::NameBuf;

/// An error of compilation, with SQLite's code and message.
///
/// Boxed: an error is rare, and the result of nearly every function of the compiler is returned in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError(Box<Report>);

/// What a [`CompileError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The result code, usually SQLITE_ERROR.
    pub code: ResultCode,
    /// The message.
    pub message: String,
    /// Where in the statement's text the fault lies (`sqlite3_error_offset`).
    pub offset: Option<u32>,
    /// Where SQLite stops reading the statement's text, if it finds the error before it has read the whole statement: behind the
    /// token that follows the fault.
    pub tail: Option<u32>,
    /// The kind of error, where a decision depends on it.
    pub kind: ErrorKind,
    /// Whether SQLite resolves the rest of the expression nevertheless. An error there is reported instead of this one.
    pub is_resumable: bool,
    /// Whether it says what the schema lacks or has already. The schema may be old then: another connection may have changed it.
    pub is_of_schema: bool,
}

/// The kind of an error, where it decides what is reported or done next. No decision depends on a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// Anything else.
    #[default]
    Other,
    /// No error: the authorizer answered SQLITE_IGNORE, and the statement has no effect. [`CompileError::code`] is SQLITE_AUTH.
    Ignored,
    /// The virtual table has to be connected first: then the statement is compiled again.
    Unconnected(Box<Unconnected>),
    /// No collation has this name. The application may define one in its `collation_needed` callback.
    NoSuchCollation(Box<NameBuf>),
    /// No table has the name.
    NoSuchTable,
    /// A `*` has no columns: SQLite then resolves the rest of FROM nevertheless.
    EmptyStar {
        /// It is the star of a table that does not exist.
        of_table: bool,
    },
    /// Views or common tables refer to themselves in a circle, or queries nest too deep.
    Recursion,
    /// The columns of NATURAL or USING cannot be joined.
    Join,
    /// The definition of a column is wrong by itself, whatever the rest of the table's definition.
    ColumnDefinition,
    /// A view or trigger cannot be resolved, of which ALTER says no more under `legacy_alter_table`.
    UnclearObject,
}

/// A virtual table that a statement names and that is not connected yet.
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
    #[cold]
    pub fn new(message: impl Into<String>) -> CompileError {
        CompileError(Box::new(Report {
            code: ResultCode::ERROR,
            message: message.into(),
            offset: None,
            tail: None,
            kind: ErrorKind::Other,
            is_resumable: false,
            is_of_schema: false,
        }))
    }

    /// SQLITE_ERROR with this message, at the start of `span`.
    pub fn at(span: Span, message: impl Into<String>) -> CompileError {
        CompileError::new(message).starting_at(span)
    }

    /// "no such table: x": the schema has no object of that kind and name.
    #[cold]
    pub fn no_such(kind: &str, name: impl fmt::Display) -> CompileError {
        CompileError::new(format!("no such {kind}: {name}")).of_schema()
    }

    /// "no such column: "x"", with the advice for those who meant a string.
    #[cold]
    pub fn no_such_quoted_column(name: impl fmt::Display) -> CompileError {
        let advice = "should this be a string literal in single-quotes?";
        CompileError::no_such("column", format_args!("\"{name}\" - {advice}"))
    }

    /// "ambiguous column name: x".
    #[cold]
    pub fn ambiguous_column(name: impl fmt::Display) -> CompileError {
        CompileError::new(format!("ambiguous column name: {name}")).of_schema()
    }

    /// The same error, which a newer schema may not have.
    #[must_use]
    pub fn of_schema(mut self) -> CompileError {
        self.0.is_of_schema = true;
        self
    }

    /// The same error with another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ErrorKind) -> CompileError {
        self.0.kind = kind;
        self
    }

    /// Whether it says "no such table: x".
    pub fn is_no_such_table(&self) -> bool {
        matches!(self.kind, ErrorKind::NoSuchTable | ErrorKind::EmptyStar { of_table: true })
    }

    /// "no such collation sequence: x".
    pub fn no_such_collation(name: impl fmt::Display) -> CompileError {
        let name = NameBuf::from(name.to_string());
        CompileError::new(format!("no such collation sequence: {name}"))
            .with_code(ResultCode::ERROR_MISSING_COLLSEQ)
            .of_kind(ErrorKind::NoSuchCollation(Box::new(name)))
    }

    /// The same error, after which the rest of the expression is resolved.
    #[must_use]
    pub fn resumable(mut self) -> CompileError {
        self.0.is_resumable = true;
        self
    }

    /// The same error, which ends the resolution of the expression.
    #[must_use]
    pub fn not_resumable(mut self) -> CompileError {
        self.0.is_resumable = false;
        self
    }

    /// The error for a feature that Lithe does not have yet.
    pub fn not_supported(what: &str) -> CompileError {
        CompileError::new(format!("not supported yet: {what}"))
    }

    /// The authorizer answered SQLITE_IGNORE: the statement has no effect.
    pub fn ignored() -> CompileError {
        CompileError::new("not authorized").with_code(ResultCode::AUTH).of_kind(ErrorKind::Ignored)
    }

    /// The virtual table has to be connected first: then the statement is compiled again.
    pub fn unconnected(db: Db, table: &NameBuf) -> CompileError {
        let unconnected = Box::new(Unconnected { db, name: table.clone() });
        CompileError::new(format!("no such module: {table}")).of_kind(ErrorKind::Unconnected(unconnected))
    }

    /// The same with another code.
    #[must_use]
    pub fn with_code(mut self, code: ResultCode) -> CompileError {
        self.0.code = code;
        self
    }

    /// The same without places, for an error in a text that is not the statement's.
    #[must_use]
    pub fn without_offset(mut self) -> CompileError {
        self.0.tail = None;
        self.with_offset(None)
    }

    /// The same, found while `sql` is read up to `end` and the token after that. It is an error of the whole statement if no token
    /// follows.
    #[cold]
    #[must_use]
    pub fn while_reading(mut self, sql: &[u8], end: u32) -> CompileError {
        self.0.tail = lithe_sql::end_of_next_token(sql, end);
        self
    }

    /// The same error of a text into which a part of the statement `sql` was copied: places in the copy become places in `part`.
    /// The token after the part is another one in the statement.
    #[must_use]
    pub fn moved(mut self, copy: Span, part: Span, sql: &[u8]) -> CompileError {
        let moved = |at: u32| (copy.start <= at && at <= copy.end).then(|| at - copy.start + part.start);
        self.0.offset = self.0.offset.and_then(moved);
        match self.0.tail {
            Some(tail) if tail > copy.end => self.while_reading(sql, part.end),
            tail => {
                self.0.tail = tail.and_then(moved);
                self
            }
        }
    }

    /// The same at the start of `span`.
    #[must_use]
    pub fn starting_at(self, span: Span) -> CompileError {
        self.with_offset(Some(span.start))
    }

    /// The same with another offset in the statement's text.
    #[must_use]
    pub fn with_offset(mut self, offset: Option<u32>) -> CompileError {
        self.0.offset = offset;
        self
    }

    /// The parts of the error, by value.
    pub fn into_report(self) -> Report {
        *self.0
    }
}

impl Deref for CompileError {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CompileError {}

const _: () = assert!(size_of::<Result<()>>() == size_of::<usize>());

/// `Err` of a [`CompileError::new`].
pub fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(CompileError::new(message))
}
