//! What can go wrong with a transaction.

use std::fmt;

use lithe_format::PageNo;
use lithe_vfs::ResultCode;

/// The result of a pager's operation.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong with a transaction.
#[derive(Clone, Debug)]
pub enum Error {
    /// A file operation failed.
    Io(lithe_vfs::Error),
    /// A lock of another connection conflicts; waiting may help.
    Busy,
    /// A newer snapshot than the one that was read exists, so the transaction cannot write. Waiting does not help, a
    /// new transaction does.
    BusySnapshot,
    /// There is no snapshot that could be recorded or opened.
    NoSnapshot,
    /// The past snapshot that is to be read has been overwritten.
    SnapshotGone,
    /// Another process is recovering the write-ahead log.
    BusyRecovery,
    /// A lock of a connection of the same shared cache conflicts.
    Locked,
    /// The file is damaged.
    Corrupt {
        /// The page, if the damage is on one page.
        page: Option<PageNo>,
        /// The kind of damage.
        what: &'static str,
    },
    /// The file is not a database.
    NotADb,
    /// Writing is refused; the code tells the reason.
    ReadOnly(ResultCode),
    /// The database has reached its largest size.
    Full,
    /// The file cannot be opened; the code tells the reason.
    CantOpen(ResultCode),
    /// There is not enough memory.
    NoMem,
    /// The application has called for an interrupt.
    Interrupted,
    /// Other connections changed the locks at every attempt.
    Protocol,
    /// A cursor is used whose transaction was rolled back.
    RolledBack,
    /// The call does not fit the state of the pager.
    Misuse(&'static str),
    /// A function of SQLite that is not implemented yet.
    NotSupported(&'static str),
}

impl Error {
    /// Damage that has no single place.
    pub const fn corrupt(what: &'static str) -> Error {
        Error::Corrupt { page: None, what }
    }

    /// Damage on one page.
    pub const fn corrupt_page(page: PageNo, what: &'static str) -> Error {
        Error::Corrupt { page: Some(page), what }
    }

    /// SQLite's code for the error.
    pub fn code(&self) -> ResultCode {
        match self {
            Error::Io(error) => error.code(),
            Error::Busy => ResultCode::BUSY,
            Error::BusySnapshot => ResultCode::BUSY_SNAPSHOT,
            Error::NoSnapshot => ResultCode::ERROR,
            Error::SnapshotGone => ResultCode::ERROR_SNAPSHOT,
            Error::BusyRecovery => ResultCode::BUSY_RECOVERY,
            Error::Locked => ResultCode::LOCKED,
            Error::Corrupt { .. } => ResultCode::CORRUPT,
            Error::NotADb => ResultCode::NOTADB,
            Error::ReadOnly(code) | Error::CantOpen(code) => *code,
            Error::Full => ResultCode::FULL,
            Error::NoMem => ResultCode::NOMEM,
            Error::Interrupted => ResultCode::INTERRUPT,
            Error::Protocol => ResultCode::PROTOCOL,
            Error::RolledBack => ResultCode::ABORT_ROLLBACK,
            Error::Misuse(_) => ResultCode::MISUSE,
            Error::NotSupported(_) => ResultCode::ERROR,
        }
    }

    /// Whether waiting for other connections may help.
    pub fn is_busy(&self) -> bool {
        self.code().primary() == ResultCode::BUSY
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Corrupt { page: Some(page), what } => write!(f, "{}: page {page}: {what}", self.code()),
            Error::Corrupt { page: None, what } => write!(f, "{}: {what}", self.code()),
            Error::Misuse(what) => write!(f, "{}: {what}", self.code()),
            Error::NotSupported(what) => write!(f, "not supported yet: {what}"),
            _ => f.write_str(self.code().text()),
        }
    }
}

impl std::error::Error for Error {}

impl From<lithe_vfs::Error> for Error {
    fn from(error: lithe_vfs::Error) -> Error {
        match error.code() {
            ResultCode::BUSY => Error::Busy,
            _ => Error::Io(error),
        }
    }
}

/// Collects the items, or reports that memory is short: for the pages of large transactions.
pub(crate) fn listed<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    /// Most transactions write fewer pages.
    const FIRST_MAX: usize = 32;
    let mut list = Vec::new();
    let first = items.size_hint().1.unwrap_or(FIRST_MAX).min(FIRST_MAX);
    list.try_reserve(first).map_err(|_| Error::NoMem)?;
    for item in items {
        if list.len() == list.capacity() {
            list.try_reserve(1).map_err(|_| Error::NoMem)?;
        }
        list.push(item);
    }
    Ok(list)
}

/// A buffer of `len` zeros, or the error that memory is short: for buffers of many pages.
pub(crate) fn zeros(len: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Error::NoMem)?;
    bytes.resize(len, 0);
    Ok(bytes)
}
