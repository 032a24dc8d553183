//! Both engines side by side.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use lithe::{Connection, ResultCode};

use crate::common::{ask_lithe, ask_sqlite, exactly};
use crate::others;
use crate::schema::{Schema, Table};

/// Lithe and SQLite, after the same statements.
pub struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

/// The answer of one engine to one statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The names of the columns of a query, the rows (each value with its class), then changes() and last_insert_rowid().
    Rows { names: Vec<String>, rows: Vec<Vec<String>>, changes: u64, rowid: i64 },
    /// Extended result code and message.
    Error { code: i32, message: String },
}

/// How a statement ended on both engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Well,
    WithError,
    /// With a violated foreign key.
    WithForeignKey,
    /// With a value of the wrong type for a STRICT table.
    WithType,
    /// With triggers that nest too deep.
    TooDeep,
    /// The world is over: SQLite took too long, so Lithe was not run (triggers that call each other can run for ever), or the answers differ
    /// behind a change by which SQLite has damaged its own database.
    TooLate,
}

/// The instructions that SQLite may use for a statement, in thousands.
const THOUSANDS_OF_INSTRUCTIONS: u32 = 3_000;

/// How many rows of an answer are shown.
const SHOWN_ROWS: usize = 80;

/// The statements that were run on both engines, of all pairs, the repetitions that shorten a script among them.
pub static COMPARED: AtomicU64 = AtomicU64::new(0);

/// The worlds that were ended because SQLite had damaged its database, repetitions among them.
pub static DAMAGED: AtomicU64 = AtomicU64::new(0);

/// A statement with different answers.
#[derive(Clone, Debug)]
pub struct Difference {
    pub sql: String,
    pub lithe: Answer,
    pub sqlite: Answer,
}

impl Pair {
    pub fn open() -> Pair {
        let sqlite = rusqlite::Connection::open_in_memory().expect("SQLite opens a database in memory");
        // What rusqlite has set itself.
        sqlite.execute_batch("PRAGMA foreign_keys = 0; PRAGMA busy_timeout = 0").expect("SQLite takes a pragma");
        Pair { lithe: Connection::open_in_memory().expect("Lithe opens a database in memory"), sqlite }
    }

    /// Reads SQLite's schema into the generator's. A schema that SQLite finds malformed stays as it was read before.
    pub fn read_schema(&self, schema: &mut Schema) {
        let mut read = schema.clone();
        match read.read(&self.sqlite) {
            Ok(()) => *schema = read,
            Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == rusqlite::ErrorCode::DatabaseCorrupt => {}
            Err(error) => panic!("SQLite tells its schema: {error}"),
        }
    }

