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
-- What SQLite does not look at, it does not rename; names of columns that are written are not verified.
CREATE TABLE inn(a, b AS (a IN ()), c AS (abs(a) IN ()))
CREATE INDEX inni ON inn((a IN ()))
ALTER TABLE inn RENAME COLUMN a TO renamed
SELECT sql FROM sqlite_schema WHERE tbl_name = 'inn'
SELECT nosuch IN (), nosuch NOT IN (), (SELECT x FROM missing) IN ()
SELECT nosuch(1) IN ()
CREATE TABLE verified(a, b)
CREATE TABLE other(a)
CREATE TRIGGER vt AFTER INSERT ON other BEGIN UPDATE verified SET b = NEW.a WHERE a = NEW.a; INSERT INTO verified(b) VALUES (1); END
ALTER TABLE verified DROP COLUMN b
CREATE TABLE sgen(a INT) STRICT
INSERT INTO sgen VALUES (1)
ALTER TABLE sgen ADD COLUMN b INT AS (a || 'g')
ALTER TABLE sgen ADD COLUMN c INT AS (a + 1)
-- The oldest object that means nothing is the one that is reported.
CREATE VIEW ordered1 AS SELECT a FROM inn
CREATE TRIGGER orderedt INSTEAD OF UPDATE ON ordered1 BEGIN UPDATE missing SET c0 = OLD.a; END
CREATE VIEW ordered2 AS SELECT a FROM missing
ALTER TABLE other DROP COLUMN a
ALTER TABLE other ADD COLUMN z
ALTER TABLE other DROP COLUMN z
