//! A database of Lithe and one of SQLite in memory, asked the same: for tests of virtual tables, whose statements are all in a log.

use lithe::{Connection, ValueRef};

use super::{Failure, Rows, ask_lithe, ask_sqlite};

/// Rows as lines, or the error's message.
pub type Answer = Result<Vec<String>, String>;

/// Both databases.
pub struct Pair {
    pub lithe: Connection,
    pub sqlite: rusqlite::Connection,
    /// What was asked, to show it when the answers differ.
    pub log: Vec<String>,
    /// Takes out of the answer to a statement what may differ.
    level: fn(&str, &mut Answer),
}

impl Pair {
    /// Whose answers are the same.
    pub fn new() -> Pair {
        Pair::level_with(|_, _| {})
    }

    /// Whose answers are the same when `level` has seen them.
    pub fn level_with(level: fn(&str, &mut Answer)) -> Pair {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        Pair { lithe: Connection::open_in_memory().unwrap(), sqlite, log: Vec::new(), level }
    }

    /// The answer of both.
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
