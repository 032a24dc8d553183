-- The names of columns: in a result, in a query around, in a view, in a table made of them.
CREATE TABLE t(a, b, "Xy")
CREATE TABLE p(Id INTEGER PRIMARY KEY, v)
INSERT INTO t VALUES (1, 2, 3)
INSERT INTO p VALUES (1, 2)
SELECT a FROM (SELECT a COLLATE nocase, +b FROM t)
SELECT * FROM (SELECT A, (B), ((xY)) FROM t)
SELECT * FROM (SELECT (a) COLLATE nocase, t.B, likely(b) FROM t)
SELECT * FROM (SELECT rowid, ROWID AS r, oid FROM t)
SELECT * FROM (SELECT rowid, oid, ID FROM p)
SELECT ROWID, oid, ID, Rowid + 0 FROM p
WITH c AS (SELECT A, (B) COLLATE binary FROM t) SELECT * FROM c
CREATE VIEW v AS SELECT A, (B) COLLATE binary, likely(xy), unlikely(a) FROM t
SELECT * FROM v
PRAGMA table_info(v)
CREATE TABLE ct AS SELECT A, (B) COLLATE binary, likely(xy), +a, (a), likelihood(A, 0.5), CAST(a AS text), main.t.a FROM t
CREATE TABLE cu AS SELECT * FROM (SELECT A, (B) COLLATE binary, likely(xy), +a, (a), likelihood(A, 0.5), main.t.a FROM t)
SELECT sql FROM sqlite_schema WHERE name IN ('ct', 'cu')
SELECT A, (B), (b) COLLATE nocase, t.B FROM t
WITH RECURSIVE r AS (SELECT Id FROM p UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT * FROM r
PRAGMA full_column_names = 1
SELECT A, (B), (b) COLLATE nocase, t.B, * FROM t
SELECT x.A, x.* FROM t AS x
SELECT x.A, x.*, * FROM (SELECT * FROM t) AS x
SELECT a, t.*, p.*, Id, rowid AS r FROM t, p
CREATE TABLE cv AS SELECT a, b FROM t
PRAGMA short_column_names = 0
SELECT A, (B), (b) COLLATE nocase, t.B, * FROM t
SELECT x.A, x.* FROM t AS x
CREATE TABLE cw AS SELECT a, t.b, * FROM t
SELECT x.sql FROM sqlite_schema AS x WHERE x.name IN ('cv', 'cw')
PRAGMA full_column_names = 0
SELECT A, (B), (b) COLLATE nocase, t.B, * FROM t
SELECT x.A, x.* FROM t AS x
SELECT rowid, ID FROM p
SELECT a AS q FROM t
CREATE TABLE cx AS SELECT a, t.b, * FROM t
SELECT sql FROM sqlite_schema WHERE name = 'cx'
