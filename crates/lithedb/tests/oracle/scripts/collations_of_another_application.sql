-- ALTER TABLE asks for the collations that the terms of keys name themselves, and for no others.
CREATE TABLE t(a COLLATE nocase, b, y)
CREATE TABLE u(a, b, UNIQUE (b COLLATE rtrim))
CREATE INDEX i ON t(b COLLATE RTRIM)
CREATE INDEX e ON t(b > a COLLATE nocase)
CREATE VIEW v AS SELECT a FROM t ORDER BY a COLLATE nocase
INSERT INTO t VALUES (1, 2, 3)
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE nocase', 'COLLATE theirs')
PRAGMA writable_schema = RESET
SELECT * FROM t
SELECT b FROM t WHERE b = 2
SELECT * FROM v
ALTER TABLE t RENAME COLUMN y TO z
ALTER TABLE t RENAME TO t2
ALTER TABLE t2 ADD COLUMN n COLLATE nothers
ALTER TABLE t2 ADD COLUMN n COLLATE theirs
ALTER TABLE t2 ADD COLUMN n
ALTER TABLE t2 DROP COLUMN z
SELECT type, name, sql FROM sqlite_schema /* ordered */
REINDEX theirs
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE RTRIM', 'COLLATE others') WHERE name = 'i'
PRAGMA writable_schema = RESET
ALTER TABLE t2 RENAME COLUMN n TO m
ALTER TABLE u RENAME COLUMN a TO c
ALTER TABLE u RENAME TO w
ALTER TABLE t2 RENAME TO t
REINDEX others
DROP INDEX i
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE rtrim', 'COLLATE others')
PRAGMA writable_schema = RESET
ALTER TABLE t2 RENAME TO t
ALTER TABLE u RENAME COLUMN a TO c
SELECT type, name, sql FROM sqlite_schema /* ordered */
