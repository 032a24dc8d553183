-- sum(), total() and avg() add in the order of a query in FROM; so does the last core of a compound keep its ORDER BY.
CREATE TABLE t(k, x)
INSERT INTO t VALUES (1, 1e16), (3, 1.0), (2, -1e16), (4, 1e300), (6, 3.5), (5, -1e300), (7, 0.1), (9, 0.3), (8, 0.2)
SELECT sum(x), total(x), avg(x) FROM (SELECT x FROM t ORDER BY k)
SELECT sum(x), total(x), avg(x) FROM (SELECT x FROM t ORDER BY k DESC)
SELECT k % 2, sum(x), total(x), avg(x) FROM (SELECT k, x FROM t ORDER BY abs(x)) GROUP BY k % 2 ORDER BY 1
SELECT sum(a.x), total(a.x) FROM (SELECT x FROM t ORDER BY k) AS a, (SELECT 1 AS o UNION SELECT 2) AS b
SELECT a.x FROM (SELECT json(x) AS x FROM t UNION ALL SELECT sum(k) FROM t GROUP BY x ORDER BY 1) AS a JOIN (SELECT 3 AS o UNION SELECT 4) AS b WHERE a.x > b.o /* ordered */
SELECT * FROM (SELECT x FROM t UNION ALL SELECT k FROM t ORDER BY 1) AS a JOIN t AS b ON b.k = a.x /* ordered */
