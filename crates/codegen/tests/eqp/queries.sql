create table t(a,b,c); create index i on t(a); create table u(x integer primary key, y, z); create index uy on u(y,z);
create index ie on t(b+1, c); create index ip on t(c) where a is not null; create table wr(k primary key, v, n) without rowid; create index wrv on wr(v);
create view v as select distinct a from t;
? select * from t as foo where a=1
? select * from (select a,count(*) as n from t group by a) where n>1
? select * from (select a,count(*) as n from t group by a) as sub where n>1
? select * from (select a from t limit 3) s1, (select x from u limit 2)
? select * from (select a from t limit 3), (select x from u limit 2)
? with c(n) as (select 1 union all select n+1 from c where n<10) select * from c
? with c(n) as materialized (select a from t) select * from c, c as d
? select 1
? select 1 where 2
? select a from t where b+1=3 and c=4
? select a from t where b+1>3
? select a from t where c=3 and a=2
? select a from t where c=3 and a>2
? select v from wr where v=1
? select n from wr where v=1
? select v from wr order by v
? select * from t where a in (1,2) order by a desc
? select max(a) from t
? select min(a) from t where b=2
? select max(x) from u
? select count(*) from t where a=1
? select * from t where not exists (select 1 from u where u.y=t.a)
? select * from t where a in (select y from u)
? select (select y from u where x=t.a) from t
? select (select max(y) from u) from t
? select a from t union select y from u
? select a from t union all select y from u
? select a from t union all select y from u order by 1
? select a from t except select y from u order by 1
? select a from t intersect select y from u
? select distinct a,b from t order by b
? select a,b from t group by a order by b
? select * from t order by a,b
? select * from t order by a,b,c
? select * from t right join u on t.a=u.x
? select * from t full join u on t.a=u.y
? select * from t left join u on t.a=u.x
? select t.a from t left join u on t.a=u.x
? select * from t where a=1 union all select * from u where x=3
? select * from t natural join u
? select * from t,u where t.a=u.y and t.b=u.z
? select * from t indexed by i where a=1
? select * from t indexed by i where b=1
? select * from t not indexed where a=1
? select * from (select distinct a from t) s join u on s.a=u.x
? select * from u join (select distinct a from t) s  on s.a=u.y
? select * from u cross join (select distinct a from t) s  on s.a=u.y
? select * from (select distinct a from t) s cross join u on s.a=u.y
? select * from (select distinct a from t) s left join u on s.a=u.y
? select * from u left join (select distinct a from t) s on s.a=u.y
? select * from u right join (select distinct a from t) s on s.a=u.y
? select * from (select distinct a from t) s right join u on s.a=u.y
? select * from (select distinct a from t) s, (select distinct b from t) s2 where s.a=s2.b
? with s as (select distinct a from t) select * from s,u where s.a=u.x
? with s as materialized (select distinct a from t) select * from s,u where s.a=u.x
? with s as (select distinct a from t) select * from s,s as s2,u where s.a=u.x
? select * from v
? with v(q) as (select 1 union all select 3 union all select 4) select * from v
? with v(q) as (select 1 union select 3 union select 4) select * from v
? with v(q) as (select a from t union select b from t) select * from v
? with v(q) as (select a from t union all select b from t) select * from v
? select * from (select a from t where b=5 limit 100000)
? select * from (select max(a) as m from t group by b) where m>5 
? select * from t where a in (select distinct b from t limit 5)
? select * from (select a, count(*) from t group by 1 limit 1) as x, u where u.x=x.a
? select a from t where a is not null
? select * from t where a is not null
? select x from u order by x desc
? select x from u where y=1 order by z
? select x from u where y=1 order by z desc
? select x from u where y>1 order by z
? select x from u where y=1 order by x
? select x from u where y=1 and z=2 order by x
? select y from u group by y
? select y,z from u group by y,z
? select y,z from u group by z,y
? select y from u group by y order by y desc
? select y,z,count(*) from u group by y,z order by y, z desc
? select distinct y,z from u
? select distinct z from u where y=1
? select distinct x from u
? select distinct y from u order by y
? select a from t order by a limit 5
? select a from t order by b limit 5
? select * from t where a=1 order by b
? select * from t,u where t.a=u.x order by t.a
? select * from t,u where t.a=u.x order by u.y
? select * from t,u where t.a=u.x order by u.x
? select * from t,u order by t.a,u.x
? select * from t,u where t.b=5 and u.y=t.c order by u.z
? select * from t a, t b, t c where a.a=b.b and b.a=c.b
? select * from t a, t b, t c where a.a=b.b and b.a=c.b and c.a=5
? select * from t a left join t b on a.a=b.b left join t c on b.a=c.b
? select * from t a left join t b on a.a=b.a where b.c is null
? select * from t a left join t b on a.a=b.a where b.c = 5
? select * from t a left join t b on a.a=b.a and b.c=5
? select * from t a cross join u on a.b=u.x
? select * from u cross join t a on a.b=u.x
? select * from t where a=5 and b in (select y from u where u.x=t.c)
? select * from t where a = (select max(y) from u)
? select * from t,u where t.a=u.y and u.y=5
? select * from t where a=5 and a=6
? select * from t where a>5 and a=6
? select * from t where a>5 and a>6 and a<10
? select * from t where 5=a
? select * from t where a between 1 and 2 or a between 5 and 6
? select * from t where +a=5
? select * from t where a=5 or (b=6 and c=7)
? select * from t where (a=5 or c=6) and b=7
? select * from t where rowid=5
? select * from t where rowid>5 order by rowid desc
? select * from t where rowid between 5 and 10
? select * from t where oid is null
? select * from u where x is 5
? select * from u where x is null
? select * from u where y is 5
? select * from u where x=5 and y=6
? select * from u where x=5 or y=6
? select * from t where a is b
? select * from t x, t y where x.a is y.b
===
create table t(a, b, c)
create index ta on t(a)
create index tba on t(b desc, a)
create table u(x, y)
create table w(p primary key, q, r) without rowid
? with k as materialized (select a, b from t) select a from k where a > 1
? select k.a from (select a, b from t limit 20) k, u
? select distinct b from t where b in (1, 10, 14)
? select * from t where 26 between b and a
? select * from t, u where x between a and b
? select a, count(*) from t group by a having a = 2 and count(*) > 1
? select a, count(*) from t group by a collate nocase having a = 2
? select w.p from u join w on w.q = u.x
? SELECT * FROM T, U AS Z WHERE A = X
? select * from t left join u on (x = a or y = b)
===
create table t(a, b, c, d, e)
create index td on t(d) where a = 1 and b = 2
? select e from t where 2 = b and a = 1 order by d desc
-- queries in expressions, and what is run before them
===
create table t(a integer primary key, b, c); create table u(x, y, z); create index uxy on u(x, y); create table w(k primary key, v) without rowid;
? select count(distinct b), sum(c order by a) from t, (select x from u limit 2)
? select sum(z) from (select z from u limit 3) where z > (select 1)
? select sum(a) filter (where b in (select y from u)) over (rows 1 preceding) from t
? select sum(a) over () from t
? select b, sum(count(*)) over () from t group by b
? select s, s from (select (select count(*) from u where u.z = t.a) as s from t) where s > 1
? select case (select 1) when (select 2) then (select 3) else (select 4) end, coalesce((select 5), (select 6)), b in (1, (select 7), 3) from t
? select * from t where (a, (select 1)) > (b, (select 2))
? select * from u where x = (select 7) and y > (select 1) and y < (select 9) order by x desc, y desc
? select * from u where x in (select a from t) and y between (select 1) and (select 2)
? with c as (select x, count(*) n from u group by x) select (select max(n) from c) from t where b in (select x from c)
? with recursive c(i) as (select 1 union all select i+1 from c where i < (select max(x) from u)) select * from c, t where t.a = c.i
? insert into t values ((select max(x) from u), 2, 3)
? insert into t(c, b) values ((select 1), (select x from u))
? insert into t(c, b) values ((select 1), 5) on conflict(a) do update set b = (select 2) where b in (select x from u)
? update t set b = (select x from u where y = t.c), c = (select 1) where a in (select x from u)
? delete from t where b = (select max(x) from u) returning (select 1), a in (select k from w)
? update t set b = 5 where c = 1 returning b in (select x from u)
===
CREATE TABLE t2(a INTEGER PRIMARY KEY, b DATE, c COLLATE NOCASE)
CREATE TABLE t3(a INTEGER PRIMARY KEY, b, c COLLATE NOCASE)
CREATE INDEX t3b ON t3(b)
? SELECT * FROM (SELECT a, c FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT a, c FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, c FROM t2 UNION ALL SELECT a, c FROM t3 ORDER BY 1) WHERE a = 5
? SELECT * FROM (SELECT a, c FROM t2 UNION ALL SELECT a, c FROM t3 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, c COLLATE BINARY FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, b COLLATE NOCASE FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT a, b COLLATE RTRIM FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5 COLLATE NOCASE
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT a, b FROM t3) WHERE a = '5' COLLATE NOCASE AND b > 1
? SELECT * FROM (SELECT a, b FROM t2 UNION SELECT b, b FROM t3) WHERE a = '5' COLLATE NOCASE AND b > 1
? SELECT * FROM (SELECT b, a FROM t2 UNION SELECT b, b FROM t3) WHERE b = 'a' COLLATE NOCASE
? SELECT * FROM (SELECT b, a FROM t2 UNION SELECT b, b FROM t3) WHERE b = 'a'
? SELECT * FROM (SELECT b, a FROM t2 UNION SELECT b, b FROM t3) WHERE b = 'a' AND abs(b COLLATE NOCASE = 3)
? SELECT * FROM (SELECT b, a FROM t2 UNION ALL SELECT b, c FROM t3 ORDER BY 1) WHERE b = 'a' COLLATE NOCASE
? SELECT * FROM (SELECT b, a FROM t2 EXCEPT SELECT b, a FROM t3) WHERE b = 'a' COLLATE NOCASE
? SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY a) FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY a) FROM t2 UNION ALL SELECT a, b FROM t3 ORDER BY 1) WHERE a = 5
? SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY a) FROM t2) WHERE a = 5
? SELECT * FROM (SELECT DISTINCT a, c FROM t2) WHERE a = 5
? SELECT * FROM (SELECT DISTINCT a, c FROM t2) WHERE c = 'a' COLLATE BINARY AND a = 5
? SELECT * FROM (SELECT DISTINCT b, c FROM t3) WHERE b = 'a' COLLATE NOCASE
? SELECT * FROM (SELECT a, 'Abc' COLLATE NOCASE FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT * FROM (SELECT a, c || '' FROM t2 UNION SELECT a, b FROM t3) WHERE a = 5
? SELECT (SELECT count(*) FROM t3 AS y WHERE y.b = x.b) FROM t2 AS x WHERE x.a = 1
? SELECT (SELECT count(*) FROM t2 AS y JOIN t2 AS z ON y.b = z.b WHERE y.c = x.b) FROM t2 AS x WHERE x.a = 1
? SELECT * FROM (SELECT a, c, b FROM t2 WHERE a = 5 LIMIT 3) AS x JOIN t3 AS y ON x.c = y.c
? SELECT * FROM (SELECT a, c, b FROM t2 WHERE a = 5 LIMIT 3) AS x JOIN t3 AS y ON x.c = y.c ORDER BY y.c
