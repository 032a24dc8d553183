-- sqlite_stat1 word for word. analyze_samples.sql has sqlite_stat4.
CREATE TABLE t(a, b, c UNIQUE)
CREATE INDEX i1 ON t(a)
CREATE INDEX i2 ON t(b, a)
CREATE INDEX i3 ON t(a) WHERE a > 1
CREATE INDEX i4 ON t(a) WHERE a > 1000
CREATE INDEX i5 ON t(b COLLATE NOCASE DESC, a + c)
ANALYZE
SELECT * FROM sqlite_stat1
INSERT INTO t VALUES (1, 'x', 1), (1, 'X', NULL), (2, 'y', NULL), (2, 'y', 2.5), (NULL, NULL, 3)
CREATE TABLE w(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID
CREATE INDEX wi ON w(a)
INSERT INTO w VALUES (1, 2), (1, 3), (2, 2)
CREATE TABLE plain(a)
INSERT INTO plain VALUES (1), (2)
CREATE TABLE nothing(a)
CREATE VIEW v AS SELECT 1
ANALYZE
SELECT * FROM sqlite_stat1
SELECT name, sql FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'
DELETE FROM sqlite_stat1
INSERT INTO sqlite_stat1 VALUES ('other', NULL, 5)
ANALYZE t
SELECT * FROM sqlite_stat1
ANALYZE wi
SELECT * FROM sqlite_stat1
ANALYZE main.w
ANALYZE main
SELECT * FROM sqlite_stat1
ANALYZE nosuch
ANALYZE main.nosuch
ANALYZE nosuch.t
ANALYZE v
ANALYZE sqlite_schema
SELECT * FROM sqlite_stat1
-- Averages are rounded up, but for what is nearly unique.
CREATE TABLE n(a, b, c)
CREATE INDEX na ON n(a)
CREATE INDEX nb ON n(b)
CREATE INDEX nc ON n(c, b)
WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i LIMIT 61) INSERT INTO n SELECT x % 20, min(x, 56), min(x, 55) FROM i
ANALYZE n
SELECT * FROM sqlite_stat1 WHERE tbl = 'n'
PRAGMA analysis_limit = 10000
ANALYZE
SELECT * FROM sqlite_stat1
SELECT count(*) FROM sqlite_stat4
BEGIN
DROP INDEX na
ANALYZE
ROLLBACK
SELECT * FROM sqlite_stat1 WHERE tbl = 'n'
CREATE TEMP TABLE tt(a)
INSERT INTO tt VALUES (1)
ANALYZE
SELECT count(*) FROM temp.sqlite_schema
ANALYZE temp
SELECT * FROM temp.sqlite_stat1
EXPLAIN QUERY PLAN ANALYZE
-- PRAGMA optimize
CREATE TABLE po(a, b)
CREATE INDEX poi ON po(a)
WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i LIMIT 100) INSERT INTO po SELECT x, x FROM i
PRAGMA analysis_limit = 0
PRAGMA optimize
SELECT * FROM sqlite_stat1 WHERE tbl = 'po'
PRAGMA optimize(0x10002)
SELECT * FROM sqlite_stat1 WHERE tbl = 'po'
PRAGMA optimize(0x10003)
INSERT INTO po SELECT a, b FROM po, (SELECT 1 UNION SELECT 2 UNION SELECT 3)
PRAGMA optimize(0x10002)
SELECT * FROM sqlite_stat1 WHERE tbl = 'po'
-- NULLs behind the values of a unique index of one column.
CREATE TABLE uniq(a INTEGER PRIMARY KEY DESC, b UNIQUE)
CREATE UNIQUE INDEX uniq_b ON uniq(b DESC)
INSERT INTO uniq(b) VALUES (3), (NULL), (1), (NULL), (NULL)
ANALYZE uniq
SELECT * FROM sqlite_stat1 WHERE tbl = 'uniq'
-- PRAGMA optimize takes no samples, but where the mask leaves out its limit.
create table small(a, b unique, c)
insert into small values (1, 1, 1), (2, 2, 1), (3, 3, 2), (4, 4, 2), (5, 5, 2)
pragma optimize(0x10012)
select idx, stat from sqlite_stat1 where tbl = 'small'
select count(*) from sqlite_stat4 where tbl = 'small'
create index small_c on small(c)
pragma optimize(0x10002)
select count(*) > 0 from sqlite_stat4 where tbl = 'small'
