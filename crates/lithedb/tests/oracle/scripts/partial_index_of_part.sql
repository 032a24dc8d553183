-- A condition that goes into the parts of a compound whose first column has no collation.
CREATE TABLE a(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(id, d))
INSERT INTO b VALUES (3, 4, 'z', -3, '2024-04-01')
INSERT INTO b VALUES (79, 3, 'z', 2, '2024-04-03')
CREATE INDEX i_b0 ON b(k, s) WHERE k > 1
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT max(p.k) AS k, p.s FROM b AS p GROUP BY p.s UNION ALL SELECT p.k, p.s FROM a AS p WHERE p.s IS NOT NULL INTERSECT SELECT p.k, p.s FROM a AS p JOIN a AS q ON p.k = q.k ORDER BY 1 LIMIT 9
CREATE VIEW v2 AS SELECT max(p.k) AS k, p.s FROM w AS p WHERE p.k > 1 GROUP BY p.s UNION ALL SELECT p.k, p.s FROM b AS p
CREATE VIEW v3 AS SELECT p.k, q.s FROM v2 AS p LEFT JOIN b AS q ON p.s = q.s WHERE p.s IS NOT NULL
SELECT p.k, q.s FROM b AS p LEFT JOIN b AS q ON p.s = q.s WHERE p.k IN (1, 3) UNION ALL SELECT p.k, p.s FROM v3 AS p WHERE p.k > 1 UNION ALL SELECT p.k, p.s FROM v1 AS p /* ordered */
