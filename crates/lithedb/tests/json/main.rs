//! JSON functions: every expression of `cases.sql`, one on each line, has the same value or error as in SQLite.

#[path = "../common/mod.rs"]
mod common;

use common::{Rows, ask_lithe, ask_sqlite};
use lithe::Connection;

const CASES: &str = include_str!("cases.sql");

fn by_lithe(connection: &Connection, sql: &str) -> Result<Rows, String> {
    ask_lithe(connection, sql, |value| value.to_string()).map_err(|(_, message)| message)
}

fn by_sqlite(connection: &rusqlite::Connection, sql: &str) -> Result<Rows, String> {
    ask_sqlite(connection, sql, |value| value.to_string()).map_err(|(_, message)| message)
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
