create table t(a,b);
? select x from t
? select t.x from t
? select main.t.x from t
? select a from t, t as u
? select rowid from t, t as u
? select t.rowid from t, (select 1)
? select rowid from (select a from t)
? select "x" from t
? select [x] from t
? select true, false, "true" from (select 1)
? select count(*) from t where count(*)>1
? select sum(count(*)) from t
? select a from t group by count(*)
? select a from t group by 3
? select count(*) c from t where c>1
? select a from t order by 3
? select a from t union select b from t order by 2
? select a from t union select b from t order by a+1
? select a,b from t union select b from t
? select (1,2)
? select (1,2)=(1,2,3)
? select (1,2)=1
? select (1,2) in (1,2)
? select (1,2) in (select 1)
? select 1 in (select 1,2)
? select (select 1,2)
? select (1,2) between (1,1) and 3
? select (1,2) between (1,1) and (1,3)
? select case (1,2) when (1,2) then 1 end
? select (select 1,2)+1
? select abs((1,2))
? select foo(1)
? select abs(1,2)
? select abs(*)
? select abs(distinct a) from t
? select abs(a) filter (where 1) from t
? select abs(a) over () from t
? select row_number() from t
? select sum(distinct a) over () from t
? select group_concat(distinct a, b) from t
? select a from t having a>1
? select *
? select u.* from t
? select a from t limit a
? select a from t limit (select a from t)
? select raise(abort,'x')
? select a from t where row_number() over () > 1
? select t.a from t as u
? select main.u.a from t as u
? select a from t indexed by foo
? select a from nosuch
? select a from x.nosuch
? select * from t join t as u using (c)
? select * from t left join t as u on u.a=v.a join t as v
? select * from t natural join t as u using(a)
? select count(a) as a, a+1 as x from t group by x having x > 1
? select x'12'+1, likelihood(a, 2) from t
? select 1 order by 1 collate foo
? select a collate foo from t
? select a collate foo = 1 from t
? select group_concat(a order by b) from t
? select abs(a order by b) from t
? select "a", 'x' "y" from t where "y"='x'
? select a from t order by a, b, a+1, 1, 5
? select nosuch(a), x.a from t
? select a from t, u where x
? select a from t limit count(*)
? select * from t join t u on count(*)
? select * from t left join t u on count(u.a)
? select sum(a) over (partition by sum(b)) from t
? select sum(sum(a)) over () from t
? select sum(sum(a) over ()) over () from t
? select sum(sum(a) over ()) from t
? select sum(a) over w from t
? select sum(a) over (w partition by a) from t window w as (partition by b)
? select sum(a) over (w order by a) from t window w as (order by b)
? select sum(a) over (w) from t window w as (rows 1 preceding)
? select sum(a) over (range 1 preceding) from t
? select row_number() filter (where 1) over () from t
? select sum(a) filter (where count(*)) from t
? select sum(a) over (order by b rows between current row and 1 preceding) from t
? select a from t having 1
? select sum(a) from t having a
? select sum(a) x, sum(x) from t
? select a x from t where exists (select 1 where x = 1)
? select 1 where count(*)
? values(count(*))
? select * from (select 1) where sum(1)=1
? select 1 union select 2 limit (select 1,2)
? select case when (1,2) then 1 end
? select not (1,2)
? select (1,2) and 1
? select (1,2) order by 1
? select 1 from t group by (1,2)
? select 1 from t group by (a,b)
? select 1 where (1,2)
? select (1,2) as x from t where x
? select 1 in ((1,2),3)
? select (1,2) is null
? select (select 1,2) is null
? select (1,2) like 'x'
? select +(1,2), cast((1,2) as int)
? select ((1,2) collate nocase) = (1,2)
? select * from t(1)
? select * from t natural left join t u, t v natural join (select 1 as a)
? select main.t.* from t
? select x.* from t as x, (select 1) as y
? select * from (t)
? select * from (t) as x
? select x.a from (t as y) as x
? select y.a from (t as y)
? select y.a from (t as y) as x
? select * from t, (select t.a)
? select * from t where a in t
? select * from t where a in nosuch
? with u(x) as (select 1) select * from t where a in u
? select * from t x join t y on x.a=y.a and z.a=1
? with c(x) as materialized (select 1) select * from c, c as d
===
create table t(a,b);
insert into t values(1,2);
? select rowid from t, (select 1)
? select a as a, a+1 as a, x.a, * from t x
? select * from (select a, a, b as a, a+1, rowid, count(*), 'x' from t)
? select a as b, b as c from t where b=2
? select a as zz from t where zz=1 group by zz having zz=1 order by zz
? select a+1 as a from t order by a
? select a as b, b as a from t group by b
? select (select zz) , a as zz from t
? select a as zz, (select zz) from t
? select sum(a) as s from t having s > 0 order by s
? select sum(a) as s from t group by s
? select sum(a) as s from t order by sum(s)
? select a as s from t order by sum(s)
? select a as s from t order by sum(a)
? select a from t union select b from t order by sum(a)
? select (select sum(t.a)) from t
? select (select sum(t.a)+count(*) from t x) from t
? select (select sum(t.a+x.a) from t x) from t
? select a from t where (select sum(t.a)) = 1
? select 1 from t order by -1
? select 1 from t order by +1, 1+1, (2)
? select 1 from t order by 1 collate nocase, 2 collate nocase
? select a from t group by 1 collate nocase
? select a from t group by 0
===
? select (1,2) in ((1,2),(3,4))
? select (1,2) in ((select 1,2),(3,4))
? with a as (select * from b), b as (select 1) select * from a
? with a as (select * from b), b as (select * from a) select * from a
? with a as (select 1), a as (select 2) select * from a
? with a(x,y) as (select 1) select * from a
? with a(x) as (select 1 union all select x+1 from a, a) select * from a
? with a(x) as (select 1 union all select x+1 from (select * from a)) select * from a
? with a(x) as (select 1 union all select x+1 from a where x in (select x from a)) select * from a
? with a(x) as (select 1 union all select sum(x) from a) select * from a
? with a(x) as (select 1 union all select row_number() over () from a) select * from a limit 3
? with a(x) as (select 1 union all select x+1 from a union all select x+2 from a where x<5) select * from a limit 10
? with a(x) as (select x+1 from a union all select 1) select * from a limit 10
? with a(x) as (select 1 except select x+1 from a) select * from a limit 10
? select 1 is true, 0 is not true, null is false, 'a' is true, 2 is (true), true is true
? select "true" is true
? select 5 is "true"
? select true = 2, typeof(true)
? select coalesce(1), ifnull(1), iif(1,2), iif(1), if(1,2,3), iif(0,1,0,2,5)
? select coalesce(1)
? select ifnull(1)
? select iif(1,2)
? select iif(1)
? select if(1,2,3), iif(0,1,0,2,5), iif(0,1,1,2)
? select 'a' = ('A' || '' collate nocase), 'a' = (select 'A' collate nocase), abs('a' collate nocase)
? select nullif('a','A' collate nocase), max('a','B' collate nocase,'c'), min('B', 'a' collate nocase), 'a' between 'A' collate nocase and 'B', case 'a' when 'A' collate nocase then 1 end
? select 1 in (), 1 not in (), null in ()
? select (select 1 union select 2), (values(3),(4)), exists(select 1 where 0)
? select * from nosuch(1)
===
create table t(a);
insert into t values(1);
? select (1,2) in (values(1,2))
? with c as (select t.a) select (select * from c) from t
? select (with c as (select t.a) select * from c) from t
===
create table t(a);
create view v as select * from c;
? with c as (select 1) select * from v
===
create view v(x,y) as select 1;
? select * from v
===
create view v1 as select * from v2;
create view v2 as select * from v1;
? select * from v1
===
create table t(a text,b);
insert into t values('1',2);
? select x=1, x='1' from (select a as x from t)
? select x=1, x='1' from (select a as x from t union all select 1)
? select x=1, x='1' from (select 1 as x union all select a from t)
? select x=1, x='1' from (select a as x from t union all select 'a')
===
create table t(a int,b);
insert into t values('1',2);
? select x=1, x='1' from (select a as x from t union all select 'a')
? select x=1, x='1' from (select cast(a as text) as x from t union all select 'a')
? select x=1, x='1', typeof(x) from (select cast(a as integer) as x from t union select 7.5)
===
create table t(a,b);
create table u(a,c);
insert into t values(1,2),(2,3);
insert into u values(1,7),(3,9);
? select * from t full join u using(a)
? select a,t.a,u.a from t full join u using(a)
? select * from t right join u using(a)
? select a from t left join u using(a)
===
create table t(a,b);
create table u(a,c);
create table v(a,d);
insert into t values(1,2),(2,3);
insert into u values(1,7),(3,9);
insert into v values(1,1),(4,4);
? select * from t full join u using(a) full join v using(a)
? select * from t join u on 1 join v using(a)
? select * from t right join u on 1 join v using(a)
===
create table t(a,b);
create table u(a,c);
create table v(a,d);
? select * from v join (t join u using(a)) x on x.a=1 and t.a=1
===
create table t(a,b);
create table u(a,c);
create table v(a,d);
insert into t values(1,2);
insert into u values (1,3);
insert into v values(5,6);
? select *, t.a, u.a from v left join (t join u using(a)) on t.a=1 and u.a=1
? select u.*, t.* from v left join (t join u using(a)) on t.a=1 and u.a=1
? select x.* from v left join (t join u using(a)) x on t.a=1 and u.a=1
? select u.rowid from v left join (t join u using(a)) x on t.a=1 and u.a=1
===
create table t(a, b);
? select * from t as x join t as x
? select x.a from t as x join t as x
? select a from t where t.b = (select b from nosuch)
===
create table t(a);
? select likelihood(a), unlikely(a) from t
? select * from t t1, t t2, t t3, t t4, t t5, t t6, t t7, t t8, t t9, t t10, t t11, t t12, t t13, t t14, t t15, t t16, t t17, t t18, t t19, t t20, t t21, t t22, t t23, t t24, t t25, t t26, t t27, t t28, t t29, t t30, t t31, t t32, t t33, t t34, t t35, t t36, t t37, t t38, t t39, t t40, t t41, t t42, t t43, t t44, t t45, t t46, t t47, t t48, t t49, t t50, t t51, t t52, t t53, t t54, t t55, t t56, t t57, t t58, t t59, t t60, t t61, t t62, t t63, t t64, t t65
===
create table t(a text);
insert into t values('1');
? select likely(a)=1, likelihood(a,0.5)=1, unlikely(a) = 1, +a = 1, coalesce(a,1)=1, cast(a as text)=1 , (select a)=1, (a)=1, (a collate nocase) = 1, case when 1 then a end = 1 from t
===
create table t(a collate nocase);
insert into t values('x');
? select likely(a)='X', +a = 'X', coalesce(a,1)='X', cast(a as text)='X' , (select a)='X', (a)='X', 'X' = a, a || '' = 'X', case when 1 then a end = 'X', 'x' in ('X' collate nocase), 'X' in (select a), a in ('X'), 'X' in (a,1), 'X' in (a), min(a,'a') = 'X', max(a,'X') from t
===
create table t(a int, b text);
insert into t values(1,'1');
? select a=b, b in (1), a in ('1'), 1 in (b), '1' in (a), '1' in (select a), 1 in (select b), a in (select b), b in (1,2), a in ('1','2') from t
? select (a,b)=('1',1), (a,b) in ((1,'1')), ('1','1') in (select a,b),  ('1','1') in ((a,b)) from t
===
create table t(a,b);
create view v as select a from t;
? select * from v indexed by x
? select rowid from v
===
create table t(a,b);
create table u(a,b);
? select t.a from t join u using(a,a)
===
create table t(a,b);
create table u(a,c);
create table v(a,c);
? select * from t join u using(a) join v using(c)
? select * from t, u join v using(a)
===
create table t(a,b);
create temp view v as select * from t;
? select * from v
===
create temp table t(a,b);
create view v as select * from t;
? select * from v
===
create table t(a,b);
create table u(x);
? select * from t where a in u
? select * from t where a in main.u, 1
===
create table t(a text collate nocase,b);
create view v(x) as select a from t;
insert into t values('A',1);
? select x='a' from v
? select count() over () as m from t order by (select m)
