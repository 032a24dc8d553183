-- A view that is joined to itself: one table of its rows, unless the statement changes it in one of the places; and how many rows a view is thought to have.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT)
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT)
CREATE VIEW v AS SELECT DISTINCT k, s FROM a
CREATE VIEW v5 AS SELECT k, abs(s) r FROM a LIMIT 5
CREATE VIEW v6 AS SELECT k, abs(s) r FROM a ORDER BY k LIMIT 5
? SELECT * FROM v p JOIN v q WHERE q.k>1
? SELECT * FROM v p JOIN v q WHERE p.k>1
? SELECT * FROM v p JOIN v q JOIN v r WHERE q.k>1
? SELECT * FROM v p JOIN v q JOIN v r WHERE p.k>1
? SELECT * FROM v p JOIN v q JOIN v r WHERE r.k>1
? SELECT p.k, q.r FROM v5 p JOIN v5 q
? SELECT p.k, q.k FROM v5 p JOIN v5 q
? SELECT p.r, q.k FROM v5 p JOIN v5 q
? SELECT p.r, q.k FROM v6 p JOIN v6 q
? SELECT p.r, q.k FROM v6 p JOIN b JOIN v6 q
? SELECT p.r, q.k FROM v6 p JOIN b LEFT JOIN v6 q
? SELECT p.r, q.k FROM v6 p LEFT JOIN v6 q
? SELECT p.r, q.k FROM v6 p RIGHT JOIN v6 q
? SELECT 1 FROM v5 p JOIN (SELECT * FROM v5) q
? WITH c AS (SELECT DISTINCT k FROM a) SELECT 1 FROM c p JOIN (SELECT * FROM c) q
? WITH c AS (SELECT DISTINCT k FROM a), d AS (SELECT k FROM c) SELECT 1 FROM d p JOIN d q
? SELECT 1 FROM (SELECT DISTINCT k FROM a) p JOIN (SELECT DISTINCT k FROM a) q
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id))
CREATE TABLE b(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(id, d))
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(id, d), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE VIEW v2 AS SELECT p.k, p.s FROM a AS p WHERE p.k > 1 EXCEPT SELECT p.k, p.s FROM w AS p
? SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k
? SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k WHERE p.k>1
? SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k WHERE p.k>1 AND q.k>1
? SELECT p.k, p.s FROM v4 AS p JOIN v4 AS q ON p.k = q.k
? SELECT p.k, p.s FROM v4 AS p JOIN v2 AS q ON p.k = q.k
? WITH c AS (SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k) SELECT c.k, d.s FROM c JOIN c AS d ON c.k = d.k ORDER BY 1
? WITH c AS (SELECT 1 k, 2 s UNION ALL SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k) SELECT c.k, d.s FROM c JOIN c AS d ON c.k = d.k ORDER BY 1
? WITH c AS (SELECT k,s FROM v2 UNION ALL SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k) SELECT c.k, d.s FROM c JOIN c AS d ON c.k = d.k ORDER BY 1
? SELECT k,s FROM v2 UNION ALL SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k
? SELECT k,s FROM v4 UNION ALL SELECT p.k, p.s FROM v4 AS p JOIN v4 AS q ON p.k = q.k
? SELECT p.k, p.s FROM v2 AS p JOIN v2 AS q ON p.k = q.k JOIN v2 AS r ON q.k=r.k
? SELECT p.k, p.s FROM v4 AS p JOIN v4 AS q ON p.k = q.k JOIN v4 AS r ON q.k=r.k
? WITH c AS (SELECT p.k, p.s FROM v2 AS p WHERE p.k IN (1, 3) UNION ALL SELECT 1,2) SELECT c.k FROM c JOIN c d
? WITH c AS (SELECT p.k, p.s FROM v2 AS p UNION ALL SELECT 1,2) SELECT c.k FROM c JOIN c d
? SELECT p.k, p.s FROM v2 AS p UNION ALL SELECT 1,2
? SELECT p.k, p.s FROM v2 AS p
===
CREATE TABLE a(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id))
CREATE TABLE b(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
CREATE VIEW v1 AS SELECT DISTINCT p.k, p.s FROM a AS p WHERE p.k > 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM v1 AS p JOIN v1 AS q ON p.k = q.k WHERE p.k > 1 UNION ALL SELECT max(p.k) AS k, p.s FROM v1 AS p GROUP BY p.s UNION ALL SELECT p.k, p.s FROM v1 AS p WHERE p.s = 'x'
CREATE VIEW v3 AS SELECT p.k, p.s FROM v1 AS p JOIN v2 AS q ON p.k = q.k WHERE p.k IN (1, 3)
? SELECT p.k, p.s FROM v3 AS p WHERE p.k IN (1, 3) UNION ALL SELECT p.k, p.s FROM v1 AS p JOIN b AS q ON p.k = q.k WHERE p.s IS NOT NULL /* ordered */
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
INSERT INTO a VALUES (0, 1, 'X', -3, '2024-02-01')
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(k, id), PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (1, 3, NULL, NULL, '2024-03-02')
INSERT INTO w VALUES (2, 1, NULL, NULL, '2024-02-03')
INSERT INTO w VALUES (3, 5, 'yy', 2.5, '2024-03-01')
INSERT INTO w VALUES (4, 5, 'z', 2.5, '2024-02-02')
ANALYZE
CREATE VIEW v1 AS SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM w AS p WHERE p.k > 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM v1 AS p JOIN v1 AS q ON p.k = q.k WHERE p.k > 1 ORDER BY 2 DESC, 1
? WITH c AS (SELECT p.k, p.s FROM v1 AS p EXCEPT SELECT p.k, q.s FROM v2 AS p LEFT JOIN a AS q ON p.s = q.s INTERSECT SELECT p.k, p.s FROM v1 AS p) SELECT c.k, d.s FROM c JOIN v1 AS d ON c.k = d.k /* ordered */
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(id, d))
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
CREATE TABLE w2(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
CREATE INDEX i_w0 ON w(k, s)
CREATE INDEX i_w1 ON w(k) WHERE s IS NOT NULL
CREATE INDEX i_w20 ON w2(k, s)
CREATE INDEX i_w21 ON w2(k) WHERE s IS NOT NULL
CREATE VIEW v1 AS SELECT p.k, p.s FROM b AS p UNION ALL SELECT p.k, p.s FROM w AS p UNION ALL SELECT p.k, p.s FROM w AS p
CREATE VIEW v2 AS SELECT p.k, p.s FROM b AS p UNION ALL SELECT p.k, p.s FROM w2 AS p 
CREATE VIEW v3 AS SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM w AS p 
CREATE VIEW v4 AS SELECT p.k, p.s FROM w AS p 
CREATE VIEW v5 AS SELECT p.k, p.s COLLATE BINARY s FROM w AS p 
? SELECT p.k, p.s FROM v1 AS p JOIN a AS q ON p.k = q.k WHERE p.s IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM v2 AS p JOIN a AS q ON p.k = q.k WHERE p.s IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM v3 AS p JOIN a AS q ON p.k = q.k WHERE p.s IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM v4 AS p JOIN a AS q ON p.k = q.k WHERE p.s IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM v5 AS p JOIN a AS q ON p.k = q.k WHERE p.s IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM w AS p JOIN a AS q ON p.k = q.k WHERE p.s COLLATE BINARY IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM w AS p JOIN a AS q ON p.k = q.k WHERE p.s COLLATE NOCASE IS NOT NULL ORDER BY 1
? SELECT p.k, p.s FROM w AS p JOIN a AS q ON p.k = q.k WHERE p.s = 'a' ORDER BY 1
? SELECT p.k, p.s FROM v1 AS p JOIN a AS q ON p.k = q.k WHERE p.s = 'a' ORDER BY 1
? SELECT p.k, p.s FROM v5 AS p JOIN a AS q ON p.k = q.k WHERE p.s = 'a' ORDER BY 1
