-- What was written into the schema by hand counts when the schema is read again.
CREATE TABLE t1(a, b)
INSERT INTO t1 VALUES (1, 2)
CREATE TABLE t2(c, d)
PRAGMA writable_schema = 1
UPDATE sqlite_master SET sql = 'CREATE TABLE t1(a, b, c DEFAULT 7)' WHERE name = 't1'
SELECT * FROM t1
PRAGMA schema_version = 17
SELECT * FROM t1
PRAGMA schema_version
UPDATE sqlite_master SET sql = 'CREATE TABLE t1(a, b, c DEFAULT 7, d DEFAULT 8)' WHERE name = 't1'
SELECT * FROM t1
PRAGMA writable_schema = RESET
PRAGMA writable_schema
SELECT * FROM t1
PRAGMA writable_schema = 1
BEGIN
UPDATE sqlite_master SET sql = 'CREATE TABLE t1(a, b, c DEFAULT 7, d DEFAULT 9, e DEFAULT 10)' WHERE name = 't1'
PRAGMA schema_version = 100
SELECT * FROM t1
ROLLBACK
SELECT * FROM t1
PRAGMA schema_version
CREATE TEMP TABLE tt(a)
INSERT INTO tt VALUES (1)
UPDATE sqlite_temp_master SET sql = 'CREATE TABLE tt(a, b DEFAULT 2)'
SELECT * FROM tt
PRAGMA writable_schema = RESET
SELECT * FROM tt
-- A row that means nothing keeps others from being read, but for whoever may write the schema.
PRAGMA writable_schema = 1
UPDATE sqlite_master SET sql = 'CREATE TABLE t1(a, b, c DEFAULT 7' WHERE name = 't1'
PRAGMA writable_schema = RESET
SELECT * FROM t1
SELECT * FROM t2
PRAGMA writable_schema = 1
UPDATE sqlite_master SET sql = 'CREATE TABLE t1(a, b, c DEFAULT 7)' WHERE name = 't1'
PRAGMA writable_schema = RESET
SELECT * FROM t1
-- Parameters in a trigger are NULL.
PRAGMA writable_schema = 1
INSERT INTO sqlite_master VALUES ('trigger', 'tr1', 't1', 0, 'CREATE TRIGGER tr1 AFTER INSERT ON t1 BEGIN INSERT INTO t2 VALUES (?1, ?2 IS NULL); END')
PRAGMA writable_schema = RESET
INSERT INTO t1(a) VALUES (1)
SELECT * FROM t2
