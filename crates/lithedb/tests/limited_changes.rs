//! ORDER BY and LIMIT of UPDATE and DELETE. The answers are those of a SQLite with SQLITE_ENABLE_UPDATE_DELETE_LIMIT, which the bundled one
//! is not.

use lithe::Connection;

const SCHEMA: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
    CREATE INDEX tb ON t(b);
    INSERT INTO t VALUES (1, 5, 'x'), (2, 4, 'y'), (3, 3, 'z'), (4, 2, 'x'), (5, 1, 'y'), (6, 0, 'z');
    CREATE TABLE w(p, q, r, PRIMARY KEY(q, p)) WITHOUT ROWID;
    INSERT INTO w SELECT a, b, c FROM t;
    CREATE TABLE s(rowid, x);
    INSERT INTO s VALUES (7, 1), (7, 2), (8, 3);
    CREATE TABLE log(x);
    CREATE VIEW v AS SELECT * FROM t;
    CREATE TRIGGER dv INSTEAD OF DELETE ON v BEGIN INSERT INTO log VALUES (old.a); END;
    CREATE TRIGGER uv INSTEAD OF UPDATE ON v BEGIN INSERT INTO log VALUES (old.a || '-' || new.b); END;
    CREATE TABLE j(k, n);
    INSERT INTO j VALUES (1, 20), (4, 50), (5, 10), (5, 20), (1, 10);";

fn open() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection
}

