//! What a library answers when it does not do what it was asked for.

use std::fmt;
use std::path::Path;

/// A result code and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The extended result code; 0 if the library could not even be loaded.
    pub code: i32,
    /// The message.
    pub message: String,
}

/// The usual result here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// SQLITE_BUSY and SQLITE_FULL.
const BUSY: i32 = 5;
const FULL: i32 = 13;
/// What an extended code adds is above.
const PRIMARY: i32 = 0xff;

impl Error {
    pub(crate) fn loading(path: &Path, error: &libloading::Error) -> Error {
        Error { code: 0, message: format!("cannot load {}: {error}", path.display()) }
    }

    /// A string with a NUL, or longer than C can say.
    pub(crate) fn argument(what: &str) -> Error {
        Error { code: 0, message: what.to_owned() }
    }

    /// Whether somebody else is in the way.
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
