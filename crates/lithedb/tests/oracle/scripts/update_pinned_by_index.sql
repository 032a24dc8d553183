-- The same with policies of indexes, deeper triggers and cascades.
PRAGMA recursive_triggers = true
CREATE TABLE o(x UNIQUE, y)
INSERT INTO o VALUES(1,1)
-- A trigger updates another table with unique index
CREATE TABLE a(a UNIQUE, b)
CREATE TRIGGER ta AFTER DELETE ON a BEGIN UPDATE o SET y=y+1; END
INSERT INTO a VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE a SET a=1 WHERE a=2
select * from a
select * from o
-- B policy from the index
CREATE TABLE b(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TRIGGER tb AFTER DELETE ON b BEGIN UPDATE b SET b=b+10 WHERE a=3; END
INSERT INTO b VALUES(1,1),(2,2),(3,3)
UPDATE b SET a=1 WHERE a=2
select * from b
-- C trigger matches no row
CREATE TABLE c(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TRIGGER tc AFTER DELETE ON c BEGIN UPDATE c SET b=b+10 WHERE a=33; END
INSERT INTO c VALUES(1,1),(2,2),(3,3)
UPDATE c SET a=1 WHERE a=2
select * from c
-- D trigger with WHEN false
CREATE TABLE d(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TRIGGER td AFTER DELETE ON d WHEN old.a=99 BEGIN UPDATE d SET b=b+10 WHERE a=3; END
INSERT INTO d VALUES(1,1),(2,2),(3,3)
UPDATE d SET a=1 WHERE a=2
select * from d
-- E trigger deletes another table, reads this
CREATE TABLE e(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TRIGGER te AFTER DELETE ON e BEGIN INSERT INTO o SELECT a+10,b FROM e; END
INSERT INTO e VALUES(1,1),(2,2),(3,3)
UPDATE e SET a=1 WHERE a=2
select * from e
-- F two triggers deep
CREATE TABLE f(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TABLE f2(x)
CREATE TRIGGER tf AFTER DELETE ON f BEGIN INSERT INTO f2 VALUES(1); END
CREATE TRIGGER tf2 AFTER INSERT ON f2 BEGIN INSERT INTO f VALUES(77,77); END
INSERT INTO f VALUES(1,1),(2,2),(3,3)
UPDATE f SET a=1 WHERE a=2
select * from f
-- G fk cascade
PRAGMA foreign_keys=on
CREATE TABLE g(a UNIQUE ON CONFLICT REPLACE, b, p REFERENCES g(a) ON DELETE CASCADE)
INSERT INTO g VALUES(1,1,null),(2,2,null),(3,3,1)
UPDATE g SET a=1 WHERE a=2
select * from g
UPDATE g SET b=9 WHERE a=1
select * from g
-- H fk cascade deleting the row itself
CREATE TABLE h(a UNIQUE ON CONFLICT REPLACE, b, p REFERENCES h(a) ON DELETE CASCADE)
INSERT INTO h VALUES(1,1,null),(2,2,1),(3,3,null)
UPDATE h SET a=1 WHERE a=2
select * from h
-- I fk set null
CREATE TABLE i(a UNIQUE ON CONFLICT REPLACE, b, p REFERENCES i(a) ON DELETE SET NULL)
INSERT INTO i VALUES(1,1,null),(2,2,1),(3,3,1)
UPDATE i SET a=1 WHERE a=2
select * from i
-- J rowid conflict with unique index there
CREATE TABLE j(id integer primary key, b UNIQUE)
CREATE TRIGGER tj AFTER DELETE ON j BEGIN UPDATE j SET b=b+10 WHERE id=2; END
INSERT INTO j VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE j SET id=1 WHERE id=2
select * from j
pragma integrity_check
-- K rowid conflict, trigger deletes the row
CREATE TABLE k(id integer primary key, b)
CREATE TRIGGER tk AFTER DELETE ON k BEGIN DELETE FROM k WHERE id=2; END
INSERT INTO k VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE k SET id=1 WHERE id=2
select * from k
pragma integrity_check
-- L rowid conflict, trigger inserts 1 again
CREATE TABLE l(id integer primary key, b)
CREATE TRIGGER tl AFTER DELETE ON l WHEN old.b=1 BEGIN INSERT INTO l VALUES(1,99); END
INSERT INTO l VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE l SET id=1 WHERE id=2
select * from l
pragma integrity_check
-- M trigger updates another row that has a later unique index not in the update's way
CREATE TABLE m(a UNIQUE ON CONFLICT REPLACE, b)
CREATE TRIGGER tm AFTER DELETE ON m BEGIN UPDATE m SET a=a+0 WHERE a=3; END
INSERT INTO m VALUES(1,1),(2,2),(3,3)
UPDATE m SET a=1 WHERE a=2
select * from m
