//! Shared by the tests: the same queries on Lithe and on SQLite.
#![allow(dead_code, reason = "each test uses its part")]

pub mod pair;

use lithe::ValueRef;

/// Rows, each value as the test shows it.
pub type Rows = Vec<Vec<String>>;

/// Extended result code and message.
pub type Failure = (i32, String);

/// The rows of a query on Lithe, or the error.
pub fn ask_lithe(
    connection: &lithe::Connection,
    sql: &str,
    shown: impl Fn(ValueRef<'_>) -> String,
) -> Result<Rows, Failure> {
    let rows = || {
        let mut statement = connection.prepare(sql)?;
        let mut rows = Vec::new();
        while let Some(row) = statement.step()? {
            rows.push((0..row.column_count()).map(|i| shown(row.get_ref(i))).collect());
        }
        Ok(rows)
    };
    rows().map_err(failure_of_lithe)
}

/// The rows of a query on SQLite, or the error.
pub fn ask_sqlite(
    connection: &rusqlite::Connection,
    sql: &str,
    shown: impl Fn(ValueRef<'_>) -> String,
) -> Result<Rows, Failure> {
    let rows = || {
        let mut statement = connection.prepare(sql)?;
        let mut found = statement.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let value = |i| row.get_ref(i).map(|value| shown(borrowed(value)));
            // Read the column count after the step, because the first step may compile the statement again for another schema.
            rows.push((0..row.as_ref().column_count()).map(value).collect::<Result<_, _>>()?);
        }
        Ok(rows)
    };
    rows().map_err(failure_of_sqlite)
}

/// An error of Lithe.
pub fn failure_of_lithe(error: lithe::Error) -> Failure {
    (error.code().0, error.message().to_owned())
}

/// An error of SQLite.
pub fn failure_of_sqlite(error: rusqlite::Error) -> Failure {
    match error {
        rusqlite::Error::SqliteFailure(error, message) => (error.extended_code, message.unwrap_or_default()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
        other => panic!("the oracle's own error: {other}"),
    }
}

/// A value of SQLite as one of Lithe.
pub fn borrowed(value: rusqlite::types::ValueRef<'_>) -> ValueRef<'_> {
    match value {
        rusqlite::types::ValueRef::Null => ValueRef::Null,
        rusqlite::types::ValueRef::Integer(i) => ValueRef::Integer(i),
        rusqlite::types::ValueRef::Real(r) => ValueRef::Real(r),
        rusqlite::types::ValueRef::Text(t) => ValueRef::Text(t),
        rusqlite::types::ValueRef::Blob(b) => ValueRef::Blob(b),
    }
}

/// A value with its class, in full precision.
pub fn exactly(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => format!("{real:?}"),
        ValueRef::Text(text) => format!("'{}'", text.escape_ascii()),
        ValueRef::Blob(blob) => format!("x'{}'", blob.escape_ascii()),
    }
}
