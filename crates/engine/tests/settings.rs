//! Values that applications read and set without SQL: limits, switches, columns, transactions.

use lithe_engine::{ColumnMetadata, Config, Connection, Limit, OpenFlags, Step, TransactionKind};

fn open() -> Connection {
    let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
    run(
        &connection,
        "CREATE TABLE m(a INTEGER PRIMARY KEY AUTOINCREMENT, b VARCHAR(10) COLLATE nocase NOT NULL, c);
         CREATE TABLE r(x); CREATE VIEW v AS SELECT a FROM m; CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID",
    )
    .unwrap();
    connection
}

fn run(connection: &Connection, sql: &str) -> lithe_engine::Result<()> {
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

#[track_caller]
fn check_error(connection: &Connection, sql: &str, message: &str) {
    assert_eq!(run(connection, sql).unwrap_err().message(), message);
}

#[test]
fn limits_bound_and_are_bounded() {
    let connection = open();
    assert_eq!(connection.set_limit(Limit::Column, i32::MAX), 2000);
    assert_eq!(connection.set_limit(Limit::Column, -1), 2000);
    assert_eq!(connection.set_limit(Limit::Length, 0), 1_000_000_000);
    assert_eq!(connection.limit(Limit::Length), 30);
    check_error(&connection, "SELECT zeroblob(31)", "string or blob too big");
    connection.set_limit(Limit::Length, i32::MAX);
    connection.set_limit(Limit::SqlLength, 20);
    check_error(&connection, "SELECT 1, 2, 3, 4, 5, 6", "string or blob too big");
    connection.set_limit(Limit::SqlLength, i32::MAX);
    connection.set_limit(Limit::FunctionArg, 2);
    check_error(&connection, "SELECT max(1, 2, 3)", "too many arguments on function max");
    connection.set_limit(Limit::Attached, 0);
    check_error(&connection, "ATTACH ':memory:' AS x", "too many attached databases - max 0");
    connection.set_limit(Limit::LikePatternLength, 2);
    check_error(&connection, "SELECT 'abc' LIKE 'abc'", "LIKE or GLOB pattern too complex");
    assert!(Limit::from_number(15).is_none() && Limit::from_number(14).is_some());
}

#[test]
fn switches() {
    let connection = open();
    assert!(connection.config(Config::EnableViews) && connection.config(Config::EnableComments));
    assert!(!connection.config(Config::EnableForeignKeys) && !connection.config(Config::Defensive));
    connection.set_config(Config::EnableViews, false);
    check_error(&connection, "SELECT * FROM v", "access to view \"v\" prohibited");
    connection.set_config(Config::EnableViews, true);
    run(&connection, "SELECT * FROM v; SELECT \"string\"").unwrap();
    connection.set_config(Config::DqsDml, false);
    check_error(
        &connection,
        "SELECT \"string\"",
        "no such column: \"string\" - should this be a string literal in single-quotes?",
    );
    connection.set_config(Config::Defensive, true);
    run(&connection, "PRAGMA writable_schema = ON").unwrap();
    assert!(!connection.config(Config::WritableSchema));
}

#[track_caller]
fn check_column(table: &str, column: Option<&str>, expected: Result<(&str, &str, [bool; 3]), &str>) {
    let found = open().column_metadata(None, table, column);
    let expected = expected.map(|(declared, collation, [not_null, primary_key, autoincrement])| ColumnMetadata {
        declared_type: Some(declared.to_owned()).filter(|declared| !declared.is_empty()),
        collation: collation.to_owned(),
        not_null,
        primary_key,
        autoincrement,
    });
    assert_eq!(found.map_err(|error| error.message().to_owned()), expected.map_err(str::to_owned));
}

#[test]
fn columns_are_described() {
    check_column("m", Some("a"), Ok(("INTEGER", "BINARY", [false, true, true])));
    check_column("m", Some("b"), Ok(("VARCHAR(10)", "nocase", [true, false, false])));
    check_column("m", Some("c"), Ok(("", "BINARY", [false, false, false])));
    check_column("m", Some("rowid"), Ok(("INTEGER", "BINARY", [false, true, true])));
    check_column("m", None, Ok(("INTEGER", "BINARY", [false, true, false])));
    check_column("r", Some("oid"), Ok(("INTEGER", "BINARY", [false, true, false])));
    check_column("w", Some("k"), Ok(("", "BINARY", [true, true, false])));
    check_column("w", Some("rowid"), Err("no such table column: w.rowid"));
    check_column("v", Some("a"), Err("no such table column: v.a"));
    check_column("nope", None, Err("no such table column: nope."));
}

#[test]
fn transactions_tell_how_far_they_are() {
    let connection = open();
    assert_eq!(connection.transaction_kind(None), Some(TransactionKind::None));
    run(&connection, "BEGIN; SELECT * FROM m").unwrap();
    assert_eq!(connection.transaction_kind(Some("main")), Some(TransactionKind::Read));
    run(&connection, "INSERT INTO r VALUES (1)").unwrap();
    assert_eq!(connection.transaction_kind(None), Some(TransactionKind::Write));
    assert_eq!(connection.transaction_kind(Some("nope")), None);
    run(&connection, "COMMIT").unwrap();
    assert_eq!(connection.transaction_kind(None), Some(TransactionKind::None));
    assert_eq!((connection.is_read_only(None), connection.is_read_only(Some("nope"))), (Some(false), None));
}
