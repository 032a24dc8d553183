//! SQLite's result codes: a primary code in the low byte, and above it the number of an extended code.
//!
//! ```text
//!   31                    8 7          0
//!   | which kind of it     | primary    |     IOERR_FSYNC = IOERR | 4 << 8
//! ```
//!
//! The texts are those of `sqlite3_errstr`.

use std::fmt;

/// A result code of SQLite, primary or extended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultCode(pub i32);

impl ResultCode {
    /// The primary code of an extended code: `IOERR_FSYNC` is an `IOERR`.
    pub const fn primary(self) -> ResultCode {
        ResultCode(self.0 & 0xff)
    }

    /// The text of `sqlite3_errstr`: that of the primary code, except for one extended code.
    pub fn text(self) -> &'static str {
        let exact = TABLE.iter().find(|entry| entry.0 == self);
        let entry = exact.or_else(|| TABLE.iter().find(|entry| entry.0 == self.primary()));
        entry.map_or("unknown error", |entry| entry.2)
    }

    /// The name without its prefix, as in `BUSY_SNAPSHOT`, or `None` for a number that is no code.
    pub fn name(self) -> Option<&'static str> {
        TABLE.iter().find(|entry| entry.0 == self).map(|entry| entry.1)
    }
}

impl fmt::Display for ResultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for ResultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "ResultCode({})", self.0),
        }
    }
}

/// One line a code: its name, its number, its text.
macro_rules! result_codes {
    ($($name:ident = $value:expr, $text:literal;)*) => {
        impl ResultCode {
            $(
                #[doc = concat!("`SQLITE_", stringify!($name), "`: ", $text, ".")]
                pub const $name: ResultCode = ResultCode($value);
            )*
        }

        static TABLE: &[(ResultCode, &str, &str)] =
            &[$((ResultCode::$name, stringify!($name), $text)),*];
    };
}

