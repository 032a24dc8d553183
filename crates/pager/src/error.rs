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
    /// Another connection is in the way; waiting may help.
    Busy,
    /// The snapshot that was read is not the newest any more, so it cannot be written to. Waiting
    /// does not help, a new transaction does.
    BusySnapshot,
    /// There is no state that could be recorded, or read again.
    NoSnapshot,
    /// The state of the past that is to be read has been overwritten.
    SnapshotGone,
    /// Another process is recovering the write-ahead log.
    BusyRecovery,
    /// A connection that shares the cache is in the way.
    Locked,
    /// The file is damaged.
    Corrupt {
        /// Where, if it is one page.
        page: Option<PageNo>,
        /// In which way.
        what: &'static str,
    },
    /// The file is something else than a database.
    NotADb,
    /// Writing is refused; the code tells why.
    ReadOnly(ResultCode),
    /// The database has reached its largest size.
    Full,
    /// The file cannot be opened; the code tells why.
    CantOpen(ResultCode),
    /// There is not enough memory.
    NoMem,
    /// The application has asked to stop.
    Interrupted,
    /// Too many others kept changing the locks at once.
    Protocol,
    /// A cursor is used whose transaction was rolled back.
    RolledBack,
    /// The call does not fit the state of the pager.
    Misuse(&'static str),
    /// Something that SQLite does and we do not do yet.
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

    /// SQLite's code for it.
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

    /// Whether waiting for others may help.
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

/// All of these, if there is memory for the list: for the pages of large transactions.
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

/// So many zeros, if there is memory for them: for buffers of many pages.
pub(crate) fn zeros(len: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Error::NoMem)?;
    bytes.resize(len, 0);
    Ok(bytes)
}
