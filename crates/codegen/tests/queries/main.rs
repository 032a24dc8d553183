//! Queries against SQLite: the same rows, the same messages at the same places, the same names and types of columns.
//!
//! A script has the statements that make a database, and queries, lines that begin with `?`. `===` begins another
//! database. Rows are compared in their order: the scripts are about queries whose order SQLite's plan gives away.

#[path = "../changes/connection.rs"]
mod connection;
#[path = "../changes/oracle.rs"]
mod oracle;

use connection::{Connection, Outcome};
use lithe_value::Value;
use oracle::oracle;

#[test]
fn selects() {
    check(include_str!("select.sql"));
}

#[test]
fn names_and_errors() {
    check(include_str!("names.sql"));
}

#[test]
fn windows() {
    check(include_str!("windows.sql"));
}

#[test]
fn sets() {
    check(include_str!("in.sql"));
}

/// Columns, or a message with its place.
type Columns = Result<Vec<(String, Option<String>)>, (String, Option<u32>)>;

/// Runs a script; all differences are shown.
#[track_caller]
fn check(script: &str) {
    let mut differences = String::new();
    for database in script.split("\n===\n") {
        let ours = Connection::new();
        let theirs = rusqlite::Connection::open_in_memory().unwrap();
        for line in database.lines().filter(|line| !line.is_empty() && !line.starts_with("--")) {
            match line.strip_prefix("? ") {
                Some(query) => differences += &difference(&ours, &theirs, query),
                None => make(&ours, &theirs, line),
            }
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

/// Runs the statements of a line that makes a database.
fn make(ours: &Connection, theirs: &rusqlite::Connection, line: &str) {
    for statement in line.split_inclusive(';') {
        theirs.execute_batch(statement).unwrap_or_else(|error| panic!("{error}: {statement}"));
        ours.run(statement).unwrap_or_else(|error| panic!("{error}: {statement}"));
    }
}

/// The difference of a query's results.
fn difference(ours: &Connection, theirs: &rusqlite::Connection, query: &str) -> String {
    let (expected, found) = (their_columns(theirs, query), ours.columns(query));
    if expected != found {
        return format!("? {query}\n  SQLite: {expected:?}\n  Lithe:  {found:?}\n");
    }
    if expected.is_err() {
        return String::new();
    }
    let (expected, found) = (show(&oracle(theirs, query)), show(&ours.run(query)));
    if expected != found { format!("? {query}\n  SQLite: {expected}\n  Lithe:  {found}\n") } else { String::new() }
}

fn their_columns(theirs: &rusqlite::Connection, query: &str) -> Columns {
    match theirs.prepare(query) {
        Ok(statement) => Ok(statement
            .columns()
            .map(|column| (column.name().to_owned(), column.decl_type().map(str::to_owned)))
            .collect()),
        Err(rusqlite::Error::SqlInputError { msg, offset, .. }) => Err((msg, u32::try_from(offset).ok())),
        Err(rusqlite::Error::SqliteFailure(_, Some(message))) => Err((message, None)),
        Err(error) => Err((error.to_string(), None)),
    }
}

/// Rows as text; a prefix of the storage class distinguishes texts from numbers.
fn show(outcome: &Outcome) -> String {
    let shown = |value: &Value| format!("{}:{}", value.as_ref().class().name(), value.as_ref());
    let row = |row: &Vec<Value>| row.iter().map(shown).collect::<Vec<_>>().join("|");
    match outcome {
        Ok(rows) => rows.iter().map(row).collect::<Vec<_>>().join(" / "),
        Err(message) => format!("error: {message}"),
    }
}
