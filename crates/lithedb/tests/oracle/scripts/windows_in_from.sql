-- Queries with windows in FROM, of which not all columns are used, over an index.
CREATE TABLE t1 ( a , b , c UNIQUE, d)
CREATE TABLE t2 ( a)
INSERT INTO t1 VALUES(1,2,3,4),(5,6,7,8)
SELECT 1 FROM t2 JOIN (SELECT first_value(1) OVER (PARTITION BY y.c) x0, nth_value(y.b, 2) OVER (ORDER BY x.a) x1, lead(0) OVER (PARTITION BY 0 ORDER BY 1) x2 FROM t1 x JOIN t1 y ON y.d) q ON q.x0
SELECT 1 FROM t2 JOIN (SELECT first_value(1) OVER (PARTITION BY y.c) x0, nth_value(y.b, 2) OVER (ORDER BY x.a) x1 FROM t1 x JOIN t1 y ON y.d) q ON q.x0
SELECT 1 FROM t2 JOIN (SELECT first_value(1) OVER (PARTITION BY y.c) x0, nth_value(y.b, 2) OVER (ORDER BY x.a) x1, sum(y.d) OVER (ORDER BY x.c) x2 FROM t1 x JOIN t1 y ON y.d) q ON q.x0
SELECT 1 FROM t2 JOIN (SELECT first_value(1) OVER (PARTITION BY y.c) x0, nth_value(y.b, 2) OVER (ORDER BY y.a) x1, lead(0) OVER (PARTITION BY 0 ORDER BY 1) x2 FROM  t1 y) q ON q.x0
SELECT x0 FROM (SELECT first_value(1) OVER (PARTITION BY y.c) x0, nth_value(y.b, 2) OVER (ORDER BY y.a) x1, lead(0) OVER (PARTITION BY y.d ORDER BY 1) x2 FROM  t1 y LIMIT 100) q
SELECT 1 FROM t2 JOIN ( SELECT first_value ( 'a%' ) OVER ( PARTITION BY q8_0.c ) x0 , nth_value (q8_0.b, 2 ) OVER ( ORDER BY q8.a ) , lead ( false ) OVER ( PARTITION BY false ORDER BY 1 GROUPS 1 PRECEDING ) FROM t1 q8 JOIN t1 q8_0 ON q8_0.d ORDER BY q8.a ) q7_0 ON q7_0.x0
SELECT x0 FROM ( SELECT first_value ( 'a%' ) OVER ( PARTITION BY c ) x0 , nth_value (b, 2 ) OVER ( ORDER BY a ) , lead ( false ) OVER ( PARTITION BY false ORDER BY 1 GROUPS 1 PRECEDING ) FROM t1 ORDER BY d limit 3) q7_0
