-- A sorted view that is kept in a table is read backwards for the order.
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(s DESC, id)) WITHOUT ROWID
INSERT INTO w VALUES (25, 3, 'y', 2.5, '2024-01-02')
INSERT INTO w VALUES (29, 2, 'y', NULL, '2024-04-03')
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT max(p.k) AS k, p.s FROM w AS p WHERE p.k > 1 GROUP BY p.s ORDER BY 2 DESC, 1
CREATE VIEW v3 AS SELECT p.k, p.s FROM v1 AS p ORDER BY 2 DESC, 1
WITH c AS (SELECT DISTINCT p.k, p.s FROM v3 AS p WHERE p.k > 1) SELECT c.k, d.s FROM c JOIN v1 AS d ON c.k = d.k ORDER BY 2 LIMIT 7 /* ordered */
