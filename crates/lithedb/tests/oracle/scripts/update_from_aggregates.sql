-- SET of UPDATE ... FROM has the place of the result columns of a SELECT: aggregates and windows may stand in it.
CREATE TABLE t0(a)
CREATE TABLE t1(b, c)
INSERT INTO t0 VALUES (1), (2)
INSERT INTO t1 VALUES (7, 1), (8, 2)
UPDATE t1 SET b = sum(a) FROM t0
SELECT * FROM t1
UPDATE t1 SET b = sum(a) FROM (SELECT 5 AS a UNION ALL SELECT 6)
SELECT * FROM t1
UPDATE t1 SET b = max(a), c = count(*) FROM (SELECT 5 AS a UNION ALL SELECT 6) WHERE c = 2
SELECT * FROM t1
UPDATE t1 SET b = sum(a) + b FROM (SELECT 5 AS a UNION ALL SELECT 6) RETURNING *
UPDATE t1 SET b = sum(a)
UPDATE t1 SET b = 1 FROM (SELECT 5 AS a) WHERE sum(a) > 2
UPDATE t1 SET b = count(*) FROM (SELECT 5 AS a) WHERE 0
SELECT * FROM t1
UPDATE t1 SET b = row_number() OVER (ORDER BY c DESC) FROM (SELECT 5 AS a)
SELECT * FROM t1
UPDATE t1 SET b = rank() OVER ()
UPDATE t1 SET rowid = rowid + 10, b = sum(a) OVER (PARTITION BY c), c = total(b) OVER () FROM t0 WHERE a = 1
SELECT rowid, * FROM t1
UPDATE t1 SET (b, c) = (SELECT max(x) OVER (PARTITION BY sum((SELECT t0.a))), 2) FROM (SELECT 3 AS x), t0
SELECT * FROM t1
CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID
INSERT INTO t VALUES (1, 2), (2, 3)
UPDATE t SET b = sum(x) FROM (SELECT 5 AS x UNION ALL SELECT 6)
SELECT * FROM t
UPDATE t SET a = a + count(*) OVER (), b = x FROM (SELECT 5 AS x)
SELECT * FROM t
CREATE TRIGGER tr AFTER UPDATE ON t BEGIN UPDATE t1 SET b = count(*) OVER () + new.a FROM t0 WHERE t0.a = 1; END
UPDATE t SET b = 0
SELECT * FROM t1
