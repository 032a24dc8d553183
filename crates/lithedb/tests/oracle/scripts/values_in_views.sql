-- VALUES are a SELECT for each row behind a WITH, in views and in triggers. Elsewhere, constant rows are a table.
CREATE TABLE t(a TEXT COLLATE RTRIM, d NUMERIC);
INSERT INTO t VALUES (NULL, 0), ('b', x'61');
SELECT 'a' IN (VALUES ('A'), ('B' COLLATE NOCASE)), '1' IN (VALUES (2), (CAST(1 AS INT)));
WITH q AS (SELECT 1) SELECT 'a' IN (VALUES ('A'), ('B' COLLATE NOCASE)), '1' IN (VALUES (2), (CAST(1 AS INT)));
CREATE VIEW v AS SELECT 'a' IN (VALUES ('A'), ('B' COLLATE NOCASE)), '1' IN (VALUES (2), (CAST(1 AS INT)));
SELECT * FROM v;
CREATE VIEW w AS SELECT * FROM t, (VALUES (1, 2), ('a', 3)) AS p;
SELECT * FROM w /* ordered */;
SELECT * FROM t, (VALUES (1, 2), ('a', 3)) AS p;
WITH q AS (SELECT 1) SELECT * FROM t, (VALUES (1), (2)) /* ordered */;
SELECT * FROM t, (VALUES (1), (2)), (WITH q AS (SELECT 1) SELECT * FROM q);
CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t SELECT column1, a FROM t, (VALUES (1), (2)); END;
INSERT INTO t VALUES (1, 2);
SELECT * FROM t /* ordered */
