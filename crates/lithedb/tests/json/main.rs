//! JSON functions: every expression of `cases.sql`, one a line, has the value or the error that SQLite gives it.

use lithe::Connection;

const CASES: &str = include_str!("cases.sql");

fn by_lithe(connection: &Connection, sql: &str) -> Result<String, String> {
    let value = connection.query_row(sql, [], |row| Ok(row.get_ref(0).to_string()));
    value.map_err(|error| error.message().to_owned())
}

fn by_sqlite(connection: &rusqlite::Connection, sql: &str) -> Result<String, String> {
    use rusqlite::types::ValueRef as V;
    let value = connection.query_row(sql, [], |row| {
        Ok(match row.get_ref(0)? {
            V::Null => lithe::ValueRef::Null.to_string(),
            V::Integer(i) => lithe::ValueRef::Integer(i).to_string(),
            V::Real(r) => lithe::ValueRef::Real(r).to_string(),
            V::Text(t) => lithe::ValueRef::Text(t).to_string(),
            V::Blob(b) => lithe::ValueRef::Blob(b).to_string(),
        })
    });
    value.map_err(|error| match error {
        rusqlite::Error::SqliteFailure(_, message) => message.unwrap_or_default(),
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        other => other.to_string(),
    })
}

#[test]
fn as_sqlite_says() {
    let lithe = Connection::open_in_memory().unwrap();
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    let mut failures = Vec::new();
    for case in CASES.lines() {
        let sql = format!("SELECT {case}");
        let (ours, theirs) = (by_lithe(&lithe, &sql), by_sqlite(&sqlite, &sql));
        if ours != theirs {
            failures.push(format!("{case}\n    {ours:?}\n    {theirs:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
