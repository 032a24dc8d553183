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
