//! Statements that outdate the snapshots of other connections: those that have written a page, even with unchanged bytes.

use crate::script::check;

/// Definitions of t: with rowids and without, with different indexes, with long values, with keys that are equal but not identical.
const TABLES: [&str; 12] = [
    "a: CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)",
    "a: CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)
     a: CREATE INDEX i ON t(b)",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c)",
    "a: CREATE TABLE t(a INTEGER PRIMARY KEY, b, c DEFAULT (zeroblob(9000)))",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c) WITHOUT ROWID",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c) WITHOUT ROWID
     a: CREATE INDEX i ON t(b)",
    "a: CREATE TABLE t(a PRIMARY KEY, b UNIQUE, c) WITHOUT ROWID",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c) WITHOUT ROWID
     a: CREATE TRIGGER d AFTER DELETE ON t BEGIN SELECT 1; END",
    "a: CREATE TABLE t(b, a, c DEFAULT 1, PRIMARY KEY(a, c)) WITHOUT ROWID",
    "a: CREATE TABLE t(a TEXT COLLATE NOCASE PRIMARY KEY, b, c) WITHOUT ROWID",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c) WITHOUT ROWID
     a: CREATE TABLE child(a REFERENCES t)
     a: PRAGMA foreign_keys = 1",
    "a: CREATE TABLE t(a PRIMARY KEY, b, c DEFAULT (zeroblob(9000))) WITHOUT ROWID",
];

/// Statements that leave every value unchanged, and some that change values.
const STATEMENTS: [&str; 13] = [
    "INSERT OR REPLACE INTO t(a, b, c) SELECT a, b, c FROM t",
    "REPLACE INTO t(a, b, c) SELECT a, b, c FROM t WHERE a = '2'",
    "UPDATE t SET b = b",
    "UPDATE t SET a = a",
    "UPDATE t SET b = b WHERE a = '2'",
    "UPDATE OR REPLACE t SET b = b, c = c",
    "INSERT INTO t(a, b, c) SELECT a, b, c FROM t WHERE true ON CONFLICT DO UPDATE SET b = excluded.b",
    "INSERT OR IGNORE INTO t SELECT * FROM t",
    "DELETE FROM t WHERE b = 99",
    "UPDATE t SET b = b + 1 WHERE a = '2'",
    "UPDATE t SET c = 'longer than before' WHERE a = '2'",
    "REPLACE INTO t(a, b, c) VALUES ('2', 7, 8)",
    "UPDATE t SET a = upper(a)",
];

#[test]
fn a_statement_that_writes_no_page_outdates_no_snapshot() {
    for table in TABLES {
        let tried: String = STATEMENTS
            .iter()
            .map(|statement| {
                format!(
                    "b: BEGIN
                     b: SELECT count(*) FROM other
                     a: {statement}
                     b: INSERT INTO other VALUES (1)
                     b: ROLLBACK
                     "
                )
            })
            .collect();
        check(&format!(
            "a: PRAGMA journal_mode = WAL
             a: CREATE TABLE other(x)
             {table}
             a: INSERT INTO t(a, b) VALUES ('1', 2), ('2', 4), ('3', 'text')
             {tried}
             a: SELECT * FROM t"
        ));
    }
}

/// A REPLACE overwrites the row of a WITHOUT ROWID table in place: the other constraints are checked first.
#[test]
fn what_becomes_of_a_row_that_is_replaced_in_its_place() {
    for others in ["IGNORE", "FAIL", "ABORT", "ROLLBACK", "REPLACE"] {
        check(&format!(
            "a: CREATE TABLE t(a COLLATE NOCASE PRIMARY KEY ON CONFLICT REPLACE, b UNIQUE ON CONFLICT {others}, c CHECK (c < 9)) WITHOUT ROWID
             a: CREATE INDEX i ON t(c, b)
             a: INSERT INTO t VALUES ('a', 1, 1), ('b', 2, 2), ('c', 3, 3)
             a: INSERT INTO t VALUES ('A', 4, 4), ('B', 3, 5), ('C', 6, 6)
             a: SELECT * FROM t
             a: PRAGMA integrity_check
             a: INSERT INTO t VALUES ('b', 1, 7), ('C', 3, 10)
             a: UPDATE OR REPLACE t SET a = 'C', b = 8 WHERE a = 'a'
             a: UPDATE OR REPLACE t SET a = 'A', b = 3, c = 'longer' || c WHERE a = 'b'
             a: UPDATE t SET a = upper(a), b = 3
             a: SELECT * FROM t
             a: SELECT * FROM t ORDER BY b
             a: SELECT c, b FROM t ORDER BY c
             a: PRAGMA integrity_check"
        ));
    }
}
