-- A query in FROM that is an inner loop has no rows: the conditions on the rows of the outer loops are checked all the same, and may fail.
CREATE TABLE t(a, b)
CREATE TABLE u(a, b)
CREATE TABLE w(c, d)
INSERT INTO t VALUES (1, 2), (3, 4), ('zz', 5)
INSERT INTO w VALUES (1, 2), (3, 4)
SELECT p.a, w.c FROM t AS p JOIN (SELECT max(a) AS x, b AS y FROM u GROUP BY b) AS q ON p.b IS NOT jsonb(p.a) LEFT JOIN w ON p.a IS q.y
SELECT p.a, w.c FROM t AS p JOIN (SELECT max(a) AS x, b AS y FROM u GROUP BY b) AS q ON p.b IS NOT jsonb(p.b) LEFT JOIN w ON p.a IS q.y
SELECT p.a, q.x FROM t AS p JOIN (SELECT max(a) AS x, b AS y FROM u GROUP BY b) AS q ON p.b IS NOT jsonb(p.a)
SELECT p.a, q.x, w.c FROM t AS p JOIN (SELECT max(c) AS x, d AS y FROM w GROUP BY d) AS q ON p.b IS NOT jsonb(p.b) LEFT JOIN w ON w.c IS q.y
