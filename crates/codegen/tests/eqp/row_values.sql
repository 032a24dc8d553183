-- Equalities of row values are taken apart where conditions are planned, and stand behind the others there.
CREATE TABLE t(a,b,c,d)
CREATE TABLE u(a,b,c,d)
CREATE TABLE v(p INTEGER PRIMARY KEY, q TEXT COLLATE NOCASE, r)
CREATE INDEX tab ON t(a,b)
CREATE INDEX tc ON t(c)
CREATE INDEX tp ON t(d) WHERE (a,b)=(1,2)
CREATE INDEX vq ON v(q,r)
CREATE INDEX tp2 ON u(d) WHERE a=1
? SELECT * FROM t WHERE (a,b)=(1,2)
? SELECT * FROM t WHERE (1,2)=(a,b)
? SELECT * FROM t WHERE (a,b) IS (1,2)
? SELECT * FROM t WHERE likely((a,b)=(1,2))
? SELECT * FROM t WHERE likelihood((a,b)=(1,2),0.1) AND c=3
? SELECT * FROM t WHERE (a,b)=(1,2) OR c=3
? SELECT * FROM t WHERE (a,b)=(1,2) OR (a,b)=(3,4)
? SELECT * FROM t WHERE (a,b)=(1,2) OR (a,c)=(3,4)
? SELECT * FROM t WHERE (a,b) IN ((1,2),(3,4))
? SELECT * FROM t WHERE (a,b) IN ((1,2))
? SELECT * FROM t WHERE (a,b)=(1,2) AND d=5
? SELECT * FROM t WHERE a=1 AND b=2 AND d=5 AND +a
? SELECT d FROM t NOT INDEXED WHERE a=1 AND b=2 AND d=5
? SELECT * FROM u WHERE (a,b)=(1,2) AND d=5
? SELECT * FROM u WHERE (a,d)=(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,t.b)=(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (t.b,u.b)=(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (1,2)=(t.b,u.b)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (1,2)=(u.b,t.b)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,t.b)<(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,t.b)<>(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c)<>(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c)=(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c)>(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE NOT (u.b,u.c)=(1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c)=(1,2) OR u.d=1
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c) IS (1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c)=(SELECT 1,2)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c) BETWEEN (1,2) AND (2,3)
? SELECT * FROM t LEFT JOIN u ON t.a=u.a WHERE (u.b,u.c) IN ((1,2),(2,3))
? SELECT * FROM t, u WHERE (t.a,t.b)=(u.a,u.b)
? SELECT * FROM t, u WHERE (t.a,t.b)=(u.a,u.b) AND (u.a,u.c)=(1,2)
? SELECT * FROM t, v WHERE (t.a,t.b)=(v.p,v.q)
? SELECT * FROM t, v WHERE (v.p,v.q)=(t.a,t.b) ORDER BY v.p
? SELECT * FROM v WHERE (q,r)=('a',2) ORDER BY q,r,p
? SELECT * FROM v WHERE (p,r)=(1,2)
? SELECT * FROM v WHERE (p,r)=(1,2) OR (p,q)=(2,3)
? SELECT * FROM t WHERE c=1 AND (a,b)=(1,2)
? SELECT * FROM t WHERE (a,b)=(1,2) AND c=1
? SELECT * FROM t WHERE (b,a)=(1,2) AND c=1
? SELECT * FROM t WHERE (b,a)=(1,2) ORDER BY c
? SELECT * FROM (SELECT a,b,count(*) n FROM t GROUP BY a,b) WHERE (a,b)=(1,2)
? SELECT * FROM (SELECT a,b FROM t UNION SELECT a,b FROM u) WHERE (a,b)=(1,2)
? SELECT a,b FROM t GROUP BY a,b HAVING (a,b)=(1,2)
? SELECT a,b FROM t GROUP BY a,b HAVING (a,b)=(1,count(*))
? SELECT * FROM t WHERE (a,(b,c))=(1,(2,3))
? SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE (u.a,u.b)=(t.a,t.b))
? SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t x WHERE (x.a,x.b)=(t.c,t.d))
? SELECT * FROM t WHERE ((a,b)=(1,2) OR c=3) AND d=3
? SELECT * FROM t WHERE (c=3 OR d=7) AND (a,b)=(3,4)
? SELECT * FROM t JOIN u ON (t.a,t.b)=(u.a,u.b) WHERE u.c=5
? SELECT * FROM u LEFT JOIN t ON (t.a,t.b)=(u.a,u.b) WHERE u.c=5
? SELECT * FROM u LEFT JOIN t ON (t.a,t.b)=(u.a,u.b) AND (t.c,u.d)=(4,5) WHERE u.c=5
? SELECT a FROM t WHERE ((a,b) IN ((1,2),(3,4))) OR 1
? SELECT a FROM t WHERE (a,b) IN ((1,2),(3,4)) AND b=5 AND a=5
? SELECT a FROM t WHERE (c,a) IN ((1,2),(3,4)) AND a=(select 2)
? SELECT * FROM t WHERE (a,b) NOT IN ((5,4),(1,2))
? SELECT * FROM t WHERE (a,b) NOT IN (VALUES(5,4),(1,2))
? SELECT * FROM t WHERE (a,b) IN ((c,4),(1,2))
? SELECT (a,b) IN ((1,2),(3,d)) FROM t
? SELECT * FROM t WHERE (a=1) COLLATE NOCASE
? SELECT * FROM t WHERE ((a,b)=(1,2)) COLLATE NOCASE
? SELECT * FROM t WHERE (a BETWEEN 1 AND 2) COLLATE NOCASE
? SELECT * FROM t WHERE (a IN (1,2)) COLLATE NOCASE
? SELECT * FROM t WHERE (a=1 OR c=2) COLLATE NOCASE
? SELECT * FROM t WHERE (a=1 AND b=2) COLLATE NOCASE
? SELECT * FROM t WHERE likely((a=1) COLLATE NOCASE)
? SELECT * FROM t WHERE likely(a=1 AND b=2)
? SELECT * FROM t WHERE likelihood(a=1 AND b>2, 0.01) AND c=5
? SELECT * FROM t WHERE (likelihood(a=1,0.99)) COLLATE NOCASE AND c=5
? SELECT * FROM t WHERE likelihood(a=1,0.99) AND c=5
===
-- An index is chosen for the conditions that its entries have, up to the first that needs the row: an equality of row values as a whole.
CREATE TABLE b(id INT, k INT, s TEXT, n REAL, d TEXT)
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(id, d), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE INDEX i_w0 ON w(substr(d, 1, 7))
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.s, x.n) IS ('x', 2) ORDER BY x.s ASC
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.s, x.n) = ('x', 2) ORDER BY x.s ASC
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.s IS 'x' AND x.n IS 2 ORDER BY x.s ASC
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.s IS 'x' ORDER BY x.s ASC
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x JOIN b AS y ON x.id = y.id WHERE x.s IS 'x' ORDER BY x.s ASC
? SELECT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.s IS 'x' ORDER BY x.s ASC
? SELECT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.s IS 'x' AND x.n IS 2 ORDER BY x.s ASC
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.s, x.n) IS ('x', 2)
? SELECT DISTINCT x.s FROM w AS x WHERE (x.s, x.n) IS ('x', 2) ORDER BY x.s
? SELECT DISTINCT x.s, x.d FROM w AS x WHERE (x.s, x.n) IS ('x', 2) ORDER BY x.s
? SELECT x.s, x.d FROM w AS x WHERE (x.s, x.n) IS ('x', 2) ORDER BY x.s
? SELECT DISTINCT x.s, x.d FROM w AS x WHERE x.s IS 'x' ORDER BY x.s
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.k, x.id) IS (y.k, 2)
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.k + 1, x.id + 1) IS ('x', 2)
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE (x.k + 1, x.id + 1) = ('x', 2) AND x.n = 1
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.k > 5 AND (x.k + 1, x.s) = ('x', 2) AND x.n = 1
? SELECT DISTINCT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.k > 5 AND (x.k + 1, x.id) = ('x', 2) AND x.n = 1
? SELECT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.k + 1 > 5 AND (x.k + 1, x.id + 1) = ('x', 2) AND x.n = 1 ORDER BY substr(x.d, 1, 7)
? SELECT x.s, y.n > 1 FROM w AS x LEFT JOIN b AS y ON x.id = y.id WHERE x.k + 1 > 5 AND (x.k + 1, x.id + 1) = ('x', 2) AND x.n = 1 ORDER BY substr(x.d, 1, 7), x.s
===
CREATE TABLE t2(c0 INTEGER PRIMARY KEY, a9)
INSERT INTO t2(c0) VALUES (NULL), (65536)
CREATE INDEX i7 ON t2(c0)
? SELECT c0 FROM t2 INDEXED BY i7 WHERE c0 IN (SELECT c0 FROM t2)
? SELECT c0 FROM t2 INDEXED BY i7 WHERE c0 IN (1,2,3)
? SELECT c0 FROM t2 INDEXED BY i7 WHERE c0 = 1
? SELECT c0 FROM t2 INDEXED BY i7 WHERE c0 > 1
? SELECT c0 FROM t2 INDEXED BY i7 WHERE c0 > 1 AND c0 IN (1,2,65536)
? SELECT c0 FROM t2 WHERE c0 IN (1,2,3)
? SELECT c0 FROM t2 WHERE c0 IN (SELECT c0 FROM t2)
? DELETE FROM t2 WHERE c0 IN (SELECT c0 FROM t2)
? DELETE FROM t2 WHERE c0 IN (1,2)
? DELETE FROM t2 WHERE c0 = 1
DROP INDEX i7
CREATE INDEX i8 ON t2(a9)
INSERT INTO t2 VALUES(7, 7)
? SELECT c0 FROM t2 INDEXED BY i8 WHERE a9 = 7 AND c0 IN (SELECT c0 FROM t2)
? SELECT c0 FROM t2 INDEXED BY i8 WHERE a9 IN (7, 8) AND c0 IN (SELECT c0 FROM t2)
CREATE UNIQUE INDEX i9 ON t2(c0, a9)
? SELECT c0 FROM t2 INDEXED BY i9 WHERE a9 IN (7, 8) AND c0 IN (SELECT c0 FROM t2)
? SELECT c0 FROM t2 INDEXED BY i9 WHERE a9 = 7 AND c0 =7
? SELECT c0 FROM t2 WHERE a9 = 7 AND c0 =7
CREATE INDEX i10 ON t2(a9, c0, a9)
? SELECT c0 FROM t2 INDEXED BY i10 WHERE a9 IN (7,8) AND c0 IN (SELECT c0 FROM t2)
? SELECT c0 FROM t2 INDEXED BY i10 WHERE a9 = 7 AND c0 = 7
CREATE TABLE t3(a INT, b INT)
CREATE INDEX j1 ON t3(a, b)
INSERT INTO t3 VALUES(1,1),(2,2),(2,3)
? SELECT * FROM t3 WHERE a = b AND a IN (SELECT c0 FROM t2)
? SELECT * FROM t3 WHERE a = b AND a IN (1,2)
? SELECT * FROM t3 WHERE a = b AND b IN (1,2)
? SELECT * FROM t3 WHERE (a,a) IN (SELECT a9,a9 FROM t2)
? SELECT * FROM t3 WHERE (a,b) IN (SELECT a9,a9 FROM t2)
? SELECT * FROM t3 WHERE (b,b) IN (SELECT a9,a9 FROM t2) AND a = 1
===
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE TABLE b(id INT, k INT, s TEXT, n REAL, d TEXT)
CREATE INDEX bk ON b(k, s)
? SELECT * FROM w AS y WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1))
? SELECT * FROM w AS y WHERE (y.k, y.id) IN ((1, 1), (1, 0), (3, 1))
? SELECT * FROM w AS y WHERE (y.id, y.k) IN ((1, 1), (1, 0), (3, 1))
? SELECT * FROM w AS y WHERE (y.k, 1) IN ((1, 1), (1, 0), (3, 1))
? SELECT * FROM w AS y WHERE (y.k, y.k) IN (SELECT 1, 2)
? SELECT * FROM w AS y WHERE (y.k, y.k) IN (SELECT 1, 2 UNION ALL SELECT 3, 4)
? SELECT * FROM w AS y WHERE (y.k, y.id) IN (SELECT 1, 2 UNION ALL SELECT 3, 4)
? SELECT * FROM w AS y WHERE (y.k, y.id) IN (SELECT 1, 2 LIMIT 3)
? SELECT * FROM w AS y WHERE (y.k, y.id) IN (VALUES(1,2),(3,4))
? SELECT * FROM w AS y WHERE (y.id, y.id, y.k, y.n, y.s) IN b
? SELECT * FROM w AS y WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1)) ORDER BY k DESC
? SELECT * FROM b AS y WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1)) ORDER BY k DESC
? SELECT * FROM b AS y WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1))
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1))
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1)) ORDER BY x.k LIMIT 7
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1)) ORDER BY x.k
CREATE INDEX i_w0 ON w(k, s)
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1))
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN ((1, 1), (1, 0), (3, 1)) ORDER BY x.k LIMIT 7
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.id) IN ((1, 1), (1, 0), (3, 1)) ORDER BY x.k LIMIT 7
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE y.k IN (SELECT 1) ORDER BY x.k LIMIT 7
? SELECT x.id, y.id, x.k, substr(y.d, 1, 7) FROM w AS x JOIN w AS y ON x.s = y.s WHERE (y.k, y.k) IN (SELECT 1, 2) ORDER BY x.k LIMIT 7
