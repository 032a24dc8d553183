-- A table that stands outside and inside of a join in parentheses makes * ambiguous.
CREATE TABLE t4(a, b);
CREATE TABLE t5(a, c);
CREATE TABLE t6(a, d);
INSERT INTO t4 VALUES (1, 2);
INSERT INTO t5 VALUES (1, 3);
SELECT * FROM t5 JOIN (t4 JOIN t5);
SELECT * FROM (t4 JOIN t5) JOIN t5;
SELECT * FROM t5 AS x JOIN (t4 JOIN t5);
SELECT * FROM t5 JOIN (t4 JOIN t5 AS x);
SELECT * FROM t5 JOIN (t4 JOIN t5 USING (a));
SELECT * FROM t5 JOIN (t4 JOIN t5) USING (a);
SELECT * FROM t5 NATURAL JOIN (t4 JOIN t5);
SELECT t5.* FROM t5 JOIN (t4 JOIN t5);
SELECT t4.* FROM t5 JOIN (t4 JOIN t5);
SELECT * FROM t5 JOIN (t5 JOIN t4);
SELECT * FROM (t4 JOIN t5) JOIN (t6 JOIN t5);
SELECT * FROM t6 JOIN (SELECT * FROM t5) AS t5 JOIN (t4 JOIN t5);
SELECT * FROM t5 JOIN (t4 JOIN (SELECT * FROM t5) AS t5);
SELECT * FROM t4 JOIN (t5 JOIN t4) USING (a, b);
SELECT * FROM t5 JOIN ((t5 JOIN t6) JOIN t4);
SELECT * FROM t5 JOIN ((t4 JOIN (t5 JOIN t6)) AS t7)
CREATE TABLE merged(a, c, d)
CREATE TABLE z(a)
SELECT * FROM z NATURAL JOIN merged, main.merged
SELECT * FROM z JOIN merged USING(a), main.merged
SELECT * FROM z JOIN merged, main.merged
SELECT merged.* FROM z NATURAL JOIN merged, main.merged
CREATE TABLE twin_a(a, w)
CREATE TABLE twin_b(a, b)
CREATE TABLE twin_c(a, e)
SELECT * FROM twin_a AS x NATURAL JOIN twin_b AS y LEFT JOIN twin_c AS y
SELECT * FROM (SELECT 1 AS a) AS x NATURAL JOIN twin_b AS y LEFT JOIN twin_c AS y WHERE y.a
SELECT * FROM twin_a AS x NATURAL JOIN twin_b AS y LEFT JOIN twin_c AS y USING (a)
SELECT * FROM twin_b AS y LEFT JOIN twin_a AS x USING (a) NATURAL JOIN twin_c AS y
SELECT x.*, y.* FROM twin_a AS x JOIN twin_b AS y LEFT JOIN twin_c AS y
SELECT y.* FROM twin_a AS x NATURAL JOIN twin_b AS y LEFT JOIN twin_c AS y
