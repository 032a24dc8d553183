//! What can go wrong, in words that help.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a run ended early.
#[derive(Debug)]
pub enum Error {
    /// A call on a file or folder failed.
    File {
        /// What was being done: "create", "read" …
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A database refused.
    Sql {
        /// Which library.
        library: String,
        /// What it said.
        message: String,
        /// Whether it said that the disk is full.
        is_disk_full: bool,
        /// Whether it said that somebody else is in the way.
        is_busy: bool,
    },
    /// What was read is not what had been written: the run is worth nothing.
    WrongContent(String),
    /// The run cannot be done like that: options that contradict each other, too little free space, a missing server.
    Setup(String),
}

/// The usual result here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error in what was asked for.
    pub fn setup(message: impl Into<String>) -> Error {
        Error::Setup(message.into())
    }

    /// Whether somebody else is in the way: the transaction may be tried again.
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

/// Adds to an [`io::Error`] what was being done.
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
