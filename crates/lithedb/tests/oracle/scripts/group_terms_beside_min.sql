-- With min() or max(), a result column that GROUP BY names has the value of the group's first row; all else is computed from the row with the result.
CREATE TABLE t(a, c, d, n REAL)
INSERT INTO t VALUES (5, 1.0, 2, 3), (1, 1, 2, 4), (9, 1.5, 1.5, 5), (0, 2, 1, 1), (7, 2, 1, 2)
SELECT min(a), c + d FROM t GROUP BY 2, 1+1
SELECT min(a), c + d FROM t GROUP BY 2, n > 0
SELECT min(a), c + d FROM t GROUP BY n > 0, 2
SELECT min(a), c + d FROM t GROUP BY 2, 1+1 ORDER BY 2
SELECT min(a), c + d FROM t GROUP BY 2 ORDER BY 2
SELECT min(a), c + d FROM t GROUP BY 2, n > 0 ORDER BY 2
SELECT min(a), c + d, n > 0 FROM t GROUP BY 2, 3 ORDER BY 2
CREATE TABLE u(a, b REAL)
CREATE INDEX ub ON u(abs(b))
INSERT INTO u VALUES (5, 1.0), (1, -1), (9, 1.5), (0, 2), (7, 2)
SELECT min(a), abs(b), b FROM u GROUP BY abs(b)
SELECT min(a), abs(b), b FROM u GROUP BY 2 ORDER BY 2 DESC
SELECT x || '' FROM (SELECT min(a), c + d AS x FROM t GROUP BY 2)
SELECT x || '' FROM (SELECT min(a), c + d AS x FROM t GROUP BY 2 LIMIT 1 OFFSET 0)
SELECT min(a), c + d FROM t GROUP BY 2 UNION SELECT 4, 5
SELECT c + d, min(a) FROM t GROUP BY 1
SELECT c + d, max(a) FROM t GROUP BY 1
SELECT c + d, min(a) FROM t GROUP BY c + d
SELECT c + d AS x, min(a) FROM t GROUP BY x
SELECT c + d, c, min(a) FROM t GROUP BY 1
SELECT c + d, sum(a) FROM t GROUP BY 1
SELECT c + d, c + d, min(a) FROM t GROUP BY 1
SELECT (c + d) || 'q', min(a) FROM t GROUP BY c + d
SELECT c + d, min(a) FROM t GROUP BY 1 ORDER BY 1
SELECT c + d, min(a), max(a) FROM t GROUP BY 1
SELECT c + d, min(a) FROM t GROUP BY 1 HAVING c + d > 1
SELECT typeof(c + d), min(a) FROM t GROUP BY c + d
SELECT c, min(a) FROM t GROUP BY 1
SELECT c + d, min(a) FROM t GROUP BY 1, typeof(c)
SELECT DISTINCT c + d, min(a) FROM t GROUP BY 1
SELECT c + d, min(a) FILTER (WHERE a < 7) FROM t GROUP BY 1
SELECT c + d, count(*), min(a) FROM t GROUP BY 1 ORDER BY c + d
SELECT c + d, count(*), min(a) FROM t GROUP BY 1 ORDER BY 1 DESC
SELECT c + d FROM t GROUP BY 1 HAVING min(a) > 0
SELECT c + d FROM t GROUP BY c + d HAVING min(a) > 0
SELECT c + d FROM t GROUP BY c + d ORDER BY min(a)
SELECT c + d, c + d, min(a) FROM t GROUP BY 2
SELECT c + d, c + d, min(a) FROM t GROUP BY c + d
SELECT c + d, c + d, c + d, min(a) FROM t GROUP BY c + d
SELECT min(a), c + d FROM t GROUP BY c + d
SELECT min(a), c + d, d + c FROM t GROUP BY c + d, d + c
SELECT min(a), d + c, c + d FROM t GROUP BY c + d, d + c
SELECT min(a), (c + d) COLLATE NOCASE FROM t GROUP BY c + d
SELECT min(a), c + d FROM t GROUP BY (c + d) COLLATE NOCASE
SELECT min(a), c + d FROM t GROUP BY c + d HAVING typeof(c + d) = 'integer'
SELECT min(a), c + d FROM t GROUP BY c + d HAVING typeof(c + d) = 'real'
SELECT min(a), c + d AS x, typeof(c + d) FROM t GROUP BY x
SELECT min(a), c + d AS x, c + d AS y FROM t GROUP BY x
SELECT min(a), c + d AS x, c + d AS y FROM t GROUP BY y
SELECT min(a), c + d AS x, c + d AS y FROM t GROUP BY x, y
SELECT min(a), likely(c + d) FROM t GROUP BY 2
SELECT min(a), +c FROM t GROUP BY 2
SELECT min(a), +(c+d) FROM t GROUP BY c+d
SELECT min(a), c + d FROM t GROUP BY c + d ORDER BY typeof(c + d)
SELECT min(a), typeof(c + d) FROM t GROUP BY c + d ORDER BY c + d
SELECT min(a), c+d, (SELECT typeof(c + d)) FROM t GROUP BY c + d
SELECT min(a) + 0, c+d FROM t GROUP BY c + d
SELECT c+d FROM t GROUP BY c + d HAVING min(a) < 100
SELECT c+d, sum(c), c FROM t GROUP BY c + d HAVING min(a) < 100
SELECT c+d, sum(c), c FROM t GROUP BY c + d
SELECT c+d, typeof(c+d), sum(c), c FROM t GROUP BY c + d
SELECT min(a), c + d FROM t GROUP BY 2, 1+1 ORDER BY 2
SELECT max(a), c || '', c FROM t GROUP BY c COLLATE NOCASE
SELECT min(a), (c + d) COLLATE NOCASE FROM t GROUP BY 2
SELECT min(a), c COLLATE NOCASE FROM t GROUP BY 2
SELECT min(a), likely(c) FROM t GROUP BY 2
SELECT min(a), likely(c COLLATE NOCASE) FROM t GROUP BY 2
SELECT min(a), likely(c) COLLATE NOCASE FROM t GROUP BY 2
SELECT min(a), likelihood(c, 0.5) FROM t GROUP BY 2
SELECT min(a), likelihood(c + d, 0.5) FROM t GROUP BY 2
SELECT min(a), (+c) COLLATE NOCASE FROM t GROUP BY 2
SELECT min(a), 5 FROM t GROUP BY 2
SELECT min(a), (SELECT c + d) FROM t GROUP BY 2
