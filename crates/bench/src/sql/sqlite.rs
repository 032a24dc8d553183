//! SQLite, bundled by the crate `rusqlite`.

use std::path::Path;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags};

use crate::frame::results::Side;
use crate::frame::{Error, Result};
use crate::sql::{Access, Blob, Cell, Connection, Library, Row, Settings, Statement};

/// SQLite.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sqlite;

impl Library for Sqlite {
    type Connection = rusqlite::Connection;

    const SIDE: Side = Side::Sqlite;

    fn open(path: &Path, settings: &Settings) -> Result<rusqlite::Connection> {
        let mut flags = OpenFlags::default();
        if settings.shared_cache {
            flags |= OpenFlags::SQLITE_OPEN_SHARED_CACHE;
        }
        let connection = rusqlite::Connection::open_with_flags(path, flags).map_err(error)?;
        connection.run(&settings.sql())?;
        Ok(connection)
    }
}

fn error(error: rusqlite::Error) -> Error {
    let is_disk_full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
    let is_busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    Error::Sql { library: Side::Sqlite.name().to_owned(), message: error.to_string(), is_disk_full, is_busy }
}

impl Connection for rusqlite::Connection {
    type Statement<'c> = rusqlite::Statement<'c>;
    type Blob<'c> = rusqlite::blob::Blob<'c>;

    fn run(&self, sql: &str) -> Result<()> {
        self.execute_batch(sql).map_err(error)
    }

    fn prepare(&self, sql: &str) -> Result<rusqlite::Statement<'_>> {
        self.prepare(sql).map_err(error)
    }

    fn blob(&self, table: &str, column: &str, rowid: i64, access: Access) -> Result<rusqlite::blob::Blob<'_>> {
        self.blob_open("main", table, column, rowid, access == Access::Read).map_err(error)
    }
}

impl Statement for rusqlite::Statement<'_> {
    fn each(&mut self, parameters: &[Cell<'_>], mut each: impl FnMut(&dyn Row) -> Result<()>) -> Result<usize> {
        for (at, value) in parameters.iter().enumerate() {
            self.raw_bind_parameter(at + 1, value).map_err(error)?;
        }
        let mut rows = self.raw_query();
        let mut count = 0;
        while let Some(row) = rows.next().map_err(error)? {
            each(row)?;
            count += 1;
        }
        Ok(count)
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(integer) => ValueRef::Integer(integer),
            Cell::Real(real) => ValueRef::Real(real),
            Cell::Text(text) => ValueRef::Text(text),
            Cell::Blob(blob) => ValueRef::Blob(blob),
        }))
    }
}

impl Row for rusqlite::Row<'_> {
    fn width(&self) -> usize {
        self.as_ref().column_count()
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        match self.get_ref(column) {
            Ok(ValueRef::Integer(integer)) => Cell::Integer(integer),
            Ok(ValueRef::Real(real)) => Cell::Real(real),
            Ok(ValueRef::Text(text)) => Cell::Text(text),
            Ok(ValueRef::Blob(blob)) => Cell::Blob(blob),
            Ok(ValueRef::Null) | Err(_) => Cell::Null,
        }
    }
}

impl Blob for rusqlite::blob::Blob<'_> {
    fn len(&self) -> usize {
        rusqlite::blob::Blob::len(self)
    }

    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        let len = Blob::len(self);
        grow(buffer, len);
        self.read_at_exact(&mut buffer[..len], 0).map_err(error)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_at(bytes, 0).map_err(error)
    }

    fn reopen(&mut self, rowid: i64) -> Result<()> {
        rusqlite::blob::Blob::reopen(self, rowid).map_err(error)
    }
}

/// Grows a buffer if it is too small. A larger one is not cleared, because that would be timed, too.
pub(super) fn grow(buffer: &mut Vec<u8>, len: usize) {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
}
