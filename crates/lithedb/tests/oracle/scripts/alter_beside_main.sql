-- A table of the main database, and not of temp, has the name of one in an attached database, which is altered: its indexes and triggers are its own.
ATTACH ':memory:' AS aux
CREATE TABLE main.t1(x)
CREATE TABLE aux.t1(a, b, c)
CREATE TABLE aux.o(p, q, r)
CREATE INDEX aux.i ON t1(b)
ALTER TABLE aux.o RENAME TO o2
ALTER TABLE aux.o2 RENAME p TO p2
ALTER TABLE aux.o2 DROP COLUMN r
ALTER TABLE aux.t1 RENAME a TO a2
ALTER TABLE aux.t1 DROP COLUMN c
ALTER TABLE aux.t1 RENAME TO t9
ALTER TABLE aux.t9 RENAME TO t1
CREATE TEMP TABLE t1(z)
ALTER TABLE aux.o2 RENAME TO o3
ALTER TABLE aux.o3 RENAME p2 TO p3
ALTER TABLE aux.t1 RENAME b TO bb
CREATE TABLE aux.e(a AS (1), b)
CREATE TABLE main.e(y)
CREATE INDEX aux.ie ON e(b, a || 'x') WHERE b > 1
ALTER TABLE aux.o2 RENAME TO o4
ALTER TABLE aux.e RENAME b TO bb
ALTER TABLE aux.e RENAME TO ee
SELECT name, tbl_name, sql FROM aux.sqlite_schema
DROP TABLE temp.t1
CREATE TABLE main.m1(x)
CREATE TABLE aux.m1(a, b, c)
CREATE TABLE aux.mo(p, q, r)
CREATE TRIGGER aux.mg AFTER INSERT ON m1 BEGIN UPDATE mo SET q = new.b WHERE p = new.a; UPDATE m1 SET b = 1; END
CREATE TRIGGER aux.mh BEFORE UPDATE OF b ON m1 WHEN new.b > 1 BEGIN SELECT a FROM m1; END
CREATE VIEW aux.mv AS SELECT a, b FROM m1
ALTER TABLE aux.mo RENAME TO mo2
ALTER TABLE aux.mo2 RENAME p TO p2
ALTER TABLE aux.mo2 DROP COLUMN r
ALTER TABLE aux.m1 RENAME a TO a2
ALTER TABLE aux.m1 DROP COLUMN c
ALTER TABLE aux.m1 RENAME TO m9
ALTER TABLE aux.m9 RENAME TO m1
SELECT name, tbl_name, sql FROM aux.sqlite_schema
DROP TABLE main.m1
CREATE TEMP TABLE m1(z)
ALTER TABLE aux.mo2 RENAME TO mo3
ALTER TABLE aux.mo3 RENAME p2 TO p3
ALTER TABLE aux.m1 RENAME b TO bb
SELECT name, tbl_name, sql FROM aux.sqlite_schema
