-- A common table that is joined to itself and has its order from the query that it reads: the second use is not read backwards.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (26, 0, '2', -3, '2024-02-02')
INSERT INTO w VALUES (27, 1, '2', 1, '2024-03-03')
CREATE VIEW v2 AS SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM w AS p UNION SELECT p.k, p.s FROM w AS p WHERE p.s = 'x'
CREATE VIEW v3 AS SELECT p.k, p.s FROM v2 AS p ORDER BY 2 DESC, 1
WITH c AS (SELECT DISTINCT p.k, p.s FROM v3 AS p) SELECT c.k, d.s FROM c JOIN c AS d ON c.k = d.k ORDER BY 2 LIMIT 7 /* ordered */
