-- Triggers that will not fit their tables do not stand in the way of ALTER TABLE.
create table t(a, b)
create table u(a, b)
create trigger tr after insert on t begin insert into u values(new.a, new.b); end
alter table u add column c
alter table u rename to x
alter table x drop column c
insert into t values(1, 2)
select * from x
select sql from sqlite_schema
