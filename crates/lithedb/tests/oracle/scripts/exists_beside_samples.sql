-- A join with the table of an EXISTS gives one row for each, whatever the samples of ANALYZE say: which decides the order of rows.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
INSERT INTO b VALUES (0, 1, 'X', 2.5, '2024-01-02')
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (6, 0, '02', 2.5, '2024-04-02')
INSERT INTO w VALUES (25, 0, '2', 2, '2024-01-03')
INSERT INTO w VALUES (27, 2, '02', 1, '2024-02-01')
INSERT INTO w VALUES (28, 3, '2', 1, '2024-01-02')
CREATE INDEX i_w0 ON w(n)
ANALYZE
SELECT * FROM (SELECT k, n FROM w ORDER BY k) AS c WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = c.k) AND n > 0 LIMIT 8
SELECT k, n FROM w AS c WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = c.k) AND n > 0
SELECT k, n FROM w AS c WHERE n > 0
SELECT c.k, c.n FROM w AS c JOIN b AS e ON e.id = c.k WHERE c.n > 0
SELECT c.k, c.n FROM (SELECT k, n FROM w) AS c WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.k = c.k) AND n > 0
