//! The rows that CREATE writes into the schema table are searched for from its end, and found at every position.

use crate::script::check;

/// With the largest rowid taken, new rows get random ones. So there is no index and no trigger: neither engine can read a schema in which
/// one of these precedes its table.
#[test]
fn before_the_largest_rowid() {
    check(
        "a: CREATE TABLE first(x)
        a: PRAGMA writable_schema = ON
        a: UPDATE sqlite_schema SET rowid = 9223372036854775807
        a close
        b: CREATE TABLE t(a, b, c INTEGER PRIMARY KEY)
        b: CREATE VIEW v AS SELECT a FROM t
        b: CREATE TABLE u(x, y)
        b: INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)
        b: INSERT INTO u SELECT a, b FROM v JOIN t USING (a)
        b: SELECT * FROM t ORDER BY c
        b: SELECT * FROM v
        b: SELECT * FROM u
        b: SELECT * FROM first
        b: PRAGMA integrity_check",
    );
}

/// AUTOINCREMENT writes the row of another table after that of its own, a virtual table those of its shadow tables.
#[test]
fn before_other_rows() {
    check(
        "a: CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE)
        a: INSERT INTO t(a) VALUES ('x'), ('y')
        a: SELECT * FROM sqlite_sequence
        a: CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)
        a: INSERT INTO boxes VALUES (1, 2, 3)
        a: SELECT id FROM boxes WHERE x0 < 5
        a: CREATE VIEW v AS SELECT a FROM t
        a: CREATE TABLE as_select AS SELECT a AS b FROM v
        a: SELECT * FROM as_select
        a: SELECT type, name, tbl_name FROM sqlite_schema",
    );
}

/// A DELETE through an index deletes the entries of its own scan.
#[test]
fn deleted_through_an_index() {
    check(
        "a: CREATE TABLE t(a, b, c TEXT)
        a: CREATE INDEX t_b ON t(b DESC, c)
        a: CREATE INDEX t_c ON t(c COLLATE NOCASE) WHERE b > 3
        a: CREATE INDEX t_sum ON t(a + b)
        a: WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO t SELECT i, i % 97, printf('%.*c', i % 300, 'x') FROM n
        a: DELETE FROM t WHERE b BETWEEN 20 AND 30 AND c <> 'xx'
        a: PRAGMA integrity_check
        a: DELETE FROM t INDEXED BY t_c WHERE c = 'XXX' AND b > 3
        a: DELETE FROM t INDEXED BY t_sum WHERE a + b > 2000 AND a + b < 2900
        a: DELETE FROM t WHERE b IN (1, 2, 3, 50) AND a % 3 > 0
        a: PRAGMA integrity_check
        a: SELECT count(*), sum(a), sum(b), sum(length(c)) FROM t
        a: SELECT changes(), total_changes()
        a: BEGIN
        a: DELETE FROM t WHERE b > 5
        a: SELECT count(*) FROM t
        a: ROLLBACK
        a: SELECT count(*), sum(a) FROM t
        a: PRAGMA integrity_check",
    );
}
