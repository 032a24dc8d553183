-- Queries in FROM that are materialised are filled when the loop over them begins, if it ever does.
CREATE TABLE e(x)
CREATE TABLE o(x)
CREATE TABLE p(x,y)
CREATE TABLE i(a,b)
INSERT INTO o VALUES(1),(2),(3)
INSERT INTO p VALUES(1,1),(2,2),(4,4),(NULL,1)
INSERT INTO i VALUES(1,'bad'),(2,'[1]'),(2,'x')
CREATE TABLE j(a,b)
INSERT INTO j VALUES(1,'10'),(2,'[1]'),(2,'20'),(NULL,'5')
SELECT * FROM e, (SELECT a, json(b) c FROM i LIMIT 5) s WHERE s.a + e.x
SELECT * FROM e LEFT JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a + e.x
SELECT * FROM o LEFT JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a + o.x
SELECT * FROM e CROSS JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a + e.x
SELECT * FROM e RIGHT JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a + e.x
SELECT * FROM e RIGHT JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a + e.x
SELECT * FROM o RIGHT JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a = o.x
SELECT * FROM o FULL JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a = o.x
SELECT * FROM e FULL JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a = e.x
SELECT * FROM e LEFT JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a = e.x RIGHT JOIN o ON o.x = s.a
SELECT * FROM e LEFT JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a = e.x RIGHT JOIN o ON o.x = s.a
SELECT * FROM o q LEFT JOIN (SELECT a, json(b) c FROM j LIMIT 5) s ON s.a = q.x RIGHT JOIN o ON o.x = s.a
SELECT x, (SELECT count(*) FROM e LEFT JOIN (SELECT a FROM j WHERE j.a > q.x LIMIT 5) s ON s.a = e.x) FROM o q
SELECT x, (SELECT count(*) FROM o LEFT JOIN (SELECT a FROM j WHERE j.a > q.x LIMIT 5) s ON s.a = o.x AND s.a) FROM o q
SELECT x, (SELECT group_concat(s.a) FROM o LEFT JOIN (SELECT a FROM j WHERE j.a >= q.x LIMIT 5) s ON s.a = o.x) FROM o q
SELECT x, (SELECT group_concat(s.a) FROM o, (SELECT a FROM j WHERE j.a >= q.x LIMIT 5) s WHERE s.a = o.x) FROM o q
SELECT x, (SELECT group_concat(s.a||','||o.x) FROM o CROSS JOIN (SELECT a FROM j WHERE j.a >= q.x LIMIT 5) s WHERE s.a > o.x-1) FROM o q
SELECT x, (SELECT group_concat(s.a||','||o.x) FROM o LEFT JOIN (SELECT a FROM j WHERE j.a >= q.x ORDER BY b LIMIT 5) s ON s.a > o.x-1 RIGHT JOIN p ON p.x = s.a) FROM o q
SELECT s.a, count(*) FROM e LEFT JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a
SELECT s.a, count(*) FROM e CROSS JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a
SELECT (SELECT s.a), count(*) FROM e CROSS JOIN (SELECT a, json(b) c FROM i LIMIT 5) s ON s.a
WITH s AS MATERIALIZED (SELECT a, json(b) c FROM i LIMIT 5) SELECT * FROM e CROSS JOIN s
WITH s AS MATERIALIZED (SELECT a, json(b) c FROM i LIMIT 5) SELECT * FROM e CROSS JOIN s CROSS JOIN s t
WITH s AS MATERIALIZED (SELECT a, json(b) c FROM i LIMIT 5) SELECT * FROM e CROSS JOIN s WHERE s.a IN (SELECT a FROM s)
WITH s AS MATERIALIZED (SELECT a, json(b) c FROM j LIMIT 5) SELECT * FROM o CROSS JOIN s WHERE s.a IN (SELECT a FROM s)
WITH s AS MATERIALIZED (SELECT a, json(b) c FROM j LIMIT 5) SELECT * FROM o LEFT JOIN s ON s.a = o.x LEFT JOIN s t ON t.a = o.x + 1
WITH s AS MATERIALIZED (SELECT a||1 a, b||2||a c FROM j ORDER BY 2 LIMIT 5) SELECT x || 'q' || (SELECT a||c FROM s WHERE s.a LIKE o.x||'%') || (x+1) || (SELECT a||c||x FROM s WHERE s.a LIKE o.x||'%' ORDER BY 1 DESC) FROM o
WITH s AS MATERIALIZED (SELECT a||1 a, b||2||a c FROM j ORDER BY 2 LIMIT 5) SELECT (x+1) || (SELECT a||c FROM s WHERE s.a LIKE o.x||'%') || (x+1) || (SELECT a||c||x FROM s WHERE s.a LIKE o.x||'%' ORDER BY 1 DESC) FROM o WHERE (x+7) || (x+2) < (x+3) || (SELECT count(*) FROM s)
SELECT * FROM o, (SELECT a, count(*) c FROM j GROUP BY a) s, (SELECT a, max(b) m FROM j GROUP BY a) t WHERE s.a = o.x AND t.a = s.a
SELECT * FROM e, (SELECT a, count(*) c, max(json(b)) FROM i GROUP BY a) s, (SELECT a, max(json(b)) m FROM i GROUP BY a) t WHERE s.a = e.x AND t.a = s.a
SELECT * FROM o LEFT JOIN (SELECT a, count(*) c, max(json(b)) FROM i GROUP BY a) s ON 0
SELECT * FROM o LEFT JOIN (SELECT a, count(*) c, max(json(b)) FROM i GROUP BY a) s ON s.a = o.x AND o.x > 5
SELECT * FROM o LEFT JOIN (SELECT a, count(*) c, max(json(b)) FROM i GROUP BY a) s ON s.a = o.x + 8
SELECT * FROM (SELECT a, json(b) FROM i LIMIT 4) s LEFT JOIN e WHERE json('bad')
SELECT * FROM (SELECT a, json(b) FROM i LIMIT 4) s JOIN e ON e.x = s.a
SELECT * FROM (SELECT a, json(b) FROM i LIMIT 4) s, e
SELECT * FROM (SELECT a, b FROM i LIMIT 4) s, e, (SELECT a, json(b) FROM i LIMIT 4) t
SELECT * FROM (SELECT a, b FROM i LIMIT 4) s, (SELECT a, json(b) FROM i LIMIT 4) t, e
DELETE FROM o WHERE x IN (SELECT e.x FROM e, (SELECT a, json(b) FROM i LIMIT 4) s)
UPDATE p SET y = s.b FROM e, (SELECT a, json(b) b FROM i LIMIT 4) s WHERE s.a = p.x AND e.x
UPDATE p SET y = s.b FROM e LEFT JOIN (SELECT a, json(b) b FROM i LIMIT 4) s ON s.a = e.x WHERE p.x = e.x
UPDATE p SET y = s.b FROM o LEFT JOIN (SELECT a, json(b) b FROM j LIMIT 4) s ON s.a = o.x WHERE p.x = o.x
SELECT * FROM p
CREATE VIEW v AS SELECT a, json(b) c FROM i LIMIT 5
SELECT * FROM e LEFT JOIN v
SELECT * FROM e JOIN v
SELECT * FROM e LEFT JOIN v JOIN v w
CREATE TRIGGER tr AFTER INSERT ON e BEGIN INSERT INTO p SELECT o.x, s.a FROM o LEFT JOIN (SELECT a, b FROM j WHERE a < new.x LIMIT 3) s ON s.a = o.x + 1; END
INSERT INTO e VALUES(1),(2),(3)
SELECT * FROM p
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LEFT JOIN (SELECT a FROM j LIMIT 2) s ON s.a = r.n WHERE n < 4) SELECT * FROM r
