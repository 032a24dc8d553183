-- Statements that fail within a transaction, after the only row has been changed, or behind a NOT NULL that holds.
CREATE TABLE t(a, b CHECK(b <> 5))
BEGIN
INSERT INTO t VALUES(1, 2) RETURNING json_extract('x', '$')
INSERT INTO t VALUES(1, 2) RETURNING abs(-9223372036854775808)
INSERT INTO t VALUES(1, 2), (3, 4) RETURNING json_extract('x', '$')
SELECT count(*) FROM t
INSERT INTO t VALUES(1, 2)
UPDATE t SET a = 7 WHERE rowid = 1 RETURNING json_extract(a || 'x', '$')
DELETE FROM t WHERE rowid = 1 RETURNING json_extract(a || 'x', '$')
INSERT INTO t(rowid, a) VALUES(1, 1) ON CONFLICT DO UPDATE SET a = 8 RETURNING json_extract(a || 'x', '$')
SELECT rowid, * FROM t
COMMIT
CREATE TABLE plain(b BLOB) STRICT
CREATE TABLE replaced(b BLOB, d TEXT NOT NULL ON CONFLICT REPLACE DEFAULT 7) STRICT
CREATE TABLE filled(b BLOB, d TEXT NOT NULL DEFAULT 7) STRICT
CREATE TABLE ignored(b BLOB, d TEXT NOT NULL ON CONFLICT IGNORE DEFAULT 7) STRICT
BEGIN
INSERT INTO plain(b) VALUES(x'61'), (0x10)
INSERT INTO replaced(b) VALUES(x'61'), (0x10)
INSERT INTO filled(b) VALUES(x'61'), (0x10)
INSERT INTO ignored(b) VALUES(x'61'), (0x10)
SELECT (SELECT count(*) FROM plain), (SELECT count(*) FROM replaced), (SELECT count(*) FROM filled), (SELECT count(*) FROM ignored)
COMMIT
