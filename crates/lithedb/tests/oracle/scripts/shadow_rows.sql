-- Rows of shadow tables, which an R-Tree writes without statements where nothing depends on them: counts, triggers, keys, other columns.
CREATE VIRTUAL TABLE r USING rtree(id, a, b)
SELECT changes(), total_changes(), last_insert_rowid()
INSERT INTO r VALUES(NULL, 1, 2), (7, 3, 4), (5, 5, 6)
SELECT changes(), total_changes(), last_insert_rowid()
UPDATE r SET a = 0 WHERE id > 4
SELECT changes(), total_changes(), last_insert_rowid()
UPDATE r SET id = 9 WHERE id = 7
SELECT changes(), total_changes(), last_insert_rowid()
INSERT INTO r VALUES(9, 1, 2)
INSERT OR IGNORE INTO r VALUES(9, 1, 2)
SELECT changes(), total_changes(), last_insert_rowid()
INSERT OR REPLACE INTO r VALUES(9, 7, 8)
SELECT changes(), total_changes(), last_insert_rowid()
DELETE FROM r WHERE id = 1
SELECT changes(), total_changes(), last_insert_rowid()
WITH RECURSIVE c(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM c WHERE x < 300) INSERT INTO r SELECT x, x % 37, x % 37 + 1 FROM c
SELECT changes(), total_changes(), last_insert_rowid()
SELECT nodeno, rtreenode(1, data) FROM r_node
SELECT * FROM r_rowid
SELECT * FROM r_parent
BEGIN
INSERT INTO r VALUES(1000, 1, 2)
SAVEPOINT s
INSERT INTO r VALUES(1001, 1, 2)
DELETE FROM r WHERE id < 200
SELECT count(*) FROM r_rowid
SELECT count(*) FROM r_node
ROLLBACK TO s
SELECT count(*), max(rowid) FROM r_rowid
INSERT INTO r VALUES(1001, 1, 2)
ROLLBACK
SELECT count(*), max(rowid) FROM r_rowid
INSERT INTO r VALUES(1000, 1, 2)
SELECT rtreecheck('r')
CREATE TABLE log(what)
CREATE TRIGGER tn AFTER INSERT ON r_node BEGIN INSERT INTO log VALUES('node ' || new.nodeno); END
INSERT INTO r VALUES(1001, 50, 51)
SELECT total_changes()
SELECT * FROM log
DROP TRIGGER tn
CREATE TRIGGER tr BEFORE INSERT ON r_rowid BEGIN INSERT INTO log VALUES('row ' || new.rowid || ' ' || new.nodeno); END
INSERT INTO r VALUES(1002, 50, 51)
SELECT * FROM log
DROP TRIGGER tr
CREATE TEMP TRIGGER tt AFTER INSERT ON main.r_rowid BEGIN INSERT INTO log VALUES('temp ' || new.rowid); END
INSERT INTO r VALUES(1003, 50, 51)
SELECT * FROM log
DROP TRIGGER tt
CREATE TRIGGER td AFTER DELETE ON r_rowid BEGIN INSERT INTO log VALUES('gone ' || old.rowid); END
DELETE FROM r WHERE id = 1003
SELECT * FROM log
DROP TRIGGER td
CREATE INDEX ri ON r_rowid(nodeno)
INSERT INTO r VALUES(1003, 50, 51)
PRAGMA integrity_check
SELECT count(*) FROM r_rowid INDEXED BY ri WHERE nodeno > 0
DROP INDEX ri
ALTER TABLE r_rowid ADD COLUMN more DEFAULT 5
INSERT INTO r VALUES(1004, 50, 51)
INSERT INTO r VALUES(NULL, 50, 51)
SELECT * FROM r_rowid WHERE rowid > 1002
DELETE FROM r WHERE id = 1004
SELECT id FROM r WHERE id > 1002
CREATE TABLE child(x REFERENCES r_parent(nodeno))
PRAGMA foreign_keys = ON
INSERT INTO child SELECT nodeno FROM r_parent ORDER BY 1 LIMIT 1
DELETE FROM r WHERE id < 990
SELECT count(*) FROM r_parent
PRAGMA foreign_keys = OFF
DELETE FROM r WHERE id < 990
SELECT count(*) FROM r_parent
ATTACH ':memory:' AS other
CREATE VIRTUAL TABLE other.q USING rtree(id, a, b, +note)
INSERT INTO q VALUES(1, 2, 3, 'one'), (2, 3, 4, 'two')
UPDATE q SET b = 9 WHERE id = 2
WITH RECURSIVE c(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM c WHERE x < 100) INSERT INTO q SELECT x, x % 37, x % 37 + 1, 'n' || x FROM c
SELECT * FROM other.q_rowid
SELECT id, note FROM q WHERE a > 30
DETACH other
ATTACH ':memory:' AS other
CREATE VIRTUAL TABLE other.q USING rtree_i32(id, a, b)
INSERT INTO q SELECT id, id, id FROM r
SELECT * FROM q WHERE a BETWEEN 900 AND 1002
SELECT rtreecheck('other', 'q')
UPDATE q_node SET data = 'text' WHERE nodeno = 1
SELECT * FROM q
INSERT INTO q VALUES(5, 5, 5)
DELETE FROM q_node
INSERT INTO q VALUES(5, 5, 5)
SELECT id FROM q
DROP TABLE q_node
INSERT INTO q VALUES(5, 5, 5)
SELECT id FROM q
CREATE VIRTUAL TABLE w USING rtree(id, a, b)
DROP TABLE w_node
CREATE TABLE w_node(nodeno INTEGER PRIMARY KEY, data TEXT)
INSERT INTO w_node VALUES(1, zeroblob(816))
INSERT INTO w VALUES(1, 2, 3)
SELECT nodeno, typeof(data), length(data) FROM w_node
