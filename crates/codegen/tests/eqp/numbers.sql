-- The numbers of SELECTs: counted where each ends in the text, and anew in each view that is expanded.
create table t(a, b);
create table u(x, y);
create index ti on t(a);
create table o(p);
create view v as select a, (select max(x) from u where y=b) m from t;
create view vl as select a from t limit 5;
create view w as select * from vl where a in (select x from u);
create view cu as select (select max(x) from u) from t union all select (select min(x) from u) from u;
create view cw as with q as (select a from t where b in (select y from u) limit 2) select (select max(x) from u) m, a from q where a = (select min(y) from u);
create view vj as select * from t left join (u join t t2 on x=t2.a) on t.a=x where t.a in (select x from u);
create view a2 as select a from t limit (select max(x) from u);
create view a3 as select t.a from t join u on x=a and y=(select max(x) from u) where b=(select min(x) from u);
create view a4 as select b from t where a=(select 1 from u) group by b having max(a)>(select 2 from u) order by (select 3 from u);
create view a5 as values (1),(2),((select max(x) from u)),(4),(5),((select min(x) from u));
create view a7 as select * from t left join (u, u u2) on a=1 where b in (select x from u);
create view a9 as select (select x from u) as z from t union all select (select y from u) from t order by 1;
create view b2 as select * from t where a in o and b in (select x from u);
? select (select 1 from u where x=a limit 1) from t
? select * from (select a from t) where a in (select x from u)
? select * from (select a from t limit 3) s where a in (select x from u)
? select (select max(x) from u) from (select a from (select a from t))
? select * from v
? select * from v, v as v2
? select (select 1 from u), m from v
? select * from vl
? select * from (select * from vl)
? select * from w
? select *,(select max(x) from u) from w
? with c as (select a from t limit 3) select * from c, c as d where c.a in (select x from u)
? select (select 1 union all select 2) , (select 3 from u)
? select (select x from u union select y from u order by 1), (select 3 from u)
? select * from t, (u join t t2 on x=t2.a) where t.a in (select x from u)
? select * from t left join (u join t t2 on x=t2.a) on t.a=x where t.a in (select x from u)
? select sum(a) over (order by b), (select max(x) from u) from t
? select * from (values (1),(2)) , t where a in (values(3),(4))
? select * from t where exists(select 1 from u where x=a) and b=(select y from u)
? select * from (t) where a in (select x from u)
? select * from ((t)) where a in (select x from u)
? select * from (t,u) where a in (select x from u)
? select * from t,(u) where a in (select x from u)
? select * from t,(u,u u2) where a in (select x from u)
? select * from t,(u as q) where a in (select x from u)
? select * from ((t,u)) where a in (select x from u)
? select * from t left join (u) on 1 where a in (select x from u)
? select * from t left join (u as k) on 1 where a in (select x from u)
? select * from t left join (u,u u2) on 1 where a in (select x from u)
? select * from (t,u) as z where a in (select x from u)
? select * from ((t join u),u u2) where a in (select x from u)
? select * from t,((u,u u2)) where a in (select x from u)
? select * from t,((u),(u) u2) where a in (select x from u)
? select * from t,(select x from u) where a in (select x from u)
? select * from t,((select x from u) p) where a in (select x from u)
? select * from (t left join (u join u u2))  where a in (select x from u)
? select * from t, ((select 1) p, u)  where a in (select x from u)
? select * from ((select a from t)) where a in (select x from u)
? select * from ((select a from t) q) where a in (select x from u)
? select * from cu
? select 1,* from cu
? select * from cw
? select * from vj
? select * from t where a in o and b in (select x from u)
? select * from t where b in (select x from u) and a in o
? with c as (select max(x) m from u where y in (select x from u)) select (select m from c), (select m+1 from c), (select y from u)
? select * from t where a in (values(1),(2),(3)) and b in (select x from u)
? select * from t where a in (values(1)) and b in (select x from u)
? select * from t where a = (values(1)) and b in (select x from u)
? select * from t, (values(1,2),(3,4)) where b in (select x from u)
? with recursive c(n) as (select 1 union all select n+1 from c where n< (select max(x) from u)) select * from c where n in (select x from u)
? select * from t where a in (select a from v) and b in (select m from v)
? select * from t join v on v.a=t.a and v.m in (select a from vl where m in (select 3 from v)) where t.b in (select m from v)
? update t set a=(select x from u) where b in (select x from u)
? delete from t where b in (select x from u) and a=(select y from u) 
? insert into t select a,(select x from u) from t where b in (select x from u)
? insert into t values((select x from u),(select y from u))
? select * from (select * from t where a=(select x from u) union all select * from t where b=(select y from u)) where a>3
? select * from t where a in (1,2,(select x from u)) and b=(select 5 from u)
? select count(*) from (select distinct a from t), (select (select 1 from u) from t group by b)
? select * from t natural join (select a from t natural join (select a,max(b) from t group by a))
? select * from t where a between (select x from u) and (select y from u)
? select case when a=1 then (select x from u) else (select y from u) end from t limit (select 1 from u) offset (select 2 from u)
? select * from a2
? select * from a3
? select * from a4
? select * from a5
? select * from a7
? select * from a9
? select * from b2
? select 1,* from a5, (select x from u limit (select 3 from u))
? select * from (values(1),(cast(2 as int)),(3)) where column1 in (select y from u)
? select * from (values((1)),(a+1),(3)),t where column1 in (select y from u)
? with c as materialized (select * from v) select (select max(x) from u),* from c, c as d where d.m in (select y from u)
? select sum(a) over(), * from (select a, sum(b) over (order by a) from t limit 3)
? select sum(a) over() from t union all select sum(b) over () from t
? select sum(a) over(), (select sum(x) over () from u) from t
? select * from (select sum(a) over() from t), (select sum(a) over() from t)
? select * from t, ((u, u u2), u u3) where t.a in (select x from u)
? select * from t, (u, (u u2, u u3)) where t.a in (select x from u)
? select (select a from v where m=1), (select m from v) from t where a in (select a from w) and b in (select a from w)
create index tab on t(a,b);
create table n(c, d);
? select * from t where (a,b) in (select x,y from u)
? select * from t where (a,b) in (values(1,2),(3,4))
? select * from n where (c,d) in (select x,y from u) and c=(select max(y) from u)
? select * from t where (a,b) in (select x,(select max(y) from u) from u)
? select sum(c) over () from t, n where (a,b) in (select x,y from u)
? select * from t t1, t t2 where (t1.a,t1.b) in (select x,y from u) and (t2.a,t2.b) in (select x,y from u)
? select * from t t1 where (a,b) in (select 1,2 from t where (a,b) in (select x,y from u)) 
? select * from t, (select * from t where (a,b) in (select x,y from u) limit 3) s where (t.a,t.b) in (select x,y from u)
create view vr as select * from t where ((a,b) in ((1,2),(3,4)) or 1) and b = (select max(x) from u);
create view vh as select b from t where a=(select 1 from u) group by b having max(a)>(select 2 from u) order by (select 3 from u) limit (select 5 from u);
? select * from vr where a = (select min(y) from u)
? select * from vh where b = (select min(y) from u)
