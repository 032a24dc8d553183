-- A test for NULL whose answer is known makes a condition constant: it is computed before all loops.
CREATE TABLE t2(a BLOB, b BLOB NOT NULL ON CONFLICT IGNORE)
DELETE FROM t2
SELECT 1 FROM t2 WHERE (date((rowid NOTNULL)) -> '$.b')
SELECT 1 FROM t2 WHERE (date(1) -> '$.b')
SELECT 1 FROM t2 WHERE (x'61' -> '$.b')
SELECT count(*) FROM t2 WHERE (date((rowid NOTNULL)) -> '$.b')
SELECT count(*) FROM t2 WHERE (date((rowid NOTNULL)) -> '$.b') GROUP BY a
SELECT count(*) FROM t2 WHERE (date((rowid NOTNULL)) -> '$.b') GROUP BY 'x'
SELECT count(*) FROM t2 WHERE (date((rowid NOTNULL)) -> '$.b') GROUP BY (a IN ())
SELECT count(*) FROM t2 AS q WHERE (date((q.rowid NOTNULL)) -> '$.b') GROUP BY (a IN ())
SELECT group_concat(b, '-' ORDER BY b) FROM t2 AS q WHERE (date((q.rowid NOTNULL)) -> '$.b') GROUP BY a
SELECT group_concat(b, '-' ORDER BY b) FROM t2 AS q WHERE (date(1) -> '$.b') GROUP BY a
SELECT count(*) FROM t2 WHERE (date(1) -> '$.b') GROUP BY a
SELECT count(*) FROM t2 WHERE (date(1) -> '$.b') GROUP BY 1 IN ()
SELECT 2 FROM t2 WHERE (date(1) -> '$.b') ORDER BY a
SELECT DISTINCT a FROM t2 WHERE (date(1) -> '$.b')
