-- A column that equals one value may have several, if the comparison converts it: they are sorted, and groups of their own.
CREATE TABLE t(a INT, r REAL, s TEXT, n)
CREATE TABLE u(x TEXT, y TEXT, z INT, w)
INSERT INTO t VALUES (2, 2.0, '2', 2), (3, 3, '3', '3')
INSERT INTO u VALUES ('2.0', 'x', 1, 2), ('2', '3', 2, 2.0), ('02', '0', 3, '2'), ('2', '1', 2, 2)
SELECT x, y FROM u WHERE x = CAST(2 AS INT) ORDER BY x, y
SELECT x, y FROM u WHERE x = 2 ORDER BY x, y
SELECT x, y FROM u WHERE x IS CAST(2 AS INT) ORDER BY x DESC, y
SELECT a, (SELECT group_concat(x) FROM (SELECT x FROM u WHERE x = t.a ORDER BY x, y)) FROM t
SELECT a, (SELECT x FROM u WHERE x = t.a ORDER BY x, y LIMIT 1) FROM t
SELECT a, (SELECT w FROM u WHERE w = t.a ORDER BY w DESC, y LIMIT 1) FROM t
SELECT a, x, y FROM t JOIN u ON x = a WHERE a = 2 ORDER BY x, y
INSERT INTO u VALUES ('2.00', '00', 1, 1)
SELECT a, x, y FROM t JOIN u ON x = a WHERE a = 2 ORDER BY x, y
SELECT a, x, y FROM t CROSS JOIN u ON x = t.r WHERE t.rowid = 1 ORDER BY x, y
SELECT a, x, y FROM t LEFT JOIN u ON x = t.a ORDER BY t.rowid, x, y
SELECT x, count(*) FROM u WHERE x = CAST(2 AS INT) GROUP BY x
SELECT DISTINCT x FROM u WHERE x = CAST(2 AS INT)
SELECT x, y FROM u WHERE x = (SELECT a FROM t LIMIT 1) ORDER BY x, y
SELECT x, y FROM u WHERE (x, 1) = (SELECT a, 1 FROM t) ORDER BY x, y
SELECT w, y FROM u WHERE w = CAST(2 AS NUMERIC) ORDER BY w DESC, y
SELECT w, y FROM u, t WHERE w = t.a AND t.rowid = 1 ORDER BY w, y
SELECT min(x), max(x), y FROM u WHERE x = CAST(2 AS INT)
SELECT min(x), y FROM u WHERE x = CAST(2 AS INT)
SELECT max(w), y, typeof(w) FROM u WHERE w = CAST(2 AS INT)
SELECT x, y, rank() OVER (ORDER BY x) FROM u WHERE x = CAST(2 AS INT) ORDER BY y
SELECT x, y, count(*) OVER (PARTITION BY x) FROM u WHERE x = CAST(2 AS INT) ORDER BY y
CREATE INDEX ux ON u(x, y)
SELECT max(x), y FROM u WHERE x = CAST(2 AS INT)
SELECT x, y FROM u WHERE x = CAST(2 AS INT) ORDER BY x, y
SELECT a, x, y FROM t CROSS JOIN u ON x = t.a ORDER BY t.rowid, x, y
