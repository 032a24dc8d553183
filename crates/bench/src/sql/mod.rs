//! SQL libraries behind one small interface, so that an experiment is written once and every library does exactly the same work. The
//! interface is resolved at compile time, without cost at run time.
//!
//! Two libraries in one process never open the same file, because closing a file drops all locks of the process on it, whichever library
//! holds them.

mod fresh;
mod lithe;
mod loaded;
mod settings;
mod sqlite;

use std::path::Path;

use crate::frame::Result;
use crate::frame::results::Side;

pub use fresh::Fresh;
pub use lithe::Lithe;
pub use loaded::{First, Second, load};
pub use settings::{JournalMode, Settings, Synchronous};
pub use sqlite::Sqlite;

/// A mapping of the whole file, as far as SQLite allows (its limit is 2 GiB less 64 KiB).
pub const MAP_ALL: u64 = 0x7fff_0000;

/// An SQL library in this process.
pub trait Library: Copy + Default + Send + Sync + 'static {
    /// Its connections.
    type Connection: Connection;

    /// Its side, which also gives its name.
    const SIDE: Side;

    /// Opens the database at `path`, creates it if it does not exist, and applies the settings.
    fn open(path: &Path, settings: &Settings) -> Result<Self::Connection>;
}

/// Runs the block for every participating library; the name between the bars is the library's type.
macro_rules! for_each_library {
    ($common:expr, |$library:ident| $body:block) => {
        $crate::sql::for_each_library!($common, $library, $body, Sqlite, Lithe, First, Second)
    };
    ($common:expr, $library:ident, $body:block, $($type:ident),+) => {
        $({
            type $library = $crate::sql::$type;
            if $common.has(<$library as $crate::sql::Library>::SIDE) $body
        })+
    };
}

pub(crate) use for_each_library;

/// A connection to a database.
pub trait Connection: Send {
    /// Its statements.
    type Statement<'c>: Statement
    where
        Self: 'c;
    /// Its BLOB handles.
    type Blob<'c>: Blob
    where
        Self: 'c;

    /// Runs all statements of `sql`; rows are ignored.
    fn run(&self, sql: &str) -> Result<()>;

    /// Compiles a statement.
    fn prepare(&self, sql: &str) -> Result<Self::Statement<'_>>;

    /// Opens a BLOB in place.
    fn blob(&self, table: &str, column: &str, rowid: i64, access: Access) -> Result<Self::Blob<'_>>;

    /// The first value of the first row of a query, as an integer.
    fn integer(&self, sql: &str) -> Result<i64> {
        let mut value = 0;
        self.prepare(sql)?.each(&[], |row| {
            value = row.integer(0);
            Ok(())
        })?;
        Ok(value)
    }

    /// The first value of the first row of a query, as text.
    fn text(&self, sql: &str) -> Result<String> {
        let mut value = String::new();
        self.prepare(sql)?.each(&[], |row| {
            value = String::from_utf8_lossy(row.bytes(0)).into_owned();
            Ok(())
        })?;
        Ok(value)
    }
}

/// A compiled statement.
pub trait Statement {
    /// Runs it to its end with these parameters, calls `each` with every row, and resets it; answers the number of rows.
    fn each(&mut self, parameters: &[Cell<'_>], each: impl FnMut(&dyn Row) -> Result<()>) -> Result<usize>;

    /// As [`Statement::each`], ignoring the rows.
    fn run(&mut self, parameters: &[Cell<'_>]) -> Result<usize> {
        self.each(parameters, |_| Ok(()))
    }
}

/// A row of a result.
pub trait Row {
    /// The number of values.
    fn width(&self) -> usize;

    /// A value.
    fn cell(&self, column: usize) -> Cell<'_>;

    /// The bytes of a text or BLOB; empty for other values.
    fn bytes(&self, column: usize) -> &[u8] {
        match self.cell(column) {
            Cell::Text(bytes) | Cell::Blob(bytes) => bytes,
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => &[],
        }
    }

    /// An integer; 0 for other values.
    fn integer(&self, column: usize) -> i64 {
        if let Cell::Integer(integer) = self.cell(column) { integer } else { 0 }
    }
}

/// An SQL value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// NULL.
    Null,
    /// INTEGER.
    Integer(i64),
    /// REAL.
    Real(f64),
    /// TEXT.
    Text(&'a [u8]),
    /// BLOB.
    Blob(&'a [u8]),
}

impl From<usize> for Cell<'_> {
    fn from(value: usize) -> Self {
        Cell::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Cell::Text(value.as_bytes())
    }
}

impl<'a> From<&'a [u8]> for Cell<'a> {
    fn from(value: &'a [u8]) -> Self {
        Cell::Blob(value)
    }
}

/// The access mode of an open BLOB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
}

/// A BLOB opened in place.
pub trait Blob {
    /// Its size in bytes.
    fn len(&self) -> usize;

