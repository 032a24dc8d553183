//! The results of SQLite.

use lithe_value::{Value, ValueRef};

use super::connection::Outcome;

/// The rows of a statement run by SQLite, or its message.
pub fn oracle(connection: &rusqlite::Connection, sql: &str) -> Outcome {
    let message = |error: rusqlite::Error| match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        rusqlite::Error::SqliteFailure(_, Some(message)) => message,
        other => other.to_string(),
    };
    let mut statement = connection.prepare(sql).map_err(message)?;
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    let mut result = Vec::new();
    while let Some(row) = rows.next().map_err(message)? {
        result.push((0..width).map(|at| value(row.get_ref(at).unwrap())).collect());
    }
    Ok(result)
}

fn value(value: rusqlite::types::ValueRef<'_>) -> Value {
    use rusqlite::types::ValueRef as Theirs;
    Value::from(match value {
        Theirs::Null => ValueRef::Null,
        Theirs::Integer(integer) => ValueRef::Integer(integer),
        Theirs::Real(real) => ValueRef::Real(real),
        Theirs::Text(text) => ValueRef::Text(text),
        Theirs::Blob(blob) => ValueRef::Blob(blob),
    })
}
