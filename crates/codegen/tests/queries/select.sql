create table t(a,b,c); insert into t values(1,10,'x'),(1,5,'y'),(2,7,'z'),(1,20,'w'),(2,9,'q'),(3,null,null);
create table u(id integer primary key, a int, s text collate nocase); insert into u values(1,1,'X'),(2,2,'y'),(5,null,'Zz');
create view v as select a, b+1 as bb from t where c is not null;
? select a,b,c from t group by a
? select a,b,c,count(*) from t group by a
? select a,b,c,min(b) from t group by a
? select a,b,c,max(b) from t group by a
? select a,b,c,max(b),min(b) from t group by a
? select b,c,count(*) from t
? select b,c,max(b) from t
? select b,c,min(b), sum(b) from t
? select b,c,min(b) filter (where b > 7) from t
? select b,c,count(*) from t where 0
? select b+0 as k, c from t group by k having count(*)>0 order by c desc
? select distinct a from t order by b
? select a from t union select b from t
? select a from t union all select b from t order by 1 limit 3 offset 2
? select a from t except select b from t
? select a from t intersect select a from u
? select a, b from t union select a, id from u order by 2, 1
? select a from t union all select a from u
? select a from t union select a from u union all select 7 union all select a from u
? select a from t union all select a from u intersect select 1
? select 1 limit -1 offset 0
? select 2 limit 'a'
? select 2 limit 2.0; 
select 2 limit '3'
? select 2 limit null
? select 2 limit 2.5
? select count(distinct a), sum(distinct a), group_concat(distinct c), group_concat(c, '-' order by b desc) from t
? select a, group_concat(c order by b) filter (where b>6) from t group by a
? select * from v order by 1,2
? select * from v where bb > 8
? select * from (select * from v where bb > 8) where a=1
? select count(*) from v
? select * from t, u where t.a=u.a order by t.b
? select * from t join u using(a)
? select * from t natural join u
? select * from t left join u using(a) order by t.b
? select * from t left join u on t.a=u.id and u.s='x'
? select t.a, u.s from u left join t on t.a=u.a where t.b is null
? select * from t right join u using(a) order by 1,2,3
? select * from t full join u on t.b=u.id
? select a, (select count(*) from u where u.a=t.a) from t
? select a, (select s from u where u.a=t.a) from t
? select exists(select 1 from u where a=t.a), not exists(select 1 from u where id>10) from t
? select a in (select a from u), a not in (1,2,3), b in (5,7,null), b in () from t
? select (a,b) in (select 1,10 union select 2,7), (a,b)=(1,5), (a,b)<(2,0), (a,b) > (1,null) from t
? select a from t where a in (select id from u) order by b
? select case a when 1 then 'one' when 2 then 'two' else 'many' end, case when b is null then 'n' end from t
? select coalesce(b,-1), ifnull(c,'none'), iif(a=1,'y','n'), nullif(a,1) from t
? select a between 1 and 2, b not between 6 and 9, null between 1 and 2 from t
? select s = 'x', s like 'z%', s in ('X'), 'x' = s from u
? select 1+1, 7/2, 7%3, -7/2, 7.0/2, 'a'||1||null, 'a'||1, 1<<3, ~5, not 0, -(-3)
? select typeof(1), typeof(1.0), typeof('a'), typeof(x'01'), typeof(null), cast('12abc' as int), cast(3.7 as int), cast(12 as text)
? select 1 is null, null is null, 1 is not 2, null is 1, 1 is true, 0 is false, null is not true
? select max(1,2,3), min('a','b'), abs(-3), length('abc'), upper('abc'), substr('hello',2,3)
? select * from (values(1,'a'),(2,'b')) where column1 > 1
? values(1,2),(3,4)
? values(3),(1),(2) order by 1
? with recursive c(x) as (select 1 union all select x+1 from c where x<10) select sum(x), count(*) from c
? with recursive c(x) as (select 1 union all select x+1 from c limit 5) select * from c
? with recursive c(x,y) as (select 1,1 union select (x+y)%7, x from c) select * from c
? with recursive c(n) as (select 1 union all select n*2 from c where n<100 union all select n*3 from c where n < 100 order by 1 desc limit 10) select * from c
? with a as (select a from t), b as (select a+1 as z from a) select * from a, b where a.a=b.z
? with c as (select a,count(*) n from t group by a) select * from c x, c y where x.n=y.n
? select a, count(*) from t group by a having count(*) > 1 order by count(*) desc, a
? select a, sum(b) from t group by 1 order by 2
? select distinct a, c is null from t
? select count(*), count(b), avg(b), total(b), sum(b), min(c), max(c) from t
? select rowid, * from t where rowid > 3
? select id, rowid, oid from u
? select u.* from t, u where t.rowid=u.id
? select * from t where b > 5 and (a=1 or c='z') order by b desc
? select t1.a, t2.b from t t1, t t2 where t1.b = t2.b and t1.a < 3
? select a from t limit 2
? select a from t order by b desc limit 2 offset 1
? select a from t order by b nulls last
? select a,b from t order by a desc, b nulls last
? select a,b from t order by b desc nulls first
? select (select max(b) from t), (select min(a) from t where a > 1)
? select max(id), min(id), max(s), min(s) from u
? select sum(b) from t where a = (select max(a) from u)
? select a, b from t where b = (select max(b) from t x where x.a=t.a)
? select (select t.a+u.id from u order by id limit 1) from t
? select * from t where (select count(*) from u) = 3 limit 1
? select group_concat(a) from (select a from t order by b desc)
? select * from (select a, count(*) n from t group by a) where n > 1
? select * from (select a, count(*) n from t group by a) x join u on u.a = x.a
? select * from (select a from t union all select id from u) where a > 2
? select * from (select a from t union select id from u) where a > 2
? select x.a, y.id from (select a from t limit 3) x, (select id from u) y
? select * from t t1 left join (select a, s from u) t2 on t1.a = t2.a where t2.s is null
? select total_changes() >= 0, last_insert_rowid()
? select 'it''s', "a", [b], `c` from t limit 1
? select "nosuch" from t limit 1
? select sum(a) s from t group by b having s > 1 order by s
? select count(*) from t, u, t as w
? select likely(a=1), unlikely(b=2) from t
? select b from t where not (a = 1 and b = 5)
? select b from t where not (a in (1) or b is null)
? select a from t where b
? select a from t where not b
? select a from t where b is not null and b
? select 1 where null
? select 1 where not null
? select a || '-' || c from t where c > 'w' or a = 2 and not c = 'q'
? select hex(x'ab' || 'c'), x'4142' = 'AB', '1' = 1, 1 = '1', a = '1' from t limit 1
? select i.a from (select a, b from t where a = 1) as i, (select id from u where id < 3) as j where i.b > j.id * 5
