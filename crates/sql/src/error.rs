//! Errors of the parser, with SQLite's messages.

use std::fmt;

/// A statement that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// SQLite's message.
    pub message: String,
    /// The byte of the text that the message is about: the result of `sqlite3_error_offset`. Some messages have no offset.
    pub offset: Option<u32>,
    /// Whether the text is too long, which has its own result code (SQLITE_TOOBIG).
    pub too_big: bool,
    /// The offset at which SQLite stops reading: behind the last token that it has read.
    pub tail: u32,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// The parser's result. `parse` sets the tail of the error. The error is boxed: it is rare, and expressions are returned by value.
pub(crate) type Result<T> = std::result::Result<T, Box<ParseError>>;

/// An error with a message and no offset.
#[cold]
pub(crate) fn error<T>(message: impl Into<String>) -> Result<T> {
    Err(Box::new(ParseError { message: message.into(), offset: None, too_big: false, tail: 0 }))
}

/// An error about the byte at `offset`.
#[cold]
pub(crate) fn error_at<T>(offset: u32, message: impl Into<String>) -> Result<T> {
    Err(Box::new(ParseError { message: message.into(), offset: Some(offset), too_big: false, tail: 0 }))
}

/// The error for a text that is longer than the limit.
#[cold]
pub(crate) fn too_big<T>(length: usize) -> Result<T> {
    let message = "string or blob too big".to_string();
    Err(Box::new(ParseError { message, offset: None, too_big: true, tail: u32::try_from(length).unwrap_or(u32::MAX) }))
}
