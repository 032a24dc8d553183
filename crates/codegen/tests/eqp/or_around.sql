-- The branches of an OR use the conditions around it: for their costs all of them, for their paths those that are one constraint each.
create table s(a INTEGER PRIMARY KEY,b,c,d)
create index is0 on s(b,d)
create table t(x,y,z)
create index tx on t(x)
create index ty on t(y)
create table r(a,b,c,d)
create index ir0 on r(b,a)
create table u(a INTEGER PRIMARY KEY,b,c,d)
create table p(a UNIQUE,b,c,d)
create index ip0 on p(c,a) where d is not null
create table q(a PRIMARY KEY,b,c,d) without rowid
create index iq0 on q(b,a)
create table v(a INTEGER PRIMARY KEY,b,c,d)
create index iv0 on v(b,a) where c is not null
create index iv1 on v(c)
? SELECT b,c FROM s WHERE b > 9 AND b < 5 AND (a IN (6,3) OR d = 2) ORDER BY a
? SELECT b,c FROM s WHERE b > 9 AND b < 5 AND (a =6 OR d = 2) ORDER BY c
? SELECT b,c FROM s WHERE b > 9 AND b < 5 AND (a =6 OR d > 2) ORDER BY c
? SELECT b,c FROM s WHERE b = 9 AND (a =6 OR d > 2) ORDER BY c
? SELECT b,c FROM s WHERE b = 9 AND (a =6 OR c > 2) ORDER BY c
? SELECT b,c FROM s WHERE b > 9 AND (a =6 OR c = 2) ORDER BY c
? SELECT * FROM t WHERE x > 9 AND (y =6 OR z = 20) ORDER BY z
? SELECT * FROM t WHERE x > 9 AND (y =6 OR y > 20) ORDER BY z
? SELECT * FROM t WHERE x > 9 AND (y =6 OR (y > 20 AND z = 20)) ORDER BY z
? SELECT * FROM t WHERE x > 9 AND (y =6 OR (y > 20 AND z = 20))
? SELECT * FROM r WHERE r.a BETWEEN 2 AND 5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE r.a>2 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r JOIN u ON r.a = u.b WHERE r.a>2 AND r.a<5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r JOIN u WHERE r.a BETWEEN 2 AND 5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r JOIN u ON r.c=u.c WHERE r.a BETWEEN 2 AND 5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r JOIN u ON r.a=u.c WHERE r.a =5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r JOIN u ON r.a=u.c WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND r.a BETWEEN 2 AND 5
? SELECT * FROM r JOIN u WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND r.a BETWEEN 2 AND 5 AND r.a=u.c 
? SELECT * FROM r JOIN u WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND r.a =u.c 
? SELECT * FROM r JOIN u WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND r.a LIKE 'abc%' AND r.a=u.c 
? SELECT * FROM r JOIN u WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND r.a IN (1,2) AND r.a=u.c 
? SELECT * FROM r JOIN u WHERE r.b = 8 AND r.a BETWEEN 2 AND 5 AND r.a=u.c 
? SELECT * FROM r WHERE (r.a,r.c)>(1,2) AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE (r.a,r.c) IN (SELECT 1,2) AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE (r.a=1 OR r.a=4) AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE (r.a=1 OR r.a>4) AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE r.a IS NOT NULL AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE r.a NOTNULL AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM r WHERE 4=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4))
? SELECT * FROM u,r WHERE u.a=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND u.b=1
? SELECT * FROM u CROSS JOIN r WHERE r.a=u.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND u.b=1
? SELECT * FROM u CROSS JOIN r WHERE u.a=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND u.b=1
? SELECT * FROM u CROSS JOIN r WHERE u.b=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) AND u.b=1
? SELECT * FROM u CROSS JOIN r WHERE u.b=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) 
? SELECT * FROM u LEFT JOIN r ON u.b=r.a AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) 
? SELECT * FROM u LEFT JOIN r ON u.b=r.a AND r.c>1 WHERE (r.b = 8 OR (r.d = 1 AND r.b = 4)) 
? SELECT * FROM r WHERE r.a IS 5 AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) 
? SELECT * FROM r WHERE r.a GLOB 'abc*' AND (r.b = 8 OR (r.d = 1 AND r.b = 4)) 
? SELECT * FROM p WHERE c = 5 AND ((a IS NULL AND a = 2) OR d = 6 OR a IS NULL)
? SELECT * FROM q WHERE b = 0 OR a < 4 ORDER BY b, a DESC
? SELECT a, b FROM q WHERE (b = 7 OR a < 3) AND a >= 0
? SELECT v.a, u.b FROM v JOIN u ON v.c = u.a WHERE v.b >= 0 OR v.c = 2
? SELECT * FROM q JOIN u ON q.a = u.a WHERE q.b <= 5 AND (q.b = 5 OR q.b > 9)
===
-- An OR that is one comparison is a term beside it, which drops rows, too.
CREATE TABLE u(a INT, b INT, c TEXT UNIQUE, d)
CREATE INDEX i_u0 ON u(a DESC, b)
CREATE INDEX i_u1 ON u(b)
? SELECT a, b FROM u WHERE a >= 0 OR a >= 0 ORDER BY b DESC, a
? SELECT a, b FROM u WHERE a >= 0 OR a > 0 ORDER BY b DESC, a
? SELECT a, b FROM u WHERE a = 0 OR a > 0 ORDER BY b DESC, a
? SELECT a, b FROM u WHERE a >= 0 AND d OR a >= 0 ORDER BY b DESC, a
? SELECT a, b FROM u WHERE a >= 0 ORDER BY b DESC, a
===
-- The costs of branches are estimated index by index: that of (s) is not raised to that of (k, s).
CREATE TABLE t(k, s, c)
CREATE INDEX t1 ON t(k)
CREATE INDEX t2 ON t(s)
CREATE INDEX t3 ON t(k, s)
? SELECT c FROM t WHERE (k = 1 OR s = 'y') AND k IN (1, 2, 3)
? SELECT c FROM t WHERE (k = 1 OR s = 'y') AND k = 3
===
-- A condition with a query is not given to the branches.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL)
CREATE TABLE o(x INT, y TEXT)
CREATE INDEX b0 ON b(k, s)
CREATE INDEX b1 ON b(s, n DESC)
? SELECT * FROM b WHERE (k = 1 OR s = 'y') AND k IN (SELECT x FROM o)
? SELECT * FROM b WHERE (k = 1 OR s = 'y') AND k IN (3, 4, (SELECT max(x) FROM o))
? SELECT * FROM b WHERE (k = 1 OR s = 'y') AND k IN (SELECT k FROM b)
? SELECT * FROM (SELECT k, n FROM b WHERE k = 1 OR s = 'y') AS c WHERE k IN (SELECT x FROM o)
? SELECT * FROM b WHERE (s = 'x' OR id = 5) AND n > (SELECT x FROM o)
? SELECT * FROM b WHERE (s = 'x' OR id = 5) AND n IN (7, 8, (SELECT 4))
? SELECT * FROM b WHERE (s = 'x' OR id = 5) AND n BETWEEN 4 AND (SELECT 4)
? SELECT * FROM b WHERE (s = 'x' OR id = 5) AND n IN (7, 8)
===
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (0, 0, 'x', 1, '2024-01-03')
INSERT INTO w VALUES (1, 1, 'X', 1, '2024-03-03')
INSERT INTO w VALUES (2, 1, 'x', 2.5, '2024-01-02')
INSERT INTO w VALUES (3, 0, 'x', 2.5, '2024-03-03')
INSERT INTO w VALUES (4, 1, 'z', -3, '2024-03-01')
INSERT INTO w VALUES (5, 1, 'yy', -3, '2024-02-03')
INSERT INTO w VALUES (6, 1, 'z', NULL, '2024-02-02')
CREATE INDEX i_w0 ON w(n)
CREATE INDEX i_w1 ON w(s, n DESC)
PRAGMA analysis_limit = 17
ANALYZE
? SELECT x.id, x.n > 1, y.k FROM w AS x FULL JOIN w AS y WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
? SELECT x.id, y.id, x.n > 1, y.k FROM w AS x LEFT JOIN w AS y ON x.id = y.id WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
? SELECT x.id, y.id, x.n > 1, y.k FROM w AS x LEFT JOIN w AS y ON x.k = y.id WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
===
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
INSERT INTO w VALUES (0, 0, 'x', 1, '2024-01-03')
INSERT INTO w VALUES (1, 1, 'X', 1, '2024-03-03')
INSERT INTO w VALUES (2, 1, 'x', 2.5, '2024-01-02')
INSERT INTO w VALUES (3, 0, 'x', 2.5, '2024-03-03')
INSERT INTO w VALUES (4, 1, 'z', -3, '2024-03-01')
INSERT INTO w VALUES (5, 1, 'yy', -3, '2024-02-03')
INSERT INTO w VALUES (6, 1, 'z', NULL, '2024-02-02')
CREATE INDEX i_w0 ON w(n)
CREATE INDEX i_w1 ON w(s, n DESC)
ANALYZE
? SELECT x.id, x.n > 1, y.k FROM w AS x FULL JOIN w AS y WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
? SELECT x.id, y.id, x.n > 1, y.k FROM w AS x LEFT JOIN w AS y ON x.id = y.id WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
? SELECT x.id, y.id, x.n > 1, y.k FROM w AS x LEFT JOIN w AS y ON x.k = y.id WHERE x.k = 1 OR x.s = 'y' ORDER BY y.k LIMIT 4
