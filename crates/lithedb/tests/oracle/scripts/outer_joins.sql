-- What an index holds of an expression says nothing about a row of NULLs.
CREATE TABLE t1(a, b, c, d, PRIMARY KEY(a, b)) WITHOUT ROWID
CREATE TABLE t2(i, j)
INSERT INTO t2 VALUES (10, 20)
CREATE INDEX i1 ON t1((d IS NULL), d)
SELECT (d IS NULL) FROM t1 RIGHT JOIN t2 ON j = 33
SELECT (d IS NULL) FROM t2 LEFT JOIN t1 ON j = 33
CREATE TABLE t3(d)
CREATE INDEX i3 ON t3(coalesce(d, 7))
SELECT coalesce(d, 7) FROM t2 LEFT JOIN t3 ON j = 33
SELECT coalesce(d, 7) FROM t3 RIGHT JOIN t2 ON j = 33
SELECT coalesce(d, 7) FROM t3 JOIN t3 AS u ON 1 FULL JOIN t2 ON j = 33
SELECT coalesce(t3.d, 7) FROM t3 JOIN t3 AS u ON u.d = t3.d FULL JOIN t2 ON j = 33 WHERE coalesce(t3.d, 7) = 7
-- A condition that NULLs do not meet makes outer joins inner ones, and moves into the parts of a compound.
CREATE TABLE u1(id TEXT, b INT)
CREATE TABLE u2(id TEXT)
INSERT INTO u1 VALUES (40, 3), (20, 'c')
INSERT INTO u2 VALUES (11), (21), (8)
SELECT v FROM (SELECT id AS v FROM u2 UNION ALL SELECT b FROM u1) AS x FULL JOIN u1 ON x.v = 1 WHERE x.v > 7
SELECT v FROM (SELECT id AS v FROM u2 UNION ALL SELECT b FROM u1) AS x RIGHT JOIN u1 ON 1 WHERE x.v > 7
SELECT v FROM u1 FULL JOIN (SELECT id AS v FROM u2 UNION ALL SELECT b FROM u1) AS x ON x.v = 1 WHERE x.v > 7
SELECT * FROM u1 FULL JOIN u2 ON u1.id = u2.id WHERE u1.b > 0
SELECT * FROM u1 FULL JOIN u2 ON u1.id = u2.id WHERE u2.id > 0
SELECT * FROM u1 FULL JOIN u2 ON u1.id = u2.id WHERE u1.b > 0 AND u2.id > 0
SELECT * FROM u1 LEFT JOIN u2 ON u1.id = u2.id FULL JOIN t2 ON i = u1.b WHERE u2.id > 0
SELECT * FROM u1 LEFT JOIN u2 ON u1.b < u2.id RIGHT JOIN t2 ON i > u1.b JOIN u2 AS y ON y.id = u2.id
-- Names inside of joins in parentheses.
CREATE TABLE a1(a INT, b INT)
CREATE TABLE a2(a INT, b INT)
CREATE TABLE a3(a INT, b INT)
CREATE TABLE a4(a INT, b INT)
INSERT INTO a1 VALUES (1,1), (2,2)
INSERT INTO a2 VALUES (2,2), (3,3)
INSERT INTO a3 VALUES (3,3), (2,2), (1,1)
INSERT INTO a4 VALUES (2,2), (9,9)
SELECT a, a1.a, a2.a FROM a1 JOIN (a2 JOIN a3 USING(a)) USING(a)
SELECT a, a3.a, a4.b FROM a1 JOIN (a2 JOIN (a3 JOIN a4 USING(a)) USING(a)) USING(a)
SELECT a3.a FROM a1 LEFT JOIN (a2 LEFT JOIN (a3 LEFT JOIN a4 ON a3.a = a4.a) ON a2.a = a3.a) ON a1.a = a2.a
SELECT a3.a, a4.* FROM a1 LEFT JOIN (a2 LEFT JOIN (a3, a4) ON a2.a = a3.a) ON a1.a = a2.a
SELECT a1.a, a2.a, a3.a FROM (((a1 JOIN a2 ON a1.a = a2.a) LEFT JOIN a3 ON a3.a = a2.a) LEFT JOIN a4 ON a4.a = a1.a)
SELECT * FROM (((a1 JOIN a2 ON a1.a = a2.a) LEFT JOIN a3 ON a3.a = a2.a) LEFT JOIN a4 ON a4.a = a1.a)
SELECT main.a1.a FROM a1 NATURAL JOIN a1
SELECT * FROM a1 NATURAL JOIN a1
SELECT * FROM a1 JOIN a1 USING(a)
SELECT a1.a FROM a1, a1
-- The FROM of an UPDATE is a join of its own; the last row counts.
CREATE TABLE k(a INTEGER PRIMARY KEY, b, c)
INSERT INTO k VALUES (1,0,0), (2,0,0), (3,0,0)
CREATE TABLE m1(x, y)
INSERT INTO m1 VALUES (1,10), (1,11), (2,20), (3,30), (1,12)
CREATE TABLE m2(u, v)
INSERT INTO m2 VALUES (1,'p'), (2,'q'), (1,'r'), (4,'s')
UPDATE k SET b = y, c = v FROM m1 RIGHT JOIN m2 ON x = u WHERE a = x
SELECT * FROM k
UPDATE k SET b = y, c = v FROM m1 FULL JOIN m2 ON x = u AND v = 'p' WHERE a = coalesce(x, u) RETURNING *
UPDATE k SET b = y FROM m1 WHERE a = x
SELECT * FROM k
UPDATE k SET b = 1 FROM m1 JOIN m2 ON m1.x = m2.u AND k.a = 1 WHERE a = x
UPDATE k SET b = 1 FROM k
UPDATE k SET b = 1 FROM m1, main.k
UPDATE k AS g SET b = 1 FROM k AS g
UPDATE k AS g SET b = 7 FROM k WHERE k.a = g.a
UPDATE k AS g SET b = 8 FROM m1 AS g
SELECT * FROM k
SELECT x.a FROM a1, (a2 AS x)
SELECT a2.a FROM a1, (a2 AS x)
SELECT y.rowid FROM a1 LEFT JOIN (a2 AS x) AS y ON y.a = a1.a
SELECT a2.rowid FROM a1 LEFT JOIN ((a2)) ON a2.a = a1.a
SELECT x.a FROM (a1 AS x)
SELECT q.a FROM a1, ((SELECT 5 AS a) AS q)
SELECT * FROM a1 LEFT JOIN a2 ON a2.a <> 0 NATURAL RIGHT JOIN a3
SELECT * FROM a1 RIGHT JOIN a2 ON a2.a <> 0 NATURAL LEFT JOIN a3
SELECT * FROM a1 LEFT JOIN a2 ON a2.a <> 0 NATURAL LEFT JOIN a3
SELECT * FROM a1 JOIN a2 ON a2.a <> 0 NATURAL JOIN a3 RIGHT JOIN a4 ON 1
SELECT * FROM a1 JOIN a2 USING(a) JOIN a3 USING(a) FULL JOIN a4 USING(a)
-- Rows of a RIGHT JOIN without a partner join what stands behind, whatever WHERE says of them.
CREATE TABLE rj1(a, b);
CREATE TABLE rj3(a, b, c UNIQUE);
INSERT INTO rj3 VALUES (100.25, 4, 9), (1000, 7, NULL);
SELECT * FROM rj1 AS s0 RIGHT JOIN rj3 AS s1 ON s1.c = s0.a RIGHT JOIN rj3 AS s2 ON s2.c = s1.c WHERE s1.a IS NULL;
SELECT * FROM rj1 AS s0 RIGHT JOIN rj3 AS s1 ON s1.c = s0.a FULL JOIN rj3 AS s2 ON s2.c = s1.c WHERE s1.a > 500;
