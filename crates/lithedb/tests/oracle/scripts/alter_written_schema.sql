-- ALTER TABLE edits what was written into the schema by hand.
CREATE TABLE t1(a,b)
CREATE INDEX t1a ON t1(a)
INSERT INTO t1 VALUES (1,1),(2,2),(3,3),(2,4),(NULL,5)
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX t1a ON t1(a)' WHERE name = 't1a'
UPDATE sqlite_schema SET sql = 'CREATE TABLE t1(a NOT NULL, b /* note */)' WHERE name = 't1'
PRAGMA writable_schema = OFF
ALTER TABLE t1 RENAME TO t1x
PRAGMA integrity_check
SELECT sql FROM sqlite_schema
ALTER TABLE t1x RENAME b TO c
SELECT sql FROM sqlite_schema
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t1x(c)' WHERE name = 't1x'
PRAGMA writable_schema = OFF
ALTER TABLE t1x DROP COLUMN c
