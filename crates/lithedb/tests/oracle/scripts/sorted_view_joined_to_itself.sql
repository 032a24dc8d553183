-- The same of a view that is joined to itself.
CREATE TABLE a(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
INSERT INTO a VALUES (0, 1, 'X', -3, '2024-04-03')
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id), PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (0, 0, 'x', NULL, '2024-02-03')
CREATE VIEW v1 AS SELECT DISTINCT p.k, p.s FROM a AS p WHERE p.k IN (1, 3) UNION SELECT max(p.k) AS k, p.s FROM w AS p GROUP BY p.s ORDER BY 2 DESC, 1
WITH c AS (SELECT p.k, p.s FROM v1 AS p) SELECT c.k, d.s FROM c JOIN c AS d ON c.k = d.k ORDER BY 2 LIMIT 7 /* ordered */
