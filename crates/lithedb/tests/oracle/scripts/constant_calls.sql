-- Calls with constant arguments that fail: whether and when they are evaluated.
create table e(x,y)
create table t(x,y)
insert into t values(1,2),(3,4)
create table r(x)
select x from e where x or json('bad')
select x from t where x or json('bad')
select x from e where x and json('bad')
select x from e where json('bad')
select json('bad') from e
select x, json('bad') from e
select x+json('bad') from e
select x||json('bad') from e
select case when x then json('bad') else 1 end from e
select case when x then json('bad') else 1 end from t
select case when x>5 then 2 else json('bad') end from t
select coalesce(x, json('bad')) from t
select ifnull(x, json('bad')) from t
select iif(x>5, json('bad'),1) from t
select x from e order by json('bad')
select x from t order by x, json('bad') limit 0
select x from t limit 0
select json('bad') from t limit 0
select json('bad')+x from t limit 0
select x from e group by json('bad')
select x from e group by x having json('bad')
select count(*) from e having json('bad')
select count(*), json('bad') from e
select sum(json('bad')) from e
select sum(x+json('bad')) from e
select group_concat(x, json('bad')) from e
select count(*) filter (where json('bad')) from e
select x from e limit json('bad')
select exists(select 1 from e where x or json('bad'))
select x from e where exists(select 1 from e f where f.x or json('bad'))
select x from e where exists(select 1 from e f where f.x=e.x or json('bad'))
select x in (json('bad'),2) from e
select x between json('bad') and 3 from e
select x from e where x=json('bad')
select x from e where x>json('bad')
select x from e where y=json('bad') and x
select * from e left join t on json('bad')
select * from t left join e on e.x=json('bad')
select * from e where x like json('bad')
select abs(json('bad')) from e
select abs(x+json('bad')) from e
select (json('bad'),x)=(1,2) from e
select json('bad') union all select 1 from e
select 1 from e union all select json('bad') from e
values(1),(json('bad'))
insert into r values(1),(json('bad'))
select * from r
insert into r values(1)
insert into r select json('bad') from e
insert into r select x+json('bad') from e
update e set x=json('bad')
update e set x=y+json('bad')
delete from e where x or json('bad')
select row_number() over (order by x, json('bad')) from e
select sum(x) over (order by x rows json('bad') preceding) from e
select x from (select x from e where x or json('bad'))
select x from t where 0 and json('bad')
select x from t where x=9 and json('bad')
select x from t where x=9 and (y or json('bad'))
select null and json('bad') from t
select 0 and json('bad') from t
select x from t where x is json('bad')
select x from e where x is null or json('bad') is null
select json('bad')->>x from e
select distinct json('bad') from e
select max(x, json('bad')) from e
select max(x) from e where x or json('bad')
