-- Columns of the right side of an outer join that WHERE makes equal: they are not, while its rows are looked for.
CREATE TABLE t(a INTEGER PRIMARY KEY, b INT, c BOOLEAN)
INSERT INTO t VALUES(10, -3, true), (1, 5, 5)
SELECT x.a, y.a FROM t AS x LEFT JOIN t AS y ON x.c = y.c WHERE y.c IS y.a
SELECT x.a, y.a FROM t AS x LEFT JOIN t AS y ON x.c = y.c WHERE y.a IS y.c
SELECT x.a, y.a FROM t AS x LEFT JOIN t AS y ON x.c = y.c WHERE y.a IS NOT DISTINCT FROM y.c
SELECT x.a, y.a FROM t AS x LEFT JOIN t AS y ON x.c = y.c WHERE y.c = y.a
SELECT x.a, y.a FROM t AS x FULL JOIN t AS y ON x.c = y.c WHERE y.c IS y.a
SELECT x.a, y.a FROM t AS x RIGHT JOIN t AS y ON x.c = y.c WHERE x.c IS x.a
SELECT x.a, y.a FROM t AS x JOIN t AS y ON x.c = y.c WHERE y.c IS y.a
