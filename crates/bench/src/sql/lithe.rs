//! Lithe, through its Rust API.

use std::path::Path;

use lithe::{OpenFlags, ResultCode, ValueRef};

use crate::frame::results::Side;
use crate::frame::{Error, Result};
use crate::sql::sqlite::grow;
use crate::sql::{Access, Blob, Cell, Connection, Library, Row, Settings, Statement};

/// Lithe.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lithe;

impl Library for Lithe {
    type Connection = lithe::Connection;

    const SIDE: Side = Side::Lithe;

    fn open(path: &Path, settings: &Settings) -> Result<lithe::Connection> {
        let mut flags = OpenFlags::DEFAULT;
        if settings.shared_cache {
            flags = flags.with(OpenFlags::SHAREDCACHE);
        }
        let connection = lithe::Connection::open_with_flags(path, flags).map_err(error)?;
        connection.run(&settings.sql())?;
        Ok(connection)
    }
}

fn error(error: lithe::Error) -> Error {
    let is_disk_full = error.code() == ResultCode::FULL;
    let is_busy = error.code().primary() == ResultCode::BUSY;
    Error::Sql { library: Side::Lithe.name().to_owned(), message: error.to_string(), is_disk_full, is_busy }
}

impl Connection for lithe::Connection {
    type Statement<'c> = lithe::Statement<'c>;
    type Blob<'c> = lithe::Blob<'c>;

    fn run(&self, sql: &str) -> Result<()> {
        self.execute_batch(sql).map_err(error)
    }

    fn prepare(&self, sql: &str) -> Result<lithe::Statement<'_>> {
        self.prepare(sql).map_err(error)
    }

    fn blob(&self, table: &str, column: &str, rowid: i64, access: Access) -> Result<lithe::Blob<'_>> {
        self.blob_open("main", table, column, rowid, access == Access::Read).map_err(error)
    }
}

impl Statement for lithe::Statement<'_> {
    fn each(&mut self, parameters: &[Cell<'_>], mut each: impl FnMut(&dyn Row) -> Result<()>) -> Result<usize> {
        for (at, value) in parameters.iter().enumerate() {
            self.bind(at + 1, value_ref(*value)).map_err(error)?;
        }
        let mut count = 0;
        while let Some(row) = self.step().map_err(error)? {
            each(&row)?;
            count += 1;
        }
        self.reset().map_err(error)?;
        Ok(count)
    }
}

fn value_ref(cell: Cell<'_>) -> ValueRef<'_> {
    match cell {
        Cell::Null => ValueRef::Null,
        Cell::Integer(integer) => ValueRef::Integer(integer),
        Cell::Real(real) => ValueRef::Real(real),
        Cell::Text(text) => ValueRef::Text(text),
        Cell::Blob(blob) => ValueRef::Blob(blob),
    }
}

impl Row for lithe::Row<'_> {
    fn width(&self) -> usize {
        self.column_count()
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        match self.get_ref(column) {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(integer) => Cell::Integer(integer),
            ValueRef::Real(real) => Cell::Real(real),
            ValueRef::Text(text) => Cell::Text(text),
            ValueRef::Blob(blob) => Cell::Blob(blob),
        }
    }
}

impl Blob for lithe::Blob<'_> {
    fn len(&self) -> usize {
        lithe::Blob::len(self)
    }

    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        let len = Blob::len(self);
        grow(buffer, len);
        self.read_at(&mut buffer[..len], 0).map_err(error)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_at(bytes, 0).map_err(error)
    }

    fn reopen(&mut self, rowid: i64) -> Result<()> {
        lithe::Blob::reopen(self, rowid).map_err(error)
    }
}
