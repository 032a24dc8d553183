-- A view of a view at the start of a recursive query: the order of the inner one is lost where that of the outer one is taken.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
INSERT INTO b VALUES (4, 2, '2', -3, '2024-02-03')
INSERT INTO b VALUES (6, 3, '2.0', 1, '2024-04-03')
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT p.k, p.s FROM b AS p ORDER BY 2 DESC, 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM v1 AS p WHERE p.k > 1 ORDER BY 2 DESC, 1
WITH RECURSIVE r(k, s) AS (SELECT DISTINCT p.k, p.s FROM v2 AS p UNION ALL SELECT DISTINCT r.k + 1, r.s FROM r WHERE r.k < 4 LIMIT 70) SELECT * FROM r /* ordered */
