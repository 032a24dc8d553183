//! Errors, with messages for the user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run ended early.
#[derive(Debug)]
pub enum Error {
    /// A system call on a file or folder failed.
    File {
        /// The failed operation: "create", "read" …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A database library failed.
    Sql {
        /// The library.
        library: String,
        /// Its message.
        message: String,
        /// Whether the error is a full disk.
        is_disk_full: bool,
        /// Whether the error is SQLITE_BUSY: another connection holds a lock.
        is_busy: bool,
    },
    /// The bytes read differ from those written: the results of the run are invalid.
    WrongContent(String),
    /// The run is impossible: contradictory options, too little free space, a missing server.
    Setup(String),
}

/// The result type of this program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error in the options or the environment.
    pub fn setup(message: impl Into<String>) -> Error {
        Error::Setup(message.into())
    }

    /// Whether another connection holds a lock: the transaction may be retried.
    pub fn is_busy(&self) -> bool {
        matches!(self, Error::Sql { is_busy: true, .. })
    }

    fn is_disk_full(&self) -> bool {
        match self {
            Error::File { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Error::Sql { is_disk_full, .. } => *is_disk_full,
            Error::WrongContent(_) | Error::Setup(_) => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File { doing, path, source } => write!(f, "cannot {doing} {}: {source}", path.display())?,
            Error::Sql { library, message, .. } => write!(f, "{library}: {message}")?,
            Error::WrongContent(what) => write!(f, "wrong content: {what}")?,
            Error::Setup(message) => f.write_str(message)?,
        }
        if self.is_disk_full() {
            f.write_str(
                "\nThe disk is full. Name a folder on a larger one with --folder, or ask for less with --quick.",
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Adds the failed operation to an [`io::Error`].
pub trait Context<T> {
    /// `doing` is a verb: "create", "read" …
    fn context(self, doing: &'static str, path: impl AsRef<Path>) -> Result<T>;
}

impl<T, E: Into<io::Error>> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: &'static str, path: impl AsRef<Path>) -> Result<T> {
        self.map_err(|source| Error::File { doing, path: path.as_ref().to_owned(), source: source.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_in_words() {
        let full: io::Result<()> = Err(io::ErrorKind::StorageFull.into());
        let text = full.context("write", "/data/x").unwrap_err().to_string();
        assert!(text.starts_with("cannot write /data/x: "), "{text}");
        assert!(text.contains("--folder"), "{text}");
    }
}
