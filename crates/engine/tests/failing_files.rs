//! A full disk, a failing device, a short write: the transaction is rolled back, the error names the file and the
//! reason (its message is SQLite's), and the connection stays usable.
//!
//! In every journal mode, each call on a file during a transaction fails once.

use lithe_engine::value::{Value, ValueRef};
use lithe_engine::{Connection, Error, OpenFlags, ResultCode, Step};
use lithe_vfs::{Fault, Sim};

const JOURNAL_MODES: [&str; 5] = ["DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY"];

/// Spills, overflows, an index, pages to and from the freelist.
const TRANSACTION: [&str; 6] = [
    "BEGIN",
    "INSERT INTO t SELECT a + 100, b || 'x', zeroblob(3000) FROM t WHERE a < 30",
    "DELETE FROM t WHERE a BETWEEN 10 AND 40",
    "UPDATE t SET b = 'changed ' || a, c = NULL WHERE a % 3 = 0",
    "CREATE INDEX tc ON t(c)",
    "COMMIT",
];

fn open(sim: &Sim) -> Connection {
    let connection = Connection::open_with_vfs(b"/data/sim.db", OpenFlags::DEFAULT, Some(sim.vfs())).expect("opening");
    connection.set_busy_timeout(std::time::Duration::ZERO);
    connection
}

fn run(connection: &Connection, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    let mut statement = connection.prepare(sql.as_bytes())?.statement.expect("a statement");
    let mut rows = Vec::new();
    let result = loop {
        match statement.step(connection) {
            Ok(Step::Row) => {
                rows.push((0..statement.column_count()).map(|i| Value::from(statement.value(i))).collect())
            }
            Ok(Step::Done) => break Ok(rows),
            Err(error) => break Err(error),
        }
    };
    let ended = statement.reset(connection);
    result.and_then(|rows| ended.map(|()| rows))
}

fn prepare(sim: &Sim, journal_mode: &str) -> Connection {
    let connection = open(sim);
    for sql in [
        "PRAGMA page_size = 1024",
        &format!("PRAGMA journal_mode = {journal_mode}"),
        "PRAGMA cache_size = 10",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
            INSERT INTO t SELECT i, 'row ' || i, zeroblob(i * 20) FROM n",
    ] {
        run(&connection, sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
    connection
}

fn content(connection: &Connection) -> Vec<Vec<Value>> {
    let mut rows = run(connection, "SELECT a, b, length(c) FROM t ORDER BY a").expect("reading");
    rows.extend(run(connection, "SELECT name FROM sqlite_master").expect("reading"));
    rows
}

fn check_sound(connection: &Connection, context: &str) {
    let checked =
        run(connection, "PRAGMA integrity_check").unwrap_or_else(|e| panic!("{context}: integrity_check: {e}"));
    assert!(matches!(checked[0][0].as_ref(), ValueRef::Text(b"ok")), "{context}: {checked:?}");
}

/// Runs the transaction with its `n`-th call failing. Returns whether the fault occurred.
fn check(journal_mode: &str, fault: Fault, n: u64) -> bool {
    let context = format!("{journal_mode}, {fault:?} at call {n}");
    let sim = Sim::new(7);
    let connection = prepare(&sim, journal_mode);
    let before = content(&connection);
    let calls = sim.calls();
    sim.fail_at(n, fault);
    let failed = TRANSACTION.iter().find_map(|sql| run(&connection, sql).err());
    let was_reached = sim.calls() - calls >= n;
    sim.fail_no_more();
    if !connection.is_autocommit() {
        run(&connection, "ROLLBACK").unwrap_or_else(|e| panic!("{context}: ROLLBACK: {e}"));
    }
    if let Some(error) = &failed {
        check_error(error, fault, &context);
    }
    let now = content(&connection);
    check_sound(&connection, &context);
    let is_undone = now == before;
    assert!(failed.is_some() || !is_undone, "{context}: no error, and nothing done");
    assert!(failed.is_none() || is_undone, "{context}: {failed:?}, but something was done");
    run(&connection, "INSERT INTO t(b) VALUES ('afterwards')").unwrap_or_else(|e| panic!("{context}: afterwards: {e}"));
    let after = content(&connection);
    drop(connection);
    let again = open(&sim);
    assert_eq!(content(&again), after, "{context}: opened again");
    check_sound(&again, &context);
    was_reached
}

fn check_error(error: &Error, fault: Fault, context: &str) {
    let code = error.code();
    assert_eq!(error.message(), code.text(), "{context}");
    assert!(
        matches!(code.primary(), ResultCode::IOERR | ResultCode::FULL | ResultCode::CANTOPEN),
        "{context}: {error} ({code:?})"
    );
    let detail = error.detail().unwrap_or_else(|| panic!("{context}: {error} does not say why"));
    let names_file = detail.contains("/data/sim.db") || detail.contains("a temporary file");
    assert!(names_file && detail.contains("cannot "), "{context}: {detail}");
    if fault == Fault::Enospc {
        assert!(detail.contains("No space left"), "{context}: {detail}");
    }
}

fn check_all(fault: Fault) {
    for journal_mode in JOURNAL_MODES {
        let reached = (1..).take_while(|n| check(journal_mode, fault, *n)).count();
        assert!(reached > 20, "{journal_mode}: only {reached} calls failed");
    }
}

#[test]
fn a_full_disk() {
    check_all(Fault::Enospc);
}

#[test]
fn a_failing_device() {
    check_all(Fault::Eio);
}

#[test]
fn writes_cut_short() {
    check_all(Fault::Short);
}

/// The message is SQLite's; the detail follows it.
#[test]
fn the_message_is_sqlites() {
    let sim = Sim::new(1);
    let connection = prepare(&sim, "DELETE");
    run(&connection, "BEGIN").unwrap();
    run(&connection, "INSERT INTO t(b) VALUES (NULL)").unwrap();
    let errors: Vec<Error> = (1..200)
        .map_while(|n| {
            sim.fail_at(n, Fault::Enospc);
            let error = run(&connection, "COMMIT").err();
            sim.fail_no_more();
            if error.is_some() && connection.is_autocommit() {
                run(&connection, "BEGIN").unwrap();
                run(&connection, "INSERT INTO t(b) VALUES (NULL)").unwrap();
            }
            error
        })
        .collect();
    let full = errors.iter().find(|error| error.code() == ResultCode::FULL).expect("a full disk");
    assert_eq!(full.message(), "database or disk is full");
    assert!(full.to_string().starts_with("database or disk is full (cannot write /data/sim.db"), "{full}");
}

/// As in SQLite: the statement could be undone alone, but a program that gets the error finds its transaction ended.
#[test]
fn a_page_that_cannot_be_spilled_ends_the_transaction() {
    const SPILLS: &str = "INSERT INTO t SELECT a + 100, b || 'x', zeroblob(3000) FROM t";
    for (fault, code) in [(Fault::Enospc, ResultCode::FULL), (Fault::Eio, ResultCode::IOERR)] {
        let sim = Sim::new(1);
        let connection = prepare(&sim, "WAL");
        let before = content(&connection);
        run(&connection, "BEGIN").unwrap();
        run(&connection, "DELETE FROM t WHERE a = 1").unwrap();
        sim.fail_at(1, fault);
        let error = run(&connection, SPILLS).unwrap_err();
        sim.fail_no_more();
        assert_eq!(error.code().primary(), code);
        assert!(connection.is_autocommit(), "{fault:?}");
        assert_eq!(content(&connection), before, "{fault:?}");
    }
}
