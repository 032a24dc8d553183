-- Which constraints ON CONFLICT can name, and what its errors say.
create table w1(c0 integer primary key, c1 text, unique(c0 desc, c1 desc))
insert into w1 values(1, 2) on conflict(c0, c1) do nothing
insert into w1 values(1, 2) on conflict(c0) do nothing
insert into w1 values(1, 2) on conflict(c0) do update set c1 = 5 on conflict(c1) do nothing
insert into w1 values(1, 2) on conflict(c1) do update set c1 = 5 on conflict do nothing
insert into w1 values(1, 2) on conflict(c1) do nothing
create table w2(a, b, unique(a, b))
insert into w2 values(1, 2) on conflict(b, a) do nothing
create table w3(c0 integer primary key, b, unique(b, c0))
insert into w3 values(1, 2) on conflict(b, rowid) do nothing
-- An update to which no conflict leads is not looked at.
create table w4(c0 integer primary key, b not null)
create table w5(x)
create trigger w4u after update on w4 begin insert into w5 values(1); end
drop table w5
insert into w4(b) values(null) on conflict(c0) do update set b = 1
insert into w4(c0, b) values(1, null) on conflict(c0) do update set b = 1
-- Columns of excluded have no affinity and no collation.
CREATE TABLE ex(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c INT, d TEXT, e)
INSERT INTO ex VALUES (1, 'x', 5, '7', 0)
INSERT INTO ex VALUES (1, 'x', 5, '7', 0) ON CONFLICT(a) DO UPDATE SET e = (excluded.b = 'X') || (excluded.b IN ('X')) || (excluded.c = '5') || (excluded.a = '1') || (excluded.d = 7) || (excluded.d = ex.c) || (ex.c = excluded.d) || (excluded.rowid = '1') || (excluded.c IN ('5'))
SELECT e FROM ex
CREATE TRIGGER exr AFTER UPDATE ON ex BEGIN INSERT INTO missing VALUES (1); END
INSERT INTO ex(a, b) VALUES (NULL, 2) ON CONFLICT(a) DO UPDATE SET b = 3
-- A clause for an index that would replace: a single row whose foreign key fails is not inserted first.
PRAGMA foreign_keys = ON
CREATE TABLE fk(a, b, c, UNIQUE(a, c) ON CONFLICT REPLACE, FOREIGN KEY(b, c) REFERENCES fk(a, c))
INSERT INTO fk VALUES (1, '', 'a') ON CONFLICT(a, c) DO NOTHING
SELECT last_insert_rowid()
INSERT INTO fk(rowid, a, b, c) VALUES (10, 1, '', 'a')
SELECT last_insert_rowid()
PRAGMA foreign_keys = OFF
