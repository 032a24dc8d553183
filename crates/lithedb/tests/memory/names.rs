//! Statements on a schema with long names and texts.

use crate::script::Script;

/// Statements that make, read, change and drop objects with long names.
pub(crate) fn script() -> Script {
    let lines = LINES.iter().map(|line| &*line.replace("LONG", &"long".repeat(80_000)).leak());
    Script { lines: lines.collect::<Vec<&str>>().leak(), contents: &["SELECT count(*) || ' ' || total(b) FROM t"] }
}

/// `LONG` stands for a long name.
const LINES: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, LONG1 TEXT DEFAULT 'x')",
    "INSERT INTO t VALUES (1, 2, 3), (2, 'b', 'c')",
    "CREATE TABLE LONG(a INTEGER PRIMARY KEY, b, c)",
    "INSERT INTO LONG VALUES (1, 2, 3)",
    "?SELECT * FROM LONG",
    "?SELECT LONG1 FROM t WHERE b = 2",
    "!SELECT LONG2 FROM t",
    "!SELECT * FROM LONG2",
    "UPDATE LONG SET b = 7",
    "UPDATE t SET LONG1 = 7 WHERE a = 1",
    "CREATE INDEX LONG3 ON t(b)",
    "?SELECT a FROM t INDEXED BY LONG3 WHERE b = 2",
    "?EXPLAIN QUERY PLAN SELECT a FROM t WHERE b = 2",
    "CREATE VIEW LONG4 AS SELECT a AS LONG5, 'LONG6' AS x FROM t",
    "?SELECT * FROM LONG4",
    "CREATE TRIGGER LONG7 AFTER INSERT ON t BEGIN UPDATE LONG SET b = b + 1;END",
    "INSERT INTO t VALUES (3, 4, 5)",
    "?PRAGMA table_info(t)",
    "?PRAGMA table_info(LONG)",
    "?PRAGMA index_list(t)",
    "?PRAGMA integrity_check",
    "?SELECT name, sql FROM sqlite_schema",
    "ALTER TABLE LONG RENAME COLUMN b TO LONG8",
    "ALTER TABLE LONG ADD COLUMN d",
    "ALTER TABLE t DROP COLUMN LONG1",
    "ALTER TABLE LONG RENAME TO LONG9",
    "CREATE TABLE r(x CHECK (x <> 'LONG'), y AS (x || 'LONG'))",
    "INSERT INTO r VALUES (5)",
    "!INSERT INTO r VALUES ('LONG')",
    "ANALYZE",
    "REINDEX",
    "VACUUM",
    "CREATE VIRTUAL TABLE LONGr USING rtree(id, x0, x1)",
    "INSERT INTO LONGr VALUES (1, 2, 3)",
    "?SELECT * FROM LONGr WHERE x0 > 1",
    "?SELECT rtreecheck('LONGr')",
    "DROP TABLE LONGr",
    "DROP VIEW LONG4",
    "DROP TABLE LONG9",
];
