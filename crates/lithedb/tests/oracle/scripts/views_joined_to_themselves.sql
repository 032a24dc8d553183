-- The rows of a coroutine in an inner loop come in the order in which it makes them.
CREATE TABLE a(id INT, k INT, s TEXT, UNIQUE(id))
INSERT INTO a VALUES (1, 0, 'yy'), (3, 0, NULL)
CREATE VIEW v1 AS SELECT p.k, p.s FROM a AS p UNION ALL SELECT max(p.k) AS k, p.s FROM a AS p WHERE p.k > 1 GROUP BY p.s
PRAGMA reverse_unordered_selects = 1
WITH RECURSIVE r(k, s) AS (SELECT k,s FROM a UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (SELECT k,s FROM a UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (SELECT k,s FROM a UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3 LIMIT 70) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (VALUES(0,0) UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (VALUES(0,0) UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (VALUES(0,0) UNION ALL SELECT r.k + 1, p.s FROM r JOIN v1 AS p ON p.k = r.k WHERE r.k < 3 LIMIT 70) SELECT * FROM r /* ordered */
CREATE VIEW v2 AS SELECT DISTINCT k, s FROM a
SELECT p.k, q.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k /* ordered */
SELECT p.k, q.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k WHERE p.k < 9 /* ordered */
SELECT p.k, q.s FROM v2 AS p JOIN v2 AS q JOIN v2 AS r ON p.k = q.k WHERE q.k < 9 /* ordered */
CREATE VIEW v3 AS SELECT k, random() AS r FROM a ORDER BY k LIMIT 5
SELECT p.r = q.r FROM v3 AS p JOIN v3 AS q ON p.k = q.k AND p.r IS NOT NULL AND q.r IS NOT NULL AND p.k + q.k < 9
SELECT count(DISTINCT p.r), count(*) FROM v3 AS p JOIN v3 AS q ON p.k + q.k < 9 AND p.r = q.r
