-- A view with an order over a UNION ALL: the rows of this one are put together before they are sorted.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(id, d))
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(id)) WITHOUT ROWID
INSERT INTO w VALUES (20, 3, 'yy', 2.5, '2024-02-02')
INSERT INTO w VALUES (22, 3, 'y', 2.5, '2024-02-03')
CREATE INDEX i_w0 ON w(k DESC)
CREATE VIEW v1 AS SELECT p.k, p.s FROM b AS p WHERE p.s = 'x' UNION ALL SELECT p.k, p.s FROM w AS p JOIN w AS q ON p.k = q.k WHERE p.k IN (1, 3) UNION ALL SELECT p.k, p.s FROM a AS p WHERE p.k IN (1, 3) ORDER BY 2 DESC, 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM v1 AS p WHERE p.k > 1 ORDER BY 1 LIMIT 9
SELECT p.k, p.s FROM v2 AS p /* ordered */
