-- A rowid that is a column has three more names, which get the new one; common tables and windows that nobody uses have names too.
CREATE TABLE t1(A INTEGER PRIMARY KEY, b)
CREATE TRIGGER r1 AFTER INSERT ON t1 BEGIN SELECT rowid, "rowid", oid, t1.rowid, A, [rowid], _rowid_ FROM t1 WHERE new.rowid; END
CREATE VIEW v1 AS SELECT rowid, "rowid", oid, t1.rowid, A, [rowid], _rowid_ FROM t1
CREATE INDEX i1 ON t1(b) WHERE rowid > 3
CREATE TABLE t2(A INTEGER PRIMARY KEY, b, CHECK(rowid > 3), CHECK("rowid" > 3))
ALTER TABLE t1 RENAME A TO c
ALTER TABLE t2 RENAME A TO c
SELECT sql FROM sqlite_schema
CREATE TABLE t3(A, b)
CREATE TRIGGER r3 AFTER INSERT ON t3 BEGIN SELECT rowid, "rowid", oid, t3.rowid, A, [rowid], _rowid_ FROM t3 WHERE new.rowid; END
ALTER TABLE t3 RENAME A TO c
SELECT sql FROM sqlite_schema WHERE name = 'r3'
CREATE TABLE t4(A, b)
CREATE TABLE t5(q)
CREATE VIEW v5 AS WITH c AS (SELECT A FROM t4) SELECT 1
CREATE VIEW v6 AS SELECT (WITH c AS (SELECT A FROM t4) SELECT 1) FROM t5
CREATE TRIGGER r5 AFTER INSERT ON t5 BEGIN WITH c AS (SELECT A FROM t4) SELECT 1; END
CREATE VIEW v7 AS SELECT 1 FROM t5 WINDOW w AS (ORDER BY (SELECT A FROM t4))
CREATE VIEW v8 AS SELECT sum(q) OVER (ROWS BETWEEN (SELECT A FROM t4) PRECEDING AND CURRENT ROW) FROM t5
CREATE VIEW v9 AS SELECT 1 FROM t5 WHERE 0 AND (SELECT A FROM t4)
CREATE VIEW v10 AS SELECT 1 FROM t5 WHERE (SELECT A FROM t4) IN ()
ALTER TABLE t4 RENAME A TO c
SELECT sql FROM sqlite_schema WHERE sql like '%t4%'
ALTER TABLE t4 RENAME TO tt
SELECT sql FROM sqlite_schema WHERE sql like '%t4%'
SELECT sql FROM sqlite_schema WHERE sql like '%tt%'
