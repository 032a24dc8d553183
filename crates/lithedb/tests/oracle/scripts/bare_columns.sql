-- Bare columns come from the row of min() or max(), whether anybody looks at its result or not.
CREATE TABLE t(p, q)
INSERT INTO t VALUES (1,2), (3,4), (5,0)
SELECT p FROM (SELECT max(q), p FROM t)
SELECT p FROM (SELECT p, min(q) FROM t)
SELECT p + 0 FROM (SELECT p, max(q) AS m FROM t) WHERE p > 0
WITH x AS (SELECT p, max(q) FROM t) SELECT p FROM x
CREATE VIEW v AS SELECT p, max(q) m FROM t
SELECT p FROM v
SELECT p FROM (SELECT p, max(q) m FROM t GROUP BY p / 10)
SELECT p FROM (SELECT p, sum(abs(-9223372036854775808)) s FROM t GROUP BY p)
-- Of several the last one that sees the row decides.
CREATE TABLE f(a INTEGER PRIMARY KEY, b)
INSERT INTO f VALUES (321,100000), (111,110000), (444,120000), (222,130000)
SELECT max(a), max(a) FILTER (WHERE b < 12345), b FROM f
SELECT max(a) FILTER (WHERE b < 12345), max(a), b FROM f
SELECT max(a), min(b), b FROM f
SELECT min(b), max(a), a FROM f
SELECT max(a) FILTER (WHERE b > 110000), min(b) FILTER (WHERE b > 100000), a FROM f
SELECT max(a) FILTER (WHERE b > 999999), b FROM f
VALUES (count(*)), (2)
VALUES (count(*) OVER ()), (2)
VALUES (2), (3), (count(*) OVER ()), (4), (5)
VALUES (2), (count(*))
SELECT * FROM (VALUES (1), (row_number() OVER ())) ORDER BY 1
-- An aggregate of the outer query in WHERE of an inner one that has aggregates of its own.
CREATE TABLE outer_values(id, value)
INSERT INTO outer_values VALUES (4469, 12), (4469, 11), (4470, 34)
CREATE TABLE inner_values(v)
INSERT INTO inner_values VALUES (12), (34), (34)
SELECT max(value), (SELECT count(*) FROM inner_values WHERE v = max(value)) FROM outer_values GROUP BY id ORDER BY id
SELECT max(value), (SELECT v FROM inner_values WHERE v = max(value)) FROM outer_values GROUP BY id
SELECT (SELECT count(*) FROM inner_values WHERE max(v) = 1) FROM outer_values
-- A COLLATE in the arguments of an aggregate reaches what is made of it.
CREATE TABLE cases(a, b)
INSERT INTO cases VALUES (1, 'abcd'), (2, 'BCDE'), (3, 'cdef'), (4, 'DEFG')
SELECT a, max(b COLLATE NOCASE) || '' FROM cases GROUP BY a ORDER BY max(b COLLATE NOCASE) || ''
SELECT a, max(b COLLATE NOCASE) FROM cases GROUP BY a ORDER BY max(b COLLATE NOCASE)
SELECT count() OVER (), a, max(b COLLATE NOCASE) FROM cases GROUP BY a ORDER BY max(b COLLATE NOCASE)
SELECT max(b COLLATE NOCASE) IN (SELECT 'defg'), max(b COLLATE NOCASE) = 'defg', max(b) = 'defg' FROM cases
-- Conditions of HAVING and of outer queries that drop whole groups or partitions.
SELECT a, count(*) FROM cases GROUP BY a HAVING a > 2 AND count(*) = 1 ORDER BY a
SELECT b, count(*) FROM cases GROUP BY b COLLATE NOCASE HAVING b = 'abcd'
SELECT count(*) FROM cases HAVING 0
SELECT a, count(*) FROM cases GROUP BY a HAVING 0
SELECT * FROM (SELECT a % 2 AS p, sum(a) OVER (PARTITION BY a % 2), a FROM cases) WHERE p = 1 ORDER BY a
SELECT * FROM (SELECT a % 2 AS p, sum(a) OVER (PARTITION BY a % 2), count(*) OVER () FROM cases) WHERE p = 1
SELECT * FROM (SELECT a % 2 AS p, sum(a) OVER (ORDER BY a % 2) FROM cases) WHERE p = 1
-- BETWEEN whose bounds are columns.
SELECT * FROM (SELECT 1 AS a, 5 AS b UNION ALL SELECT 3, 4) WHERE 4 BETWEEN a AND b
SELECT a REGEXP b FROM cases
