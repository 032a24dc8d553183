-- A column that is equal to a constant can still be searched for.
CREATE TABLE k(a TEXT COLLATE NOCASE, b, c TEXT)
CREATE INDEX ka ON k(a)
CREATE INDEX kc ON k(c COLLATE NOCASE)
CREATE INDEX kl ON k(length(c), b)
CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT COLLATE NOCASE, due)
CREATE INDEX open_task ON task(due) WHERE state = 'open' AND due IS NOT NULL
? SELECT * FROM k WHERE a = 'x' AND a = 'X' COLLATE BINARY
? SELECT * FROM k WHERE a = 'X' COLLATE BINARY AND a = 'x'
? SELECT * FROM k WHERE c = 'X' AND c = 'x' COLLATE NOCASE
? SELECT * FROM k WHERE c = 'X' AND length(c) = 1
? SELECT * FROM k WHERE c = 'X' AND length(c) = 1 AND b = 2
? SELECT * FROM k WHERE c = 'X' AND c > 'A' COLLATE NOCASE
? SELECT * FROM k WHERE c = 'X' AND c COLLATE NOCASE BETWEEN 'a' AND 'z'
? SELECT id FROM task WHERE state = 'open' AND due > 2 AND state = 'OPEN' COLLATE BINARY
? SELECT id FROM task WHERE state = 'open' AND due > 2 AND length(state) = 4
? SELECT id FROM task WHERE state = 'open' AND due IS NOT NULL AND due BETWEEN 3 AND 12 AND state = 'open' COLLATE BINARY ORDER BY due, id
===
CREATE TABLE t(a INT, b TEXT, c, d INT)
CREATE INDEX ti ON t(a + 1)
CREATE INDEX tb ON t(b)
CREATE INDEX tc ON t(c)
CREATE INDEX td ON t(d) WHERE d > 3
CREATE TABLE u(a INT, b INT, c INT)
CREATE INDEX ua ON u(a, b)
CREATE INDEX ub ON u(b) WHERE a > 3
CREATE INDEX uc ON u(c) WHERE a + 1 > 3
? SELECT * FROM t WHERE a = 5 AND a + 1 = 6
? SELECT * FROM t WHERE b = 'x' AND b > 'a'
? SELECT * FROM t WHERE +b = 'x' AND b > 'a'
? SELECT * FROM t WHERE b = 'x' AND b IN ('a', 'b')
? SELECT * FROM t WHERE b = 'x' AND b IS NOT NULL
? SELECT * FROM t WHERE b = 'x' AND b LIKE 'a%'
? SELECT * FROM t WHERE d = 7 AND d > 3
? SELECT * FROM u WHERE a = 7 AND a > 3 AND b = 2
? SELECT * FROM u WHERE a = 7 AND a + 1 > 3 AND c = 2
? SELECT * FROM u WHERE b = 7 AND (b = 4 OR c = 5) AND a = 4
? SELECT * FROM u WHERE c = 7 AND (b = 4 AND a = c OR a = c AND b = 5)
? SELECT * FROM u, t WHERE u.a = t.d AND t.d = 7
===
CREATE TABLE t(a REAL, b TEXT, c, d BLOB, PRIMARY KEY(a, b)) WITHOUT ROWID
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(id, d))
CREATE INDEX i_b0 ON b(k + n)
CREATE INDEX i_b1 ON b(d DESC, k)
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE INDEX i_w1 ON w(s)
CREATE TABLE x(a INT, b INT)
CREATE INDEX xa ON x(a)
? SELECT DISTINCT k % 2, n FROM b WHERE k = 1.0 AND d > k || '' ORDER BY k % 2 DESC, k % 2
? SELECT id FROM b WHERE k > 1 AND id > k - 1 AND abs(-2) = k
? SELECT * FROM w WHERE (n = k OR s = 'y') AND 1.0 = n
? SELECT * FROM w WHERE (k = n OR s = 'y') AND 1.0 = n
? SELECT * FROM w WHERE (n = k AND id > 3 OR s = 'y') AND 1.0 = n
? SELECT * FROM w WHERE (n < k OR s = 'z') AND 1.0 = n AND d = 'x'
? SELECT * FROM w, x WHERE (x.b = w.k OR w.s = 'y') AND x.b = 3
? SELECT * FROM w, x WHERE (w.k = x.b OR w.s = 'y') AND x.b = 3
? SELECT * FROM w, x WHERE (x.a = w.k OR w.s = 'y' OR w.k = 4) AND x.a = 3
===
CREATE TABLE t1(a, b TEXT, c INT UNIQUE, PRIMARY KEY(a DESC))
CREATE TABLE t2(a INTEGER PRIMARY KEY, b INTEGER, c REAL, d REAL)
? SELECT * FROM (SELECT 5 AS x, a FROM t1) AS s WHERE a IN (SELECT b FROM t2 WHERE d = s.x)
? SELECT (SELECT b FROM t2 WHERE d = s.x) FROM (SELECT 5 AS x, a FROM t1) AS s
? SELECT * FROM t1 WHERE c = 3 AND EXISTS (SELECT 1 FROM t2 WHERE b = c LIMIT 3)
? SELECT (SELECT count(*) FROM t2 WHERE b = x) FROM (SELECT 3 AS x)
