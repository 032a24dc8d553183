-- Queries in FROM that become part of the query around them, beside outer joins and below window functions.
CREATE TABLE t1(a INTEGER PRIMARY KEY,b,s TEXT COLLATE NOCASE)
CREATE TABLE t2(a,b)
CREATE TABLE t3(a,b)
CREATE TABLE w(k TEXT, v, PRIMARY KEY(k)) WITHOUT ROWID
INSERT INTO t1 VALUES(1,10,'Ab'),(2,20,'cd'),(3,NULL,'EF'),(4,20,NULL)
INSERT INTO t2 VALUES(1,1),(2,3),(NULL,4)
INSERT INTO t3 VALUES(1,10),(2,30),(3,NULL),(4,20)
INSERT INTO w VALUES('x',10),('y',20),('z',NULL)
SELECT t3.a, x.c, x.d, typeof(x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c, 5 AS d, b FROM t1) x ON x.b=t3.b ORDER BY 1,2
SELECT t3.a, x.c, x.d FROM t3 LEFT JOIN (SELECT coalesce(s,'none') AS c, 'k' AS d, b FROM t1) x ON x.b=t3.b ORDER BY 1,2
SELECT t3.a, x.c FROM t3 LEFT JOIN (SELECT coalesce(s,'none') AS c, b FROM t1) x ON x.b=t3.b WHERE x.c IS NULL ORDER BY 1
SELECT t3.a, x.c FROM t3 LEFT JOIN (SELECT coalesce(s,'none') AS c, b FROM t1) x ON x.b=t3.b WHERE coalesce(x.c,'q')='q' ORDER BY 1
SELECT x.d, count(*), sum(x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c, 5 AS d, b FROM t1) x ON x.b=t3.b GROUP BY x.d ORDER BY 1
SELECT count(x.d), count(*), max(x.c), group_concat(x.d) FROM t3 LEFT JOIN (SELECT a+1 AS c, 5 AS d, b FROM t1) x ON x.b=t3.b
SELECT t3.a, (SELECT count(*) FROM t2 WHERE t2.b = x.d-2), x.d FROM t3 LEFT JOIN (SELECT a+1 AS c, 5 AS d, b FROM t1) x ON x.b=t3.b ORDER BY 1
SELECT t3.a, (SELECT x.d), EXISTS(SELECT 1 WHERE x.d=5) FROM t3 LEFT JOIN (SELECT a+1 AS c, 5 AS d, b FROM t1) x ON x.b=t3.b ORDER BY 1
SELECT t3.a, x.c, y.d FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b LEFT JOIN (SELECT 7 AS d, b FROM t2) y ON y.b=x.c ORDER BY 1,2,3
SELECT t3.a, x.q FROM t3 LEFT JOIN (SELECT upper(k)||'!' AS q, v FROM w) x ON x.v=t3.b ORDER BY 1
SELECT t3.a, x.q FROM t3 LEFT JOIN (SELECT 'lit' AS q, v FROM w WHERE k>'x') x ON x.v=t3.b ORDER BY 1
SELECT x.c, x.d, t3.a FROM (SELECT a+1 AS c, 9 AS d, b FROM t1 WHERE a<>2) x RIGHT JOIN t3 ON x.b=t3.b ORDER BY 3,1
SELECT x.c, x.d, t3.a FROM (SELECT a+1 AS c, 9 AS d, b FROM t1 WHERE a<>2) x FULL JOIN t3 ON x.b=t3.b ORDER BY 3,1
SELECT x.c, x.d, t3.a FROM (SELECT a+1 AS c, 9 AS d, b FROM t1 WHERE a<>2) x FULL JOIN t3 ON x.b=t3.b WHERE x.d IS NULL ORDER BY 3,1
SELECT x.c, x.d, t3.a FROM t2 JOIN (SELECT a+1 AS c, 9 AS d, b FROM t1 WHERE a<>2) x FULL JOIN t3 ON x.b=t3.b AND t2.a=t3.a ORDER BY 3,1
SELECT x.c, x.d, t3.a FROM t2 LEFT JOIN (SELECT a+1 AS c, 9 AS d, b FROM t1 WHERE a<>2) x ON x.c=t2.b FULL JOIN t3 ON x.b=t3.b ORDER BY 3,1
SELECT y.*, t2.b FROM (SELECT t1.a, t3.b, t1.a+t3.a AS s FROM t1 RIGHT JOIN t3 ON t1.b=t3.b) y JOIN t2 ON t2.a=y.a ORDER BY 1,2,3
SELECT y.*, t2.b FROM (SELECT t1.a, t3.b, t1.a+t3.a AS s FROM t1 FULL JOIN t3 ON t1.b=t3.b) y LEFT JOIN t2 ON t2.a=y.a ORDER BY 1,2,3
SELECT y.*, t2.b FROM (SELECT t1.a, t3.b, 6 AS s FROM t1 FULL JOIN t3 ON t1.b=t3.b WHERE t1.a IS NOT 1) y LEFT JOIN t2 ON t2.a=y.a ORDER BY 1,2,3
SELECT y.*, t2.b FROM (SELECT t1.a, t3.b, 6 AS s FROM t1 FULL JOIN t3 ON t1.b=t3.b) y RIGHT JOIN t2 ON t2.a=y.a ORDER BY 1,2,3
SELECT count(*) FROM (SELECT t1.a FROM t1 FULL JOIN t3 ON t1.b=t3.b) y
SELECT y.a, count(*) FROM (SELECT t1.a FROM t1 FULL JOIN t3 ON t1.b=t3.b) y GROUP BY y.a
SELECT x.n, row_number() OVER (ORDER BY x.n) FROM (SELECT a+1 AS n FROM t1 WHERE b IS NOT NULL) x
SELECT x.n, sum(x.n) OVER (ORDER BY x.n DESC), x.m FROM (SELECT a+1 AS n, 3 AS m FROM t1 ORDER BY b) x
SELECT x.n, sum(x.n) OVER () FROM (SELECT a AS n FROM t1 ORDER BY b DESC, a LIMIT 2) x
SELECT t3.a, x.c, rank() OVER (ORDER BY x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b ORDER BY 1,2
SELECT t3.a, x.c, x.z FROM t3 JOIN (SELECT t1.a+1 AS c, t1.b, t2.b AS z FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t3.b ORDER BY 1,2
SELECT t3.a, x.c, x.z FROM t3 JOIN (SELECT t1.a+1 AS c, t1.b, t2.b AS z FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.z IS NULL ORDER BY 1,2
SELECT t3.a, x.c, x.z FROM t3 JOIN (SELECT t1.a+1 AS c, t1.b, coalesce(t2.b,77) AS z FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.z = 77 AND x.b=t3.b ORDER BY 1,2
SELECT t3.a, x.s FROM t3 LEFT JOIN (SELECT CAST(s AS TEXT) AS s, b FROM t1) x ON x.b=t3.b AND x.s = 'AB' ORDER BY 1
SELECT t3.a, x.s = 'AB', x.s < 'b' FROM t3 LEFT JOIN (SELECT s||'' AS s, b FROM t1) x ON x.b=t3.b ORDER BY 1
SELECT t3.a, x.c = '2', x.c = 2 FROM t3 LEFT JOIN (SELECT CAST(a+1 AS TEXT) AS c, b FROM t1) x ON x.b=t3.b ORDER BY 1
SELECT EXISTS(SELECT DISTINCT b FROM t1 ORDER BY json(s)), EXISTS(SELECT DISTINCT 1 FROM t1 LIMIT 1 OFFSET 2)
SELECT b FROM (SELECT b FROM t1 ORDER BY json(s)) UNION SELECT a FROM t2
DELETE FROM t3 WHERE a IN (SELECT t3.a FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b WHERE x.c IS NULL) RETURNING a
UPDATE t2 SET b = x.c FROM t1 LEFT JOIN (SELECT a+100 AS c, b FROM t3) x ON x.b=t1.b WHERE t2.a=t1.a RETURNING *
CREATE VIEW v AS SELECT a, upper(s) AS u, 1 AS one FROM t1
SELECT t2.*, v.u, v.one FROM t2 LEFT JOIN v ON v.a=t2.a
SELECT t2.*, v.u, v.one FROM t2 LEFT JOIN v ON v.a=t2.a AND v.one=1 AND v.u IS NOT NULL
SELECT json_group_array(json_array(t2.a, v.u)) FROM t2 LEFT JOIN v USING(a)
SELECT x.j, json_array(x.j) FROM t2 LEFT JOIN (SELECT a, json_array(s) AS j FROM t1) x USING(a)
