create table t(a,b,c); create index i on t(a,b); create table u(x integer primary key, y, z);
? select a,b,count(*) from t group by a,b order by a
? select a,b,count(*) from t group by a,b order by a desc
? select a,b,count(*) from t group by a,b order by a,b
? select a,b,count(*) from t group by a,b order by b,a
? select a,b,count(*) from t group by b,a order by b,a
? select a,b,count(*) from t group by b,a order by a,b
? select a,b,count(*) from t group by a,b order by a desc,b desc
? select a,b,count(*) from t group by a,b order by a desc,b
? select a,b,count(*) from t group by a,b,c order by a,b,c
? select a,b,count(*) from t group by a,b order by a,b,count(*)
? select a,count(*) from t group by a order by a,count(*)
? select c,count(*) from t group by c order by c desc
? select c,b,count(*) from t group by c,b order by b,c
? select c,b,count(*) from t group by c,b order by c desc
? select distinct a,b from t order by a desc
? select distinct a,b from t order by b,a
? select distinct c,b from t order by b,c
? select distinct c,b from t order by b
? select distinct a from t where b=1
? select distinct b from t where a=1
? select distinct c from t order by a
? select sum(c) from t group by a+1
? select max(a),min(b) from t
? select max(b) from t where a=3
? select min(c) from t
? select max(x) from u
? select min(x) from u where y=3
? select max(x) from u where x<10
? select a from t group by a having count(*)>1
? select a from t where b=1 group by a
? select 1 from t order by a nulls last
? select 1 from t order by a desc nulls first
? select b from t where a=1 order by b nulls last
? select b from t where a=1 order by b desc nulls last
? select b from t order by a, b nulls last
? select x from u order by x nulls last
===
-- DISTINCT in the only aggregate
create table t(id INTEGER PRIMARY KEY,a,b,c)
create index x on t(a)
create index y on t(b,c)
create table u(id INTEGER PRIMARY KEY, a, n)
? SELECT count(DISTINCT a) FROM t
? SELECT count(DISTINCT a) FROM t WHERE c<>1
? SELECT group_concat(DISTINCT a) FROM t
? SELECT group_concat(DISTINCT a) FROM t WHERE c<>9
? SELECT count(DISTINCT a), max(c) FROM t
? SELECT count(DISTINCT a), count(DISTINCT a) FROM t
? SELECT count(DISTINCT a), count(DISTINCT b) FROM t
? SELECT count(DISTINCT a+1) FROM t
? SELECT group_concat(DISTINCT a) FILTER (WHERE b=2) FROM t
? SELECT group_concat(DISTINCT a ORDER BY b) FROM t
? SELECT count(DISTINCT c) FROM t
? SELECT count(DISTINCT b) FROM t WHERE b>1
? SELECT count(DISTINCT a) FROM t WHERE b=1
? SELECT count(DISTINCT c) FROM t WHERE b=1
? SELECT count(DISTINCT a) FROM t GROUP BY b
? SELECT count(DISTINCT t.a) FROM t JOIN u ON t.id=u.a
? SELECT group_concat(DISTINCT t.a) FROM u JOIN t ON t.id=u.a
? SELECT group_concat(DISTINCT t.a) FROM u JOIN t ON t.id=u.a WHERE u.n
? SELECT count(DISTINCT id) FROM t
? SELECT count(DISTINCT a) + 1 FROM t
? SELECT count(DISTINCT a) FROM t HAVING count(*) > 1
? SELECT sum(DISTINCT a) FROM t ORDER BY 1
? SELECT count(DISTINCT a) FROM t NOT INDEXED
? SELECT count(DISTINCT a COLLATE NOCASE) FROM t
? SELECT min(DISTINCT a) FROM t
? SELECT max(DISTINCT a) FROM t WHERE c
? SELECT group_concat(DISTINCT b) FROM t WHERE a=1
? SELECT group_concat(DISTINCT b) FROM t WHERE a>1 LIMIT 3
? SELECT b, group_concat(DISTINCT a) FROM t
? SELECT group_concat(DISTINCT a), b FROM t WHERE c<>9
? SELECT (SELECT count(DISTINCT a) + (SELECT u.n) FROM t) FROM u
===
-- DISTINCT in the only aggregate of groups
CREATE TABLE t1(a, b, c)
CREATE INDEX t1a ON t1(a)
CREATE INDEX t1bc ON t1(b, c)
CREATE TABLE t2(d, e, f)
CREATE INDEX t2def ON t2(d,e,f)
? SELECT count(DISTINCT a) FROM t1
? SELECT count(DISTINCT b) FROM t1
? SELECT count(DISTINCT f) FROM t2 GROUP BY d, e
? SELECT count(DISTINCT f) FROM t2 GROUP BY d
? SELECT count(DISTINCT e) FROM t2 GROUP BY d
? SELECT d,count(DISTINCT e),sum(f) FROM t2 GROUP BY d
? SELECT count(DISTINCT f) FROM t2 WHERE d IS 1 GROUP BY e
? SELECT count(DISTINCT e+0) FROM t2 GROUP BY d
? SELECT count(DISTINCT d) FROM t2 GROUP BY d
? SELECT group_concat(DISTINCT e) FROM t2 GROUP BY d ORDER BY d DESC
? SELECT count(DISTINCT a) FROM t1 GROUP BY b
? SELECT count(DISTINCT e) FROM t2 GROUP BY f ORDER BY count(DISTINCT e)
? SELECT d, count(DISTINCT e) FROM t2 GROUP BY d HAVING count(DISTINCT e) > 1
? SELECT d, group_concat(DISTINCT e) FILTER (WHERE f <> 'a') FROM t2 GROUP BY d
? SELECT count(DISTINCT t2.e) FROM t2 LEFT JOIN t1 ON t1.a = t2.e GROUP BY d
? SELECT d, e, sum(DISTINCT e) FROM t2 GROUP BY d, e
create table one(k integer primary key, v, s unique, z, unique(v, z))
? select distinct z from one where k=1 order by z
? select distinct z from one where s=1 order by z desc
? select distinct k from one where k=1 order by k
? select distinct z, k from one where k=1 order by z
? select distinct z from one where k=1 order by z+1
? select distinct z from one, u where k=1 and x=2 order by z
? select z from one where k=1 group by z order by z desc
? select z from one where s=1 group by z order by z
? select k from one where k=1 group by k order by k
? select k,count(*) from one where v=1 and z=2 group by k order by k
? select z from one where k=1 group by z
? select z from one where k=1 order by z
? select distinct random() r order by r
? select (select distinct z from one where k=t.a order by z) from t
===
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)
CREATE TABLE u(a, b, c)
CREATE TABLE w(a INTEGER PRIMARY KEY, b, c)
CREATE INDEX wb ON w(b)
CREATE INDEX wc ON w(c)
? SELECT x.a, y.b FROM t AS x JOIN u AS y ON x.b = y.a ORDER BY x.a, y.b
? SELECT x.a, y.b FROM t AS x JOIN u AS y ON x.b = y.a ORDER BY x.a, y.a
? SELECT x.a, y.b FROM t AS x JOIN u AS y ON x.b = y.a ORDER BY x.a
? SELECT x.a, y.b FROM t AS x LEFT JOIN u AS y ON x.b = y.a ORDER BY x.a, y.a
? SELECT x.a, y.b FROM t AS x JOIN w AS y ON y.b = x.b OR y.c = x.c ORDER BY x.a, y.a
? SELECT x.a, y.b FROM t AS x JOIN w AS y ON (y.b = x.b OR y.c = x.c) AND y.a + 0 = 3 ORDER BY x.a, y.b
? SELECT DISTINCT x.a, y.a FROM t AS x JOIN u AS y ON x.b = y.a
? SELECT x.a, y.a, count(*) FROM t AS x JOIN u AS y ON x.b = y.a GROUP BY x.a, y.a
? SELECT y.a FROM w AS y WHERE (y.b = 1 OR y.c = 2) AND y.b COLLATE nocase = 7 ORDER BY y.b COLLATE nocase
