//! The two engines side by side.

use std::fmt;

use lithe::{Connection, ResultCode, ValueRef};

use crate::schema::Schema;

/// Lithe and SQLite with the same statements behind them.
pub struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

/// What one engine answered to one statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Rows (each value with its class), changes() and last_insert_rowid() afterwards.
    Rows { rows: Vec<Vec<String>>, changes: u64, rowid: i64 },
    /// Extended result code and message.
    Error { code: i32, message: String },
}

/// A statement to which the answers differ.
#[derive(Clone, Debug)]
pub struct Difference {
    sql: String,
    lithe: Answer,
    sqlite: Answer,
}

impl Pair {
    pub fn open() -> Pair {
        let sqlite = rusqlite::Connection::open_in_memory().expect("SQLite opens a database in memory");
        sqlite.execute_batch("PRAGMA foreign_keys = 0").expect("SQLite takes a pragma");
        Pair { lithe: Connection::open_in_memory().expect("Lithe opens a database in memory"), sqlite }
    }

    /// Brings the generator's picture of the schema up to date.
    pub fn read_schema(&self, schema: &mut Schema) {
        schema.read(&self.sqlite).expect("SQLite tells its schema");
    }

    /// Runs a statement on both; whether both fail.
    pub fn run(&mut self, sql: &str) -> Result<bool, Difference> {
        let is_ordered = sql.contains("/* ordered */");
        let (lithe, sqlite) = (in_order(self.on_lithe(sql), is_ordered), in_order(self.on_sqlite(sql), is_ordered));
        if same(&lithe, &sqlite) {
            return Ok(matches!(lithe, Answer::Error { .. }));
        }
        Err(Difference { sql: sql.to_owned(), lithe, sqlite })
    }

    /// Runs a statement on both and shows the answers.
    pub fn show(&mut self, sql: &str) -> String {
        let (lithe, sqlite) = (self.on_lithe(sql), self.on_sqlite(sql));
        let mark = if same(&lithe, &sqlite) { "same" } else { "DIFFERENT" };
        format!("{} [{mark}]", Difference { sql: sql.to_owned(), lithe, sqlite })
    }

    fn on_lithe(&self, sql: &str) -> Answer {
        let rows = || {
            let mut statement = self.lithe.prepare(sql)?;
            let mut rows = Vec::new();
            while let Some(row) = statement.step()? {
                rows.push((0..row.column_count()).map(|i| shown(row.get_ref(i))).collect());
            }
            Ok(rows)
        };
        // A panic is an answer that differs from any.
        let Ok(answer) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(rows)) else {
            return Answer::Error { code: ResultCode::INTERNAL.0, message: "panic".to_owned() };
        };
        match answer {
            Ok(rows) => Answer::Rows { rows, changes: self.lithe.changes(), rowid: self.lithe.last_insert_rowid() },
            Err(error) => {
                let error: lithe::Error = error;
                Answer::Error { code: error.code().0, message: error.message().to_owned() }
            }
        }
    }

    fn on_sqlite(&self, sql: &str) -> Answer {
        let rows = || {
            let mut statement = self.sqlite.prepare(sql)?;
            let columns = statement.column_count();
            let mut found = statement.raw_query();
            let mut rows = Vec::new();
            while let Some(row) = found.next()? {
                let value = |i| row.get_ref(i).map(|v| shown(borrowed(v)));
                rows.push((0..columns).map(value).collect::<Result<_, _>>()?);
            }
            Ok(rows)
        };
        match rows() {
            Ok(rows) => Answer::Rows { rows, changes: self.sqlite.changes(), rowid: self.sqlite.last_insert_rowid() },
            Err(rusqlite::Error::SqliteFailure(error, message)) => {
                Answer::Error { code: error.extended_code, message: message.unwrap_or_default() }
            }
            Err(rusqlite::Error::SqlInputError { error, msg, .. }) => {
                Answer::Error { code: error.extended_code, message: msg }
            }
            Err(other) => panic!("the oracle's own error: {other}"),
        }
    }
}

fn borrowed(value: rusqlite::types::ValueRef<'_>) -> ValueRef<'_> {
    match value {
        rusqlite::types::ValueRef::Null => ValueRef::Null,
        rusqlite::types::ValueRef::Integer(i) => ValueRef::Integer(i),
        rusqlite::types::ValueRef::Real(r) => ValueRef::Real(r),
        rusqlite::types::ValueRef::Text(t) => ValueRef::Text(t),
        rusqlite::types::ValueRef::Blob(b) => ValueRef::Blob(b),
    }
}

/// A value with its class, exactly.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => format!("{real:?}"),
        ValueRef::Text(text) => format!("'{}'", text.escape_ascii()),
        ValueRef::Blob(blob) => format!("x'{}'", blob.escape_ascii()),
    }
}

/// Rows without an ORDER BY that decides are a set.
fn in_order(answer: Answer, is_ordered: bool) -> Answer {
    match answer {
        Answer::Rows { mut rows, changes, rowid } if !is_ordered => {
            rows.sort();
            Answer::Rows { rows, changes, rowid }
        }
        other => other,
    }
}

fn same(lithe: &Answer, sqlite: &Answer) -> bool {
    match (lithe, sqlite) {
        (Answer::Error { code: a, message: m }, Answer::Error { code: b, message: n }) => a == b && m == n,
        (a, b) => a == b,
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  Lithe:  {}\n  SQLite: {}", self.sql, self.lithe, self.sqlite)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Error { code, message } => write!(f, "{:?} {message}", ResultCode(*code)),
            Answer::Rows { rows, changes, rowid } => {
                write!(f, "{} rows, {changes} changes, rowid {rowid}:", rows.len())?;
                rows.iter().take(20).try_for_each(|row| write!(f, " ({})", row.join(", ")))
            }
        }
    }
}
