-- What RETURNING sees of triggers and cascades, and when its subqueries run.
CREATE TABLE lg(x)
CREATE TABLE d(id INTEGER PRIMARY KEY, e)
INSERT INTO d VALUES (3,7),(4,8)
CREATE TEMP TRIGGER dt AFTER UPDATE ON d BEGIN INSERT INTO lg VALUES('temp'); END
CREATE TRIGGER dm AFTER UPDATE ON d BEGIN INSERT INTO lg VALUES('main'); END
UPDATE d SET e = e RETURNING id, (SELECT group_concat(x) FROM lg)
DROP TRIGGER dm
CREATE TRIGGER dm AFTER UPDATE ON d BEGIN SELECT RAISE(IGNORE) WHERE NEW.e = 7; END
UPDATE d SET e = e RETURNING id
-- insert
CREATE TEMP TRIGGER it AFTER INSERT ON d BEGIN INSERT INTO lg VALUES('itemp'); END
CREATE TRIGGER im AFTER INSERT ON d BEGIN INSERT INTO lg VALUES('imain'); END
DELETE FROM lg
INSERT INTO d VALUES(7,8),(8,9) RETURNING id, (SELECT group_concat(x) FROM lg)
-- delete
CREATE TEMP TRIGGER xt AFTER DELETE ON d BEGIN INSERT INTO lg VALUES('xtemp'); END
CREATE TRIGGER xm AFTER DELETE ON d BEGIN INSERT INTO lg VALUES('xmain'); END
DELETE FROM lg
DELETE FROM d WHERE id>=7 RETURNING id, (SELECT group_concat(x) FROM lg), (SELECT count(*) FROM d)
-- fk
PRAGMA foreign_keys=on
CREATE TABLE c(p REFERENCES d(id) ON DELETE CASCADE ON UPDATE CASCADE)
INSERT INTO c VALUES(3),(4)
UPDATE d SET id=33 WHERE id=3 RETURNING id, (SELECT group_concat(p) FROM c)
DELETE FROM d WHERE id=33 RETURNING id, (SELECT group_concat(p) FROM c)
-- view
CREATE VIEW v AS SELECT id, e FROM d
DELETE FROM lg
CREATE TEMP TRIGGER vt INSTEAD OF UPDATE ON v BEGIN INSERT INTO lg VALUES('vtemp'); SELECT RAISE(IGNORE) WHERE NEW.id=4; END
CREATE TRIGGER vm INSTEAD OF UPDATE ON v BEGIN INSERT INTO lg VALUES('vmain'); END
INSERT INTO d VALUES(5,5)
UPDATE v SET e=1 RETURNING id, e, (SELECT group_concat(x) FROM lg)
-- two temps; of more than four, SQLite's order depends on addresses
DROP TRIGGER temp.dt
DROP TRIGGER temp.it
DROP TRIGGER temp.xt
DROP TRIGGER temp.vt
CREATE TABLE g(a)
CREATE TEMP TRIGGER g1 AFTER INSERT ON g BEGIN INSERT INTO lg VALUES('g1'); END
CREATE TEMP TRIGGER g2 AFTER INSERT ON g BEGIN INSERT INTO lg VALUES('g2'); END
DELETE FROM lg
INSERT INTO g VALUES(1) RETURNING a, (SELECT group_concat(x) FROM lg)
-- temp table
CREATE TEMP TABLE h(a)
CREATE TEMP TRIGGER h1 AFTER INSERT ON h BEGIN INSERT INTO lg VALUES('h1'); END
DELETE FROM lg
INSERT INTO h VALUES(1) RETURNING a, (SELECT group_concat(x) FROM lg)
-- affinity in instead of
CREATE TABLE va(id INT, c DATE, t TEXT, r REAL, b)
CREATE VIEW vb AS SELECT id AS a, c AS b, t, r, b AS bb, id+1 AS ex, CAST(b AS TEXT) AS ct FROM va
CREATE TABLE l2(a,b,c,d,e,f,g)
CREATE TRIGGER vbi INSTEAD OF INSERT ON vb BEGIN INSERT INTO l2 VALUES (typeof(NEW.a),typeof(NEW.b), typeof(NEW.t), typeof(NEW.r), typeof(NEW.bb), typeof(NEW.ex), typeof(NEW.ct)); END
CREATE TRIGGER vbu INSTEAD OF UPDATE ON vb BEGIN INSERT INTO l2 VALUES (typeof(NEW.a),typeof(NEW.b), typeof(NEW.t), typeof(NEW.r), typeof(NEW.bb), typeof(NEW.ex), typeof(NEW.ct)); END
INSERT INTO vb VALUES('1','2',3,4,'5','6',7)
INSERT INTO vb VALUES('1','2',3,4,'5','6',7) RETURNING typeof(a), typeof(b), typeof(t), typeof(r), typeof(bb), typeof(ex), typeof(ct)
SELECT * FROM l2
DELETE FROM l2
INSERT INTO va VALUES(1,2,3,4,5)
UPDATE vb SET a='1', b='2', t=3, r=4, bb='5', ex='6', ct=7
UPDATE vb SET a='1', b='2', t=3, r=4, bb='5', ex='6', ct=7 RETURNING typeof(a), typeof(b), typeof(t), typeof(r), typeof(bb), typeof(ex), typeof(ct)
SELECT * FROM l2
DROP TABLE lg
DROP TABLE d
CREATE TABLE lg(x)
CREATE TABLE d(id INTEGER PRIMARY KEY, e)
INSERT INTO d VALUES (3,7),(4,8),(5,9)
CREATE TEMP TRIGGER dt AFTER UPDATE ON d BEGIN INSERT INTO lg VALUES('temp'); END
UPDATE d SET e = e RETURNING id, (SELECT group_concat(x) FROM lg), (SELECT count(*) FROM lg),(SELECT count(*) FROM lg WHERE 1), (SELECT max(rowid) FROM lg), (SELECT sum(1) FROM lg), (SELECT x||rowid FROM lg ORDER BY rowid DESC LIMIT 1), EXISTS(SELECT 1 FROM lg WHERE rowid=2), 2 IN (SELECT rowid FROM lg)
DELETE FROM lg
DROP TRIGGER dt
CREATE TRIGGER dt AFTER UPDATE ON d BEGIN INSERT INTO lg VALUES('main'); END
UPDATE d SET e = e RETURNING id, (SELECT group_concat(x) FROM lg), (SELECT count(*) FROM lg),(SELECT count(*) FROM lg WHERE 1), (SELECT max(rowid) FROM lg), (SELECT sum(1) FROM lg), (SELECT x||rowid FROM lg ORDER BY rowid DESC LIMIT 1), EXISTS(SELECT 1 FROM lg WHERE rowid=2), 2 IN (SELECT rowid FROM lg)
-- no trigger
UPDATE d SET e = e+1 RETURNING id, (SELECT group_concat(e) FROM d), (SELECT count(*) FROM d),(SELECT sum(e) FROM d), (SELECT e FROM d WHERE id=5)
