create table t(a,b,c); create index i on t(a); create table u(x integer primary key, y, z);
? select * from t right join u on t.b=u.y order by t.a
? select distinct a from t full join u on t.b=u.y
? select distinct x from t full join u on t.b=u.y
? select * from t left join u on t.b=u.x order by t.a
? select max(a) from t full join u on t.b=u.y
? select * from t left join u on t.b=u.x right join t as t2 on t2.a=u.z
? select * from t right join u on t.b=u.y left join t as t3 on t3.a=u.x
? select * from t right join u on t.b=u.y join t as t3 on t3.a=u.x
? select * from t right join u on t.b=u.y join t as t3 on t3.a=u.x join u as u4 on u4.x=5
? select * from t join u as u0 on t.a=u0.x right join u on t.b=u.y 
? select * from t join u as u0 on t.a=5 right join u on t.b=u.y 
? select * from t cross join u, t as t3, u as u3 where t3.a=5 and u3.x=6
? select * from t left join u on t.a=u.x, t as t3 where t3.a=5
===
create table t(a integer primary key, b, c, d)
create index tb on t(b desc)
create index tcb on t(c, b)
create table u(x, y)
create index ux on u(x)
create table p(a primary key, b, c)
create index pb on p(b)
create table q(d primary key, e, f)
create index qe on q(e)
? select t.b, u.x from u right join t on u.x = t.b
? select t.*, u.x from u right join t on u.x = t.a
? select t.b, u.x from u right join t on u.x = t.b where t.b > 5
? select t.b, t.c, u.x from u right join t on u.x = t.b where t.b = 5
? select t.a, u.x from u right join t on u.x = t.a where t.a in (1, 2, 3)
? select t.b, u.x from u full join t on u.x = t.b where t.b = 5 or t.b is null
? select t.b, u.x from u right join t on u.x = t.b join u as z on z.x = t.c where t.b > 5
? select t.a, v.b from t right join (select b from t limit 3) as v on t.a = v.b
? select a, d from p, q where (a = d or b = e) and a < 5
? select a, d from p, q where (a = d or d = 7)
? select a, d from p cross join q where (a = d or d = 7 or d = b)
? select a, d from p left join q on (d = a + 1 and e = b) or e = c || 'x'
===
CREATE TABLE x(a INT, b INT, c TEXT, d BLOB)
CREATE INDEX i ON x(b) WHERE c IS NOT NULL
CREATE INDEX j ON x(c)
CREATE TABLE y(a, b, c, d)
CREATE INDEX k ON y(b, c) WHERE c IS NOT NULL
CREATE TABLE z(a, b COLLATE NOCASE)
CREATE INDEX l ON z(b)
? SELECT x.b, o.a FROM x, z AS o WHERE c IS NOT NULL
? SELECT x.a, y.a FROM y AS x, y WHERE x.a = y.b
? SELECT x.a, y.a FROM y AS x CROSS JOIN y WHERE x.a = y.b
? SELECT x.a, y.a FROM y CROSS JOIN y AS x WHERE x.a = y.b
? SELECT 1 FROM y CROSS JOIN z WHERE y.a = z.b
? SELECT 1 FROM z CROSS JOIN y WHERE y.a = z.b
===
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE INDEX i_w1 ON w(k + n)
? SELECT x.d, y.s FROM b AS x RIGHT JOIN w AS y ON x.d = y.d
? SELECT x.d, y.s FROM b AS x FULL JOIN w AS y ON x.d = y.d
? SELECT x.d, y.s FROM b AS x FULL JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE 5 IS x.s
DROP INDEX i_w1
CREATE INDEX i_w2 ON w(n)
? SELECT x.d, y.s FROM b AS x RIGHT JOIN w AS y ON x.d = y.d
? SELECT x.d, y.s FROM b AS x FULL JOIN w AS y ON x.d = y.d
