-- Of an index with two faults: its WHERE is looked at first, then each term and its collation.
CREATE TABLE t1(a, c)
CREATE TABLE t9(a, b)
CREATE INDEX i3 ON t1(c COLLATE NOCASE, 0 AND c <> (c, 1) = (2, a))
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE NOCASE', 'COLLATE theirs')
PRAGMA writable_schema = RESET
ALTER TABLE t9 DROP b
ALTER TABLE t1 RENAME a TO z
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE INDEX i3 ON t1(0 AND c <> (c, 1) = (2, a), c COLLATE theirs)' WHERE name = 'i3'
PRAGMA writable_schema = RESET
ALTER TABLE t9 DROP b
ALTER TABLE t1 RENAME a TO z
ALTER TABLE t1 RENAME TO z
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE INDEX i3 ON t1(c COLLATE theirs) WHERE 0 AND c <> (c, 1) = (2, a)' WHERE name = 'i3'
PRAGMA writable_schema = RESET
ALTER TABLE t9 DROP b
ALTER TABLE t1 RENAME a TO z
ALTER TABLE t1 RENAME TO z
CREATE TEMP TABLE hidden(a, e)
CREATE TABLE main.hidden(a, d, e)
CREATE TABLE beside(a, b, c)
CREATE INDEX main.i4 ON hidden(e COLLATE NOCASE, d, a)
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE INDEX i3 ON z(c)' WHERE name = 'i3'
UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE NOCASE', 'COLLATE theirs')
PRAGMA writable_schema = RESET
ALTER TABLE beside DROP c
ALTER TABLE beside RENAME a TO x
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = 'CREATE INDEX i4 ON hidden(d, e COLLATE theirs, a)' WHERE name = 'i4'
PRAGMA writable_schema = RESET
ALTER TABLE beside DROP c
