-- Values as RETURNING, triggers and UPDATE FROM see them.
create table r(a real, b numeric, c)
insert into r values(-0.0, -0.0, -0.0) returning *, 1 / a
update r set a = -0.0, b = -0.0 returning *
create table l(x)
create trigger rt after insert on r begin insert into l values(new.a || '|' || new.c); end
insert into r values(-0.0, 1, -0.0)
select * from l
create table t5(c0 double unique, c1 int collate nocase, c2 real, c3 numeric, c4 decimal(10, 2))
insert into t5 values(1, 2, 3, 4, 5), (2, 3, 4, 5, 6), (3, 4, 4, 6, 4)
update t5 set c1 = f.m from (select c2 as k, max(length(c4)) as m from t5 group by c2 collate binary) as f where t5.c4 = f.k collate binary
select * from t5
create table t6(k text primary key, v) without rowid
insert into t6 values('a', 1), ('b', 2)
update t6 set v = f.m from (select v as k, count(*) as m from t6 group by v) as f where t6.v = f.k
select * from t6
with w(k, m) as (select v, max(k) from t6 group by v) update t6 set v = w.m from w where w.k = t6.v
select * from t6
