-- A recursive table in parentheses that mean nothing, around one source or at the beginning of FROM, is the table itself.
CREATE TABLE a(id INTEGER PRIMARY KEY, x INT)
CREATE TABLE b(y INT)
INSERT INTO a VALUES (1, 2), (2, 3), (3, 2)
INSERT INTO b VALUES (1), (2)
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (r JOIN a ON a.id = i)) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (r JOIN a ON a.id = i) JOIN b ON y = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM b JOIN (r JOIN a ON a.id = i) ON y = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (r JOIN a ON a.id = i) AS z) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT z.i + 1 FROM (r) AS z WHERE i < 5) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT r.i + 1 FROM ((r JOIN a ON a.id = i) JOIN b ON y = r.i)) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT r.i + 1 FROM a JOIN (r) WHERE id = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT z.i + 1 FROM a JOIN (r) AS z WHERE id = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT z.i + 1 FROM a JOIN (r AS z) WHERE id = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT r.i + 1 FROM a JOIN ((r)) WHERE id = i) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM b LEFT JOIN ((r JOIN a ON a.id = i)) ON y = i WHERE i < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM ((r) JOIN a ON a.id = i)) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (a JOIN (r) ON a.id = i)) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (SELECT * FROM r) WHERE i < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION SELECT i + 1 FROM (r JOIN r AS q USING (i)) WHERE i < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION SELECT i + 1 FROM (a LEFT JOIN r ON i = id) WHERE i < 3) SELECT * FROM r /* ordered */
WITH RECURSIVE r(i) AS (SELECT id FROM a UNION ALL SELECT i + 1 FROM (r JOIN a ON a.id = i) WHERE i < 2 UNION ALL SELECT i + 1 FROM r WHERE i < 3) SELECT * FROM r /* ordered */
