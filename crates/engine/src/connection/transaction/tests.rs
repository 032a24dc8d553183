//! The state of a transaction, statement by statement.

use std::sync::Arc;

use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::connection::statement::{Statement, Step};
use crate::error::Result;
use crate::open::OpenFlags;

fn open(sql: &str) -> Connection {
    let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
    run(&connection, sql).unwrap();
    connection
}

fn run(connection: &Connection, sql: &str) -> Result<()> {
    let mut rest = sql.as_bytes();
    while !rest.is_empty() {
        let prepared = connection.prepare(rest)?;
        if let Some(mut statement) = prepared.statement {
            while statement.step(connection)? == Step::Row {}
        }
        rest = &rest[prepared.tail..];
    }
    Ok(())
}

fn on_a_row(connection: &Connection, sql: &str) -> Statement {
    let mut statement = connection.prepare(sql.as_bytes()).unwrap().statement.unwrap();
    assert_eq!(statement.step(connection), Ok(Step::Row));
    statement
}

fn integer(connection: &Connection, sql: &str) -> i64 {
    let mut statement = on_a_row(connection, sql);
    let ValueRef::Integer(integer) = statement.value(0) else { panic!("{sql} is no integer") };
    statement.reset(connection).unwrap();
    integer
}

/// Whether no BEGIN or SAVEPOINT is open, and how many savepoints are.
#[track_caller]
fn check(connection: &Connection, sql: &str, autocommit: bool, depth: usize) {
    run(connection, sql).unwrap();
    let state = &connection.transaction;
    state.assert_consistent();
    assert_eq!((state.is_autocommit(), state.depth()), (autocommit, depth), "{sql}");
}

#[test]
fn savepoints_are_a_stack() {
    let connection = open("CREATE TABLE t(a)");
    check(&connection, "SAVEPOINT one", false, 1);
    assert!(connection.transaction.began_with(0));
    check(&connection, "SAVEPOINT two; SAVEPOINT two; INSERT INTO t VALUES (1)", false, 3);
    check(&connection, "ROLLBACK TO two", false, 3);
    check(&connection, "RELEASE two", false, 2);
    check(&connection, "RELEASE one", true, 0);
    assert_eq!(integer(&connection, "SELECT count(*) FROM t"), 0);
    assert_eq!(run(&connection, "RELEASE one").unwrap_err().message(), "no such savepoint: one");
}

#[test]
fn a_savepoint_within_a_transaction_does_not_commit() {
    let connection = open("CREATE TABLE t(a)");
    check(&connection, "BEGIN; SAVEPOINT one; INSERT INTO t VALUES (1); RELEASE one", false, 0);
    assert!(!connection.transaction.began_with(0));
    check(&connection, "ROLLBACK", true, 0);
    assert_eq!(integer(&connection, "SELECT count(*) FROM t"), 0);
}

#[test]
fn a_rollback_takes_the_catalog_back() {
    let connection = open("CREATE TABLE t(a)");
    let has = |table: &str| connection.catalog().schema(Db::MAIN).table(Name::new(table.as_bytes())).is_some();
    check(&connection, "BEGIN; CREATE TABLE u(a); SAVEPOINT one; DROP TABLE t", false, 1);
    assert!(!has("t") && has("u"));
    check(&connection, "ROLLBACK TO one", false, 1);
    assert!(has("t") && has("u"));
    check(&connection, "ROLLBACK", true, 0);
    assert!(has("t") && !has("u"));
}

#[test]
fn a_statement_that_fails_leaves_nothing_open() {
    let connection = open("CREATE TABLE t(a UNIQUE); BEGIN; INSERT INTO t VALUES (1)");
    assert!(run(&connection, "INSERT INTO t VALUES (2), (1)").is_err());
    check(&connection, "", false, 0);
    assert!(!connection.transaction.has_active() && !connection.transaction.has_writers());
    assert_eq!(integer(&connection, "SELECT count(*) FROM t"), 1);
    assert!(run(&connection, "INSERT OR ROLLBACK INTO t VALUES (2), (1)").is_err());
    check(&connection, "", true, 0);
}

#[test]
fn running_statements_are_counted() {
    let connection = open("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)");
    let mut reader = on_a_row(&connection, "SELECT a FROM t");
    let mut writer = on_a_row(&connection, "UPDATE t SET a = a + 1 RETURNING a");
    let state = &connection.transaction;
    assert_eq!((state.active_count(), state.has_writers()), (2, true));
    writer.reset(&connection).unwrap();
    assert_eq!((state.active_count(), state.has_writers()), (1, false));
    reader.reset(&connection).unwrap();
    assert!(!state.has_active());
}

#[test]
fn a_rollback_is_noticed_by_statements_that_began_before() {
    let connection = open("CREATE TABLE t(a)");
    let run_of_a_statement = connection.statement_begins();
    let before = connection.transaction.rollbacks();
    run(&connection, "BEGIN; INSERT INTO t VALUES (1); ROLLBACK").unwrap();
    assert_eq!(connection.transaction.rollbacks(), before + 1);
    // The statement has only read, and the schema is the same.
    assert!(!connection.transaction.notice_rollback(&run_of_a_statement));
    let catalog = connection.catalog();
    run(&connection, "BEGIN; CREATE TABLE u(a); ROLLBACK").unwrap();
    assert!(connection.transaction.notice_rollback(&run_of_a_statement), "the schema was taken back");
    assert!(!connection.transaction.notice_rollback(&run_of_a_statement), "noticed once");
    assert_eq!(catalog.schema(Db::MAIN).cookie, connection.catalog().schema(Db::MAIN).cookie);
    connection.statement_succeeds(&run_of_a_statement).unwrap();
    drop(Arc::clone(&catalog));
}
