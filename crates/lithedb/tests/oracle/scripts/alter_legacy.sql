-- What views and triggers call need not be there; stars are renamed with their tables.
create table t1(x, y)
create trigger r1 delete on t1 begin select t1.*, t1.x, nosuch(t1.y), lower(1, t1.x) from t1 order by t1.x; end
create view v1 as select t1.*, sum(x, y), (x, y), lower(x) over () from t1 where scalar(x)
alter table t1 rename to t2
alter table t2 rename x to z
select sql from sqlite_schema
drop view v1
drop trigger r1
pragma legacy_alter_table = 1
create table p(a primary key, b check(b <> 1))
create table c(r references p(a))
create view v as select a from p
create trigger tr after insert on p when new.a begin select a from p; update p set a = new.b; end
create index i on p(a)
alter table p rename a to z
alter table p rename to q
select sql, tbl_name from sqlite_schema
drop view v
drop trigger tr
pragma foreign_keys = 1
alter table c rename to c2
alter table t2 rename to t3
create table self(a primary key, b references self(a))
alter table self rename to self2
create view broken as select nosuch from t3
alter table t3 rename z to y
alter table t3 rename to t4
create table chk(a, check(chk.a > 0))
alter table chk rename to chk2
select sql from sqlite_schema
drop view broken
pragma legacy_alter_table = 0
create view broken2 as select nosuch from t4
pragma writable_schema = 1
alter table t4 rename z to w
alter table t4 rename to t5
pragma writable_schema = 0
alter table t5 rename to t6
select sql from sqlite_schema
-- Tables and indexes are checked before a view that is wrong is reported.
drop view broken2
pragma legacy_alter_table = 1
CREATE TEMP TABLE shadowed(a, b)
CREATE TABLE main.shadowed(a, b, rowid)
CREATE TABLE column_renamed(a, b)
CREATE VIEW shadow_view AS SELECT missing FROM column_renamed
CREATE INDEX main.shadow_index ON shadowed(b, rowid)
ALTER TABLE column_renamed RENAME COLUMN a TO c
DROP INDEX main.shadow_index
ALTER TABLE column_renamed RENAME COLUMN a TO c
ALTER TABLE column_renamed DROP COLUMN b
pragma legacy_alter_table = 0
DROP VIEW shadow_view
ALTER TABLE column_renamed RENAME COLUMN a TO c
SELECT sql FROM sqlite_schema
-- An index is read again as ever: beside a table of temp that has its table's name, it is not found.
PRAGMA legacy_alter_table = ON
CREATE TABLE named(a, b, t1)
CREATE TABLE temp.named(a, b)
CREATE INDEX main.of_named ON named(t1)
ALTER TABLE main.named RENAME TO other
DROP INDEX of_named
CREATE INDEX main.of_named ON named(a) WHERE t1
ALTER TABLE main.named RENAME TO other
DROP INDEX of_named
DROP TABLE temp.named
CREATE TEMP VIEW named AS SELECT 1
CREATE INDEX main.of_named ON named(a)
ALTER TABLE main.named RENAME TO other
DROP VIEW temp.named
ALTER TABLE main.named RENAME TO other
SELECT name, sql FROM sqlite_schema
