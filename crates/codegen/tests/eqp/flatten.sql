create table t1(a,b); create table t2(a,b); create table t3(a,b); create table t4(a,b);
? SELECT 'a' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x
? SELECT 'b' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x JOIN t3
? SELECT 'c' FROM t3 JOIN (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x
? SELECT 'd' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x LEFT JOIN t3 ON t3.b=1
? SELECT 'f' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x RIGHT JOIN t3 ON t3.b=1
? SELECT 'g' FROM (SELECT * FROM t1) x RIGHT JOIN t3 ON t3.b=x.b
? SELECT 'g2' FROM (SELECT * FROM t1 WHERE a>5) x RIGHT JOIN t3 ON t3.b=x.b
? SELECT 'g3' FROM (SELECT a+1 AS a, b FROM t1) x RIGHT JOIN t3 ON t3.b=x.b
? SELECT 'h' FROM (SELECT t1.a, t2.b FROM t1 JOIN t2) x RIGHT JOIN t3 ON t3.b=x.b
? SELECT 'i' FROM t3 RIGHT JOIN (SELECT * FROM t1) x ON t3.b=x.b
? SELECT 'i3' FROM t3 RIGHT JOIN (SELECT a+1 AS a,b FROM t1) x ON t3.b=x.b
? SELECT 'j' FROM t3 RIGHT JOIN (SELECT t1.a,t2.b FROM t1 JOIN t2) x ON t3.b=x.b
? SELECT 'k' FROM t3 FULL JOIN (SELECT * FROM t1) x ON t3.b=x.b
? SELECT 'k2' FROM (SELECT * FROM t1) x FULL JOIN t3 ON t3.b=x.b
? SELECT 'k3' FROM (SELECT * FROM t1) x JOIN t4 FULL JOIN t3 ON t3.b=x.b
? SELECT 'k4' FROM t4 JOIN (SELECT * FROM t1) x FULL JOIN t3 ON t3.b=x.b
? SELECT 'k5' FROM t4 RIGHT JOIN t3 ON t3.b=t4.b JOIN (SELECT * FROM t1) x
? SELECT 'k6' FROM t4 RIGHT JOIN t3 ON t3.b=t4.b JOIN (SELECT * FROM t1 WHERE a>5) x
? SELECT 'k7' FROM t4 RIGHT JOIN t3 ON t3.b=t4.b LEFT JOIN (SELECT * FROM t1) x ON x.a=t4.a
? SELECT 'l' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a WHERE t1.b=5) x
? SELECT 'l2' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a WHERE t1.b=5) x JOIN t3
? SELECT 'l3' FROM t3 JOIN (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a WHERE t1.b=5) x
? SELECT 'l4' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a WHERE t1.b=5) x LEFT JOIN t3 ON t3.a=x.a
? SELECT 'l5' FROM t3 LEFT JOIN (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a WHERE t1.b=5) x ON t3.a=x.a
? SELECT 'm' FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x WHERE x.a>5
? SELECT 'm2' FROM (SELECT t1.a,t2.b FROM t1 FULL JOIN t2 ON t1.a=t2.a) x JOIN t3 WHERE x.a>5
? SELECT 'n', * FROM (SELECT t1.a,t2.b FROM t1 LEFT JOIN t2 ON t1.a=t2.a) x RIGHT JOIN t3 ON t3.a=x.a
? SELECT 'o' FROM (SELECT t1.a,t2.b FROM t1 FULL JOIN t2 ON t1.a=t2.a WHERE t1.a+t2.a) x FULL JOIN t3 ON t3.a=x.a WHERE x.b%3
? SELECT 'p' FROM (SELECT t1.a FROM t1) x RIGHT JOIN t3 ON t3.a=x.a WHERE x.a%3
? SELECT count(*) FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x
? SELECT a FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a) x ORDER BY b LIMIT 5
? SELECT a FROM (SELECT t1.a,t2.b FROM t1 RIGHT JOIN t2 ON t1.a=t2.a LIMIT 5) x ORDER BY b
? SELECT x.a FROM t3 RIGHT JOIN (SELECT a,b FROM t1 UNION ALL SELECT * FROM t4) x ON x.a=t3.a
? SELECT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT 5 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.b FROM t3 LEFT JOIN (SELECT 5 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.b FROM t3 LEFT JOIN (SELECT 5 AS c, b FROM t1 WHERE a=9) x ON x.b=t3.b
? SELECT x.b FROM t3 LEFT JOIN (SELECT t1.b FROM t1 JOIN t2) x ON x.b=t3.b
? SELECT x.b FROM t3 LEFT JOIN (SELECT t1.b FROM t1 LEFT JOIN t2) x ON x.b=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT rowid AS c, b FROM t1) x ON x.c=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT a AS c, b FROM t1 ORDER BY a) x ON x.c=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT a AS c, b FROM t1 LIMIT 3) x ON x.c=t3.b
? SELECT count(x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.c, count(*) FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b GROUP BY x.c
? SELECT DISTINCT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b ORDER BY x.c
? SELECT x.c FROM t4 LEFT JOIN t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b ORDER BY x.c
? SELECT x.c FROM t4, (t3 LEFT JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b)
? SELECT x.c FROM t4 JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2) x ON x.b=t4.b
? SELECT x.c FROM (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2) x JOIN t4 ON x.b=t4.b
? SELECT x.c FROM (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2) x LEFT JOIN t4 ON x.b=t4.b
? SELECT x.c FROM t3 CROSS JOIN (SELECT a+1 AS c, b FROM t1) x ON x.b=t3.b
? SELECT x.c FROM t3 JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 CROSS JOIN t2) x ON x.b=t3.b
? SELECT x.c FROM t3 CROSS JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 JOIN t2) x ON x.b=t3.b
? SELECT x.c FROM t3 NATURAL JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 JOIN t2) x
? SELECT x.c FROM t3, (SELECT DISTINCT a AS c FROM t1) x, (SELECT a+1 AS c, b FROM t1) y
? SELECT DISTINCT x.a FROM t3 LEFT JOIN (SELECT * FROM t1) x ON x.b=t3.b
? SELECT DISTINCT x.a FROM (SELECT * FROM t1) x RIGHT JOIN t3 ON x.b=t3.b
? SELECT x.a FROM t3 LEFT JOIN (SELECT a FROM (SELECT DISTINCT a FROM t1)) x ON x.a=t3.b
? SELECT x.c, (SELECT max(t2.a) FROM t2 WHERE t2.b=x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b
? SELECT x.c, (SELECT max(t2.a) FROM t2) FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b WHERE x.c>5
? SELECT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b WHERE x.c IS NULL
? SELECT x.c FROM t3 LEFT JOIN (SELECT coalesce(a,1) AS c,b FROM t1) x ON x.b=t3.b WHERE x.c>5
? SELECT x.c FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1 UNION ALL SELECT a,b FROM t2) x ON x.b=t3.b WHERE x.c>5
? SELECT y.c FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b LEFT JOIN (SELECT a+1 AS c,b FROM t2) y ON y.b=x.b
? SELECT y.c FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b JOIN t2 y2, (SELECT a+1 AS c,b FROM t2) y ON y.b=x.b
? SELECT count(*) FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b
? SELECT max(x.c) FROM t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b
? SELECT x.c FROM t3 LEFT JOIN (SELECT rowid AS c,b FROM t1) x ON x.b=t3.b ORDER BY c+1
? SELECT x.c FROM t3 FULL JOIN t2 USING(a) LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b ORDER BY c+1
? SELECT x.c FROM t3 RIGHT JOIN t2 USING(a) LEFT JOIN (SELECT t1.a+1 AS c,t1.b FROM t1 JOIN t4) x ON x.b=t3.b ORDER BY c+1
? SELECT x.c FROM (t3 LEFT JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b) RIGHT JOIN t2 ON t2.a=x.b
? SELECT x.c FROM t3 JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b RIGHT JOIN t2 ON t2.a=x.b
? SELECT x.c FROM t2 JOIN (t3 JOIN (SELECT a+1 AS c,b FROM t1) x ON x.b=t3.b) ON t2.a=x.b
? SELECT row_number() OVER (ORDER BY x.a) FROM (SELECT * FROM t1 ORDER BY b) x
? SELECT x.c FROM t4 JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t4.b
? SELECT x.c FROM t4 JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t4.b LEFT JOIN t3 ON t3.a=x.c
? SELECT x.c FROM t4 JOIN (SELECT t1.a+1 AS c, t2.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t4.b LEFT JOIN t3 ON t3.a=x.c
? SELECT x.c FROM t4 LEFT JOIN t3 ON t4.a=t3.a JOIN (SELECT t1.a+1 AS c, t2.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t3.b
? SELECT x.c FROM t4 LEFT JOIN t3 ON t4.a=t3.a, (SELECT t1.a+1 AS c, t2.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x WHERE x.b=t3.b
? SELECT x.c FROM t4 CROSS JOIN (SELECT t1.a+1 AS c, t2.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t4.b
? SELECT x.c FROM t4 NATURAL JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x
? SELECT x.c FROM t4 JOIN (SELECT t1.a+1 AS c, t1.b FROM t1 LEFT JOIN t2 ON t2.a=t1.a) x ON x.b=t4.b RIGHT JOIN t3
===
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c INT, d UNIQUE)
? SELECT * FROM (SELECT DISTINCT c, EXISTS (SELECT '' FROM t AS u WHERE u.d = u.c) AS e FROM t) AS q WHERE q.e
? SELECT * FROM (SELECT c, EXISTS (SELECT '' FROM t AS u WHERE u.d = t.c) AS e FROM t) AS q WHERE q.e
? SELECT * FROM (SELECT c, EXISTS (SELECT '' FROM t AS u WHERE u.d = t.c) AS e FROM t ORDER BY 2) AS q
? SELECT c FROM (SELECT c, b FROM t) AS q WHERE EXISTS (SELECT '' FROM t AS u WHERE u.d = q.c)
