//! INSERTs of literals are compiled once for each template: the stored values and the errors must equal SQLite's, whichever statement of a
//! template comes first.

use lithe::Connection;

/// Runs the statements one by one on both libraries; answers and errors must be equal, and so must the final tables.
fn check(schema: &str, statements: &[&str], query: &str) {
    let ours = Connection::open_in_memory().unwrap();
    let theirs = rusqlite::Connection::open_in_memory().unwrap();
    ours.execute_batch(schema).unwrap();
    theirs.execute_batch(schema).unwrap();
    for sql in statements {
        let answer = ours.execute(sql, []).map_err(|error| error.to_string());
        let expected = theirs.execute(sql, []).map_err(|error| match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            rusqlite::Error::SqlInputError { msg, .. } => msg,
            other => other.to_string(),
        });
        assert_eq!(answer, expected, "{sql}");
        assert_eq!(ours.last_insert_rowid(), theirs.last_insert_rowid(), "{sql}");
    }
    assert_eq!(rows(&ours, query), expected_rows(&theirs, query));
}

fn rows(connection: &Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        found.push(row.get::<String>(0).unwrap());
    }
    found
}

fn expected_rows(connection: &rusqlite::Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn literals_of_all_kinds() {
    check(
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c TEXT, d REAL, e INT)",
        &[
            "INSERT INTO t VALUES(1,2,3,4,5)",
            "INSERT INTO t VALUES(2,'x','y''z','1.5','6')",
            "INSERT INTO t VALUES(-3,-9223372036854775808,9223372036854775808,-0.0,1e3)",
            "INSERT INTO t VALUES(4,x'00ff',x'',-1e400,1.0)",
            "INSERT INTO t VALUES('5',-0.0,-1.5,9223372036854775807,'x')",
            "INSERT INTO t VALUES('no',1,1,1,1)",
            "INSERT INTO t VALUES(1,2,3,4,5);",
            "INSERT INTO t VALUES(7,2,3,4,5),(8,NULL,'','a',.5)",
            "INSERT INTO t(b, a) VALUES('q',9)",
            "INSERT INTO t(b, a) VALUES('q',10) ;",
            "INSERT INTO t(b, a) VALUES('q')",
            "INSERT INTO t(b, nope) VALUES('q',1)",
            "REPLACE INTO t VALUES(1,upper('r'),1+1,4,5)",
            "REPLACE INTO t VALUES(1,upper('r'),1+1,40,5)",
        ],
        "SELECT quote(a)||quote(b)||quote(c)||quote(d)||quote(e)||typeof(b)||typeof(c)||typeof(d)||typeof(e) FROM t",
    );
}

#[test]
fn constraints_and_triggers() {
    check(
        "CREATE TABLE t(a UNIQUE, b NOT NULL DEFAULT 7 CHECK(b < 10));
         CREATE TABLE log(text);
         CREATE TRIGGER tr AFTER INSERT ON t WHEN new.a > 1 BEGIN INSERT INTO log VALUES(new.a || typeof(new.a)); END;
         CREATE INDEX i ON t(b) WHERE a = 'x';",
        &[
            "INSERT INTO t VALUES(1,2)",
            "INSERT INTO t VALUES(1,3)",
            "INSERT INTO t VALUES('1',3)",
            "INSERT INTO t VALUES(2,30)",
            "INSERT OR IGNORE INTO t VALUES(2,30)",
            "INSERT OR REPLACE INTO t VALUES(2,3)",
            "INSERT INTO t VALUES(3,NULL)",
            "INSERT INTO t VALUES('x',3)",
        ],
        "SELECT quote(a)||quote(b) FROM t UNION ALL SELECT text FROM log",
    );
}

#[test]
fn the_schema_changes_between_them() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("CREATE TABLE t(a TEXT); INSERT INTO t VALUES(1); DROP TABLE t; CREATE TABLE t(a INT)")
        .unwrap();
    connection.execute("INSERT INTO t VALUES('2')", []).unwrap();
    connection.execute("INSERT INTO t VALUES('3')", []).unwrap();
    assert_eq!(rows(&connection, "SELECT typeof(a) || a FROM t"), ["integer2", "integer3"]);
}

#[test]
fn a_prepared_statement_keeps_its_literals() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(a)").unwrap();
    let mut first = connection.prepare("INSERT INTO t VALUES('first')").unwrap();
    let mut second = connection.prepare("INSERT INTO t VALUES('second')").unwrap();
    assert_eq!((first.parameter_count(), second.parameter_count()), (0, 0));
    first.clear_bindings();
    for _ in 0..2 {
        first.execute([]).unwrap();
        second.execute([]).unwrap();
    }
    drop((first, second));
    connection.execute("INSERT INTO t VALUES('third')", []).unwrap();
    let all = rows(&connection, "SELECT group_concat(a) FROM t");
    assert_eq!(all, ["first,second,first,second,third"]);
}
