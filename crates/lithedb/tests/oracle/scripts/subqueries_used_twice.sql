-- A scalar subquery that a query in FROM gives is computed wherever it is used: the place before may have been passed over.
CREATE TABLE t(x)
INSERT INTO t VALUES (2), (NULL)
CREATE TABLE n(x)
INSERT INTO n VALUES (NULL), (2)
CREATE TABLE o(z)
INSERT INTO o VALUES ('z')
SELECT x1 & x0, x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o) AS x1 FROM n)
SELECT CASE WHEN x0 THEN x1 END, x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o) AS x1 FROM n)
SELECT coalesce(x0, x1), x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o WHERE x IS NULL OR z < 'zz') AS x1 FROM t)
SELECT x0 IN (2, x1), x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o WHERE x IS NULL OR z < 'zz') AS x1 FROM t)
SELECT (x0, x1) < (3, 4), x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o WHERE x IS NULL OR z < 'zz') AS x1 FROM t)
SELECT x1 = x1, x1 IS x1 FROM (SELECT (SELECT random() FROM o) AS x1 FROM t)
SELECT x1 = x2 FROM (SELECT x1, x1 AS x2 FROM (SELECT (SELECT random() FROM o) AS x1 FROM t) WHERE x1 IS NOT NULL LIMIT 5)
SELECT x1 & x0, x1, x1 FROM (SELECT x AS x0, (SELECT z FROM o WHERE x IS NULL OR 1) AS x1 FROM n) WHERE x0 = x1 OR x1 > 1
UPDATE t SET x = q.z FROM (SELECT x AS x0, (SELECT z FROM o) AS z FROM n) AS q WHERE (q.z & q.x0) IS NULL AND q.z > 1 RETURNING *
