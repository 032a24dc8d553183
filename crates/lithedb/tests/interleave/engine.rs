//! Both engines behind one interface: connections, statements that are stepped, BLOB handles.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lithe::{Value, ValueRef};

use crate::common::{Failure, borrowed, failure_of_lithe, failure_of_sqlite};

/// A row, or the end.
pub type Stepped = Result<Option<Vec<Value>>, Failure>;

/// The operations of both engines.
pub trait Engine {
    type Connection: 'static;
    type Statement<'c>;
    type Blob<'c>;

    /// Opens a database; statements are interrupted when `budget` is used up.
    fn open(path: &Path, budget: Budget) -> Result<Self::Connection, Failure>;
    fn close(connection: Self::Connection) -> Result<(), Failure>;
    fn prepare<'c>(connection: &'c Self::Connection, sql: &str, row: &[Value]) -> Result<Self::Statement<'c>, Failure>;
    fn step(statement: &mut Self::Statement<'_>) -> Stepped;
    /// Ends a statement before its last row: what its changes' commit says.
    fn finish(statement: Self::Statement<'_>) -> Result<(), Failure>;
    /// changes(), total_changes(), last_insert_rowid(), whether no transaction is open.
    fn state(connection: &Self::Connection) -> (u64, u64, i64, bool);
    fn blob<'c>(
        connection: &'c Self::Connection,
        place: [&str; 3],
        row: i64,
        writes: bool,
    ) -> Result<Self::Blob<'c>, Failure>;
    fn blob_len(blob: &Self::Blob<'_>) -> usize;
    fn read(blob: &mut Self::Blob<'_>, bytes: &mut [u8], offset: usize) -> Result<(), Failure>;
    fn write(blob: &mut Self::Blob<'_>, bytes: &[u8], offset: usize) -> Result<(), Failure>;
    fn reopen(blob: &mut Self::Blob<'_>, row: i64) -> Result<(), Failure>;
    fn close_blob(blob: Self::Blob<'_>) -> Result<(), Failure>;
}

/// The thousands of instructions left for all connections of a script. A runaway statement is interrupted.
#[derive(Clone)]
pub struct Budget(Arc<AtomicU32>);

impl Budget {
    pub fn new(thousands: u32) -> Budget {
        Budget(Arc::new(AtomicU32::new(thousands)))
    }

    /// Whether the budget is used up.
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Takes a thousand instructions; `true` if none are left.
    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Lithe.
pub struct Lithe;

impl Engine for Lithe {
    type Connection = lithe::Connection;
    type Statement<'c> = lithe::Statement<'c>;
    type Blob<'c> = lithe::Blob<'c>;

    fn open(path: &Path, budget: Budget) -> Result<lithe::Connection, Failure> {
        let connection = lithe::Connection::open(path).map_err(failure_of_lithe)?;
        connection.set_progress_handler(1000, Some(move || budget.take()));
        Ok(connection)
    }

    fn close(connection: lithe::Connection) -> Result<(), Failure> {
        connection.close().map_err(failure_of_lithe)
    }

    fn prepare<'c>(
        connection: &'c lithe::Connection,
        sql: &str,
        row: &[Value],
    ) -> Result<lithe::Statement<'c>, Failure> {
        let mut statement = connection.prepare(sql).map_err(failure_of_lithe)?;
        for (i, value) in row.iter().take(statement.parameter_count()).enumerate() {
            statement.bind(i + 1, value).map_err(failure_of_lithe)?;
        }
        Ok(statement)
    }

    fn step(statement: &mut lithe::Statement<'_>) -> Stepped {
        let row = statement.step().map_err(failure_of_lithe)?;
        Ok(row.map(|row| (0..row.column_count()).map(|i| owned(row.get_ref(i))).collect()))
    }

    fn finish(mut statement: lithe::Statement<'_>) -> Result<(), Failure> {
        statement.reset().map_err(failure_of_lithe)
    }

    fn state(connection: &lithe::Connection) -> (u64, u64, i64, bool) {
        let changes = (connection.changes(), connection.total_changes());
        (changes.0, changes.1, connection.last_insert_rowid(), connection.is_autocommit())
    }

    fn blob<'c>(
        connection: &'c lithe::Connection,
        [database, table, column]: [&str; 3],
        row: i64,
        writes: bool,
    ) -> Result<lithe::Blob<'c>, Failure> {
        connection.blob_open(database, table, column, row, !writes).map_err(failure_of_lithe)
    }

    fn blob_len(blob: &lithe::Blob<'_>) -> usize {
        blob.len()
    }

    fn read(blob: &mut lithe::Blob<'_>, bytes: &mut [u8], offset: usize) -> Result<(), Failure> {
        blob.read_at(bytes, offset).map_err(failure_of_lithe)
    }

    fn write(blob: &mut lithe::Blob<'_>, bytes: &[u8], offset: usize) -> Result<(), Failure> {
        blob.write_at(bytes, offset).map_err(failure_of_lithe)
    }

    fn reopen(blob: &mut lithe::Blob<'_>, row: i64) -> Result<(), Failure> {
        blob.reopen(row).map_err(failure_of_lithe)
    }

    fn close_blob(blob: lithe::Blob<'_>) -> Result<(), Failure> {
        blob.close().map_err(failure_of_lithe)
    }
}

/// SQLite, the oracle.
pub struct Sqlite;

impl Engine for Sqlite {
    type Connection = rusqlite::Connection;
    type Statement<'c> = rusqlite::Statement<'c>;
    type Blob<'c> = rusqlite::blob::Blob<'c>;

    fn open(path: &Path, budget: Budget) -> Result<rusqlite::Connection, Failure> {
        let mut connection = rusqlite::Connection::open(path).map_err(failure_of_sqlite)?;
        connection.busy_timeout(std::time::Duration::ZERO).map_err(failure_of_sqlite)?;
        // The SQLite that rusqlite bundles enforces foreign keys by default.
        connection.execute_batch("PRAGMA foreign_keys = 0").map_err(failure_of_sqlite)?;
        connection.progress_handler(1000, Some(move || budget.take())).map_err(failure_of_sqlite)?;
        Ok(connection)
    }

    fn close(connection: rusqlite::Connection) -> Result<(), Failure> {
        connection.close().map_err(|(_, error)| failure_of_sqlite(error))
    }

    fn prepare<'c>(
        connection: &'c rusqlite::Connection,
        sql: &str,
        row: &[Value],
    ) -> Result<rusqlite::Statement<'c>, Failure> {
        let mut statement = connection.prepare(sql).map_err(failure_of_sqlite)?;
        for (i, value) in row.iter().take(statement.parameter_count()).enumerate() {
            statement.raw_bind_parameter(i + 1, of_sqlite(value)).map_err(failure_of_sqlite)?;
        }
        Ok(statement)
    }

    fn step(statement: &mut rusqlite::Statement<'_>) -> Stepped {
        let mut rows = statement.raw_query();
        let row = match rows.next().map_err(failure_of_sqlite)? {
            None => return Ok(None),
            Some(row) => {
                let value = |i| row.get_ref(i).map(|value| owned(borrowed(value)));
                (0..row.as_ref().column_count()).map(value).collect::<Result<Vec<Value>, _>>()
            }
        };
        // Dropping the rows would reset the statement; the next `raw_query` continues from its row.
        std::mem::forget(rows);
        row.map(Some).map_err(failure_of_sqlite)
    }

    fn finish(statement: rusqlite::Statement<'_>) -> Result<(), Failure> {
        statement.finalize().map_err(failure_of_sqlite)
    }

    fn state(connection: &rusqlite::Connection) -> (u64, u64, i64, bool) {
        let changes = (connection.changes(), connection.total_changes());
        (changes.0, changes.1, connection.last_insert_rowid(), connection.is_autocommit())
    }

    fn blob<'c>(
        connection: &'c rusqlite::Connection,
        [database, table, column]: [&str; 3],
        row: i64,
        writes: bool,
    ) -> Result<rusqlite::blob::Blob<'c>, Failure> {
        connection.blob_open(database, table, column, row, !writes).map_err(failure_of_sqlite)
    }

    fn blob_len(blob: &rusqlite::blob::Blob<'_>) -> usize {
        blob.len()
    }

    fn read(blob: &mut rusqlite::blob::Blob<'_>, bytes: &mut [u8], offset: usize) -> Result<(), Failure> {
        blob.read_at_exact(bytes, offset).map_err(failure_of_sqlite)
    }

    fn write(blob: &mut rusqlite::blob::Blob<'_>, bytes: &[u8], offset: usize) -> Result<(), Failure> {
        blob.write_at(bytes, offset).map_err(failure_of_sqlite)
    }

    fn reopen(blob: &mut rusqlite::blob::Blob<'_>, row: i64) -> Result<(), Failure> {
        blob.reopen(row).map_err(failure_of_sqlite)
    }

    fn close_blob(blob: rusqlite::blob::Blob<'_>) -> Result<(), Failure> {
        blob.close().map_err(failure_of_sqlite)
    }
}

fn owned(value: ValueRef<'_>) -> Value {
    Value::from(value)
}

fn of_sqlite(value: &Value) -> rusqlite::types::Value {
    match value.as_ref() {
        ValueRef::Null => rusqlite::types::Value::Null,
        ValueRef::Integer(integer) => integer.into(),
        ValueRef::Real(real) => real.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(blob) => blob.to_vec().into(),
    }
}
