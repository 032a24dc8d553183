-- The automatic index of a query in FROM that compares rows, groups or has windows holds all of its columns, those that nobody reads among
-- them, and its rows come in their order.
CREATE TABLE a(id INTEGER PRIMARY KEY, x INT, s TEXT)
INSERT INTO a VALUES (6, 3, 'A'), (19, 1, 'A'), (20, 2, 'A')
CREATE TABLE k(s TEXT)
INSERT INTO k VALUES ('A')
CREATE VIEW d AS SELECT DISTINCT id, x, s FROM a
SELECT q.x FROM k p CROSS JOIN d q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT DISTINCT id, x, s FROM a) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p LEFT JOIN (SELECT DISTINCT -id, x, s FROM a) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s FROM a UNION SELECT id, x, s FROM a) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s FROM a EXCEPT SELECT 1, 2, 3) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s FROM a UNION ALL SELECT id, x, s FROM a) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s FROM a GROUP BY id) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s, row_number() OVER () FROM a) q ON p.s = q.s /* ordered */
SELECT q.x FROM k p CROSS JOIN (SELECT id, x, s FROM a LIMIT 9) q ON p.s = q.s /* ordered */
WITH q AS (SELECT DISTINCT id, x, s FROM a) SELECT q.x FROM k p CROSS JOIN q ON p.s = q.s /* ordered */
WITH q AS MATERIALIZED (SELECT id, x, s FROM a) SELECT q.x FROM k p LEFT JOIN q ON p.s = q.s /* ordered */
