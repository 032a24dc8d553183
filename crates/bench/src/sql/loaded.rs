//! Any `libsqlite3.so` that `--library` names, used through the C interface, so that Lithe's and SQLite's library are compared through the
//! same interface.

use std::path::Path;
use std::sync::OnceLock;

use lithe_sqlite_ffi::{OpenFlags, Value};

use crate::frame::results::Side;
use crate::frame::{Error, Result};
use crate::sql::sqlite::grow;
use crate::sql::{Access, Blob, Cell, Connection, Library, Row, Settings, Statement};

/// The libraries that `--library` names, at most two.
static LIBRARIES: [OnceLock<lithe_sqlite_ffi::Library>; 2] = [const { OnceLock::new() }; 2];

/// The library with the index `N` among those that `--library` names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loaded<const N: usize>;

/// The first library.
pub type First = Loaded<0>;
/// The second library.
pub type Second = Loaded<1>;

/// Loads the libraries; answers a line about each.
pub fn load(paths: &[impl AsRef<Path>]) -> Result<Vec<String>> {
    if paths.len() > LIBRARIES.len() {
        return Err(Error::setup(format!("--library can be given {} times", LIBRARIES.len())));
    }
    let mut lines = Vec::new();
    for ((path, slot), side) in paths.iter().zip(&LIBRARIES).zip([Side::Library, Side::Library2]) {
        let library =
            lithe_sqlite_ffi::Library::load(path.as_ref()).map_err(|error| Error::setup(error.to_string()))?;
        let (version, source) = (library.version(), library.source_id());
        lines.push(format!("{}: {} (sqlite3_libversion {version}, {source})", side.name(), path.as_ref().display()));
        // If the slot is taken, the first library stays, because a process does not unload libraries.
        let _ = slot.set(library);
    }
    Ok(lines)
}

impl<const N: usize> Library for Loaded<N> {
    type Connection = lithe_sqlite_ffi::Connection;

    const SIDE: Side = if N == 0 { Side::Library } else { Side::Library2 };

    fn open(path: &Path, settings: &Settings) -> Result<lithe_sqlite_ffi::Connection> {
        let Some(library) = LIBRARIES[N].get() else { return Err(Error::setup("no --library is named")) };
        let shared = if settings.shared_cache { OpenFlags::SHARED_CACHE } else { OpenFlags(0) };
        let connection = library.open(path, OpenFlags::DEFAULT.with(shared))?;
        connection.run(&settings.sql())?;
        Ok(connection)
    }
}

impl From<lithe_sqlite_ffi::Error> for Error {
    fn from(error: lithe_sqlite_ffi::Error) -> Error {
        let (is_disk_full, is_busy) = (error.is_disk_full(), error.is_busy());
        Error::Sql { library: Side::Library.name().to_owned(), message: error.message, is_disk_full, is_busy }
    }
}

impl Connection for lithe_sqlite_ffi::Connection {
    type Statement<'c> = lithe_sqlite_ffi::Statement<'c>;
    type Blob<'c> = lithe_sqlite_ffi::Blob<'c>;

    fn run(&self, sql: &str) -> Result<()> {
        Ok(lithe_sqlite_ffi::Connection::run(self, sql)?)
    }

    fn prepare(&self, sql: &str) -> Result<lithe_sqlite_ffi::Statement<'_>> {
        Ok(lithe_sqlite_ffi::Connection::prepare(self, sql)?)
    }

    fn blob(&self, table: &str, column: &str, rowid: i64, access: Access) -> Result<lithe_sqlite_ffi::Blob<'_>> {
        Ok(lithe_sqlite_ffi::Connection::blob(self, table, column, rowid, access == Access::Write)?)
    }
}

impl Statement for lithe_sqlite_ffi::Statement<'_> {
    fn each(&mut self, parameters: &[Cell<'_>], mut each: impl FnMut(&dyn Row) -> Result<()>) -> Result<usize> {
        /// The number of parameters that fit an array on the stack.
        const FEW: usize = 8;
        let mut few = [Value::Null; FEW];
        if parameters.len() <= FEW {
            few.iter_mut().zip(parameters).for_each(|(slot, cell)| *slot = into_value(*cell));
            return lithe_sqlite_ffi::Statement::each(self, &few[..parameters.len()], |row| each(row));
        }
        let values: Vec<Value<'_>> = parameters.iter().copied().map(into_value).collect();
        lithe_sqlite_ffi::Statement::each(self, &values, |row| each(row))
    }
}

fn into_value(cell: Cell<'_>) -> Value<'_> {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(integer) => Value::Integer(integer),
        Cell::Real(real) => Value::Real(real),
        Cell::Text(text) => Value::Text(text),
        Cell::Blob(blob) => Value::Blob(blob),
    }
}

impl Row for lithe_sqlite_ffi::Statement<'_> {
    fn width(&self) -> usize {
        lithe_sqlite_ffi::Statement::width(self)
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        match self.value(column) {
            Value::Null => Cell::Null,
            Value::Integer(integer) => Cell::Integer(integer),
            Value::Real(real) => Cell::Real(real),
            Value::Text(text) => Cell::Text(text),
            Value::Blob(blob) => Cell::Blob(blob),
        }
    }
}

impl Blob for lithe_sqlite_ffi::Blob<'_> {
    fn len(&self) -> usize {
        lithe_sqlite_ffi::Blob::len(self)
    }

    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        let len = Blob::len(self);
        grow(buffer, len);
        Ok(lithe_sqlite_ffi::Blob::read(self, &mut buffer[..len])?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(lithe_sqlite_ffi::Blob::write(self, bytes)?)
    }

    fn reopen(&mut self, rowid: i64) -> Result<()> {
        Ok(lithe_sqlite_ffi::Blob::reopen(self, rowid)?)
    }
}
