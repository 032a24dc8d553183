-- Aggregates that find no rows, beside constants of queries in FROM.
CREATE TABLE e(x, y)
CREATE TABLE t(x, y)
INSERT INTO t VALUES(1,2)
SELECT count(*), k FROM (SELECT x, 1 AS k FROM e ORDER BY x) s
SELECT group_concat(x), k FROM (SELECT x, 1 AS k FROM e ORDER BY x) s
SELECT count(*), k FROM (SELECT x, 1 AS k FROM e ORDER BY x) s JOIN t
SELECT count(*), k FROM (SELECT e.x, 1 AS k FROM e LEFT JOIN t ON 1) s
SELECT count(*), k FROM (SELECT e.x, 1 AS k FROM t RIGHT JOIN e ON 1) s
SELECT count(*), k FROM t RIGHT JOIN (SELECT e.x, 1 AS k FROM e) s
SELECT count(*), k FROM t FULL JOIN (SELECT e.x, 1 AS k FROM e) s ON 1 WHERE s.x = 3
SELECT count(*), k FROM t LEFT JOIN (SELECT e.x, 1 AS k FROM e) s ON 1 WHERE s.x = 3
SELECT count(*), k FROM t LEFT JOIN (SELECT e.x, 1 AS k FROM e) s ON 1 WHERE t.x = 3
SELECT count(*), k FROM t LEFT JOIN (SELECT e.x, 1 AS k FROM e) s ON 1 WHERE k
SELECT count(*), k FROM (SELECT e.x, 1 AS k FROM e) s LEFT JOIN t WHERE t.x = 3
SELECT count(*), k FROM t JOIN (SELECT 1 AS k) s WHERE t.x = 3
SELECT count(*), k FROM t LEFT JOIN (SELECT 1 AS k) s WHERE t.x = 3
SELECT count(*), k FROM e LEFT JOIN (SELECT 1 AS k) s
SELECT count(*), k FROM e JOIN (SELECT 1 AS k) s
SELECT count(*), k FROM (SELECT 1 AS k) s, e
SELECT count(*), k FROM (SELECT 1 AS k WHERE 0) s
SELECT count(*), k FROM (SELECT 1 AS k FROM e WHERE 0) s
SELECT count(*), k FROM (VALUES(1)) s, (SELECT 1 AS k FROM e) r
SELECT count(*), column1 FROM (VALUES(1)) s, e
SELECT count(*), column1 FROM (VALUES(1),(2)) s, e
SELECT count(*), k FROM (SELECT DISTINCT x, 1 AS k FROM e) s
SELECT count(*), k FROM (SELECT x, 1 AS k FROM e GROUP BY x) s
SELECT count(*), k FROM (SELECT x, 1 AS k, row_number() over () FROM e) s
SELECT count(*), k FROM (SELECT x, 1 AS k FROM e LIMIT 1) s
SELECT count(*), k FROM (SELECT x, 1 AS k FROM e UNION ALL SELECT x, 1 FROM t WHERE 0) s
SELECT count(*), k FROM (SELECT a.x, 1 AS k FROM e a JOIN e b ON a.x = b.x) s
SELECT max(x), k FROM (SELECT a.x, 1 AS k FROM e a JOIN e b ON a.x = b.x) s
SELECT max(s.x), k FROM (SELECT a.x, 1 AS k FROM e a JOIN e b ON a.x = b.x) s, t
SELECT max(s.x), k FROM t, (SELECT a.x, 1 AS k FROM e a JOIN e b ON a.x = b.x) s, t u
SELECT max(x), k FROM (SELECT a.x, 1 AS k FROM e a WHERE EXISTS (SELECT 1 FROM t)) s
SELECT max(x), k FROM (SELECT x, k FROM (SELECT x, 1 AS k FROM e ORDER BY x)) s
SELECT max(x), k FROM (SELECT x, k FROM (SELECT x, 1 AS k FROM e) ORDER BY k) s
CREATE VIEW v AS SELECT e.x, 'c' AS k, e.y FROM e LEFT JOIN t ON t.x = e.x
SELECT count(*), k FROM v
SELECT count(*), k FROM v, t
SELECT count(*), k FROM t LEFT JOIN v ON 1 WHERE v.x
SELECT max(v.x), k FROM t LEFT JOIN v ON 1 WHERE v.x
SELECT max(v.x), k FROM t JOIN v
WITH c AS MATERIALIZED (SELECT 3 AS k, x FROM e) SELECT count(*), k FROM c
WITH c AS NOT MATERIALIZED (SELECT 3 AS k, x FROM e) SELECT count(*), c.k, d.k FROM c, c d
WITH c AS (SELECT 3 AS k, x FROM e) SELECT count(*), c.k, d.k FROM c, c d
INSERT INTO t SELECT count(*), k FROM (SELECT x, 1 AS k FROM e ORDER BY x) s
SELECT * FROM t
CREATE TABLE n AS SELECT count(*) c, k FROM (SELECT x, 1 AS k FROM e ORDER BY x) s
SELECT * FROM n
SELECT count(*), k, typeof(k) FROM (SELECT CAST(1 AS TEXT) AS k FROM e)
SELECT count(*), k FROM (SELECT x, json('[1]') AS k FROM e) s
SELECT count(*), k FROM (SELECT x, likely(1) AS k FROM e) s
SELECT count(*), k FROM (SELECT x, (SELECT max(x) FROM t) AS k FROM e) s
SELECT count(*), k FROM (SELECT x, EXISTS(SELECT max(x) FROM t) AS k FROM e) s
SELECT count(*), k FROM (SELECT x, 1 IN (SELECT x FROM t) AS k FROM e) s
SELECT count(*), k FROM (SELECT x, CASE WHEN x THEN 1 ELSE 2 END AS k FROM e) s
SELECT count(*), k FROM (SELECT x, x IS NULL OR x AS k FROM e) s
SELECT count(*), (SELECT k+count(*) FROM t) FROM (SELECT x, 4 AS k FROM e) s
