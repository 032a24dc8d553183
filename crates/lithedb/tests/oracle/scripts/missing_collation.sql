-- Queries leave out an index whose collation nobody has defined, as SQLite does; what writes into it fails.
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c, d REAL DEFAULT 1)
INSERT INTO t VALUES (1, 'one', x'000102', 1), (2, 'two', '[1,{}]', 2.5)
CREATE INDEX i ON t(b COLLATE nocase)
PRAGMA writable_schema=1
UPDATE sqlite_schema SET sql='CREATE INDEX i ON t(b COLLATE kk)' WHERE name='i'
PRAGMA writable_schema=RESET
SELECT a FROM t
SELECT b FROM t
SELECT count(*) FROM t
SELECT * FROM t WHERE b='one'
SELECT * FROM t WHERE a=1
SELECT * FROM t ORDER BY b
SELECT c FROM t WHERE b > 'a'
UPDATE t SET c=1
UPDATE t SET b='x' WHERE a=1
INSERT INTO t VALUES(5,5,5,5)
DELETE FROM t WHERE a=2
DROP INDEX i
SELECT count(*) FROM t
PRAGMA index_list(t)
CREATE TABLE w(a, b, c, PRIMARY KEY(a)) WITHOUT ROWID
CREATE INDEX j ON w(b COLLATE nocase, c)
CREATE UNIQUE INDEX k ON w(c COLLATE nocase)
INSERT INTO w VALUES(1,'x','y'),(2,'X','z')
PRAGMA writable_schema=1
UPDATE sqlite_schema SET sql=replace(sql,'nocase','kk') WHERE name IN ('j','k')
PRAGMA writable_schema=RESET
SELECT b FROM w WHERE b='x'
SELECT b FROM w WHERE b='x' COLLATE nocase
SELECT b, c FROM w ORDER BY b COLLATE kk
SELECT b, c FROM w ORDER BY b, c
SELECT * FROM w INDEXED BY j
SELECT * FROM w WHERE c='z' OR b='x'
SELECT max(b) FROM w
SELECT DISTINCT b FROM w
SELECT 1 IN (SELECT b FROM w)
SELECT * FROM w AS x JOIN w AS y ON x.b=y.c
SELECT count(*), count(b) FROM w
UPDATE w SET a=a+10
UPDATE w SET b='q'
DELETE FROM w WHERE a=1
REPLACE INTO w VALUES(1,2,3)
ANALYZE
REINDEX
PRAGMA integrity_check