result_codes! {
    OK = 0, "not an error";
    ERROR = 1, "SQL logic error";
    INTERNAL = 2, "unknown error";
    PERM = 3, "access permission denied";
    ABORT = 4, "query aborted";
    BUSY = 5, "database is locked";
    LOCKED = 6, "database table is locked";
    NOMEM = 7, "out of memory";
    READONLY = 8, "attempt to write a readonly database";
    INTERRUPT = 9, "interrupted";
    IOERR = 10, "disk I/O error";
    CORRUPT = 11, "database disk image is malformed";
    NOTFOUND = 12, "unknown operation";
    FULL = 13, "database or disk is full";
    CANTOPEN = 14, "unable to open database file";
    PROTOCOL = 15, "locking protocol";
    EMPTY = 16, "unknown error";
    SCHEMA = 17, "database schema has changed";
    TOOBIG = 18, "string or blob too big";
    CONSTRAINT = 19, "constraint failed";
    MISMATCH = 20, "datatype mismatch";
    MISUSE = 21, "bad parameter or other API misuse";
    NOLFS = 22, "unknown error";
    AUTH = 23, "authorization denied";
    FORMAT = 24, "unknown error";
    RANGE = 25, "column index out of range";
    NOTADB = 26, "file is not a database";
    NOTICE = 27, "notification message";
    WARNING = 28, "warning message";
    ROW = 100, "another row available";
    DONE = 101, "no more rows available";
    ERROR_MISSING_COLLSEQ = 1 | 1 << 8, "SQL logic error";
    ERROR_RETRY = 1 | 2 << 8, "SQL logic error";
    ERROR_SNAPSHOT = 1 | 3 << 8, "SQL logic error";
    ERROR_RESERVESIZE = 1 | 4 << 8, "SQL logic error";
    ERROR_KEY = 1 | 5 << 8, "SQL logic error";
    ERROR_UNABLE = 1 | 6 << 8, "SQL logic error";
    IOERR_READ = 10 | 1 << 8, "disk I/O error";
    IOERR_SHORT_READ = 10 | 2 << 8, "disk I/O error";
    IOERR_WRITE = 10 | 3 << 8, "disk I/O error";
    IOERR_FSYNC = 10 | 4 << 8, "disk I/O error";
    IOERR_DIR_FSYNC = 10 | 5 << 8, "disk I/O error";
    IOERR_TRUNCATE = 10 | 6 << 8, "disk I/O error";
    IOERR_FSTAT = 10 | 7 << 8, "disk I/O error";
    IOERR_UNLOCK = 10 | 8 << 8, "disk I/O error";
    IOERR_RDLOCK = 10 | 9 << 8, "disk I/O error";
    IOERR_DELETE = 10 | 10 << 8, "disk I/O error";
    IOERR_BLOCKED = 10 | 11 << 8, "disk I/O error";
    IOERR_NOMEM = 10 | 12 << 8, "disk I/O error";
    IOERR_ACCESS = 10 | 13 << 8, "disk I/O error";
    IOERR_CHECKRESERVEDLOCK = 10 | 14 << 8, "disk I/O error";
    IOERR_LOCK = 10 | 15 << 8, "disk I/O error";
    IOERR_CLOSE = 10 | 16 << 8, "disk I/O error";
    IOERR_DIR_CLOSE = 10 | 17 << 8, "disk I/O error";
    IOERR_SHMOPEN = 10 | 18 << 8, "disk I/O error";
    IOERR_SHMSIZE = 10 | 19 << 8, "disk I/O error";
    IOERR_SHMLOCK = 10 | 20 << 8, "disk I/O error";
    IOERR_SHMMAP = 10 | 21 << 8, "disk I/O error";
    IOERR_SEEK = 10 | 22 << 8, "disk I/O error";
    IOERR_DELETE_NOENT = 10 | 23 << 8, "disk I/O error";
    IOERR_MMAP = 10 | 24 << 8, "disk I/O error";
    IOERR_GETTEMPPATH = 10 | 25 << 8, "disk I/O error";
    IOERR_CONVPATH = 10 | 26 << 8, "disk I/O error";
    IOERR_VNODE = 10 | 27 << 8, "disk I/O error";
    IOERR_AUTH = 10 | 28 << 8, "disk I/O error";
    IOERR_BEGIN_ATOMIC = 10 | 29 << 8, "disk I/O error";
    IOERR_COMMIT_ATOMIC = 10 | 30 << 8, "disk I/O error";
    IOERR_ROLLBACK_ATOMIC = 10 | 31 << 8, "disk I/O error";
    IOERR_DATA = 10 | 32 << 8, "disk I/O error";
    IOERR_CORRUPTFS = 10 | 33 << 8, "disk I/O error";
    IOERR_IN_PAGE = 10 | 34 << 8, "disk I/O error";
    IOERR_BADKEY = 10 | 35 << 8, "disk I/O error";
    IOERR_CODEC = 10 | 36 << 8, "disk I/O error";
    LOCKED_SHAREDCACHE = 6 | 1 << 8, "database table is locked";
    LOCKED_VTAB = 6 | 2 << 8, "database table is locked";
    BUSY_RECOVERY = 5 | 1 << 8, "database is locked";
    BUSY_SNAPSHOT = 5 | 2 << 8, "database is locked";
    BUSY_TIMEOUT = 5 | 3 << 8, "database is locked";
    CANTOPEN_NOTEMPDIR = 14 | 1 << 8, "unable to open database file";
    CANTOPEN_ISDIR = 14 | 2 << 8, "unable to open database file";
    CANTOPEN_FULLPATH = 14 | 3 << 8, "unable to open database file";
    CANTOPEN_CONVPATH = 14 | 4 << 8, "unable to open database file";
    CANTOPEN_DIRTYWAL = 14 | 5 << 8, "unable to open database file";
    CANTOPEN_SYMLINK = 14 | 6 << 8, "unable to open database file";
    CORRUPT_VTAB = 11 | 1 << 8, "database disk image is malformed";
    CORRUPT_SEQUENCE = 11 | 2 << 8, "database disk image is malformed";
    CORRUPT_INDEX = 11 | 3 << 8, "database disk image is malformed";
    READONLY_RECOVERY = 8 | 1 << 8, "attempt to write a readonly database";
    READONLY_CANTLOCK = 8 | 2 << 8, "attempt to write a readonly database";
    READONLY_ROLLBACK = 8 | 3 << 8, "attempt to write a readonly database";
    READONLY_DBMOVED = 8 | 4 << 8, "attempt to write a readonly database";
    READONLY_CANTINIT = 8 | 5 << 8, "attempt to write a readonly database";
    READONLY_DIRECTORY = 8 | 6 << 8, "attempt to write a readonly database";
    ABORT_ROLLBACK = 4 | 2 << 8, "abort due to ROLLBACK";
    CONSTRAINT_CHECK = 19 | 1 << 8, "constraint failed";
    CONSTRAINT_COMMITHOOK = 19 | 2 << 8, "constraint failed";
    CONSTRAINT_FOREIGNKEY = 19 | 3 << 8, "constraint failed";
    CONSTRAINT_FUNCTION = 19 | 4 << 8, "constraint failed";
    CONSTRAINT_NOTNULL = 19 | 5 << 8, "constraint failed";
    CONSTRAINT_PRIMARYKEY = 19 | 6 << 8, "constraint failed";
    CONSTRAINT_TRIGGER = 19 | 7 << 8, "constraint failed";
    CONSTRAINT_UNIQUE = 19 | 8 << 8, "constraint failed";
    CONSTRAINT_VTAB = 19 | 9 << 8, "constraint failed";
    CONSTRAINT_ROWID = 19 | 10 << 8, "constraint failed";
    CONSTRAINT_PINNED = 19 | 11 << 8, "constraint failed";
    CONSTRAINT_DATATYPE = 19 | 12 << 8, "constraint failed";
    NOTICE_RECOVER_WAL = 27 | 1 << 8, "notification message";
    NOTICE_RECOVER_ROLLBACK = 27 | 2 << 8, "notification message";
    NOTICE_RBU = 27 | 3 << 8, "notification message";
    WARNING_AUTOINDEX = 28 | 1 << 8, "warning message";
    AUTH_USER = 23 | 1 << 8, "authorization denied";
    OK_LOAD_PERMANENTLY = 1 << 8, "not an error";
    OK_SYMLINK = 2 << 8, "not an error";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts() {
        assert_eq!(ResultCode::BUSY_SNAPSHOT.0, 517);
        assert_eq!(ResultCode::IOERR_FSYNC.0, 1034);
        assert_eq!(ResultCode::IOERR_FSYNC.primary(), ResultCode::IOERR);
        assert_eq!(ResultCode::IOERR_FSYNC.text(), "disk I/O error");
        assert_eq!(ResultCode::ABORT_ROLLBACK.text(), "abort due to ROLLBACK");
        assert_eq!(ResultCode(10 | 200 << 8).text(), "disk I/O error");
        assert_eq!(ResultCode(9999).text(), "locking protocol");
        assert_eq!(ResultCode(50).text(), "unknown error");
        assert_eq!(format!("{:?} {:?}", ResultCode::CORRUPT, ResultCode(50)), "CORRUPT ResultCode(50)");
    }
}
