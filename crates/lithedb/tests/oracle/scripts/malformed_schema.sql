-- What a row of the schema says must be what its text creates, once, without a schema's name and with nothing behind it. A query without tables runs all the same.
CREATE TABLE t(a INTEGER PRIMARY KEY, b)
CREATE INDEX i ON t(b)
CREATE TABLE u(x)
CREATE VIEW v AS SELECT 1
CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END
PRAGMA writable_schema = ON
SAVEPOINT s
UPDATE sqlite_schema SET sql = sql || '; DROP TABLE u' WHERE name = 't'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
SELECT 1
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET sql = 'CREATE TABLE main.t(a INTEGER PRIMARY KEY, b)' WHERE name = 't'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET sql = 'CREATE TABLE t AS SELECT 1 AS a' WHERE name = 't'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET tbl_name = 'u' WHERE name = 'g'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'u'
PRAGMA writable_schema = RESET
SELECT count(*) FROM u
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET rootpage = 'x' WHERE name = 'u'
PRAGMA writable_schema = RESET
SELECT count(*) FROM u
PRAGMA writable_schema = ON
ROLLBACK TO s
INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'u'
PRAGMA writable_schema = RESET
SELECT count(*) FROM u
PRAGMA writable_schema = ON
ROLLBACK TO s
INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'i'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'g'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON nowhere(b)', tbl_name = 'nowhere' WHERE name = 'i'
PRAGMA writable_schema = RESET
SELECT count(*) FROM t
PRAGMA writable_schema = ON
ROLLBACK TO s
PRAGMA writable_schema = RESET
RELEASE s
SELECT count(*) FROM t
PRAGMA integrity_check
