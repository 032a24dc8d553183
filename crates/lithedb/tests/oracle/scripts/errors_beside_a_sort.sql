-- Which of two faulty expressions fails: without LIMIT the terms of ORDER BY are computed behind the other columns.
CREATE TABLE t8(a TEXT, b INT)
INSERT INTO t8(a, b) VALUES (10, x'61'),(11,3)
CREATE TABLE q(x)
CREATE TABLE qq(x, y)
SELECT (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
SELECT (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 2)
SELECT (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1 OFFSET 0)
SELECT (b->>'a') FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT 1 IN (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT (1,2) IN (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT group_concat(x) FROM (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT group_concat(x) FROM (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1), q
SELECT group_concat(x) FROM q, (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT group_concat(x) FROM (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT group_concat(x) FROM t8 LEFT JOIN (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1)
WITH c AS MATERIALIZED (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b) LIMIT 1) SELECT * FROM c
WITH c AS MATERIALIZED (SELECT b->>'a' AS x, 2 FROM t8 ORDER BY json_array(b)) SELECT * FROM c
INSERT INTO q SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1
INSERT INTO qq SELECT b->>'a',1 FROM t8 ORDER BY json_array(b) LIMIT 1
INSERT INTO q SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1 OFFSET 1
INSERT INTO q SELECT b->>'a' FROM t8 UNION ALL SELECT 1 FROM t8 ORDER BY 1 LIMIT 1
INSERT INTO t8(a) SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1
INSERT INTO t8(a) SELECT b->>'a' FROM t8 ORDER BY json_array(b)
CREATE TABLE q3 AS SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1
CREATE TABLE q4 AS SELECT b->>'a', 2 FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT json_array(b), b->>'a' FROM t8 UNION ALL SELECT json_array(b), 2 FROM t8 ORDER BY 2 LIMIT 1
SELECT json_array(b), b->>'a' FROM t8 GROUP BY b ORDER BY 2 LIMIT 1
SELECT json_array(b), b->>'a', sum(a) OVER (ORDER BY a) FROM t8 ORDER BY 2 LIMIT 1
UPDATE t8 SET a = (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
SELECT EXISTS (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT EXISTS (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 2 OFFSET 1)
SELECT json_array(b), b->>'a' FROM t8 ORDER BY 2 LIMIT ?
SELECT count(*) FROM (SELECT json_array(b), b->>'a' FROM t8 ORDER BY 2)
SELECT group_concat(x) FROM (SELECT json_array(b) x, b->>'a' FROM t8 ORDER BY 2)
SELECT x, row_number() OVER () FROM (SELECT json_array(b) x, b->>'a' FROM t8 ORDER BY 2)
SELECT group_concat(x) FROM (SELECT json_array(b) x, b->>'a' FROM t8 ORDER BY 2 LIMIT 3)
SELECT group_concat(x) FROM (SELECT json_array(b) x, b->>'a' y FROM t8 ORDER BY 2 LIMIT 3) WHERE y > 2
CREATE INDEX ta ON t8(a)
SELECT (a <> json_array(b)), (b ->> 'a'), 3 FROM t8 ORDER BY a, 1
SELECT (a <> json_array(b)), (b ->> 'a'), 3 FROM t8 ORDER BY a, 1 LIMIT 2
SELECT (a <> json_array(b)), (b ->> 'a'), 3 FROM t8 ORDER BY json_array(b)
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b)
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT (SELECT 1)
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT -1
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT 9999999999
SELECT (b->>'a'), 3 FROM t8 ORDER BY json_array(b) LIMIT 1 OFFSET 1
SELECT (b->>'a'), json_array(b) FROM t8 ORDER BY json_array(b) LIMIT -1
SELECT (b->>'a'), json_array(b) FROM t8 ORDER BY 2 LIMIT 1
SELECT json_array(b), b->>'a' FROM t8 ORDER BY 2 LIMIT 1
SELECT json_array(b), b->>'a' FROM t8 ORDER BY 2
SELECT json_array(b), b->>'a' FROM t8 ORDER BY 2, a
SELECT json_array(b), b->>'a' FROM t8 GROUP BY b ORDER BY 2
SELECT json_array(b), b->>'a' FROM t8 GROUP BY b ORDER BY 1
SELECT json_array(b), b->>'a' FROM t8 GROUP BY b ORDER BY 1 LIMIT 1
SELECT json_array(b), b->>'a', sum(a) OVER (ORDER BY a) FROM t8 ORDER BY 2
SELECT json_array(b), b->>'a', sum(a) OVER (ORDER BY a) FROM t8 ORDER BY 1
SELECT json_array(b), b->>'a', sum(a) OVER (ORDER BY a) FROM t8 ORDER BY 1 LIMIT 1
INSERT INTO q SELECT json_array(b) FROM t8 ORDER BY b->>'a'
INSERT INTO q SELECT b->>'a' FROM t8 ORDER BY json_array(b)
INSERT INTO q SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT * FROM (SELECT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT group_concat(x) FROM (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
SELECT (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
SELECT 1 IN (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
SELECT 1 IN (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b) LIMIT 1)
SELECT EXISTS (SELECT b->>'a' AS x FROM t8 ORDER BY json_array(b))
CREATE TABLE q2 AS SELECT b->>'a' FROM t8 ORDER BY json_array(b)
SELECT b->>'a' FROM t8 UNION ALL SELECT json_array(b) FROM t8 ORDER BY 1
SELECT json_array(b), b->>'a' FROM t8 UNION ALL SELECT json_array(b), 2 FROM t8 ORDER BY 2
SELECT json_array(b), b->>'a' FROM t8 UNION SELECT json_array(b), 2 FROM t8 ORDER BY 2
SELECT DISTINCT b->>'a' FROM t8 ORDER BY json_array(b)
SELECT DISTINCT b->>'a' FROM t8 ORDER BY json_array(b) LIMIT 1
SELECT DISTINCT json_array(b) FROM t8 ORDER BY b->>'a'
WITH RECURSIVE r(x, n) AS (SELECT b ->> 'a', json_array(b) FROM t8 UNION ALL SELECT 1, 2 FROM r ORDER BY 2) SELECT * FROM r
