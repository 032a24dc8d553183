-- The ORDER BY of a recursive query is not that of the parts of its start.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id))
INSERT INTO a VALUES (0, 3, 'z', 2, '2024-02-01')
INSERT INTO a VALUES (5, 0, 'z', 1, '2024-02-02')
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p WHERE p.k > 1 UNION ALL SELECT p.k, q.s FROM a AS p LEFT JOIN a AS q ON p.s = q.s ORDER BY 2 DESC, 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM w AS p WHERE p.s IS NOT NULL EXCEPT SELECT p.k, q.s FROM a AS p LEFT JOIN w AS q ON p.s = q.s WHERE p.s IS NOT NULL UNION SELECT p.k, p.s FROM a AS p
CREATE VIEW v3 AS SELECT p.k, p.s FROM v2 AS p UNION ALL SELECT p.k, p.s FROM v1 AS p
WITH RECURSIVE r(k, s) AS (SELECT p.k, p.s FROM v3 AS p WHERE p.s IS NOT NULL UNION ALL SELECT p.k, p.s FROM a AS p WHERE p.s = 'x' UNION ALL SELECT r.k + 1, p.s FROM r JOIN v3 AS p ON p.k = r.k WHERE r.k < 4 ORDER BY 2 DESC LIMIT 70) SELECT * FROM r /* ordered */
