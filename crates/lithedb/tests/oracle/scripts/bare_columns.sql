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
