-- TRUE and FALSE are numbers; old rows of a TEXT column have a number as it was written.
create table d(a integer primary key, b default true, c default (true), d boolean default false, e text default true, f default TRUE, g default "true", h default abc)
insert into d default values
select * from d
create table f(e)
insert into f values(1)
alter table f add a text default 2.50
alter table f add b text default -1e3
alter table f add c default -x'01'
alter table f add d default -'12x'
alter table f add g text default (cast(2.50 as text))
alter table f add h default (cast('5' as int))
alter table f add i default (+'2.50')
alter table f add j default (-null)
alter table f add k text default (-(-2.50))
alter table f add l text default -9223372036854775808
alter table f add m default (-(-9223372036854775808))
alter table f add n text default true
alter table f add o default (1 + 1)
alter table f add p default (5 collate nocase)
select * from f
insert into f(e) values(2)
select * from f
select sql from sqlite_schema
