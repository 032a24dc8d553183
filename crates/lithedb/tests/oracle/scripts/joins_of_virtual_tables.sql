CREATE TABLE t(x, y COLLATE NOCASE, z, w, v, u)
CREATE VIRTUAL TABLE b USING fts5(p)
INSERT INTO t VALUES (1, 'b', 3, 4, 5, 6), (2, 'A', 2, 1, 0, 9), (3, 'a', 1, 0, 2, 8)
INSERT INTO b VALUES ('one'), ('two')
SELECT * FROM t, b ORDER BY t.w, b.rowid /* ordered */
SELECT * FROM t, b ORDER BY t.u DESC, b.p /* ordered */
SELECT t.u, count(*) FROM t, b GROUP BY t.u
SELECT DISTINCT t.v, t.u FROM b JOIN t ON b.rowid = t.x
SELECT t.y, b.p FROM t, b WHERE b MATCH 'one' ORDER BY t.y, t.x /* ordered */
SELECT t.u, j.value FROM t, json_each('[3,1,2]') AS j ORDER BY t.u, j.value /* ordered */
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)
CREATE VIRTUAL TABLE i USING rtree_i32(c0, c1, c2, +c3 INT)
CREATE VIRTUAL TABLE f USING fts4(a, b)
CREATE TABLE l(fid INTEGER PRIMARY KEY, i, j)
CREATE TRIGGER l_insert AFTER INSERT ON l BEGIN INSERT INTO r VALUES (NEW.fid, 1, 2); INSERT INTO b VALUES (NEW.i); END
CREATE TRIGGER l_delete AFTER DELETE ON l BEGIN DELETE FROM r WHERE id = OLD.fid; END
CREATE VIEW v AS SELECT * FROM l JOIN r ON l.fid = r.id
CREATE VIEW w AS SELECT * FROM f WHERE f.a = 'x'
ALTER TABLE t RENAME TO t2
ALTER TABLE l RENAME COLUMN i TO i2
ALTER TABLE l DROP COLUMN j
ALTER TABLE l RENAME TO l2
ALTER TABLE r RENAME TO r2
ALTER TABLE f RENAME TO f2
ALTER TABLE b RENAME TO b2
SELECT name, tbl_name, sql FROM sqlite_schema
INSERT INTO l2 VALUES (1, 'new')
SELECT * FROM v
CREATE VIEW matching AS SELECT * FROM b2 WHERE b2 MATCH 'one'
ALTER TABLE b2 RENAME TO b3
INSERT INTO i VALUES ('12', '3', 1e10, '7') RETURNING typeof(c0), typeof(c1), typeof(c2), typeof(c3), *
BEGIN
INSERT INTO f2 VALUES ('a', 'b'), ('c', 'd')
SAVEPOINT s
SELECT changes(), last_insert_rowid()
INSERT INTO f2 VALUES ('a', 'b'), ('c', 'd')
CREATE TABLE later(a)
SELECT changes(), last_insert_rowid()
INSERT INTO f2 VALUES ('a', 'b'), ('c', 'd')
COMMIT
SELECT changes(), last_insert_rowid()
INSERT INTO f2(docid, a) VALUES (1, 'x')
INSERT INTO b3(rowid, p) VALUES (1, 'x')
CREATE VIRTUAL TABLE renamed USING fts4(a)
INSERT INTO renamed VALUES ('a')
BEGIN
INSERT INTO renamed VALUES ('a'), ('b'), ('c')
UPDATE renamed SET a = 'b'
UPDATE renamed SET a = 'd'
UPDATE renamed SET a = 'f'
UPDATE renamed SET a = 'b'
ALTER TABLE renamed RENAME TO again
END
SELECT * FROM again
