-- Triggers that fire themselves.
pragma recursive_triggers = on
create table q1(a, b)
create trigger q1t after insert on q1 begin insert into q1 values(new.a, 1); end
insert into q1 values(1,2)
insert or rollback into q1 values(1,2)
insert or ignore into q1 values(1,2)
create table q2(a primary key, b)
create trigger q2t insert on q2 begin insert into q2 values(new.a, 1); end
insert into q2 values(1,2)
create table q3(a primary key, b) without rowid
create trigger q3t insert on q3 begin insert into q3 values(new.a, 1); end
insert into q3 values(1,2)
create table q4(a real unique on conflict ignore, b)
create trigger q4t insert on q4 begin insert into q4 values(new.a, 1); end
insert into q4 values(1,2)
-- What a view cannot do comes before what is wrong with the statement.
create table t(a, b)
create view v as select a, b from t
insert into v values(1, 2) on conflict do nothing
insert into v values(1, 2, 3)
delete from v where nothing = 1
create trigger vi instead of insert on v begin insert into t values(new.a, new.b); end
insert into v values(1, 2) on conflict do nothing
insert into v values(1, 2)
select * from t
