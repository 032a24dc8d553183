-- A DISTINCT in the start of a recursive query is kept where cores are merged: its columns have other collations.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
INSERT INTO a VALUES (0, 1, 'X', 2.5, '2024-01-03')
INSERT INTO a VALUES (6, 1, 'x', -3, '2024-01-01')
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p WHERE p.s = 'x' EXCEPT SELECT max(p.k) AS k, p.s FROM b AS p GROUP BY p.s UNION ALL SELECT p.k, q.s FROM a AS p LEFT JOIN b AS q ON p.s = q.s WHERE p.k > 1
CREATE VIEW v2 AS SELECT DISTINCT p.k, p.s FROM w AS p EXCEPT SELECT p.k, p.s FROM w AS p UNION ALL SELECT p.k, q.s FROM a AS p LEFT JOIN a AS q ON p.s = q.s
WITH RECURSIVE r(k, s) AS (SELECT p.k, p.s FROM b AS p WHERE p.k > 1 UNION ALL SELECT DISTINCT p.k, p.s FROM v2 AS p UNION SELECT p.k, p.s FROM v1 AS p UNION SELECT r.k + 1, r.s FROM r WHERE r.k < 4 LIMIT 70) SELECT * FROM r /* ordered */
-- But not in the last core of the start.
DELETE FROM a
INSERT INTO a VALUES (1, 2, 'X', 1, '2024-04-02'), (4, 2, 'x', -3, '2024-01-03')
CREATE VIEW v3 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT p.k, p.s FROM a AS p WHERE p.k > 1
CREATE VIEW v4 AS SELECT DISTINCT p.k, p.s FROM w AS p UNION ALL SELECT p.k, p.s FROM v3 AS p
WITH RECURSIVE r(k, s) AS (SELECT p.k, p.s FROM a AS p INTERSECT SELECT DISTINCT p.k, p.s FROM v4 AS p UNION SELECT r.k + 1, r.s FROM r WHERE r.k < 4 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (SELECT DISTINCT p.k, p.s FROM v4 AS p INTERSECT SELECT p.k, p.s FROM a AS p UNION SELECT r.k + 1, r.s FROM r WHERE r.k < 4 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (SELECT p.k, p.s FROM a AS p INTERSECT SELECT DISTINCT p.k, p.s FROM v4 AS p UNION ALL SELECT r.k + 1, r.s FROM r WHERE r.k < 4 ORDER BY 1) SELECT * FROM r /* ordered */
WITH RECURSIVE r(k, s) AS (SELECT p.k, p.s FROM a AS p UNION SELECT DISTINCT p.k, p.s FROM v4 AS p INTERSECT SELECT DISTINCT p.k, p.s FROM v4 AS p UNION SELECT r.k + 1, r.s FROM r WHERE r.k < 4 ORDER BY 1) SELECT * FROM r /* ordered */
