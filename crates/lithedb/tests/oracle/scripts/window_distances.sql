-- RANGE over distances that a real cannot hold, of texts; EXCLUDE NO OTHERS; literals at the ends of the integers.
create table w(a integer)
insert into w values(1152921504606846976),(1152921504606846977),(1152921504606847076),(1152921504606847300),(1152921504606850000)
select a,count(*) over (order by a range between 0.3 preceding and 0.3 following) from w
select a,count(*) over (order by a range between 0.3 preceding and current row) from w
select a,count(*) over (order by a range between current row and 0.3 following) from w
select a,count(*) over (order by a range between 0.3 following and 200.5 following) from w
select a,count(*) over (order by a range between 200.5 preceding and 0.3 preceding) from w
select a,count(*) over (order by a range between 200 preceding and 1 preceding) from w
select a,count(*) over (order by a range between 200.0 preceding and 1.0 preceding) from w
select a,count(*) over (order by a desc range between 0.3 preceding and 0.3 following) from w
select a,count(*) over (order by a desc range between 200.5 preceding and 0.3 preceding) from w
select a,count(*) over (order by a range between 1e300 preceding and current row) from w
select a,count(*) over (order by a range between current row and 9223372036854775807 following) from w
select a,count(*) over (order by a range between 9223372036854775807 preceding and current row) from w
select a,count(*) over (order by -a range between 9223372036854775807 preceding and current row) from w
select a,count(*) over (order by -a range between 9223372036854775807 preceding and 9223372036854775807 preceding) from w
select a,count(*) over (order by a range between '2.0' preceding and current row) from w
select a,count(*) over (order by a range between '300' preceding and current row) from w
select a,count(*) over (order by a range between 'abc' preceding and current row) from w
select a,count(*) over (order by a range between '' preceding and current row) from w
select a,count(*) over (order by a range between ' 2 ' preceding and current row) from w
select a,count(*) over (order by a range between '2x' preceding and current row) from w
select a,count(*) over (order by a range between x'32' preceding and current row) from w
select a,count(*) over (order by a range between null preceding and current row) from w
select a,count(*) over (order by a range between '-1' preceding and current row) from w
select a,count(*) over (order by a range between current row and '1' following) from w
select a,count(*) over (order by a range between current row and 'x' following) from w
select a,count(*) over (order by a rows between '1' preceding and current row) from w
select a,count(*) over (order by a rows between '1.0' preceding and current row) from w
select a,count(*) over (order by a rows between 1.0 preceding and current row) from w
select a,count(*) over (order by a rows between 1.5 preceding and current row) from w
select a,count(*) over (order by a rows between x'31' preceding and current row) from w
select a,count(*) over (order by a groups between '1' preceding and '2' following) from w
select a,count(*) over (order by a rows between 9223372036854775807 preceding and 9223372036854775807 following) from w
select a,count(*) over (order by a rows between 9223372036854775807 following and 9223372036854775807 following) from w
select a,count(*) over (order by a groups between 9223372036854775807 preceding and 9223372036854775807 following) from w
select nth_value(a,'2') over (order by a) from w
select nth_value(a,2.0) over (order by a) from w
select nth_value(a,2.5) over (order by a) from w
select nth_value(a,9223372036854775807) over (order by a) from w
select ntile('2') over (order by a), ntile(2.7) over (order by a) from w
select ntile(0) over (order by a) from w
select ntile(9223372036854775807) over (order by a) from w
select lead(a,'1') over (order by a),lead(a,1.5) over (order by a),lead(a,-1) over (order by a), lead(a,9223372036854775807) over (order by a), lag(a,-9223372036854775808) over (order by a), lead(a,null) over (order by a),lead(a,'x') over (order by a) from w
select sum(a) over (order by a rows between 1 preceding and current row) from w
select sum(a) over (order by a rows between 1 preceding and current row exclude no others) from w
select sum(a) over (order by a rows between current row and unbounded following) from w
create table s(g, x)
insert into s values (1,'a'),(2,30),(3,26),(4,x'31'),(5,null),(6,1e308),(7,1e308),(8,-1e308),(9,9223372036854775807),(10,1),(11,-5)
select sum(x) over (order by g rows between current row and 1 following exclude no others) from s
select sum(x) over (order by g rows between current row and 1 following) from s where g!=10
select total(x) over (order by g rows between current row and 1 following), avg(x) over (order by g rows between current row and 1 following) from s
select avg(x) over (order by g rows between current row and 1 following exclude no others) from s
select min(x) over (order by g rows between current row and 1 following exclude no others), max(x) over (order by g rows 2 preceding), group_concat(x) over (order by g rows 2 preceding exclude no others), count(x) over (rows 1 preceding exclude no others) from s
select sum(x) over (order by g rows between current row and 1 following) from s where g in (9,10,11)
select -0x08000000000000000
select -0x8000000000000000, -0x7fffffffffffffff, -0xffffffffffffffff
select 0x10000000000000000
select - 0x10000000000000000
select -00000009223372036854775808, typeof(- 9223372036854775808), typeof(-(9223372036854775808)), typeof(-009223372036854775808), typeof(-9223372036854775809), -0009223372036854775809
select 1 limit -009223372036854775808
create table lit(a default -009223372036854775808, b default 00012, c default -0x10, d default +0009223372036854775807)
insert into lit default values
select * from lit
select -9_223_372_036_854_775_808, typeof(-9_223_372_036_854_775_808), 1_000, 0x1_0
drop table w
create table w(a integer, n)
insert into w values(1152921504606846976,1),(1152921504606846977,2),(1152921504606846977,3),(1152921504606847076,4),(1152921504606847076,5),(1152921504606847076,6),(1152921504606847300,7),(1152921504606850000,8)
select n,group_concat(n) over (order by a range between 0.3 preceding and 0.3 following) from w
select n,group_concat(n) over (order by a range between 0.3 preceding and current row) from w
select n,group_concat(n) over (order by a range between current row and 0.3 following) from w
select n,group_concat(n) over (order by a range between unbounded preceding and 0.3 following) from w
select n,group_concat(n) over (order by a range between 0.3 preceding and unbounded following) from w
select n,group_concat(n) over (order by a range between 0.3 following and 200.5 following) from w
select n,group_concat(n) over (order by a range between 0.3 following and unbounded following) from w
select n,group_concat(n) over (order by a range between 200.5 preceding and 0.3 preceding) from w
select n,group_concat(n) over (order by a desc range between 0.3 preceding and 0.3 following) from w
select n,group_concat(n) over (order by a desc range between 0.3 preceding and current row) from w
select n,group_concat(n) over (order by a desc range between current row and 0.3 following) from w
select n,group_concat(n) over (order by a desc range between 0.3 following and 200.5 following) from w
select n,group_concat(n) over (order by a desc range between 200.5 preceding and 0.3 preceding) from w
select n,group_concat(n) over (order by a desc range between unbounded preceding and 0.3 preceding) from w
select n,group_concat(n) over (order by a range between 0.3 preceding and 0.3 following exclude no others) from w
select n,group_concat(n) over (order by a range between 0.3 preceding and 0.3 following exclude ties) from w
select n,group_concat(n) over (order by a range between 200.5 preceding and 0.3 preceding exclude no others) from w
create table z(a, n)
insert into z values(9007199254740993,1),(9007199254740993.0,2),(9007199254740992,3),(9007199254740994,4),(9223372036854775807,5),(9223372036854775806,6),(-9223372036854775808,7),(9.2233720368547758e18,8),(null,9),('x',10),(x'00',11),(1e308,12),(-1e308,13),(1e999,14)
select n,group_concat(n) over (order by a range between 1.0 preceding and 1.0 following) from z
select n,group_concat(n) over (order by a desc range between 1 preceding and 1 following) from z
select n,group_concat(n) over (order by a range between 0 preceding and 0 following) from z
select n,group_concat(n) over (order by a range between 0.0 preceding and 0.0 following) from z
select n,group_concat(n) over (order by a range between 1e999 preceding and 0 following) from z
select n,group_concat(n) over (order by a range between 1e308 preceding and 1e308 following) from z
select n,group_concat(n) over (order by a range between 9223372036854775807 preceding and 9223372036854775807 following) from z
select n,group_concat(n) over (order by a range between 9223372036854775807 following and 9223372036854775807 following) from z
select n,group_concat(n) over (order by a desc range between 9223372036854775807 preceding and 9223372036854775807 preceding) from z
