//! Errors of file operations: the operation, the file, and the system's reason.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::ResultCode;

/// The result of a file operation.
pub type Result<T> = std::result::Result<T, Error>;

/// A file operation that failed.
///
/// Boxed: it is rare, and a small `Result` keeps the paths that succeed short.
#[derive(Clone, Debug)]
pub struct Error(Box<Failure>);

#[derive(Clone, Debug)]
struct Failure {
    op: Op,
    code: ResultCode,
    path: Option<PathBuf>,
    errno: Option<i32>,
}

impl Error {
    /// The operation `op` failed; its code follows from the operation and the reason.
    pub fn new(op: Op) -> Error {
        Error::with_code(op, op.code())
    }

    /// The operation `op` failed, with the result code `code`.
    pub fn with_code(op: Op, code: ResultCode) -> Error {
        Error(Box::new(Failure { op, code, path: None, errno: None }))
    }

    /// The operation `op` failed with the system error `errno`.
    pub fn from_errno(op: Op, errno: i32) -> Error {
        let code = if op.uses_space() && errno == ENOSPC { ResultCode::FULL } else { op.code() };
        Error(Box::new(Failure { op, code, path: None, errno: Some(errno) }))
    }

    /// The same error, naming the file.
    pub fn at(mut self, path: &Path) -> Error {
        self.0.path = Some(path.to_path_buf());
        self
    }

    /// SQLite's code for the error.
    pub fn code(&self) -> ResultCode {
        self.0.code
    }

    /// The operation that failed.
    pub fn op(&self) -> Op {
        self.0.op
    }

    /// The file, where it has a name.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Which operation failed on which file, and why: the message without the code.
    pub fn detail(&self) -> impl fmt::Display + '_ {
        Detail(&self.0)
    }

    /// The error number of the system, where it gave one.
    pub fn errno(&self) -> Option<i32> {
        self.0.errno
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.detail())
    }
}

/// See [`Error::detail`].
struct Detail<'e>(&'e Failure);

impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}", self.0.op.verb())?;
        match &self.0.path {
            Some(path) => write!(f, " {}", path.display())?,
            // A file without a name is a temporary file.
            None if self.0.op.is_about_content() => write!(f, " a temporary file")?,
            None => {}
        }
        match self.0.errno {
            Some(errno) => write!(f, ": {}", std::io::Error::from_raw_os_error(errno)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// No space left on the device. The same number on every Unix.
pub const ENOSPC: i32 = 28;
/// Input/output error. The same number on every Unix.
pub const EIO: i32 = 5;

/// One line an operation: its name, the verb of its message, its code.
macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident, $verb:literal, $code:ident;)*) => {
        /// The operation that failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            $($(#[$doc])* $name,)*
        }

        impl Op {
            /// The code of this operation's failures.
            pub const fn code(self) -> ResultCode {
                match self { $(Op::$name => ResultCode::$code,)* }
            }

            const fn verb(self) -> &'static str {
                match self { $(Op::$name => $verb,)* }
            }
        }
    };
}

ops! {
    /// Opening or creating a file.
    Open, "open", CANTOPEN;
    /// Finding the full path of a file.
    FullPath, "resolve the path", CANTOPEN_FULLPATH;
    /// Finding a folder for temporary files.
    TempPath, "find a folder for temporary files", IOERR_GETTEMPPATH;
    /// Reading.
    Read, "read", IOERR_READ;
    /// Writing.
    Write, "write", IOERR_WRITE;
    /// Changing the length of a file.
    Truncate, "truncate", IOERR_TRUNCATE;
    /// Forcing content to the device.
    Sync, "sync", IOERR_FSYNC;
    /// Forcing a folder's entries to the device.
    SyncDirectory, "sync the folder of", IOERR_DIR_FSYNC;
    /// Reading the size or the identity of a file.
    Stat, "stat", IOERR_FSTAT;
    /// Removing a file.
    Delete, "delete", IOERR_DELETE;
    /// Checking whether a file exists.
    Access, "look for", IOERR_ACCESS;
    /// Taking a lock for reading.
    ReadLock, "lock for reading", IOERR_RDLOCK;
    /// Taking a lock.
    Lock, "lock", IOERR_LOCK;
    /// Releasing a lock.
    Unlock, "unlock", IOERR_UNLOCK;
    /// Checking whether a writer holds a lock.
    CheckReserved, "check the lock of", IOERR_CHECKRESERVEDLOCK;
    /// Opening the shared memory of a database.
    ShmOpen, "open the shared memory of", IOERR_SHMOPEN;
    /// Growing the shared memory of a database.
    ShmSize, "size the shared memory of", IOERR_SHMSIZE;
    /// Mapping the shared memory of a database.
    ShmMap, "map the shared memory of", IOERR_SHMMAP;
    /// Locking the shared memory of a database.
    ShmLock, "lock the shared memory of", IOERR_SHMLOCK;
    /// Mapping a file.
    Map, "map", IOERR_MMAP;
}

impl Op {
    /// Whether the operation opens a file, or reads or changes its content.
    const fn is_about_content(self) -> bool {
        matches!(self, Op::Open | Op::Read | Op::Write | Op::Truncate | Op::Sync | Op::Stat)
    }

    /// A full device is reported as `FULL` by the operations that need space on it.
    const fn uses_space(self) -> bool {
        matches!(self, Op::Write)
    }
}
