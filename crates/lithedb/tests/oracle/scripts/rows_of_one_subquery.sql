-- Columns that are set to the row of a subquery get values of one row: it runs once for each row that is changed.
CREATE TABLE u(k, v)
WITH q(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM q WHERE n < 1000) INSERT INTO u SELECT n, n FROM q
CREATE TABLE t(x, y)
INSERT INTO t SELECT 0, 1 FROM u LIMIT 100
UPDATE t SET (x, y) = (SELECT k, v FROM u ORDER BY random() LIMIT 1)
SELECT count(*) FROM t WHERE x IS NOT y
UPDATE t SET (y, x) = (SELECT k, v FROM u WHERE u.k <> t.x ORDER BY random() LIMIT 1)
SELECT count(*) FROM t WHERE x IS NOT y
CREATE INDEX i ON t(x)
UPDATE t SET (x, y) = (SELECT k, v FROM u WHERE u.k <> t.x ORDER BY random() LIMIT 1) WHERE x > 0
SELECT count(*) FROM t WHERE x IS NOT y
UPDATE t SET (x, y) = (SELECT k, v FROM u WHERE u.k <> w.v ORDER BY random() LIMIT 1) FROM u AS w WHERE w.k = t.x
SELECT count(*) FROM t WHERE x IS NOT y
INSERT INTO t(rowid, x, y) SELECT k, k, v FROM u WHERE k < 50 ON CONFLICT DO UPDATE SET (x, y) = (SELECT k, v FROM u WHERE k <> excluded.x ORDER BY random() LIMIT 1)
SELECT count(*) FROM t WHERE x IS NOT y
CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET (x, y) = (SELECT k, v FROM u WHERE k <> new.x ORDER BY random() LIMIT 1) WHERE rowid = new.rowid; END
INSERT INTO t SELECT 0, 1 FROM u LIMIT 50
SELECT count(*) FROM t WHERE x IS NOT y
CREATE VIEW w AS SELECT x, y FROM t
CREATE TABLE log(x, y)
CREATE TRIGGER s INSTEAD OF UPDATE ON w BEGIN INSERT INTO log VALUES (new.x, new.y); END
UPDATE w SET (x, y) = (SELECT k, v FROM u WHERE k <> w.x ORDER BY random() LIMIT 1)
SELECT count(*), sum(x IS NOT y) FROM log
CREATE INDEX uu ON u(k, v)
SELECT count(*) FROM u WHERE (k, v) = (SELECT k, v FROM u ORDER BY random() LIMIT 1)
