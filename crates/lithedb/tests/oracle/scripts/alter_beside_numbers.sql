-- A view whose terms name no result column by number does not stand in the way of ALTER TABLE, but where another one uses it.
create table z(a, k)
create table t1(a, b, c)
create view v as SELECT a FROM t1 GROUP BY 2
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 ORDER BY 2
alter table z rename column kk to k
drop view v
create view v as SELECT a FROM t1 GROUP BY 1 ORDER BY 2
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 UNION SELECT b FROM t1 ORDER BY 2
alter table z rename column kk to k
drop view v
create view v as SELECT count(*) FROM t1 GROUP BY 1
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM (SELECT a FROM t1 ORDER BY 3)
alter table z rename column kk to k
drop view v
create view v as SELECT a FROM t1 WHERE a IN (SELECT b FROM t1 GROUP BY 4)
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 ORDER BY 0x10
alter table z rename column kk to k
drop view v
create view v as SELECT a FROM t1 GROUP BY 0
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 ORDER BY 0
alter table z rename column kk to k
drop view v
create view v as SELECT a FROM t1 ORDER BY -1
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 ORDER BY 70000
alter table z rename column kk to k
drop view v
create view v as SELECT a FROM t1 UNION SELECT b FROM t1 GROUP BY 9 ORDER BY 1
alter table z rename column k to kk
drop view v
create view v as SELECT a FROM t1 GROUP BY sum(a)
alter table z rename column kk to k
drop view v
create view v as select a from t1 order by 2
create view w as select * from v
alter table z rename to y
drop view w
drop view v
create view v as select a from t1 group by 2
create view w as select * from v
alter table z rename to y
drop view w
alter table t1 rename a to q
select sql from sqlite_schema
drop view v
create trigger tr after insert on t1 when (select b from t1 order by 2) begin insert into z(a) select b from t1 group by 2; update z set a = (select b from t1 order by 2); end
alter table z rename to y
select sql from sqlite_schema
