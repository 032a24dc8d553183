-- A table whose indexes, constraints or generated columns call functions that the application lacks can be read and changed, as long as no call is needed.
CREATE TABLE t(a, b, y)
CREATE INDEX i ON t(abs(b))
CREATE INDEX p ON t(a) WHERE abs(b) > 1
CREATE TABLE c(a, b CHECK (abs(b) > 0), g AS (abs(a)), y)
INSERT INTO t VALUES (1, 2, 3), (4, -5, 6)
INSERT INTO c VALUES (1, 2, 3)
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'abs(', 'theirs(')
PRAGMA writable_schema = RESET
SELECT a, b, y FROM t WHERE a > 0 ORDER BY b
SELECT count(*), max(b) FROM t
SELECT a FROM t WHERE theirs(b) = 2
UPDATE t SET y = 7 WHERE a = 1
UPDATE t SET b = 7 WHERE a = 1
INSERT INTO t VALUES (7, 8, 9)
DELETE FROM t WHERE a = 1
SELECT a, b, y FROM c
SELECT g FROM c
SELECT * FROM c
UPDATE c SET y = 4
UPDATE c SET b = 4
INSERT INTO c(a, b) VALUES (1, 1)
DELETE FROM c WHERE a = 9
ALTER TABLE t RENAME COLUMN y TO z
ALTER TABLE c RENAME TO d
ALTER TABLE d ADD COLUMN n
ALTER TABLE t DROP COLUMN z
SELECT type, name, sql FROM sqlite_schema /* ordered */
DELETE FROM d
CREATE TABLE copy AS SELECT a, b FROM t
DROP INDEX i
INSERT INTO t(b) VALUES (1)
DROP INDEX p
INSERT INTO t(a, b) VALUES (7, 8)
SELECT * FROM t
