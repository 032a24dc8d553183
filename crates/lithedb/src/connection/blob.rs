//! Reading and writing a BLOB in place.

use std::io;

use lithe_engine as engine;
use lithe_engine::Result;

use crate::connection::Connection;

/// An open BLOB: bytes are read and written at offsets; its size does not change.
///
/// A `Blob` also implements `Read`, `Write` and `Seek`, with a position of its own.
///
/// ```
/// use lithe::{Connection, ZeroBlob, params};
/// # let connection = Connection::open_in_memory().unwrap();
/// connection.execute_batch("CREATE TABLE file(data BLOB)")?;
/// connection.execute("INSERT INTO file VALUES (?1)", params![ZeroBlob(1000)])?;
/// let mut blob = connection.blob_open("main", "file", "data", connection.last_insert_rowid(), false)?;
/// blob.write_at(b"hello", 500)?;
/// let mut bytes = [0; 5];
/// blob.read_at(&mut bytes, 500)?;
/// assert_eq!(&bytes, b"hello");
/// # Ok::<(), lithe::Error>(())
/// ```
pub struct Blob<'c> {
    connection: &'c Connection,
    inner: engine::Blob,
    position: usize,
}

impl<'c> Blob<'c> {
    pub(crate) fn new(connection: &'c Connection, inner: engine::Blob) -> Blob<'c> {
        Blob { connection, inner, position: 0 }
    }

    /// The size in bytes.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// assert_eq!(blob.len(), 2);
    /// # blob.close()?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether the BLOB has no bytes.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// assert!(!blob.is_empty());
    /// # blob.close()?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads `bytes.len()` bytes at `offset`.
    ///
    /// Does not block: opening has taken the locks. Offsets are bytes.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// let mut bytes = [0];
    /// blob.read_at(&mut bytes, 1)?;
    /// assert_eq!(bytes, [2]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR if the range exceeds the end; SQLITE_ABORT if the row was changed or deleted since the BLOB was
    /// opened.
    pub fn read_at(&mut self, bytes: &mut [u8], offset: usize) -> Result<()> {
        self.inner.read(&self.connection.core, bytes, offset)
    }

    /// Writes `bytes` at `offset`.
    ///
    /// Does not block: opening has taken the locks. The BLOB keeps its length.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// blob.write_at(&[7], 0)?;
    /// assert!(blob.write_at(&[8, 9], 1).is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Blob::read_at`]; SQLITE_READONLY if the BLOB was opened for reading.
    pub fn write_at(&mut self, bytes: &[u8], offset: usize) -> Result<()> {
        self.inner.write(&self.connection.core, bytes, offset)
    }

    /// Moves the handle to the same column of another row, which is cheaper than opening it.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// blob.reopen(2)?;
    /// assert_eq!(blob.len(), 3);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such row, or its value is neither a BLOB nor text; the handle then answers SQLITE_ABORT.
    pub fn reopen(&mut self, rowid: i64) -> Result<()> {
        self.position = 0;
        self.inner.reopen(&self.connection.core, rowid)
    }

    /// Closes the BLOB, and returns the error that dropping it would ignore.
    ///
    /// In autocommit mode this commits the writes: it waits for locks of other connections as
    /// [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102'), (x'030405')")?;
    /// let mut blob = connection.blob_open("main", "file", "data", 1, false)?;
    /// blob.close()?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of a commit.
    pub fn close(mut self) -> Result<()> {
        self.inner.close(&self.connection.core)
    }
}

impl Drop for Blob<'_> {
    fn drop(&mut self) {
        // Only `close` can return the error of the commit that closing may cause.
        let _ = self.inner.close(&self.connection.core);
    }
}

impl io::Read for Blob<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.len().saturating_sub(self.position));
        self.read_at(&mut bytes[..count], self.position).map_err(io::Error::other)?;
        self.position += count;
        Ok(count)
    }
}

impl io::Write for Blob<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.len().saturating_sub(self.position));
        self.write_at(&bytes[..count], self.position).map_err(io::Error::other)?;
        self.position += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for Blob<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let len = self.len() as i64;
        let target = match to {
            io::SeekFrom::Start(offset) => i64::try_from(offset).ok(),
            io::SeekFrom::End(offset) => len.checked_add(offset),
            io::SeekFrom::Current(offset) => (self.position as i64).checked_add(offset),
        };
        let position = target.and_then(|t| usize::try_from(t).ok());
        self.position = position.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "seek before the start"))?;
        Ok(self.position as u64)
    }
}
