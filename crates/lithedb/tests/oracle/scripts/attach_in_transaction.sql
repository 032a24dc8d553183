-- ROLLBACK does not undo ATTACH.
begin
create table t(a)
attach ':memory:' as x2
create table x2.u(b)
rollback
select * from x2.u
create table x2.u(c)
select name from x2.sqlite_schema
detach x2
savepoint s
attach ':memory:' as x3
create table x3.w(b)
rollback to s
create table v(b)
release s
select name from sqlite_schema
select * from x3.w
