-- A schema that is not trusted may not read pragmas as tables; JSON as tables is harmless.
CREATE TABLE t(a, b)
CREATE VIEW v1 AS SELECT name FROM pragma_table_info('t')
CREATE VIEW v2 AS SELECT (SELECT count(*) FROM pragma_user_version) AS x
CREATE VIEW v3 AS SELECT value FROM json_each('[1]')
CREATE VIEW v4 AS SELECT * FROM v1
CREATE VIEW v5 AS SELECT * FROM t WHERE a IN pragma_user_version
CREATE TEMP VIEW v6 AS SELECT name FROM pragma_table_info('t')
CREATE TEMP VIEW v7 AS SELECT * FROM v1
CREATE TRIGGER r1 AFTER INSERT ON t BEGIN UPDATE t SET b = (SELECT count(*) FROM pragma_table_info('t')); END
CREATE TEMP TRIGGER r2 AFTER DELETE ON t BEGIN INSERT INTO t(b) SELECT name FROM pragma_table_info('t'); END
PRAGMA trusted_schema = 0
SELECT * FROM v1
SELECT * FROM v2
SELECT * FROM v3
SELECT * FROM v4
SELECT * FROM v5
SELECT * FROM v6
SELECT * FROM v7
SELECT name FROM pragma_table_info('t')
SELECT name FROM pragma_table_info('v1')
INSERT INTO t VALUES (1, 2)
DROP TRIGGER r1
INSERT INTO t VALUES (1, 2)
DELETE FROM t
SELECT * FROM t
ALTER TABLE t RENAME TO t2
PRAGMA trusted_schema = 1
SELECT * FROM v1
