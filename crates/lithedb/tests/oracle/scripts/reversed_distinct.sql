-- Rows in reverse: a DISTINCT of rows that are distinct anyway changes nothing.
CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, u UNIQUE NOT NULL)
INSERT INTO t VALUES(1,1,1,5),(2,1,2,4),(3,2,3,3),(4,2,1,2),(5,1,1,1)
CREATE INDEX ti ON t(a,b)
CREATE TABLE s(id INTEGER PRIMARY KEY, a, b)
INSERT INTO s SELECT id,a,b FROM t
PRAGMA reverse_unordered_selects=1
SELECT DISTINCT id,a FROM t /* ordered */
SELECT DISTINCT u,b FROM t /* ordered */
SELECT DISTINCT a,b FROM t /* ordered */
SELECT DISTINCT a,b FROM s /* ordered */
SELECT DISTINCT b FROM s /* ordered */
SELECT DISTINCT s.b,t.b FROM s,t /* ordered */
SELECT DISTINCT s.id,t.id FROM s,t /* ordered */
SELECT DISTINCT a FROM t LIMIT 2 /* ordered */
SELECT DISTINCT b FROM s LIMIT 2 /* ordered */
SELECT DISTINCT id,a FROM s LIMIT 2 /* ordered */
SELECT a,count(*),group_concat(id) FROM t GROUP BY a /* ordered */
SELECT a,count(*),group_concat(id) FROM s GROUP BY a /* ordered */
SELECT count(*),group_concat(id) FROM s /* ordered */
SELECT max(id),b FROM s /* ordered */
SELECT DISTINCT max(id),b FROM s GROUP BY a /* ordered */
SELECT * FROM s UNION SELECT * FROM s /* ordered */
SELECT id FROM s UNION ALL SELECT id FROM s /* ordered */
SELECT id FROM s EXCEPT SELECT 3 /* ordered */
SELECT * FROM (SELECT DISTINCT id,a FROM s) /* ordered */
SELECT * FROM (SELECT id,a FROM s LIMIT 3) /* ordered */
SELECT * FROM s WHERE id IN (SELECT id FROM t) /* ordered */
SELECT * FROM s WHERE EXISTS(SELECT 1 FROM t WHERE t.id=s.id) /* ordered */
SELECT s.id,t.id FROM s,t WHERE s.id=t.id /* ordered */
SELECT s.id,t.id FROM s LEFT JOIN t ON s.id=t.a /* ordered */
SELECT s.id,t.id FROM s LEFT JOIN t ON s.b=t.a /* ordered */
SELECT s.id,t.id FROM s RIGHT JOIN t ON s.b=t.a /* ordered */
SELECT s.id,t.id FROM s FULL JOIN t ON s.b=t.a /* ordered */
SELECT s.id,t.id FROM s JOIN t ON s.b=t.b WHERE s.a IN (1,2) /* ordered */
SELECT id FROM t WHERE a IN (1,2) /* ordered */
SELECT id FROM t WHERE a=1 OR b=3 /* ordered */
SELECT id,row_number() OVER () FROM s /* ordered */
SELECT id,row_number() OVER (ORDER BY a) FROM s /* ordered */
SELECT id,sum(a) OVER (PARTITION BY b) FROM s /* ordered */
UPDATE s SET b=b+1 RETURNING id
DELETE FROM s WHERE id>3 RETURNING id
INSERT INTO s(a,b) SELECT a,id FROM t RETURNING id,b
SELECT (SELECT id FROM t WHERE t.b=s.b), (SELECT group_concat(id) FROM t WHERE t.b=s.b) FROM s /* ordered */
SELECT (SELECT id FROM t LIMIT 1) /* ordered */
SELECT json_group_array(id) FROM s /* ordered */
WITH c AS (SELECT id FROM s) SELECT * FROM c, c AS d /* ordered */
WITH c AS MATERIALIZED (SELECT id FROM s) SELECT * FROM c /* ordered */
WITH RECURSIVE r(x) AS (SELECT id FROM s UNION ALL SELECT x+10 FROM r WHERE x<20) SELECT * FROM r /* ordered */
SELECT * FROM (VALUES(1),(2),(3)) /* ordered */
SELECT value FROM json_each('[1,2,3]') /* ordered */
SELECT DISTINCT value FROM json_each('[1,2,3]') /* ordered */
SELECT min(a),id FROM s /* ordered */
SELECT min(b),id FROM t /* ordered */
SELECT * FROM s ORDER BY a /* ordered */
SELECT * FROM t WHERE b BETWEEN 1 AND 2 AND a=1 /* ordered */
SELECT * FROM t WHERE rowid>2 /* ordered */
SELECT DISTINCT a FROM t WHERE rowid>2 /* ordered */
SELECT DISTINCT id FROM t WHERE rowid>2 /* ordered */
SELECT DISTINCT id FROM t WHERE a=1 /* ordered */
SELECT DISTINCT id FROM t WHERE a>0 /* ordered */
SELECT DISTINCT u FROM t WHERE u>0 /* ordered */
SELECT DISTINCT u,a FROM t WHERE u>0 /* ordered */
SELECT DISTINCT a,id FROM t WHERE a>0 /* ordered */
