-- The rows of the only source of a query are not estimated: a search that costs as much as the scan is taken.
CREATE TABLE t(a, b, d TEXT)
CREATE INDEX i ON t(d)
INSERT INTO t VALUES (1, 1, '5'), (2, 2, '5'), (3, 3, '5'), (4, 4, 'a'), (5, 5, 'b'), (6, 6, 'c'), (7, 7, 'd'), (8, 8, 'e')
CREATE TABLE v(a INT, b REAL COLLATE NOCASE, c INT, d TEXT COLLATE NOCASE, PRIMARY KEY(a, b)) WITHOUT ROWID
CREATE INDEX v0 ON v(a, b DESC, c DESC)
CREATE INDEX v1 ON v(b DESC, a)
ANALYZE
? SELECT * FROM t WHERE d = '5'
? SELECT * FROM t WHERE d = '5' AND b > 2
? SELECT * FROM t WHERE d = 'a' AND b > 2
? SELECT * FROM t WHERE d > 'a'
? SELECT * FROM t WHERE d = '5' ORDER BY b
? SELECT DISTINCT b FROM t WHERE d = '5'
? SELECT d FROM v WHERE b = b
? SELECT d FROM v WHERE b = c
? SELECT d FROM v WHERE b IS b
? SELECT d FROM v WHERE b = a AND c IN (1, 2)
? SELECT d FROM v WHERE a = a AND b = b AND c = c AND c IN (1, 2)
===
CREATE TABLE t(a TEXT, b INT, c BLOB, d, PRIMARY KEY(a, b)) WITHOUT ROWID
CREATE INDEX t0 ON t(b, c, abs(a))
CREATE TABLE u(a COLLATE NOCASE, b NUMERIC, c TEXT, d TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID
CREATE INDEX u0 ON u(c)
INSERT INTO t VALUES (3, 5, 5, 'x'), ('x', 5, 5, 'a'), (2.5, 'x', '5', '5'), (3, 'a', '5', NULL), ('x', 7, 1, NULL), ('a', 7, '5', 7)
INSERT INTO u VALUES (5, 3, NULL, 1), ('a', '5', 'a', 'a'), (5, 'x', 5, 'x'), (2.5, 5, 2.5, 7), (3, 3, 2.5, 5), (5, 'a', NULL, 'a')
? SELECT t.*, u.* FROM u, t WHERE t.b IS NOT NULL
? SELECT t.*, u.* FROM u, t WHERE t.b IS NOT NULL AND t.b IS NOT NULL
? SELECT t.*, u.* FROM t, u WHERE u.c IS u.c AND t.c > 3
? SELECT t.*, u.* FROM t JOIN u ON t.a = u.b WHERE t.a IS NOT NULL AND u.c = u.c
ANALYZE
? SELECT t.*, u.* FROM u, t WHERE t.b IS NOT NULL AND t.b IS NOT NULL
? SELECT t.*, u.* FROM t JOIN u ON t.a = u.b WHERE t.a IS NOT NULL AND u.c = u.c
? SELECT t.*, u.* FROM t, u WHERE u.c IS u.b AND t.c > 3
===
CREATE TABLE b(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id))
CREATE INDEX i_b1 ON b(d DESC, k)
? SELECT s, k % 2, count(DISTINCT s) FROM b WHERE d < '2024-03' GROUP BY s, k % 2 ORDER BY count(DISTINCT s) DESC NULLS FIRST, count(DISTINCT s)
? SELECT s, k % 2, count(DISTINCT n) FROM b WHERE d < '2024-03' GROUP BY s, k % 2 ORDER BY count(DISTINCT n), count(DISTINCT n) DESC
? SELECT s, k % 2, count(DISTINCT n) FROM b WHERE d < '2024-03' GROUP BY s, k % 2
? SELECT s, k % 2, count(*) FROM b WHERE d < '2024-03' GROUP BY s, k % 2 ORDER BY 1 DESC, 3
? SELECT s, count(DISTINCT id) FROM b GROUP BY s ORDER BY s DESC
? SELECT s, count(DISTINCT id) FROM b GROUP BY s ORDER BY s
===
CREATE TABLE s1(a ANY, b REAL) STRICT
CREATE INDEX s1i ON s1(b, b)
CREATE TABLE s2(a BLOB, b REAL) STRICT
CREATE INDEX s2i ON s2(b, b, b, b)
CREATE TABLE s7(a any, b ANY) STRICT
CREATE INDEX s7j ON s7(b, b)
? SELECT b FROM s1
? SELECT b FROM s2
? SELECT b FROM s7
