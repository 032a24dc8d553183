//! Both engines behind one interface.

use std::path::Path;
use std::time::Duration;

use rusqlite::fallible_iterator::FallibleIterator;

/// The engine that a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    Sqlite,
    Lithe,
}

/// A statement that failed: the extended code and the message.
#[derive(Clone)]
pub struct Failure {
    pub code: i32,
    message: String,
}

impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl Failure {
    /// Whether the code is BUSY or an extended code of it.
    pub fn is_busy(&self) -> bool {
        self.code & 0xff == 5
    }
}

/// A connection.
pub trait Engine {
    fn batch(&self, sql: &str) -> Result<(), Failure>;
    /// The first row, whose values are integers.
    fn numbers(&self, sql: &str) -> Result<Vec<i64>, Failure>;
    /// The first value of the first row.
    fn text(&self, sql: &str) -> Result<String, Failure>;
    fn is_autocommit(&self) -> bool;
}

/// Opens the database at `path`.
pub fn open(kind: EngineKind, path: &Path, timeout: Duration) -> Box<dyn Engine> {
    match kind {
        EngineKind::Lithe => {
            let connection = lithe::Connection::open(path).unwrap();
            connection.busy_timeout(timeout);
            Box::new(connection)
        }
        EngineKind::Sqlite => {
            let connection = rusqlite::Connection::open(path).unwrap();
            connection.busy_timeout(timeout).unwrap();
            Box::new(connection)
        }
    }
}

impl Engine for lithe::Connection {
    fn batch(&self, sql: &str) -> Result<(), Failure> {
        self.execute_batch(sql).map_err(of_lithe)
    }

    fn numbers(&self, sql: &str) -> Result<Vec<i64>, Failure> {
        self.query_row(sql, [], |row| (0..row.column_count()).map(|at| row.get(at)).collect()).map_err(of_lithe)
    }

    fn text(&self, sql: &str) -> Result<String, Failure> {
        self.query_row(sql, [], |row| row.get(0)).map_err(of_lithe)
    }

    fn is_autocommit(&self) -> bool {
        lithe::Connection::is_autocommit(self)
    }
}

fn of_lithe(error: lithe::Error) -> Failure {
    Failure { code: error.code().0, message: error.message().to_owned() }
}

impl Engine for rusqlite::Connection {
    fn batch(&self, sql: &str) -> Result<(), Failure> {
        let mut batch = rusqlite::Batch::new(self, sql);
        while let Some(mut statement) = batch.next().map_err(of_sqlite)? {
            let mut rows = statement.query([]).map_err(of_sqlite)?;
            while rows.next().map_err(of_sqlite)?.is_some() {}
        }
        Ok(())
    }

    fn numbers(&self, sql: &str) -> Result<Vec<i64>, Failure> {
        self.query_row(sql, [], |row| (0..row.as_ref().column_count()).map(|at| row.get(at)).collect())
            .map_err(of_sqlite)
    }

    fn text(&self, sql: &str) -> Result<String, Failure> {
        self.query_row(sql, [], |row| row.get(0)).map_err(of_sqlite)
    }

    fn is_autocommit(&self) -> bool {
        rusqlite::Connection::is_autocommit(self)
    }
}

fn of_sqlite(error: rusqlite::Error) -> Failure {
    let code = error.sqlite_error().map_or(-1, |error| error.extended_code);
    Failure { code, message: error.to_string() }
}
