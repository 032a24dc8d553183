//! A database of Lithe and one of SQLite in memory, with the same statements, which are logged: for tests of virtual tables.

use lithe::{Connection, ValueRef};

use super::{Failure, Rows, ask_lithe, ask_sqlite};

/// Rows as lines, or the error's message.
pub type Answer = Result<Vec<String>, String>;

/// Both databases.
pub struct Pair {
    pub lithe: Connection,
    pub sqlite: rusqlite::Connection,
    /// The statements, shown when the answers differ.
    pub log: Vec<String>,
    /// Removes known differences from the answer to a statement.
    level: fn(&str, &mut Answer),
}

impl Pair {
    /// A pair whose answers must be equal.
    pub fn new() -> Pair {
        Pair::level_with(|_, _| {})
    }

    /// A pair whose answers must be equal after `level`.
    pub fn level_with(level: fn(&str, &mut Answer)) -> Pair {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        Pair { lithe: Connection::open_in_memory().unwrap(), sqlite, log: Vec::new(), level }
    }

    /// The common answer of both.
    pub fn ask(&mut self, sql: &str) -> Answer {
        self.log.push(sql.to_owned());
        let (mut ours, mut theirs) = (answer_of_lithe(&self.lithe, sql), answer_of_sqlite(&self.sqlite, sql));
        (self.level)(sql, &mut ours);
        (self.level)(sql, &mut theirs);
        assert_eq!(ours, theirs, "{}", self.log.join(";\n"));
        ours
    }
}

pub fn answer_of_lithe(connection: &Connection, sql: &str) -> Answer {
    lines(ask_lithe(connection, sql, shown))
}

pub fn answer_of_sqlite(connection: &rusqlite::Connection, sql: &str) -> Answer {
    lines(ask_sqlite(connection, sql, shown))
}

fn lines(answer: Result<Rows, Failure>) -> Answer {
    answer.map(|rows| rows.iter().map(|row| row.join("|")).collect()).map_err(|(_, message)| message)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => format!("{real:?}"),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(blob) => format!("{blob:02x?}"),
    }
}
