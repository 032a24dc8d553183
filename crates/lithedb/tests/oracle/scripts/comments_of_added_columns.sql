-- The comments behind the definition of an added column belong to the table's text.
create table t(a, b, check (a > 0))
alter table t add column c int /* x */
alter table t add column d int /* x */ /* y */   
alter table t add column e int -- to the end of the line
alter table t add column f/* not ended
alter table t add g /* a */ int /* b */ default 5 /* c */
select sql from sqlite_schema
create table u(a)
alter table u add b /* x */
alter table u add c int default 7 /*)*/
alter table u add d int -- no
insert into u values (1, 2, 3)
select * from u
select sql from sqlite_schema where name = 'u'
