-- A table keeps the number of rows that an index had when it was dropped, until the schema is read again: the order of loops shows it.
CREATE TABLE t1(a, b)
INSERT INTO t1 VALUES (3, 1), (1, 3), (2, 2)
CREATE INDEX t1a ON t1(a)
CREATE INDEX t1b ON t1(b)
CREATE TABLE t2(c, d)
INSERT INTO t2 VALUES (1, 3), (2, 1), (3, 2)
CREATE INDEX t2c ON t2(c)
ANALYZE
DELETE FROM sqlite_stat4
DELETE FROM sqlite_stat1
INSERT INTO sqlite_stat1 VALUES ('t1', 't1a', '1000 10'), ('t1', 't1b', '1000 10'), ('t2', 't2c', '100000 300')
ANALYZE sqlite_schema
DROP INDEX t1a
DROP INDEX t1b
SELECT * FROM t1, t2 WHERE a = c /* ordered */
SELECT * FROM t2, t1 WHERE b = d /* ordered */
