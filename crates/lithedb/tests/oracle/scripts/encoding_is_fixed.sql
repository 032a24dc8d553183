-- An encoding stays once a table has been made in it, temporary ones included.
PRAGMA encoding = 'UTF-16le'
CREATE TEMP TABLE t(a)
INSERT INTO t VALUES ('text')
PRAGMA encoding = 'UTF-8'
PRAGMA encoding
SELECT a, hex(CAST(a AS BLOB)) FROM t
CREATE TABLE m AS SELECT a FROM t
SELECT a FROM m
PRAGMA encoding
