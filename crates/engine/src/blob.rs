//! Incremental access to one BLOB.

use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::error::{Error, Result};

/// An open BLOB (or text) of one row.
pub struct Blob {
    len: usize,
}

impl Connection {
    /// Opens the value of `column` in row `rowid` of a table, for reading or also for writing.
    pub fn blob_open(
        &self,
        _database: &str,
        _table: &str,
        _column: &str,
        _rowid: i64,
        _write: bool,
    ) -> Result<Blob> {
        Err(Error::not_supported("incremental BLOB access"))
    }
}

impl Blob {
    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads from `offset` on.
    pub fn read(&mut self, _connection: &Connection, _bytes: &mut [u8], _offset: usize) -> Result<()> {
        Err(Error::from_code(ResultCode::ABORT))
    }

    /// Writes from `offset` on.
    pub fn write(&mut self, _connection: &Connection, _bytes: &[u8], _offset: usize) -> Result<()> {
        Err(Error::from_code(ResultCode::ABORT))
    }

    /// Goes to another row.
    pub fn reopen(&mut self, _connection: &Connection, _rowid: i64) -> Result<()> {
        Err(Error::from_code(ResultCode::ABORT))
    }

    /// Ends the access.
    pub fn close(&mut self, _connection: &Connection) -> Result<()> {
        Ok(())
    }
}
