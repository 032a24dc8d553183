-- A trigger may have the name of a table, a view or an index.
create table log(x, a, b)
create table tbl(a, b)
create table t1(a, b)
create view v1 as select * from tbl
create index i1 on tbl(a)
create trigger t1 after insert on tbl begin insert into log values('after insert', new.a, new.b); end
create trigger v1 after update on tbl begin insert into log values('after update', new.a, new.b); end
create trigger i1 after delete on tbl begin insert into log values('after delete', old.a, old.b); end
create trigger i2 after insert on tbl begin select 1; end
create index i2 on tbl(b)
create trigger t2 after insert on tbl begin select 1; end
create table t2(a unique)
insert into t2 values(1)
insert into tbl values(1, 2)
update tbl set b = a + b, a = a + 1
delete from tbl
select * from log
pragma integrity_check
