//! Reading and writing a BLOB in place.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};

use crate::connection::{Connection, c_string, length};
use crate::error::Result;

impl Connection {
    /// Opens a BLOB of database `main` in place.
    ///
    /// # Errors
    /// As `sqlite3_blob_open`.
    pub fn blob(&self, table: &str, column: &str, rowid: i64, is_writable: bool) -> Result<Blob<'_>> {
        Blob::open(self, table, column, rowid, is_writable)
    }
}

/// An open BLOB.
pub struct Blob<'c> {
    connection: &'c Connection,
    handle: NonNull<c_void>,
}

impl<'c> Blob<'c> {
    pub(crate) fn open(
        connection: &'c Connection,
        table: &str,
        column: &str,
        rowid: i64,
        is_writable: bool,
    ) -> Result<Blob<'c>> {
        let (table, column) = (c_string(table.as_bytes())?, c_string(column.as_bytes())?);
        let (db, main, flags) = (connection.handle.as_ptr(), c"main".as_ptr(), c_int::from(is_writable));
        let mut handle = null_mut();
        // SAFETY: the connection is open, the names end with NUL, the handle is written to.
        let code = unsafe {
            (connection.symbols.blob_open)(db, main, table.as_ptr(), column.as_ptr(), rowid, flags, &mut handle)
        };
        connection.check(code)?;
        let handle = NonNull::new(handle).ok_or_else(|| connection.error())?;
        Ok(Blob { connection, handle })
    }

    /// The size in bytes.
    pub fn len(&self) -> usize {
        // SAFETY: the BLOB is open.
        usize::try_from(unsafe { (self.connection.symbols.blob_bytes)(self.handle.as_ptr()) }).unwrap_or(0)
    }

    /// Whether the BLOB has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads as many bytes as `buffer` has, from the beginning of the BLOB.
    ///
    /// # Errors
    /// As `sqlite3_blob_read`.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        let len = length(buffer.len())?;
        // SAFETY: the BLOB is open, and the buffer has `len` bytes.
        let code =
            unsafe { (self.connection.symbols.blob_read)(self.handle.as_ptr(), buffer.as_mut_ptr().cast(), len, 0) };
        self.connection.check(code)
    }

    /// Overwrites the BLOB from its beginning.
    ///
    /// # Errors
    /// As `sqlite3_blob_write`.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let len = length(bytes.len())?;
        // SAFETY: the BLOB is open, and `bytes` has `len` bytes.
        let code = unsafe { (self.connection.symbols.blob_write)(self.handle.as_ptr(), bytes.as_ptr().cast(), len, 0) };
        self.connection.check(code)
    }

    /// Moves the handle to another row.
    ///
    /// # Errors
    /// As `sqlite3_blob_reopen`.
    pub fn reopen(&mut self, rowid: i64) -> Result<()> {
        // SAFETY: the BLOB is open.
        let code = unsafe { (self.connection.symbols.blob_reopen)(self.handle.as_ptr(), rowid) };
        self.connection.check(code)
    }
}

impl Drop for Blob<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is closed only here.
        unsafe { (self.connection.symbols.blob_close)(self.handle.as_ptr()) };
    }
}
