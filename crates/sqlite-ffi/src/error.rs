//! Errors of a library.

use std::fmt;
use std::path::Path;

/// A result code and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The extended result code; 0 if the library could not be loaded.
    pub code: i32,
    /// The message.
    pub message: String,
}

/// The result of a fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// SQLITE_BUSY and SQLITE_FULL.
const BUSY: i32 = 5;
const FULL: i32 = 13;
/// The bits of the primary code.
const PRIMARY: i32 = 0xff;

impl Error {
    pub(crate) fn loading(path: &Path, error: &libloading::Error) -> Error {
        Error { code: 0, message: format!("cannot load {}: {error}", path.display()) }
    }

    /// The error for a string with a NUL, or longer than C allows.
    pub(crate) fn argument(what: &str) -> Error {
        Error { code: 0, message: what.to_owned() }
    }

    /// Whether another connection holds a conflicting lock.
    pub fn is_busy(&self) -> bool {
        self.code & PRIMARY == BUSY
    }

    /// Whether the disk is full.
    pub fn is_disk_full(&self) -> bool {
        self.code & PRIMARY == FULL
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
