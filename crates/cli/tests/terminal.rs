//! The shell at a terminal: prompts, completion, errors without line numbers, Ctrl-C.

use rexpect::session::{PtySession, spawn_command};
use std::process::Command;

const TIMEOUT_MS: u64 = 60_000;

/// The line editor prints this (it enables bracketed paste) when it begins to read a line: earlier input is lost.
const READY: &str = "\x1b[?2004h";

/// A shell on a database in memory, whose history is in a folder of its own.
fn shell(home: &tempfile::TempDir) -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lithe"));
    command.env("HOME", home.path()).env("TERM", "xterm");
    let mut session = spawn_command(command, Some(TIMEOUT_MS)).unwrap();
    session.exp_string("Enter \".help\" for usage hints.").unwrap();
    session
}

fn check(typed: &[&str], expected: &str) {
    let home = tempfile::tempdir().unwrap();
    let mut session = shell(&home);
    for line in typed {
        session.exp_string(READY).unwrap();
        session.send_line(line).unwrap();
    }
    session.exp_string(expected).unwrap();
    session.exp_string(READY).unwrap();
    session.send_line(".exit").unwrap();
    session.exp_eof().unwrap();
}

#[test]
fn statements_of_several_lines() {
    check(&["SELECT 40", "+", "2 AS answer;"], "42");
}

#[test]
fn errors_have_no_line_numbers() {
    check(&["SELECT nope;"], "Parse error: no such column: nope");
}

#[test]
fn names_are_completed() {
    check(&["CREATE TABLE people(name);", "INSERT INTO peo\t VALUES ('A' || 'da');", "SELECT * FROM people;"], "Ada");
}

#[test]
fn control_c_stops_the_statement() {
    let home = tempfile::tempdir().unwrap();
    let mut session = shell(&home);
    let forever = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;";
    session.exp_string(READY).unwrap();
    session.send_line(forever).unwrap();
    session.exp_string("FROM n;").unwrap();
    // Ctrl-C before the statement has begun would not interrupt it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.send_control('c').unwrap();
    session.exp_string("interrupted").unwrap();
    session.exp_string(READY).unwrap();
    session.send_line("SELECT 6 * 7;").unwrap();
    session.exp_string("42").unwrap();
}

#[test]
fn control_c_gives_up_what_is_typed() {
    let home = tempfile::tempdir().unwrap();
    let mut session = shell(&home);
    session.exp_string(READY).unwrap();
    session.send_line("SELECT nonsense").unwrap();
    session.exp_string("   ...> ").unwrap();
    session.send_control('c').unwrap();
    session.exp_string(READY).unwrap();
    session.send_line("SELECT 6 * 7;").unwrap();
    session.exp_string("42").unwrap();
}

#[test]
fn statements_are_remembered() {
    let home = tempfile::tempdir().unwrap();
    let mut session = shell(&home);
    session.exp_string(READY).unwrap();
    session.send_line("SELECT 6 * 7;").unwrap();
    session.exp_string(" 42 ").unwrap();
    session.exp_string(READY).unwrap();
    session.send_line(".exit").unwrap();
    session.exp_eof().unwrap();

    let mut session = shell(&home);
    session.exp_string(READY).unwrap();
    session.send("\x1b[A\x1b[A\r").unwrap(); // the up arrow twice: past `.exit`
    session.flush().unwrap();
    session.exp_string(" 42 ").unwrap();
}

#[test]
fn rows_are_shown_in_a_box_in_which_values_can_be_told_apart() {
    check(&["SELECT 1 || '' AS a;"], "'1'");
    check(&["SELECT nullif(1, 1) AS a;"], "NULL");
}
