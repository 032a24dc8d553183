create table t(a,b,c); insert into t values(1,10,'x'),(1,5,'y'),(2,7,'z'),(1,20,'w'),(2,9,'q'),(3,null,null),(2,7,'k'),(1,null,'m');
? select a,b,sum(b) over () from t
? select a,b,sum(b) over (order by b) from t
? select a,b,sum(b) over (partition by a order by b) from t
? select a,b,row_number() over (partition by a order by b), rank() over (partition by a order by b), dense_rank() over (partition by a order by b) from t
? select a,b,percent_rank() over (order by b), cume_dist() over (order by b), ntile(3) over (order by b) from t
? select a,b,lag(b) over (order by rowid), lead(b,2,'none') over (order by rowid), lag(b,1,0) over (partition by a order by rowid) from t
? select a,b,first_value(b) over w, last_value(b) over w, nth_value(b,2) over w from t window w as (partition by a order by rowid)
? select a,b,sum(b) over (order by rowid rows between 1 preceding and 1 following) from t
? select a,b,count(*) over (order by rowid rows between 2 following and 3 following), group_concat(c) over (order by rowid rows between 2 following and 3 following) from t
? select a,b,group_concat(c) over (order by a groups between 1 preceding and current row) from t
? select a,b,group_concat(c) over (order by a groups between current row and 1 following exclude current row) from t
? select a,b,group_concat(c) over (order by a range between 1 preceding and current row) from t
? select a,b,group_concat(c) over (order by b range between 2 preceding and 2 following) from t
? select a,b,group_concat(c) over (order by b desc range between 2 preceding and 2 following) from t
? select a,b,group_concat(c) over (order by b nulls last range between 2 preceding and 2 following) from t
? select a,b,group_concat(c) over (order by b range between unbounded preceding and 2 preceding) from t
? select a,b,group_concat(c) over (order by a rows unbounded preceding exclude ties), group_concat(c) over (order by a exclude group) from t
? select a,b,min(b) over (order by rowid rows between 2 preceding and current row), max(b) over (order by rowid rows between current row and unbounded following) from t
? select a, sum(sum(b)) over (order by a), rank() over (order by count(*) desc) from t group by a
? select a, b, sum(b) filter (where c > 'p') over (order by rowid) from t
? select distinct a, count(*) over (partition by a) from t
? select a, row_number() over (order by b desc) r from t order by r desc limit 3
? select * from (select a, b, row_number() over (partition by a order by b desc) rn from t) where rn = 1
? select a,b, sum(b) over (partition by a), sum(b) over (order by b), sum(b) over (partition by c) from t
? select avg(b) over (order by b rows 2 preceding), total(b) over (order by b rows 2 preceding) from t
? select sum(b) over (rows -1 preceding) from t
? select sum(b) over (rows 'x' preceding) from t
? select sum(b) over (order by b range 'x' preceding) from t
? select ntile(0) over () from t
? select nth_value(b,0) over () from t
? select a, (select sum(x.b) from t x where x.a = t.a), sum(b) over (partition by a) from t
? select a, sum(b) over w1, count(*) over (w1 order by b) from t window w1 as (partition by a)
? select first_value(b) over (order by rowid rows between 1 following and 2 following exclude current row), last_value(b) over (order by rowid groups between 1 preceding and 1 following exclude group), nth_value(b,2) over (order by rowid rows between unbounded preceding and unbounded following exclude ties) from t
? select sum(b) over (order by a), a+1, max(a+1) over () from t order by 1, 2
? select count(*) over () from t where 0
? select sum(a) over (order by 1) from t
? select group_concat(c, '-') over (order by c) from t
? select a, row_number() over () from t union all select 1, 2
? select row_number() over () from (select 1 union select 2)
? with recursive c(x) as (select 1 union all select x+1 from c where x<5) select x, sum(x) over (order by x rows between 1 preceding and 1 following) from c
? select t.a, u.b, rank() over (partition by t.a order by u.b) from t, t u where t.b=u.b
? select a, b, sum(b) over (order by a, b) from t order by b
? select lead(a, -1) over (order by rowid), lag(a,0) over (order by rowid) from t
? select min(c) over (partition by a order by c rows between unbounded preceding and 1 preceding) from t
