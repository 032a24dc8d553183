-- A UNION ALL in FROM becomes part of the query around it in each core of a compound, and again in the parts that came of one: the rows of a
-- join of two come part by part.
CREATE TABLE a(id INTEGER PRIMARY KEY, x INT)
CREATE TABLE b(id INTEGER PRIMARY KEY, y REAL)
INSERT INTO a VALUES (1, 2), (2, 3), (3, 2)
INSERT INTO b VALUES (2, 2), (3, 3.5)
CREATE VIEW u AS SELECT id, x FROM a UNION ALL SELECT id, y FROM b
CREATE VIEW n AS SELECT * FROM u WHERE x > 1 UNION ALL SELECT * FROM u
CREATE VIEW s AS SELECT id, x FROM a UNION ALL SELECT id, x + 1 FROM a
SELECT * FROM s p JOIN s q USING (id) /* ordered */
SELECT * FROM s p JOIN s q USING (x) /* ordered */
SELECT p.id, q.x FROM n p JOIN n q ON p.id = q.id /* ordered */
SELECT p.id, q.x FROM n p JOIN n q ON p.x = q.x ORDER BY 1 LIMIT 9 /* ordered */
SELECT * FROM b UNION ALL SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x /* ordered */
SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x UNION ALL SELECT * FROM b /* ordered */
SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x UNION SELECT * FROM b /* ordered */
SELECT * FROM b EXCEPT SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x /* ordered */
SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x INTERSECT SELECT p.id, q.x FROM s p JOIN s q USING (id) /* ordered */
SELECT p.id, q.x FROM s p JOIN s q ON p.x = q.x UNION ALL SELECT * FROM a ORDER BY 2 LIMIT 7 OFFSET 2 /* ordered */
SELECT * FROM (SELECT * FROM s UNION ALL SELECT * FROM n) p JOIN s q USING (id) /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM s UNION ALL SELECT i + 1 FROM r JOIN s ON s.id = i) SELECT * FROM r /* ordered */
WITH c AS (SELECT id, x FROM a UNION ALL SELECT * FROM b) SELECT * FROM s, c /* ordered */
-- On the right of another operator, and at the start of a recursive query, it remains one core.
SELECT * FROM b UNION SELECT * FROM s UNION ALL SELECT * FROM a /* ordered */
SELECT * FROM u EXCEPT SELECT * FROM n /* ordered */
SELECT * FROM a INTERSECT SELECT p.id, q.x FROM s p JOIN s q USING (x) ORDER BY 2 DESC /* ordered */
SELECT * FROM a UNION SELECT * FROM u UNION SELECT * FROM n ORDER BY 2, 1 DESC LIMIT 4 OFFSET 1 /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT * FROM u UNION ALL SELECT i + 1, x FROM r WHERE i < 5) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT * FROM a UNION ALL SELECT * FROM n UNION SELECT i + 1, x FROM r WHERE i < 5) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT * FROM a UNION SELECT * FROM s UNION ALL SELECT i + 1, x FROM r WHERE i < 5) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT 1, 1 UNION ALL SELECT i + 1, s.x FROM r JOIN s USING (id) WHERE i < 5) SELECT * FROM r /* ordered */
-- The start gives its rows as they come: a query in FROM that becomes part of it loses its ORDER BY, any other keeps it.
CREATE VIEW o AS SELECT id, x FROM a ORDER BY x DESC, id DESC
CREATE VIEW uo AS SELECT id, x FROM a UNION ALL SELECT * FROM b ORDER BY 2 DESC, 1
WITH RECURSIVE r(i, x) AS (SELECT * FROM o UNION ALL SELECT i + 1, x FROM r WHERE i < 4) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT * FROM uo UNION SELECT i + 1, x FROM r WHERE i < 4) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT * FROM uo UNION ALL SELECT i + 1, x FROM r WHERE i < 4 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT max(id), x FROM o GROUP BY x UNION ALL SELECT i + 1, x FROM r WHERE i < 4) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i, x) AS (SELECT DISTINCT x, id FROM o UNION SELECT DISTINCT i + 1, x FROM r WHERE i < 4) SELECT * FROM r /* ordered */
-- Each use of a common table becomes part of its query.
WITH c AS (SELECT * FROM a UNION ALL SELECT * FROM b) SELECT * FROM c JOIN c AS d ON c.x = d.x /* ordered */
WITH c AS (SELECT * FROM s), e AS (SELECT id FROM a LIMIT 2) SELECT * FROM c JOIN e USING (id) JOIN c AS d ON c.id = d.id /* ordered */
WITH c AS MATERIALIZED (SELECT * FROM a UNION ALL SELECT * FROM b) SELECT * FROM c JOIN c AS d ON c.x = d.x /* ordered */
WITH c AS (SELECT * FROM a UNION ALL SELECT * FROM b) SELECT (SELECT count(*) FROM c WHERE id = c.id), d.* FROM c AS d JOIN c ON c.id = d.id UNION SELECT 1, 2, 3 FROM c /* ordered */
CREATE VIEW so AS SELECT id, x FROM a UNION ALL SELECT id, x FROM (SELECT b.id, a.x FROM a JOIN b ON a.x = b.id ORDER BY 1 DESC)
WITH RECURSIVE r(i, x) AS (SELECT * FROM so UNION ALL SELECT i + 1, x FROM r WHERE i < 4) SELECT * FROM r /* ordered */
SELECT * FROM b UNION ALL SELECT * FROM so /* ordered */
