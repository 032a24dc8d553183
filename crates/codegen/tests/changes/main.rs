//! INSERT, UPDATE, DELETE, CREATE, DROP against SQLite: each script runs on both, statement by statement, and every
//! statement must have the same rows, the same message, the same counters.

mod alter;
mod connection;
mod create;
mod delete;
mod insert;
mod oracle;
mod random;
mod trigger;
mod update;
mod upsert;

use connection::{Connection, Outcome};
use lithe_value::Value;
use oracle::oracle;

/// Runs the statements of a script, which are separated by lines that begin a statement: one statement a line, or several
/// lines where all but the first begin with a space.
#[track_caller]
fn check(script: &str) {
    check_with(script, |_| {});
}

#[track_caller]
fn check_with(script: &str, prepare: impl FnOnce(&Connection)) {
    let ours = Connection::new();
    prepare(&ours);
    check_statements(&statements(script), &ours);
}

#[track_caller]
fn check_statements(script: &[String], ours: &Connection) {
    let theirs = rusqlite::Connection::open_in_memory().unwrap();
    theirs.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    if ours.flags.get().recursive_triggers {
        theirs.execute_batch("PRAGMA recursive_triggers = ON").unwrap();
    }
    for (at, sql) in script.iter().enumerate() {
        if depends_on_order(&theirs, sql) {
            continue;
        }
        let (mut mine, mut expected) = (ours.run(sql), oracle(&theirs, sql));
        if sql.contains("returning *") {
            // The order in which rows are changed depends on the planner.
            mine.iter_mut().chain(&mut expected).for_each(|rows| rows.sort_by_key(|row| format!("{row:?}")));
        }
        let before = || script[..=at].join(";\n");
        assert_eq!(show(&mine), show(&expected), "{}", before());
        let is_change = ["insert", "replace", "update", "delete"].iter().any(|verb| sql.starts_with(verb));
        if is_change && mine.is_ok() {
            let counters =
                theirs.query_row("select changes(), last_insert_rowid()", [], |r| Ok((r.get(0)?, r.get(1)?)));
            assert_eq!(ours.counters(), counters.unwrap(), "changes and last rowid after {}", before());
        }
        if is_change {
            assert_eq!(ours.integrity_check(), Vec::<String>::new(), "{}", before());
        }
    }
}

/// The rows that conflict with an UPDATE may depend on the order in which it changes rows. SQLite sometimes uses the order of an
/// index for a reason that does not matter here.
fn depends_on_order(theirs: &rusqlite::Connection, sql: &str) -> bool {
    let plan = |sql: &str| theirs.query_row(&format!("explain query plan {sql}"), [], |row| row.get::<_, String>(3));
    sql.starts_with("update") && plan(sql).is_ok_and(|plan| plan.contains(" USING "))
}

fn statements(script: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in script.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let line = line.strip_prefix("        ").unwrap_or(line);
        match statements.last_mut() {
            Some(last) if line.starts_with(' ') => *last = format!("{last}\n{line}"),
            _ => statements.push(line.to_owned()),
        }
    }
    statements
}

fn show(outcome: &Outcome) -> String {
    let row = |row: &Vec<Value>| row.iter().map(|value| value.as_ref().to_string()).collect::<Vec<_>>().join("|");
    match outcome {
        Ok(rows) => rows.iter().map(row).collect::<Vec<_>>().join("\n"),
        Err(message) => format!("error: {message}"),
    }
}