/// What the query answers after the change, in one text.
fn after(change: &str, query: &str) -> String {
    let connection = open();
    connection.execute_batch(change).unwrap_or_else(|error| panic!("{change}: {error}"));
    let query = format!("SELECT group_concat(x, ' ') FROM (SELECT {query})");
    connection.query_row(&query, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_first_rows_of_an_order_are_changed() {
    let keys = "a AS x FROM t ORDER BY a";
    let cases = [
        ("DELETE FROM t ORDER BY b LIMIT 1", keys, "1 2 3 4 5"),
        ("DELETE FROM t WHERE t.a > 1 ORDER BY c, main.t.b LIMIT 2, 1", keys, "1 3 4 5 6"),
        ("DELETE FROM t AS q WHERE q.a > 1 ORDER BY q.b DESC LIMIT 2 OFFSET 1", keys, "1 2 5 6"),
        ("DELETE FROM t INDEXED BY tb WHERE b > 1 ORDER BY b LIMIT 1", keys, "1 2 3 5 6"),
        ("DELETE FROM t LIMIT -1", "count(*) AS x FROM t", "0"),
        ("WITH t AS (SELECT 9 AS a) DELETE FROM t ORDER BY a LIMIT (SELECT 1)", keys, "2 3 4 5 6"),
        ("UPDATE t SET b = 9 WHERE b > 1 ORDER BY b LIMIT 2", "b AS x FROM t ORDER BY a", "5 4 9 9 1 0"),
        ("UPDATE OR REPLACE t SET a = a + 1 ORDER BY a DESC LIMIT 2", keys, "1 2 3 4 7"),
        ("DELETE FROM w ORDER BY r, p LIMIT 2", "p AS x FROM w ORDER BY p", "2 3 5 6"),
        ("UPDATE w SET r = 'n' ORDER BY p DESC LIMIT 2", "r AS x FROM w ORDER BY p", "x y z x n n"),
        ("DELETE FROM s ORDER BY x DESC LIMIT 1", "x FROM s ORDER BY x", "1 2"),
    ];
    for (change, query, expected) in cases {
        assert_eq!(after(change, query), expected, "{change}");
    }
}

#[test]
fn the_rows_of_a_view_are_limited() {
    let log = "x FROM log";
    let cases = [
        ("DELETE FROM v ORDER BY b LIMIT 2", "6 5"),
        ("DELETE FROM v WHERE a < 4 ORDER BY b DESC LIMIT 1 OFFSET 1", "2"),
        ("DELETE FROM v ORDER BY 2 LIMIT 1", "6"),
        ("DELETE FROM v ORDER BY b", "6 5 4 3 2 1"),
        ("DELETE FROM v LIMIT 1", "1"),
        ("UPDATE v SET b = v.b + main.v.a WHERE a > 1 ORDER BY b LIMIT 2", "6-6 5-6"),
        ("UPDATE v AS q SET b = q.a WHERE q.a > 1 ORDER BY q.c, q.a LIMIT 1", "4-4"),
        ("WITH w AS (SELECT 4) DELETE FROM v WHERE a IN w ORDER BY a LIMIT (SELECT * FROM w)", "4"),
        ("UPDATE v SET b = n FROM j WHERE k = a ORDER BY a DESC, n LIMIT 3", "5-10 5-20 4-50"),
        ("UPDATE v SET b = n FROM j WHERE k = a ORDER BY a DESC, n DESC LIMIT 1 OFFSET 1", "5-10"),
    ];
    for (change, expected) in cases {
        assert_eq!(after(change, log), expected, "{change}");
    }
}

#[test]
fn the_rows_of_a_join_are_limited() {
    let values = "b AS x FROM t ORDER BY a";
    let cases = [
        ("UPDATE t SET b = n FROM j WHERE k = a ORDER BY a DESC, n LIMIT 1", "5 4 3 2 10 0"),
        // A row counts once, however often it is joined.
        ("UPDATE t SET b = n FROM j WHERE k = a ORDER BY a DESC LIMIT 2", "5 4 3 50 10 0"),
        ("UPDATE t SET b = n FROM j WHERE k = a ORDER BY a LIMIT 1 OFFSET 1", "5 4 3 50 1 0"),
        ("UPDATE t SET b = -n FROM j WHERE k = a ORDER BY 2 DESC LIMIT 1", "5 4 3 2 -10 0"),
        ("UPDATE t INDEXED BY tb SET b = n FROM j WHERE k = a AND b > 1 AND b < 5 LIMIT 1", "5 4 3 50 1 0"),
    ];
    for (change, expected) in cases {
        assert_eq!(after(change, values), expected, "{change}");
    }
    let of_keys = "r AS x FROM w ORDER BY p";
    let change = "UPDATE w SET r = n FROM j WHERE k = p ORDER BY p DESC LIMIT 2";
    assert_eq!(after(change, of_keys), "x y z 50 10 z");
}

#[test]
fn returning_stands_before_them() {
    let connection = open();
    let deleted: i64 =
        connection.query_row("DELETE FROM t WHERE b < 3 RETURNING a ORDER BY b LIMIT 1", [], |row| row.get(0)).unwrap();
    assert_eq!(deleted, 6);
}

#[test]
fn what_is_refused() {
    let connection = open();
    let cases = [
        ("DELETE FROM t ORDER BY b", "ORDER BY without LIMIT on DELETE"),
        ("UPDATE t SET b = 1 ORDER BY b", "ORDER BY without LIMIT on UPDATE"),
        ("DELETE FROM t ORDER BY 2 LIMIT 1", "1st ORDER BY term out of range - should be between 1 and 1"),
        ("DELETE FROM t ORDER BY nope LIMIT 1", "no such column: nope"),
        ("DELETE FROM t INDEXED BY nope LIMIT 1", "no such index: nope"),
        ("DELETE FROM t LIMIT 'x'", "datatype mismatch"),
        ("CREATE TRIGGER n AFTER INSERT ON t BEGIN DELETE FROM t LIMIT 1; END", "near \"LIMIT\": syntax error"),
        ("UPDATE t SET b = 1 FROM s ORDER BY b", "ORDER BY without LIMIT on UPDATE"),
        ("UPDATE t SET b = 1 FROM s ORDER BY 3 LIMIT 1", "1st ORDER BY term out of range - should be between 1 and 2"),
        ("UPDATE t SET b = 1 FROM s ORDER BY nope LIMIT 1", "no such column: nope"),
        ("DELETE FROM v ORDER BY nope LIMIT 1", "no such column: nope"),
    ];
    for (sql, message) in cases {
        let error = connection.execute_batch(sql).unwrap_err().to_string();
        assert!(error.contains(message), "{sql}: {error}");
    }
}
