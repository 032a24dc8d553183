alter table t alter column a set not null
alter table t alter a set not null
alter table t alter column a drop not null
alter table t alter a drop not null
alter table t alter column a set not null on conflict abort
alter table t alter column a set default 5
alter table t alter column a drop default
alter table t add constraint x check(a>1)
alter table t add constraint x check(a>1) on conflict ignore
alter table t add check(a>1)
alter table t add constraint x unique(a)
alter table t add constraint x primary key(a)
alter table t add constraint x foreign key(a) references u
alter table t add constraint x
alter table t drop constraint x
alter table t drop constraint if exists x
alter table t drop constraint x cascade
alter table if exists t drop a
alter table t drop column if exists a
alter table t rename a to b2
alter table t rename column a to b2
alter table t add a2
alter table t add column a2 text
alter table t add column if not exists a2 text
alter table t alter column a type text
alter table t alter column a set data type text
alter table t alter column a set
alter table t rename constraint a to b
alter table t add constraint x not null
alter table t add constraint x check(a>1) check(b>1)
alter table t add constraint x check(a>1), constraint y check(b>1)
select 1_000
select 1__000
select 0x1_0
select 1_
select 1.5_5
select 1e1_0
select 1_.5
select 1._5
select 1a
select @a, :b, $c::d(e f), #1, ?5, ?0
select ?99999
select ?32766,?
select $a(b c)
select $a(b
select $a::b(c)d
select @1
select $1a
select :1
select ?a
select /* foo
select /* foo /* bar */ 1
select -- x
/* foo
;;;
select 1;;
select x'12'
select x'1'
select x'zz'
select x'12
select 'abc
select "abc
select [abc
select `abc
select !
select 1 ! = 2
select $
select @
select :
select ::a
select a.b.c.d
select é
select 1 + 
select (select 1
select 'a' 'b'
select "a" "b"
select 1 is not 2 = 3
select #abc
select #1
select @a(b)
select a between b or c and d and e from t
select 1_a
select 1_0a
select 0x
select 0x_1
select 0x1_
select 0xg
select .5
select 5.
select 5.e1
select 5.e
select 5e+
select 5e+1
select .5_0
select ._5
select 1e_5
select 1e5_
select 1/*
select 1/**/
select /*
create table z(a generated)
create table z(a generated always as (1))
create table z(a int generated  always as (b), b)
create table z(a as (b) foo, b)
create table z(a as (b) stored, b)
create table z(a as (b) 'stored', b)
create table z(a) strict
create table z(a int) 'strict'
create table z(a int) foo bar
create table z(a int) without foo
create table z(a int) without rowid
create table z(a int) strict,
create table z(a int) strict strict
create table z(a int primary key) strict, without rowid
create table z(a int) foo "abc
create table z(a int) foo ~
create table z(a,check(1) unique(a))
create table z(a,check(1),b)
create table z(a,check(1) on conflict ignore)
create table z(a check(1) on conflict ignore)
create table z(a default x, b default -5, c default +x)
create table z(a default - 'x')
create table z(a default (1)+1)
create table z(a default x.y)
create table z(a default 5 5)
create table z(a int(5), b int(-5,+6), c int(5.5), d int('a'))
create table z(a int(5) b)
create table z(a deferrable)
create table z(a references u initially deferred)
create table z(a references u not deferrable initially immediate)
create table z(a, foreign key(a collate nocase) references u)
create table z(a, foreign key(a desc) references u)
create view v(a collate x) as select 1
create view v as select ?
create trigger tr after insert on t begin select ?; end
create trigger tr after insert on t begin insert into t default values; end
create trigger tr after insert on t begin insert into t values(1,2,3) returning 1; end
create trigger tr after insert on t begin update t as x set a=1; end
create trigger tr after insert on t begin update t indexed by foo set a=1; end
create trigger tr after insert on t begin update t not indexed set a=1; end
create trigger tr after insert on t begin update main.t set a=1; end
create trigger tr after insert on t begin with x as (select 1) select 1; end
create trigger tr after insert on t begin with x as (select 1) insert into t select 1,2,3; end
create trigger tr after insert on t begin select 1 end
create trigger tr after insert on t begin end
select * from t left t join u
select * from t left outer natural join u
select * from t foo join u
select * from t left foo join u
select * from t inner outer join u
select * from t outer join u
select * from t natural natural join u
select * from t cross left join u
select * from t left right join u
select * from t natural join u on 1
select * from t on 1
select * from t using(a)
select * from t join u on 1 using(a)
select * from t, (u join t on 1)
select * from (t)
select * from (t as x) as y
select 1 union select 2 order by 1 union select 3
select 1 limit 1 union all select 3
select 1 order by 1 limit 1 intersect select 3
values(1),(2,3)
values(1) order by 1
insert into t values(1),(1,2)
with x as (select 1), x as (select 2) select 1
with x(a desc) as (select 2) select 1
select max(a) filter (where 1) over (rows between current row and unbounded preceding) from t
select max(a) over (rows between 1 following and 1 preceding) from t
select max(a) over (rows between current row and 1 preceding) from t
select max(a) over (rows 1 following) from t
select max(a) over (rows unbounded following) from t
select abs(distinct) , count(*), count(distinct *)
select abs(a,)
select count(distinct a,b) from t
select abs(a order by b) from t
update t set a=1,(b,c)=(1,2) where 1 returning *
update t set (a,b)=1
update t set a=1 order by 1
delete from t limit 1
delete from t order by 1
delete from t x where 1
insert into t values(1,2,3) on conflict do nothing on conflict do nothing
insert into t values(1,2,3) on conflict do update set a=1 returning *
insert into t select 1,2,3 on conflict do nothing
insert into t select * from u on conflict do nothing
insert into t select * from u where 1 on conflict do nothing
insert into t(a) default values returning 1
create index i on t(a nulls last)
create index i on t(a nulls first)
create table z(a, primary key(a nulls first))
drop table nosuch foo
drop table x.y.z
select raise(abort, 'a')
select raise(ignore, 'a')
select raise(foo)
select a.* from t a
select * from t where a like b escape c escape d
select * from t where a not b
select * from t where a is distinct from b and a is not distinct from b
vacuum foo into 'x'
attach 'a' as 'b' key 'c'
explain query plan explain select 1
explain explain select 1
select 1;
   select (1,2)
select ()
select 1 in ()
select (1,2) in (1)
select -9223372036854775808, -0x8000000000000000
select -0x8000000000000000
select 0x12345678901234567
create table z(a default 0x12345678901234567)
update t set (a,b)=(select 1,2)
update t set (a,b)=(1,2,3)
select (a,b) in (1,2) from t
select (a,b) in ((1,2),(3,4)) from t
select (a,b) in ((1,2),(3,4,5)) from t
select a in t.x(1,2) from t
select count(*) filter (where 1) from t
select 'a'.b
select 'a'(1)
select "a"(1)
select indexed(1)
select left(1)
select 'a'.'b'.'c'
select a.'b' from t
select t.* as x from t
select a collate 'nocase' from t
select cast(1 as 'foo bar')
select cast(1 as)
select cast(1 as foo bar(1,2))
select case end
select case when 1 then 2 else 3 end
select exists(select 1)
select not exists(select 1)
select exists (1)
select exists
select current_timestamp(1)
select current_timestamp.a
select 1 as 'x', 2 'y', 3 z, 4 [w]
select 1 "x"
select * from 't'
select * from t 'x'
select * from t as 'x'
select * from t indexed by 'x'
select * from t x indexed by y
select * from t x not indexed
select * from t not indexed x
select * from t(1) indexed by x
select * from (select 1) not indexed
select * from t(1) x
select * from t.x()
savepoint 'x'
release 'x'
rollback to x
rollback transaction to savepoint x
rollback transaction y to savepoint x
rollback transaction y
commit transaction 'x'
end transaction x
begin deferred transaction x
begin x
begin transaction deferred
pragma a=b c
pragma a.b.c
pragma a=-5
pragma a=+5
pragma a=- 'x'
pragma a=-x
pragma a='x'
pragma a="x y"
pragma a=on
pragma a(delete)
pragma a=select
pragma a=5.5
pragma a=1_000
pragma a=1__000
pragma a()
pragma a=?
analyze t.x.y
reindex
reindex x.y
vacuum into ?
vacuum x.y
detach database 'x' foo
attach database x as y
explain
explain query
explain query plan
create temp table main.x(a)
create temporary view main.x as select 1
create temp trigger main.x after insert on t begin select 1; end
create temp index x on t(a)
create unique table x(a)
create virtual table v using f(a b, c(d,e), 'x''y' , )
create virtual table v using f()
create virtual table v using f
create virtual table v using f(a
create virtual table v using f(a))
create virtual table v using f(a;b)
create virtual table temp.v using 'f'
create temp virtual table v using f
create virtual table if not exists v using f(,,)
create trigger a instead of update of a,b on t for each row when 1 begin select 1; end
create trigger a after update on t for each statement begin select 1; end
create trigger a after update on t when begin select 1; end
select * from t join u on a=b join t on c=d
select * from t,u on 1
select * from t cross join u using(a)
select distinct all 1
select all distinct 1
select * , from t
select from t
select * from
select 1 where
select 1 group by
select 1 having 1
select 1 group by 1 having
select 1 limit 1,2
select 1 limit 1 offset 2
select 1 limit 1 offset 2,3
select 1 limit 1,2 offset 3
select 1 window w as ()
select 1 window w as (), x as (w order by 1), z as (partition by 1)
select 1 window w as (order by 1 partition by 2)
select 1 window w (order by 1)
select sum(1) over w, sum(1) over (w rows current row exclude no others) from t window w as (order by 1)
select sum(1) over (rows between 1 preceding and 1 preceding exclude ties)
select sum(1) over (rows between unbounded preceding and unbounded following exclude group)
select sum(1) over (rows unbounded preceding exclude current row)
select sum(1) over (rows unbounded)
select sum(1) over (a.b)
select sum(1) filter(where 1)
select sum(1) filter x
select sum(1) filter
select sum(1) over over
select sum(1) over x over y
select over from t
select sum(*) over ()
replace into t values(1,2,3)
replace or ignore into t values(1,2,3)
insert or replace into t values(1,2,3)
insert or foo into t values(1,2,3)
insert t values(1,2,3)
insert into t as x(a) values(1)
insert into t x(a) values(1)
insert into t() values(1)
insert into t values()
insert into t default values on conflict do nothing
insert into t values(1,2,3) on conflict(a) where 1 do update set a=1 where 2 on conflict do nothing returning a,b
insert into t values(1,2,3) on conflict(a) do update set a=1 returning a as x, *
insert into t with x as (select 1) select 1,2,3 from x
with x as (select 1) insert into t values(1,2,3)
with x as (select 1) replace into t values(1,2,3)
with x as materialized (select 1) delete from t
with x as not materialized (select 1) update t set a=1
with x as not (select 1) select 1
with recursive x(a) as (select 1 union all select a+1 from x limit 4) select * from x
with recursive (a)
with x as (insert into t values(1)) select 1
with x as (values(1)) drop table t
with x select 1
update t as x set a=1 from u as y, t where 1 returning x.a
update t x set a=1
update t indexed by y set a=1
update t not indexed set a=1
update or ignore t set a=1
update or t set a=1
update t set a=1,
update t set t.a=1
update t set a
update t set (a)=1
update t set ()=1
delete from t as x indexed by y where 1 returning *
delete from t where 1 returning
delete t
drop table if exists t.u
drop table if t
drop foo
alter table t rename to
alter table t rename x
alter table t add column x int default 5 references u deferrable
alter table main.t rename to x
alter view t rename to x
foo
;foo
 foo bar
1
(select 1)
create trigger tr after insert on t begin delete from t as x where 1; end
create trigger tr after insert on t begin insert into t as x values(1,2,3); end
create trigger tr after insert on t begin delete from t x where 1; end
create trigger tr after insert on t begin delete from main.t as x where ~; end
create trigger tr after insert on t begin update t set a=1 returning 1; end
create trigger tr after insert on t begin update or ignore t set a=1 from u where 1; end
create trigger tr after insert on t begin replace into t values(1,2,3) on conflict do nothing; end
create trigger tr after insert on t begin insert into t values(1,2,3) returning 1 foo; end
create trigger tr after insert on t begin insert into t values(1,2,3) returning 1 foo bar; end
create trigger tr after insert on t begin insert into t values(1,2,3) on conflict do nothing returning 1; end
create trigger tr after insert on t begin delete from main.t foo; end
create trigger tr after insert on t begin insert into main.t foo; end
create trigger tr after insert on t begin insert into main.t(a) foo; end
create trigger tr after insert on t begin values(1); end
create trigger tr after insert on t begin update t indexed by x foo; end
create trigger tr after insert on t begin select 1;
create trigger tr after insert on t begin select 1; end;
create trigger tr after insert on t begin select 1; end foo
create temp table temp.x(a)
create temp table main.x ~
create temp table main.x foo
create temp view temp.x as select 1
create temp trigger temp.x after insert on t begin select 1; end
create temp trigger main.x after insert on t foo
create temp trigger main.x after insert foo
create view v as values(?)
create view v as values(?) foo
create table z(a int generated always as (1) foo ~
create table z(a int generated always as (1) foo
create table z(a int generated always as (1) virtual)
create table z(a as (1) end)
create table z(a, foreign key(a desc ~
create table z(a, foreign key(a desc foo
create table z(a references u(b desc)
values(1),(2,3) foo
values(1),(2,3),(4) ~
create view v as values(1),(2,3)
create view v as select * from t on 1 foo
create view v as select * from t on 1
create view v as select * from t using(a)
create view v as select * from (t on 1)
create view v as select * from t natural join u on 1
create view v as select raise(abort,1)
create view v as select abs(distinct)
create view v as select 1 union select 1,2
create view v as select (1,2) in (1)
create view v as select ()
create view v as select sum(1) over (rows 1 following)
create view v as select * from t left foo join u
create view v as select 0x12345678901234567
create view v as select 1__0
create view v as select 1__0 foo bar
create view v as select 1__0 ~
create view v as select * from t a join t b union select 1 limit 1 union select 2 order by 1
create view v as with a as (select 1), a as (select 2) select 1
create view v as select -0x8000000000000000
create view v as select *
create view v as select t.*
create view v as select a order by b nulls foo
create table z(a primary key nulls first)
create table z(a, primary key(a nulls last) foo)
create table z(a, unique(a+1))
create table z(a, primary key(a autoincrement))
create table z(a, primary key(a) autoincrement)
create table z(a, primary key(a,b autoincrement) on conflict ignore)
create index i on t(a) where a where b
create index main.i on main.t(a)
create index i on t()
create index if not exists i on t(a collate nocase desc, b+1 asc)
drop trigger if exists a.b
pragma ''=1
attach 1+1 as 2+2 key 3+3
attach 'x' key 'y'
detach 1+1
vacuum 'main'
analyze 'main'.'t'
reindex nocase
update t set (a,b)=1 foo
update t set (a,b)=1, c=
select (a,b) in (1) foo bar from t
select (a,b) in (1) ~
select 1 union select 2 order by 1 union values(1) ~
select 1 union select 2 order by 1 union values(1) foo
select 1 union select 2 order by 1 union values(1) foo bar
select sum(1) over (rows 1 following foo)
select * from t left foo join ~
select * from t left foo join 5
select max(1) over (partition by a range between 1 preceding and unbounded following) from t
insert into t values(1,2,3) on conflict(a nulls first) do nothing
insert into t values(1,2,3) on conflict(a collate nocase desc) do nothing
create view v as values(a),(2,3)
create view v as values(1),(a,3)
create view v as values(1),(2),(a,3)
create view v as values(1),(a),(2,3)
create view v as values(1,2),(3)
create view v as values('x'),(2,3)
create view v as values(cast(1 as int)),(2,3)
create view v as values(abs(1)),(2,3)
create view v as values(1),(2,abs(1))
create view v as values(1),(2,cast(1 as int))
create view v as values(?),(2,3)
create view v as values(1),(2,-3+4*5)
create view v as values(1),(2,true)
create view v as values(1),(2,"x")
create view v as values(1),(2,(select 1))
create view v as values(1),(2,1 in (1))
create view v as values(1),(2,1 in ())
create view v as values(1),(2,null)
create view v as values(1),(2,current_date)
create view v as values(1),(2,case when 1 then 2 end)
create view v as values(1),(2,1 like 2)
create view v as values(1),(2,1 between 2 and 3)
create view v as values(1),(2,'a' collate nocase)
create view v as values(1),(2,(1,2))
create view v as values(1),(2,x'00')
create view v as values(1),(2,raise(ignore))
create view v as select 1 union values(1),(2,3)
create view v as select * from (values(1),(2,3))
create view v as select (values(1),(2,3))
create view v as with x as (values(1),(2,3)) select 1
create view v as with x as (select 1) values(1),(2,3)
create view v as with x as (select 1) select * from (values(1),(2,3))
create view v as select (with x as (select 1) select 1), (values(1),(2,3))
create view v as select (values(1),(2,3)), (with x as (select 1) select 1)
create trigger tr after insert on t begin insert into t values(1),(2,3); end
create trigger tr after insert on t begin values(1),(2,3); end
create trigger tr after insert on t begin select (values(1),(2,3)); end
insert into t values(1),(2,3) foo
insert into t values(a),(2,3) foo
insert into t values(1),(a,3) foo
insert into t values(1),(2,3),foo
create table z as values(1),(2,3)
select 1 where 1 in (values(1),(2,3)) foo
select 1 where 1 in (values(1),(2,3)) ~
select (values(1),(2,3)) bar baz
create view v as values(cast(1 as int)+1),(2,3)
create view v as values(a collate nocase),(2,3)
create view v as values(+a),(2,3)
create view v as values(a||b),(2,3)
create view v as values((select 1)),(2,3)
create view v as values(a.b),(2,3)
create view v as values((a)),(2,3)
create view v as values(case when 1 then a end),(2,3)
create view v as values(true),(2,3)
create view v as values(-1),(2,3)
create view v as values((1,2)),(2,3)
create view v as values((a,2)),(2,3)
create view v as values(a,1),(2)
create view v as values(1,a),(2)
create view v as values(1,cast(1 as int)),(2)
explain insert into t values(1),(2,3) foo
create trigger tr after insert on t begin insert into main.t values(1,2,3); end
create trigger tr after insert on t begin insert into main.t values(1,2,3); select ~; end
create trigger tr after insert on t begin update main.t set a=1; select ~; end
create trigger tr after insert on t begin delete from main.t; select ~; end
create trigger tr after insert on t begin delete from main.t; select 1; end foo
create trigger tr after insert on t begin delete from main.t; select 1; insert into t values(1,2,3) returning 1; end
create temp trigger tr after insert on t begin delete from main.t; select 1; end
create trigger tr after insert on nosuch begin delete from main.t; select 1; end
create trigger tr after insert on t begin delete from main.t indexed by x; select 1; end
create trigger tr after insert on t begin insert into main.t values(1,2,3) returning 1; end
create view v as select abs(a order by b)
create view v as select abs(a order by b) over ()
create view v as select abs(a order by b) over x
create view v as select abs(a order by b) filter (where 1)
create view v as select abs(a order by b) filter (where 1) over ()
create view v as select abs(distinct a order by b) filter (where 1) over ()
create view v as select abs(distinct a) filter (where 1) over ()
create view v as select abs(distinct a) filter (where 1)
create view v as select abs(distinct a) over ()
create view v as select abs(order by b) over ()
create view v as select abs(order by b)
create view v as select abs(distinct a) over () foo bar
create view v as select abs(distinct a) over () foo ~
create view v as select abs(a order by b) foo bar
create view v as select abs(a order by b) over () foo bar
create view v as values(sum()),(1,2)
create view v as values(sum(1)),(1,2)
create view v as values('a' collate nocase),(1,2)
create view v as values(1),(random(),2)
create view v as values(1),(nosuch(1),2)
create view v as values(1),(abs(1) over (),2)
create view v as values(1),(count(*),2)
create view v as values(1),(count(distinct 1),2)
create view v as values(abs(a)),(1,2)
create view v as values('a' like 'b'),(1,2)
create table z(a) , strict
create table z(a int),, strict
create table z(a int) , 
with a as (select 1), A as (select 2) select 1
with 'a' as (select 1), "a" as (select 2) select 1
create table z(a as (1) foo, "b""c" as (1) foo)
create table z("b""c" as (1) foo)
create view v as select * from t left  'x' join u
create view v as select * from t left "x" join u
create view v as select max(?1,?1 order by 1) over ()
select 1 where (1,2) in ((1,2),(3)) and (1,2) in (3)
insert into t values(1,2,3) on conflict(a nulls first) do nothing foo
create trigger tr after insert on t begin insert into t values(1,2,3) on conflict(a nulls first) do nothing; end
create trigger tr after insert on t begin update t set (a,b)=1; end
create trigger tr after insert on t begin update t set (a,b)=(select 1); end
create view v as select (a,b) in (1) and (c,d) in (1,2,3)
create view v as select (a,b) in ((1,2,3),5)
create view v as select 1 order by 1 union values(1),(2)
create view v as select 1 order by 1 union values(a),(2)
create view v as select 1 order by 1 union values(1),(a)
create view v as select 1 order by 1 union values(1),(a) union values(1)
create view v as select 1 order by 1 union values(1),(a) union values(1),(2)
create view v as select 1 order by 1 union values(1)
create view v as select 1 order by 1 union values(1),(abs(1))
create view v as select sum(a) over x from t window x as (nosuch)
create view v as select sum(a) over x from t window x as (y), y as ()
create view v as select sum(a) over x from t window y as (), x as (Y)
create view v as select sum(a) over x from t window "y" as (), x as (y)
create view v as select sum(a) over x from t window "y" as (), x as ("y")
create view v as select sum(a) over x from t window y as (partition by b), x as (y partition by a)
create view v as select sum(a) over x from t window y as (), x as (y partition by a)
create view v as select sum(a) over x from t window y as (order by b), x as (y order by a)
create view v as select sum(a) over x from t window y as (), x as (y order by a)
create view v as select sum(a) over x from t window y as (rows 1 preceding), x as (y order by a)
create view v as select sum(a) over x from t window y as (rows 1 preceding), x as (y partition by b order by a)
create view v as select sum(a) over x from t window y as (order by 1 rows 1 preceding), x as (y  order by a)
create view v as select sum(a) over x from t window y as (rows 1 preceding), x as (y)
create view v as select sum(a) over x from t window y as (), x as (z) foo
create view v as select sum(a) over x from t window y as (), x as (z), w as ~
create view v as select sum(a) over x from t window y as (), x as (y), y as (partition by 1), z as (y order by 1), zz as (z order by 1)
create view v as select sum(a) over x from t window y as (order by 1), y as (), z as (y order by 1)
create view v as select sum(a) over x from t window y as (), y as (order by 1), z as (y order by 1)
create view v as select sum(a) over (nosuch) from t
select sum(a) over (nosuch) from t
select sum(a) over x from t window x as (nosuch)
select sum(a) over "x" from t window x as ()
select 1 union select 2 order by 1 union values(1),(x)
select 1 union select 2 order by 1 union values(1),(2) foo
with x as (select 1 order by 1 union values(1),(2)) select 1
with x as (select 1 order by 1 union select 1) select 1
create view v as select 1 from (select 1 order by 1 union values(1),(2))
select (with a as (select 1) select 1), (select 1 order by 1 union values(1),(2))
create view v as values(0x1f,42),(42 is distinct from 0)
create view v as values(0x1f,42),(42 is 0)
create view v as values(0x1f,42),(42)
create view v as values(0x1,42),(42)
create view v as values(1,42),(42 is distinct from 0)
create temp trigger tr after insert on t begin select (values(1,42),(42)); end
create temp trigger tr after insert on t begin delete from t where cast((values(1,42),(42)) as int); end
create view v as select cast((values(1,42),(42)) as int)
create view v as values(1),(2,1 glob 2)
create view v as values(1),(2,1 match 2)
create view v as values(1),(2,1 regexp 2)
create view v as values(1),(2,1 is distinct from 2)
create view v as values(1),(2,1 is not 2)
create view v as values(1),(2,1 is 2)
create view v as values(1),(2,1 -> 2)
create view v as values(1),(2,1 isnull)
select (1,2) in ((select 1,2))
select (1,2) in ((select 1,2),(select 2,3))
select (1,2) in ((select 1))
select (1,2) in ((values(1,2),(3,4)))
select 1 in ((select 1,2))
select 1 in ((select 1))
select (1,2) in (((select 1,2)))
create view v as select (1,2) in ((select 1))
create view v as select (1,2) in ((select *))
select (1,2) in ((1))
create view v as select (1,2) in ((select 1),(1,2))
