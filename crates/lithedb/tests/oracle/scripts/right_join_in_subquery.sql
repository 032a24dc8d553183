-- The rows that a RIGHT JOIN adds are found by no automatic index, be its query run for each row of another.
CREATE TABLE t1(a, b REAL, c, d)
CREATE TABLE t2(a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID
INSERT INTO t1(b, c, d) VALUES (11, 9, ''), (2, 3, -3), (3, 1, 1), (1, 2, 2), (4, 3, 3), (11, 4, 5), (6, 5, 6), (7, 6, 7), (1, 7, 8), (1, 8, 9), (2, 8, 9), (2, 8, 9), (3, 8, 9), (3, 8, 9), (4, 8, 9), (4, 8, 9), (5, 8, 9), (5, 8, 9), (6, 8, 9), (6, 8, 9)
INSERT INTO t2 VALUES (1, 'a'), (2, 'b'), (11, 'c')
ANALYZE
SELECT (SELECT y.c FROM t1 AS x RIGHT JOIN t1 AS y ON x.d = y.c WHERE y.b = 11) FROM t2
SELECT a, (SELECT count(*) || total(y.c) FROM t1 AS x RIGHT JOIN t1 AS y ON x.d = y.c WHERE y.b = t2.a) FROM t2
SELECT a, a IN (SELECT y.d FROM t1 AS x RIGHT JOIN t1 AS y ON x.d = y.c AND x.b = 3 WHERE y.b = t2.a) FROM t2
SELECT a, (SELECT group_concat(y.c) FROM t1 AS x FULL JOIN t1 AS y ON x.d = y.c WHERE y.b IS t2.a) FROM t2
