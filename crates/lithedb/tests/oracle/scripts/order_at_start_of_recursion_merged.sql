-- The start of a recursive query is merged, and a core of it reads a sorted view.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
CREATE TABLE b(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(id, d))
INSERT INTO b VALUES (2, 2, 'x', 2.5, '2024-01-02')
INSERT INTO b VALUES (73, 2, 'X', 2, '2024-02-03')
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
PRAGMA reverse_unordered_selects = 1
CREATE VIEW v1 AS SELECT p.k, p.s FROM b AS p UNION ALL SELECT p.k, q.s FROM a AS p LEFT JOIN w AS q ON p.s = q.s WHERE p.s IS NOT NULL ORDER BY 2 DESC, 1
CREATE VIEW v2 AS SELECT p.k, q.s FROM v1 AS p LEFT JOIN w AS q ON p.s = q.s UNION SELECT p.k, p.s FROM v1 AS p JOIN a AS q ON p.k = q.k WHERE p.k > 1 ORDER BY 1 LIMIT 9
WITH RECURSIVE r(k, s) AS (SELECT DISTINCT p.k, p.s FROM v2 AS p UNION ALL SELECT DISTINCT p.k, p.s FROM v1 AS p WHERE p.k > 1 EXCEPT SELECT p.k, q.s FROM b AS p LEFT JOIN w AS q ON p.s = q.s WHERE p.s = 'x' UNION SELECT r.k + 1, p.s FROM r JOIN v2 AS p ON p.k = r.k WHERE r.k < 4 ORDER BY 1 LIMIT 70) SELECT * FROM r /* ordered */
