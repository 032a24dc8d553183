-- A real without a fraction is an integer in the record, and in RETURNING where an expression passes it on.
CREATE TABLE t(a REAL, b, c AS (a) , d REAL AS (a + 1), e REAL AS (a * 2) STORED)
INSERT INTO t VALUES (3, 1) RETURNING a, +a, coalesce(b, a), iif(b, a, 0), ifnull(a, 1), nullif(a, 7), max(a, 1), min(a, 100), CASE b WHEN 1 THEN a END, (SELECT a), (SELECT +a), c, +c, d, +d, e, +e, typeof(+a), a COLLATE nocase, likely(a), +likely(a), CAST(a AS REAL), CAST(+a AS REAL), -a, a + 0, a * 1, abs(a), round(a), coalesce(a, 1) + 0, CAST(+a AS TEXT), a || '', +a || '', max(coalesce(a, 3), 1), (SELECT coalesce(a, 1)), json_array(a), iif(1, 1.0, a)
INSERT INTO t VALUES (3.0, 1), (1e15, 2), (3.5, 1), ('7', 2), (140737488355327, 1), (140737488355328, 1), (-140737488355328, 2), (-140737488355329, 2) RETURNING +a, +c, +d, +e, coalesce(a, b)
UPDATE t SET b = b + 1 RETURNING +a, +c, +d, +e, coalesce(a, b)
UPDATE t SET a = a + 1 WHERE b < 10 RETURNING +a, +c, +d, +e, coalesce(a, b)
DELETE FROM t RETURNING +a, +c, +d, +e
CREATE TABLE w(a REAL, b PRIMARY KEY) WITHOUT ROWID
INSERT INTO w VALUES (3, 1), (3.0, 2), ('4', 3) RETURNING +a
UPDATE w SET b = b + 5 RETURNING +a
UPDATE w SET a = a + 5 RETURNING +a
UPDATE w SET a = 5 RETURNING +a
INSERT INTO w VALUES (3, 7) ON CONFLICT DO UPDATE SET a = 9 RETURNING +a
CREATE TABLE wi(a REAL UNIQUE, b PRIMARY KEY, c CHECK(c > 0)) WITHOUT ROWID
INSERT INTO wi VALUES (3, 1, 2), (3.5, 2, 3), ('4', 3, 4) RETURNING +a
INSERT INTO wi VALUES (6.0, 8, 2) RETURNING +a
UPDATE wi SET b = b + 50 RETURNING +a
UPDATE wi SET a = a + 50 RETURNING +a
CREATE TABLE r(a REAL UNIQUE, b)
INSERT INTO r VALUES (3.0, 1) ON CONFLICT DO UPDATE SET b = 5 RETURNING +a
INSERT INTO r VALUES (3.0, 1) ON CONFLICT DO UPDATE SET b = 5 RETURNING +a
INSERT INTO r VALUES (3.0, 1) ON CONFLICT DO UPDATE SET a = 5.0 RETURNING +a
CREATE TRIGGER rb BEFORE INSERT ON r BEGIN SELECT 1; END
INSERT INTO r VALUES (9.0, 1) RETURNING +a, (SELECT +a FROM (SELECT 1)), (SELECT +a FROM w LIMIT 1), (SELECT +r.a FROM r LIMIT 1), (SELECT +a UNION SELECT +a), (SELECT +a ORDER BY 1), (SELECT sum(+a)), (SELECT x FROM (SELECT +a AS x))
CREATE TABLE st(a REAL, b REAL AS (+a)) STRICT
INSERT INTO st VALUES (9.0), (8) RETURNING +a, +b
CREATE VIEW v AS SELECT a, b FROM r
CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN SELECT 1; END
CREATE TRIGGER vu INSTEAD OF UPDATE ON v BEGIN SELECT 1; END
INSERT INTO v VALUES (9.0, 1), (8, 1), ('7', 1) RETURNING a, +a, b
UPDATE v SET a = 4 RETURNING a, +a
UPDATE v SET b = 4 RETURNING a, +a
UPDATE v SET a = 4.0 RETURNING a, +a
