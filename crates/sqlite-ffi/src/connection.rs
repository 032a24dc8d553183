//! A connection.

use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{NonNull, null, null_mut};

use crate::error::{Error, Result};
use crate::static_text;
use crate::symbols::Symbols;

/// SQLITE_OK
pub(crate) const OK: c_int = 0;

/// Flags of `sqlite3_open_v2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFlags(pub i32);

impl OpenFlags {
    /// Read and write, create if missing, without a mutex: only one thread at a time uses the connection.
    pub const DEFAULT: OpenFlags = OpenFlags(0x2 | 0x4 | 0x8000);
    /// SQLITE_OPEN_SHAREDCACHE
    pub const SHARED_CACHE: OpenFlags = OpenFlags(0x2_0000);

    /// The flags of both.
    #[must_use]
    pub fn with(self, other: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 | other.0)
    }
}

/// A connection to a database.
pub struct Connection {
    pub(crate) symbols: &'static Symbols,
    pub(crate) handle: NonNull<c_void>,
    /// Not `Sync`: only one thread at a time uses the connection.
    _not_sync: PhantomData<std::cell::Cell<()>>,
}

// SAFETY: a connection is not bound to the thread that opened it; `Cell` prevents two threads from using it at once.
unsafe impl Send for Connection {}

impl Connection {
    pub(crate) fn open(symbols: &'static Symbols, path: &Path, flags: OpenFlags) -> Result<Connection> {
        let name = c_string(path.as_os_str().as_bytes())?;
        let mut handle = null_mut();
        // SAFETY: the name ends with NUL; the handle is written to.
        let code = unsafe { (symbols.open_v2)(name.as_ptr(), &mut handle, flags.0, null()) };
        let Some(handle) = NonNull::new(handle) else {
            return Err(Error { code, message: "out of memory".to_owned() });
        };
        let connection = Connection { symbols, handle, _not_sync: PhantomData };
        connection.check(code)?;
        Ok(connection)
    }

    pub(crate) fn check(&self, code: c_int) -> Result<()> {
        if code == OK { Ok(()) } else { Err(self.error()) }
    }

    /// The error of the last call that failed.
    pub(crate) fn error(&self) -> Error {
        // SAFETY: the connection is open; the message is valid until the next call.
        unsafe {
            let code = (self.symbols.extended_errcode)(self.handle.as_ptr());
            Error { code, message: static_text((self.symbols.errmsg)(self.handle.as_ptr())) }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the handle is closed only here, and nothing that borrows the connection is left.
        unsafe { (self.symbols.close_v2)(self.handle.as_ptr()) };
    }
}

pub(crate) fn c_string(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| Error::argument("a name with a NUL"))
}

pub(crate) fn length(len: usize) -> Result<c_int> {
    c_int::try_from(len).map_err(|_| Error::argument("longer than 2 GiB"))
}
