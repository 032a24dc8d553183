-- An UPDATE that replaces rows, and triggers that write to its table.
PRAGMA recursive_triggers = true
CREATE TABLE lg(x)
-- A log only
CREATE TABLE a(a UNIQUE, b)
CREATE TRIGGER ta AFTER DELETE ON a BEGIN INSERT INTO lg VALUES(old.a); END
INSERT INTO a VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE a SET a=1 WHERE a=2
select * from a
select * from lg
-- B update another row not in the way
CREATE TABLE b(a UNIQUE, b)
CREATE TRIGGER tb AFTER DELETE ON b BEGIN UPDATE b SET b=b+10 WHERE a=3; END
INSERT INTO b VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE b SET a=1 WHERE a=2
select * from b
-- C update same row unindexed
CREATE TABLE c(a UNIQUE, b)
CREATE TRIGGER tc AFTER DELETE ON c BEGIN UPDATE c SET b=b+10 WHERE a=2; END
INSERT INTO c VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE c SET a=1 WHERE a=2
select * from c
pragma integrity_check
-- D update same row indexed
CREATE TABLE d(a UNIQUE, b)
CREATE INDEX db ON d(b)
CREATE TRIGGER td AFTER DELETE ON d BEGIN UPDATE d SET b=b+10 WHERE a=2; END
INSERT INTO d VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE d SET a=1 WHERE a=2
select * from d
pragma integrity_check
-- E update same row same value
CREATE TABLE e(a UNIQUE, b)
CREATE INDEX eb ON e(b)
CREATE TRIGGER te AFTER DELETE ON e BEGIN UPDATE e SET b=b WHERE a=2; END
INSERT INTO e VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE e SET a=1 WHERE a=2
select * from e
pragma integrity_check
-- F insert not in the way
CREATE TABLE f(a UNIQUE, b)
CREATE TRIGGER tf AFTER DELETE ON f BEGIN INSERT INTO f VALUES(44,4); END
INSERT INTO f VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE f SET a=1 WHERE a=2
select * from f
pragma integrity_check
-- G update same row, set b too
CREATE TABLE g(a UNIQUE, b)
CREATE INDEX gb ON g(b)
CREATE TRIGGER tg AFTER DELETE ON g BEGIN UPDATE g SET b=b+10 WHERE a=2; END
INSERT INTO g VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE g SET a=1, b=7 WHERE a=2
select * from g
pragma integrity_check
-- H insert in the way of the updated row
CREATE TABLE h(a UNIQUE, b UNIQUE)
CREATE TRIGGER th AFTER DELETE ON h WHEN old.a=1 BEGIN INSERT INTO h VALUES(44,22); END
INSERT INTO h VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE h SET a=1,b=22 WHERE a=2
select * from h
pragma integrity_check
-- I rowid update
CREATE TABLE i(id integer primary key, b)
CREATE TRIGGER ti AFTER DELETE ON i BEGIN UPDATE i SET b=b+10 WHERE id=2; END
INSERT INTO i VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE i SET id=1 WHERE id=2
select * from i
pragma integrity_check
-- J without rowid
CREATE TABLE j(id, b unique, c, primary key(id)) without rowid
CREATE TRIGGER tj AFTER DELETE ON j BEGIN UPDATE j SET c=c+10 WHERE id=2; END
INSERT INTO j VALUES(1,1,1),(2,2,2),(3,3,3)
UPDATE OR REPLACE j SET b=1 WHERE id=2
select * from j
pragma integrity_check
-- K before delete trigger
CREATE TABLE k(a UNIQUE, b)
CREATE INDEX kb ON k(b)
CREATE TRIGGER tk BEFORE DELETE ON k BEGIN UPDATE k SET b=b+10 WHERE a=2; END
INSERT INTO k VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE k SET a=1 WHERE a=2
select * from k
pragma integrity_check
