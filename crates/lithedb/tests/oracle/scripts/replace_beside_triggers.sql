-- REPLACE whose delete triggers and cascades put rows in the way, and UPDATE whose table they write to.
PRAGMA recursive_triggers = true
-- A: trigger inserts a row in the way of another, abort index checked earlier
CREATE TABLE a(c0 UNIQUE ON CONFLICT REPLACE, c1 UNIQUE, c2)
CREATE TRIGGER ta AFTER DELETE ON a BEGIN INSERT INTO a VALUES(99,2,'t'); END
INSERT INTO a VALUES(1,1,'o')
INSERT INTO a VALUES(1,2,'n')
select * from a
pragma integrity_check
-- B: rowid
CREATE TABLE b(id integer primary key, c0 UNIQUE ON CONFLICT REPLACE, c2)
CREATE TRIGGER tb AFTER DELETE ON b BEGIN INSERT INTO b VALUES(5,99,'t'); END
INSERT INTO b VALUES(1,1,'o')
INSERT INTO b VALUES(5,1,'n')
select * from b
pragma integrity_check
-- C: rowid not given
CREATE TABLE c(c0 UNIQUE ON CONFLICT REPLACE, c2)
CREATE TRIGGER tc AFTER DELETE ON c BEGIN INSERT INTO c VALUES(99,'t'); END
INSERT INTO c VALUES(1,'o')
INSERT INTO c VALUES(1,'n')
select rowid,* from c
pragma integrity_check
-- D: trigger deletes nothing and inserts nothing in the way
CREATE TABLE d(c0 UNIQUE, c1 UNIQUE)
CREATE TABLE lg(x)
CREATE TRIGGER td AFTER DELETE ON d BEGIN INSERT INTO lg VALUES(old.c0); END
INSERT INTO d VALUES(1,1),(2,2)
REPLACE INTO d VALUES(1,2)
select * from d
select * from lg
pragma integrity_check
-- E: two replaces, trigger of the second inserts in the way of the first
CREATE TABLE e(c0 UNIQUE, c1 UNIQUE)
CREATE TRIGGER te AFTER DELETE ON e WHEN old.c0=2 BEGIN INSERT INTO e VALUES(1,77); END
INSERT INTO e VALUES(1,1),(2,2)
REPLACE INTO e VALUES(1,2)
select * from e
pragma integrity_check
-- F: insert or fail/ignore/rollback over index replace
CREATE TABLE f(c0 UNIQUE ON CONFLICT REPLACE, c1 UNIQUE ON CONFLICT IGNORE, c2 UNIQUE ON CONFLICT FAIL)
CREATE TRIGGER tf AFTER DELETE ON f BEGIN INSERT INTO f VALUES(99,2,3); END
INSERT INTO f VALUES(1,1,1)
INSERT INTO f VALUES(1,2,4)
select * from f
INSERT INTO f VALUES(1,8,3)
select * from f
pragma integrity_check
-- G: rowid replace, where index abort in the way after
CREATE TABLE g(id integer primary key ON CONFLICT REPLACE, c1 UNIQUE, c2)
CREATE TRIGGER tg AFTER DELETE ON g BEGIN INSERT INTO g VALUES(9,2,'t'); END
INSERT INTO g VALUES(1,1,'o')
INSERT INTO g VALUES(1,2,'n')
select * from g
pragma integrity_check
-- H: without rowid
CREATE TABLE h(a, b UNIQUE, c, primary key(a)) without rowid
CREATE TRIGGER th AFTER DELETE ON h BEGIN INSERT INTO h VALUES(old.a,7,'t'); END
INSERT INTO h VALUES(1,1,'o')
REPLACE INTO h VALUES(1,2,'n')
select * from h
pragma integrity_check
-- I: update or replace with trigger inserting in the way
CREATE TABLE i(a UNIQUE, b UNIQUE)
CREATE TRIGGER ti AFTER DELETE ON i BEGIN INSERT INTO i VALUES(old.a,77); END
INSERT INTO i VALUES(1,1),(2,2)
UPDATE OR REPLACE i SET a=1 WHERE a=2
select * from i
pragma integrity_check
-- J: update: trigger deletes the row being updated
CREATE TABLE j(a UNIQUE, b)
CREATE TRIGGER tj AFTER DELETE ON j BEGIN DELETE FROM j; END
INSERT INTO j VALUES(1,1),(2,2),(3,3)
UPDATE OR REPLACE j SET a=1 WHERE a=2
select * from j
pragma integrity_check
-- K: the same, beginning with a row that is not there any more
UPDATE OR REPLACE j SET a=1, rowid=17 WHERE a=2
select * from j
-- L: upsert with replace
CREATE TABLE l(a UNIQUE, b UNIQUE ON CONFLICT REPLACE, c)
CREATE TRIGGER tl AFTER DELETE ON l BEGIN INSERT INTO l VALUES(5,99,'t'); END
INSERT INTO l VALUES(1,1,'o')
INSERT INTO l VALUES(5,1,'n') ON CONFLICT(a) DO UPDATE SET c='up'
select * from l
pragma integrity_check
-- M: same with do nothing
DELETE FROM l
DROP TRIGGER tl
DELETE FROM l
CREATE TRIGGER tl AFTER DELETE ON l BEGIN INSERT INTO l VALUES(5,99,'t'); END
INSERT INTO l VALUES(1,1,'o')
INSERT INTO l VALUES(5,1,'n') ON CONFLICT(a) DO NOTHING
select * from l
pragma integrity_check