    /// Reads the whole BLOB into the beginning of `buffer`, which grows if it is too small.
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<()>;

    /// Overwrites the whole BLOB.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Moves the handle to another row.
    fn reopen(&mut self, rowid: i64) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;

    #[test]
    fn both_libraries_do_the_same() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        check::<Sqlite>(&scratch.file("sqlite.db"));
        check::<Lithe>(&scratch.file("lithe.db"));
    }

    fn check<L: Library>(path: &Path) {
        let settings = Settings { page_size: Some(1024), journal_mode: Some(JournalMode::Wal), ..Settings::default() };
        let connection = L::open(path, &settings).unwrap();
        connection
            .run("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d, e); INSERT INTO t VALUES (3, NULL, 1.5, 'x', x'00ff')")
            .unwrap();
        let mut insert = connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)").unwrap();
        let row = [Cell::Integer(7), Cell::Real(0.5), Cell::Null, Cell::from("y"), Cell::Blob(&[9; 5000])];
        insert.run(&row).unwrap();
        let mut select = connection.prepare("SELECT * FROM t WHERE a = ?").unwrap();
        let seen = |row: &dyn Row| {
            assert_eq!(row.width(), 5);
            assert_eq!((row.cell(0), row.cell(2), row.bytes(3)), (Cell::Integer(7), Cell::Null, &b"y"[..]));
            Ok(())
        };
        assert_eq!(select.each(&[Cell::Integer(7)], seen).unwrap(), 1);
        assert_eq!(select.run(&[Cell::Integer(8)]).unwrap(), 0);

        let mut buffer = Vec::new();
        let mut blob = connection.blob("t", "e", 3, Access::Write).unwrap();
        blob.write(b"ab").unwrap();
        blob.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..blob.len()], b"ab");
        blob.reopen(7).unwrap();
        blob.read(&mut buffer).unwrap();
        assert_eq!(buffer, [9; 5000]);
        drop(blob);
        assert_eq!(connection.integer("PRAGMA page_size").unwrap(), 1024);
        assert_eq!(connection.text("PRAGMA journal_mode").unwrap(), "wal");
        assert!(connection.run("nonsense").unwrap_err().to_string().contains("syntax error"));
    }

    #[test]
    fn settings_are_made_again_beside_open_connections() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        open_several::<Sqlite>(&scratch.file("sqlite.db"));
        open_several::<Lithe>(&scratch.file("lithe.db"));
    }

    fn open_several<L: Library>(path: &Path) {
        let settings = |mode| Settings { journal_mode: Some(mode), busy_timeout: Some(1000), ..Settings::default() };
        for shared_cache in [false, true] {
            let rollback = L::open(path, &Settings { shared_cache, ..settings(JournalMode::Delete) }).unwrap();
            rollback.run("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)").unwrap();
            let other = L::open(path, &Settings { shared_cache, ..Settings::default() }).unwrap();
            let mut select = other.prepare("SELECT * FROM t").unwrap();
            assert!(select.run(&[]).unwrap() > 0);
            drop((rollback, select));
            drop(other);
            let wal = L::open(path, &settings(JournalMode::Wal)).expect("all others are closed");
            let beside = L::open(path, &settings(JournalMode::Wal)).expect("it is WAL already");
            beside.run("INSERT INTO t VALUES (2)").unwrap();
            assert!(wal.integer("SELECT count(*) FROM t").unwrap() > 1);
            drop(beside);
            wal.run("PRAGMA journal_mode=DELETE").unwrap();
        }
    }

    #[test]
    fn a_blob_handle_goes_to_any_row() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        visit_in_random_order::<Sqlite>(&scratch.file("sqlite.db"));
        visit_in_random_order::<Lithe>(&scratch.file("lithe.db"));
    }

    fn visit_in_random_order<L: Library>(path: &Path) {
        const ROWS: usize = 1000;
        let connection = L::open(path, &Settings::default()).unwrap();
        connection.run("CREATE TABLE t(k INTEGER PRIMARY KEY, v BLOB); BEGIN").unwrap();
        let mut insert = connection.prepare("INSERT INTO t VALUES (?1, ?2)").unwrap();
        for key in 1..=ROWS {
            insert.run(&[Cell::from(key), Cell::Blob(&vec![key as u8; 8000 + key])]).unwrap();
        }
        connection.run("COMMIT").unwrap();
        let mut blob = connection.blob("t", "v", 1, Access::Read).unwrap();
        let mut buffer = Vec::new();
        for key in crate::content::keys(crate::content::Order::Random, ROWS, ROWS, 1) {
            blob.reopen(key as i64).unwrap();
            blob.read(&mut buffer).unwrap();
            assert_eq!(&buffer[..blob.len()], vec![key as u8; 8000 + key]);
        }
    }
}
