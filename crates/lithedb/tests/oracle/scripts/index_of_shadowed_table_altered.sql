-- An index whose table another one shadows, and whose collation is unknown: the missing column is reported.
CREATE TABLE t1(a INT, e)
CREATE TABLE temp.a(a REAL, d)
CREATE INDEX main.i2 ON t1(e COLLATE NOCASE, a)
CREATE TABLE t2(a, b)
ALTER TABLE a RENAME TO t1
ALTER TABLE t2 RENAME COLUMN b TO c
ALTER TABLE t2 DROP COLUMN b
ALTER TABLE t2 RENAME TO t3
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE NOCASE', 'COLLATE theirs')
PRAGMA writable_schema = RESET
ALTER TABLE t2 RENAME COLUMN b TO c
ALTER TABLE t2 DROP COLUMN b
