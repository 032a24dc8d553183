-- A condition that moves into a query in FROM stays outside, too, where it may be the key of an automatic index.
CREATE TABLE a(id INTEGER PRIMARY KEY, x INT, s TEXT COLLATE NOCASE)
CREATE TABLE b(id INTEGER PRIMARY KEY, y REAL)
INSERT INTO a(x, s) VALUES (2, 'B'), (2, 'A'), (1, 'c'), (2, 'c')
INSERT INTO b(y) VALUES (1), (2.5)
SELECT * FROM (SELECT DISTINCT x, s FROM a) v, b WHERE v.x = 2 /* ordered */
SELECT * FROM (SELECT DISTINCT x, s FROM a) v, b WHERE v.x = 2 AND v.s = 'a' /* ordered */
SELECT * FROM (SELECT x, s FROM a UNION SELECT y, 'q' FROM b) v, b WHERE v.x = 2 /* ordered */
SELECT * FROM (SELECT x, s FROM a EXCEPT SELECT y, 'q' FROM b) v, b WHERE v.x = 2 /* ordered */
SELECT * FROM (SELECT x, s, row_number() OVER (PARTITION BY x) FROM a) v, b WHERE v.x = 2 /* ordered */
SELECT * FROM b LEFT JOIN (SELECT DISTINCT x, s FROM a) v ON v.x = 2 /* ordered */
