-- Of several min() and max() the last one decides where bare columns come from, and those of HAVING come behind those of ORDER BY.
CREATE TABLE t(a, b, c)
INSERT INTO t VALUES (1, 'x', 3), (2, 'y', 1), (NULL, 'z', 2), (5, 'w', 2), (0, 'v', 5)
SELECT b, c FROM t GROUP BY NULL HAVING max(c) > 1 ORDER BY max(a)
SELECT b FROM t GROUP BY NULL HAVING max(c) > 1 ORDER BY max(c), min(a)
SELECT b FROM t GROUP BY NULL HAVING max(c) > 1 AND min(a) < 5 ORDER BY min(a)
SELECT b, count(*) FROM t HAVING max(c) > 1 ORDER BY min(a)
SELECT b, max(a) FROM t HAVING max(c) > 1 ORDER BY min(c)
SELECT b, max(c) FROM t HAVING min(a) IS NOT NULL ORDER BY max(c)
SELECT b, c FROM t GROUP BY a > 1 HAVING max(c) > 1 ORDER BY max(a)
SELECT b FROM (SELECT b FROM t GROUP BY a > 1 HAVING max(c) > 1 ORDER BY max(a) LIMIT 5)
SELECT b FROM t HAVING min(a) = 0
SELECT b, min(a), max(c) FROM t ORDER BY max(a)
