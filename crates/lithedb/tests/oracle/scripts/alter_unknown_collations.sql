-- Of indexes, ALTER TABLE looks up the collations of columns, too.
CREATE TABLE c1(a COLLATE RTRIM UNIQUE, b, c COLLATE NOCASE)
CREATE TABLE o(x, y)
CREATE TEMP TABLE tc(a COLLATE RTRIM, b)
CREATE INDEX temp.ti ON tc(a, b)
PRAGMA writable_schema = ON
UPDATE temp.sqlite_schema SET sql = replace(sql, 'RTRIM', 'theirs')
UPDATE sqlite_schema SET sql = replace(sql, 'RTRIM', 'theirs')
PRAGMA writable_schema = RESET
ALTER TABLE o RENAME x TO z
ALTER TABLE o RENAME TO p
ALTER TABLE o DROP x
DROP TABLE tc
ALTER TABLE o RENAME x TO z
CREATE INDEX ci ON c1(b, c)
CREATE INDEX ci2 ON c1(b, c || '1')
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'thirds')
PRAGMA writable_schema = RESET
ALTER TABLE o RENAME z TO x
DROP INDEX ci
ALTER TABLE o RENAME z TO x
SELECT sql FROM sqlite_schema
