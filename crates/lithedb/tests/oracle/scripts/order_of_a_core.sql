-- A core of a UNION ALL takes the ORDER BY of a view that it reads; what that view reads is sorted as a whole then.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE)
INSERT INTO a VALUES (0, 1, 'x'), (61, 1, 'X')
CREATE INDEX i_a0 ON a(s)
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT)
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM b AS p
CREATE VIEW v3 AS SELECT p.k, p.s FROM v1 AS p WHERE p.k IN (1, 3) ORDER BY 2 DESC, 1
SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM v3 AS p /* ordered */
SELECT p.k, p.s FROM v3 AS p UNION ALL SELECT p.k, p.s FROM a AS p /* ordered */
SELECT p.k, p.s FROM v3 AS p UNION ALL SELECT p.k, p.s FROM v3 AS p /* ordered */
SELECT p.k, p.s FROM v3 AS p /* ordered */
SELECT k, s FROM (SELECT p.k, p.s FROM a AS p UNION ALL SELECT p.k, p.s FROM v3 AS p) /* ordered */
SELECT max(k), s FROM (SELECT DISTINCT k, s FROM v3) GROUP BY s /* ordered */
