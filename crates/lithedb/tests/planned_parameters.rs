//! Plans for bound values: a statement is prepared again when a value is bound on which its plan depends.

use lithe::Connection;

const SETUP: &str = "
    CREATE TABLE t(a, b, c);
    CREATE INDEX ta ON t(a, c DESC);
    CREATE INDEX tb ON t(b, c);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO t SELECT CASE WHEN i % 2 THEN 3 ELSE i + 10000 END, i % 60, i FROM n;
    CREATE TABLE s(a TEXT COLLATE nocase, c);
    CREATE INDEX sa ON s(a);
    INSERT INTO s VALUES ('abd', 1), ('abc', 2), ('xyz', 3), ('abC', 4), ('x', 5);
    ANALYZE;";

/// The rows for each value, with one statement for all of them.
fn rows(sql: &str, values: &[&str]) -> (Vec<Vec<i64>>, Vec<Vec<i64>>) {
    let lithe = Connection::open_in_memory().unwrap();
    lithe.execute_batch(SETUP).unwrap();
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    sqlite.execute_batch(SETUP).unwrap();
    let (mut ours, mut theirs) = (lithe.prepare(sql).unwrap(), sqlite.prepare(sql).unwrap());
    let mut found = (Vec::new(), Vec::new());
    for value in values {
        let number = value.parse::<i64>();
        match number {
            Ok(number) => ours.bind(1, number).unwrap(),
            Err(_) => ours.bind(1, *value).unwrap(),
        }
        let mut rows = Vec::new();
        while let Some(row) = ours.step().unwrap() {
            rows.push(row.get::<i64>(0).unwrap());
        }
        ours.reset().unwrap();
        found.0.push(rows);
        let value: &dyn rusqlite::ToSql = if let Ok(number) = &number { number } else { value };
        let rows = theirs.query_map([value], |row| row.get(0)).unwrap();
        found.1.push(rows.map(Result::unwrap).collect());
    }
    found
}

#[track_caller]
fn check(sql: &str, values: &[&str]) {
    let (ours, theirs) = rows(sql, values);
    assert_eq!(ours, theirs, "{sql}");
    assert!(ours.iter().any(|rows| !rows.is_empty()), "{sql} finds nothing");
}

#[test]
fn samples_are_asked_about_bound_values() {
    for condition in ["a = ?1", "a IS ?1", "a = abs(?1)", "a = -?1", "a = +?1", "a IN (?1)", "a IN (?1, ?1)", "a <= ?1"]
    {
        check(&format!("SELECT c FROM t WHERE {condition} AND b = 7"), &["3", "10002", "-3", "3", "3", "10008"]);
    }
}

#[test]
fn patterns_are_bound() {
    for condition in ["a LIKE ?1", "a COLLATE binary GLOB ?1"] {
        check(&format!("SELECT c FROM s WHERE {condition}"), &["ab%", "abc", "%", "x%", "7", "ab*", "*"]);
    }
}