    /// The rows of a query on SQLite, as text; empty if it fails.
    pub fn ask_sqlite(&self, sql: &str) -> Vec<Vec<String>> {
        let text = |value: lithe::ValueRef<'_>| match value {
            lithe::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            other => exactly(other),
        };
        ask_sqlite(&self.sqlite, sql, text).unwrap_or_default()
    }

    /// Compares the plans of both engines.
    pub fn compare_plans(&mut self, sql: &str) -> Result<(), Box<Difference>> {
        if !["SELECT", "WITH", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb)) {
            return Ok(());
        }
        let sql = format!("EXPLAIN QUERY PLAN {sql}");
        // The text of each line and its costs, without its number, which is the address of an instruction.
        let lines = |answer| match answer {
            Answer::Rows { rows, .. } => {
                let rows = rows.into_iter().map(|row| row.into_iter().skip(2).collect()).collect();
                Answer::Rows { names: Vec::new(), rows, changes: 0, rowid: 0 }
            }
            Answer::Error { .. } => Answer::Error { code: 0, message: String::new() },
        };
        let (lithe, sqlite) = (lines(self.on_lithe(&sql)), lines(self.on_sqlite(&sql)));
        if lithe == sqlite { Ok(()) } else { Err(Box::new(Difference { sql, lithe, sqlite })) }
    }

    /// Runs a statement on both engines; some statements after others that may share its program.
    pub fn run(&mut self, sql: &str) -> Result<Ended, Box<Difference>> {
        if std::env::var_os("ORACLE_PLANS").is_some() {
            self.compare_plans(sql)?;
        }
        let is_ordered = sql.contains("/* ordered */");
        let played = others::played(sql);
        let sqlite = in_order(self.on_sqlite(&played.sql), is_ordered);
        if matches!(sqlite, Answer::Error { code, .. } if code == ResultCode::INTERRUPT.0) {
            return Ok(Ended::TooLate);
        }
        COMPARED.fetch_add(1, Ordering::Relaxed);
        let lithe = in_order(self.on_lithe_after(&played.before, &played.sql), is_ordered);
        if same(&lithe, &sqlite) || is_ordered && same_order(&lithe, &sqlite, !sql.contains("LIMIT")) {
            return Ok(match lithe {
                Answer::Error { code, .. } if code == ResultCode::CONSTRAINT_FOREIGNKEY.0 => Ended::WithForeignKey,
                Answer::Error { code, .. } if code == ResultCode::CONSTRAINT_DATATYPE.0 => Ended::WithType,
                Answer::Error { message, .. } if message == "triggers nested too deep" => Ended::TooDeep,
                Answer::Error { .. } => Ended::WithError,
                Answer::Rows { .. } => Ended::Well,
            });
        }
        if self.is_damaged_by_sqlite() {
            eprintln!("SQLite's database is damaged before: {sql}");
            DAMAGED.fetch_add(1, Ordering::Relaxed);
            return Ok(Ended::TooLate);
        }
        Err(Box::new(Difference { sql: sql.to_owned(), lithe, sqlite }))
    }

    /// Whether SQLite finds its own database damaged, which is well on Lithe.
    fn is_damaged_by_sqlite(&mut self) -> bool {
        let is_well = |answer| matches!(answer, Answer::Rows { rows, .. } if rows == [["'ok'"]]);
        let check = "PRAGMA integrity_check";
        !is_well(self.on_sqlite(check)) && is_well(self.on_lithe(check))
    }

    /// Whether a transaction is open.
    pub fn is_in_transaction(&self) -> bool {
        !self.sqlite.is_autocommit()
    }

    /// Whether a table has, or will soon have, a row with the largest rowid: then new rowids are chosen at random.
    pub fn has_last_rowid(&self, schema: &Schema) -> bool {
        let has = |table: &&Table| {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {} WHERE rowid > {})", table.name, i64::MAX - 100);
            self.sqlite.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap_or(false)
        };
        schema.tables.iter().filter(|table| table.has_rowid).any(|table| has(&table))
    }

    /// Runs a statement on both engines and shows the answers.
    pub fn show(&mut self, sql: &str) -> String {
        let (lithe, sqlite) = (self.on_lithe(sql), self.on_sqlite(sql));
        let mark = if same(&lithe, &sqlite) { "same" } else { "DIFFERENT" };
        format!("{} [{mark}]", Difference { sql: sql.to_owned(), lithe, sqlite })
    }

    fn on_lithe(&self, sql: &str) -> Answer {
        self.on_lithe_after(&[], sql)
    }

    /// The answer of Lithe, which prepares the other statements first.
    fn on_lithe_after(&self, others: &[String], sql: &str) -> Answer {
        let rows = || {
            others.iter().for_each(|other| drop(self.lithe.prepare(other)));
            ask_lithe(&self.lithe, sql, exactly)
        };
        // A panic is an answer that differs from every other.
        let Ok(answer) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(rows)) else {
            return Answer::Error { code: ResultCode::INTERNAL.0, message: "panic".to_owned() };
        };
        match answer {
            Ok(rows) => {
                let names = |sql| -> lithe::Result<Vec<String>> {
                    Ok(self.lithe.prepare(sql)?.column_names().into_iter().map(str::to_owned).collect())
                };
                let names = if is_query(sql) { names(sql).unwrap_or_default() } else { Vec::new() };
                Answer::Rows { names, rows, changes: self.lithe.changes(), rowid: self.lithe.last_insert_rowid() }
            }
            Err((code, message)) => Answer::Error { code, message },
        }
    }

    fn on_sqlite(&mut self, sql: &str) -> Answer {
        let mut left = THOUSANDS_OF_INSTRUCTIONS;
        let is_too_late = move || {
            left = left.saturating_sub(1);
            left == 0
        };
        self.sqlite.progress_handler(1000, Some(is_too_late)).expect("SQLite takes a progress handler");
        match ask_sqlite(&self.sqlite, sql, exactly) {
            Ok(rows) => {
                let names = |sql| -> rusqlite::Result<Vec<String>> {
                    Ok(self.sqlite.prepare(sql)?.column_names().map(str::to_owned).collect())
                };
                let names = if is_query(sql) { names(sql).unwrap_or_default() } else { Vec::new() };
                Answer::Rows { names, rows, changes: self.sqlite.changes(), rowid: self.sqlite.last_insert_rowid() }
            }
            Err((code, message)) => Answer::Error { code, message },
        }
    }
}

/// Whether the statement returns rows with named columns.
fn is_query(sql: &str) -> bool {
    ["SELECT", "WITH", "VALUES"].iter().any(|verb| sql.starts_with(verb)) || sql.contains(" RETURNING ")
}

/// Sorts the rows, unless an ORDER BY determines their order.
fn in_order(answer: Answer, is_ordered: bool) -> Answer {
    match answer {
        Answer::Rows { names, mut rows, changes, rowid } if !is_ordered => {
            rows.sort();
            Answer::Rows { names, rows, changes, rowid }
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

/// Compares rows in order, where equal values (1 and 1.0) may change places. With all rows, also compares them as a set.
fn same_order(lithe: &Answer, sqlite: &Answer, has_all: bool) -> bool {
    let (Answer::Rows { names: m, rows: a, .. }, Answer::Rows { names: n, rows: b, .. }) = (lithe, sqlite) else {
        return false;
    };
    let shape = |rows: &[Vec<String>]| {
        let same_number = |value: &String| match value.parse::<f64>() {
            Ok(number) => format!("{:?}", number + 0.0),
            Err(_) => value.clone(),
        };
        rows.iter().map(|row| row.iter().map(same_number).collect()).collect::<Vec<Vec<String>>>()
    };
    let as_set = |answer: &Answer| in_order(answer.clone(), false);
    m == n && shape(a) == shape(b) && (!has_all || as_set(lithe) == as_set(sqlite))
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
            Answer::Rows { names, rows, changes, rowid } => {
                write!(f, "{} rows ({}), {changes} changes, rowid {rowid}:", rows.len(), names.join(", "))?;
                rows.iter().take(SHOWN_ROWS).try_for_each(|row| write!(f, " ({})", row.join(", ")))
            }
        }
    }
}
