//! A script: one step on each line. It is written and read as text, so that a failing script can be kept and played again.
//!
//! ```text
//! in memory                    the database is in memory, not in a file (only as the first line)
//! 0: SQL                       connection 0 runs a statement to its end
//! 0 quiet: SQL                 the same; neither its rows nor its message are compared
//! 0 a: SQL                     connection 0 compiles a statement, in slot a
//! a step 3                     up to three rows of it
//! a each 3 0: SQL              three times: a row of a, whose columns are ?1, ?2, … of a statement that connection 0 runs
//! a close
//! 0 a blob main.t.d 7 rw       a BLOB handle, in slot a: column d of row 7; `r` reads only
//! a read 0 10                  ten bytes from offset 0
//! a write 0 10
//! a row 8                      moves the handle to another row
//! reopen                       all connections are closed
//! ```

use std::fmt;

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub in_memory: bool,
    pub steps: Vec<Step>,
}

/// The number of a connection.
pub type Conn = usize;

/// The letter of a slot, counted from 0.
pub type Slot = usize;

/// The numbers of connections and slots.
pub const CONNECTIONS: usize = 3;
pub const SLOTS: usize = 6;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Run { conn: Conn, sql: String },
    Quiet { conn: Conn, sql: String },
    Open { conn: Conn, slot: Slot, sql: String },
    Rows { slot: Slot, count: usize },
    Each { slot: Slot, count: usize, conn: Conn, sql: String },
    Close { slot: Slot },
    Blob { conn: Conn, slot: Slot, database: String, table: String, column: String, row: i64, writes: bool },
    Read { slot: Slot, offset: usize, count: usize },
    Write { slot: Slot, offset: usize, count: usize },
    Row { slot: Slot, row: i64 },
    Reopen,
}

impl Step {
    /// The SQL of the step.
    pub fn sql(&self) -> Option<&str> {
        match self {
            Step::Run { sql, .. } | Step::Quiet { sql, .. } | Step::Open { sql, .. } | Step::Each { sql, .. } => {
                Some(sql)
            }
            _ => None,
        }
    }

    /// The same step with different SQL.
    pub fn with_sql(&self, text: String) -> Step {
        let mut step = self.clone();
        match &mut step {
            Step::Run { sql, .. } | Step::Quiet { sql, .. } | Step::Open { sql, .. } | Step::Each { sql, .. } => {
                *sql = text;
            }
            _ => {}
        }
        step
    }
}

impl Script {
    /// Reads a script. Empty lines and lines that begin with `--` are ignored.
    pub fn parse(text: &str) -> Script {
        let mut script = Script::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--")) {
            match line {
                "in memory" => script.in_memory = true,
                _ => script.steps.push(parse_step(line).unwrap_or_else(|| panic!("not a step: {line}"))),
            }
        }
        script
    }
}

fn parse_step(line: &str) -> Option<Step> {
    if line == "reopen" {
        return Some(Step::Reopen);
    }
    if let Some((head, sql)) = line.split_once(": ")
        && let Some(step) = parse_statement(&head.split(' ').collect::<Vec<_>>(), sql)
    {
        return Some(step);
    }
    let words: Vec<&str> = line.split(' ').collect();
    Some(match words[..] {
        [slot, "step", count] => Step::Rows { slot: parse_slot(slot)?, count: count.parse().ok()? },
        [slot, "close"] => Step::Close { slot: parse_slot(slot)? },
        [slot, "read", offset, count] => {
            Step::Read { slot: parse_slot(slot)?, offset: offset.parse().ok()?, count: count.parse().ok()? }
        }
        [slot, "write", offset, count] => {
            Step::Write { slot: parse_slot(slot)?, offset: offset.parse().ok()?, count: count.parse().ok()? }
        }
        [slot, "row", row] => Step::Row { slot: parse_slot(slot)?, row: row.parse().ok()? },
        [conn, slot, "blob", place, row, mode] => {
            let mut names = place.split('.').map(str::to_owned);
            let (database, table, column) = (names.next()?, names.next()?, names.next()?);
            let (conn, slot, row) = (conn.parse().ok()?, parse_slot(slot)?, row.parse().ok()?);
            Step::Blob { conn, slot, database, table, column, row, writes: mode == "rw" }
        }
        _ => return None,
    })
}

fn parse_statement(words: &[&str], sql: &str) -> Option<Step> {
    let sql = sql.to_owned();
    Some(match *words {
        [conn] => Step::Run { conn: conn.parse().ok()?, sql },
        [conn, "quiet"] => Step::Quiet { conn: conn.parse().ok()?, sql },
        [slot, "each", count, conn] => {
            Step::Each { slot: parse_slot(slot)?, count: count.parse().ok()?, conn: conn.parse().ok()?, sql }
        }
        [conn, slot] => Step::Open { conn: conn.parse().ok()?, slot: parse_slot(slot)?, sql },
        _ => return None,
    })
}

fn parse_slot(word: &str) -> Option<Slot> {
    let letter = word.bytes().next().filter(|_| word.len() == 1)?;
    let slot = usize::from(letter.checked_sub(b'a')?);
    (slot < SLOTS).then_some(slot)
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.in_memory {
            writeln!(f, "in memory")?;
        }
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |slot: &Slot| char::from(b'a' + u8::try_from(*slot).expect("a few slots"));
        match self {
            Step::Run { conn, sql } => write!(f, "{conn}: {sql}"),
            Step::Quiet { conn, sql } => write!(f, "{conn} quiet: {sql}"),
            Step::Open { conn, slot, sql } => write!(f, "{conn} {}: {sql}", name(slot)),
            Step::Rows { slot, count } => write!(f, "{} step {count}", name(slot)),
            Step::Each { slot, count, conn, sql } => write!(f, "{} each {count} {conn}: {sql}", name(slot)),
            Step::Close { slot } => write!(f, "{} close", name(slot)),
            Step::Blob { conn, slot, database, table, column, row, writes } => {
                let mode = if *writes { "rw" } else { "r" };
                write!(f, "{conn} {} blob {database}.{table}.{column} {row} {mode}", name(slot))
            }
            Step::Read { slot, offset, count } => write!(f, "{} read {offset} {count}", name(slot)),
            Step::Write { slot, offset, count } => write!(f, "{} write {offset} {count}", name(slot)),
            Step::Row { slot, row } => write!(f, "{} row {row}", name(slot)),
            Step::Reopen => write!(f, "reopen"),
        }
    }
}
