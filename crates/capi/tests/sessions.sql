CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)
CREATE TABLE none(a, b)
CREATE TABLE g(a PRIMARY KEY, b AS (a || 'x'), c AS (a || 'y') STORED, d)
.session
INSERT INTO t VALUES(1, 'x', 2.5), (2, NULL, x'00'), (3, 3, 3)
INSERT INTO none VALUES(1, 2)
INSERT INTO g(a, d) VALUES('k', 'v')
.changeset 1
.patchset 2
.show 1 0
.show 1 2
.show 2 0
.show 2 2
.invert 1 3
.invert 2 3
.concat 1 2 3
UPDATE t SET b = 'y' WHERE a = 1
DELETE FROM t WHERE a = 2
.changeset 3
UPDATE g SET a = 'kk', d = 5
ALTER TABLE t ADD COLUMN d DEFAULT 'dd'
INSERT INTO t VALUES(7, 7, 7, 7)
.changeset 3
.patchset 4
ALTER TABLE t DROP COLUMN d
.changeset 3
.end
.session
UPDATE t SET b = 9
ALTER TABLE t ADD COLUMN d DEFAULT 5
UPDATE t SET d = 6 WHERE a = 1
DELETE FROM t WHERE a = 3
.changeset 5
.end
.db 1
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d DEFAULT 'there')
.apply 1 00000 0
.apply 1 22222 0
.apply 1 11111 0
.apply 1 10100 0
.apply 2 01000 0
.apply 5 10000 0
.apply 5 10000 4
SELECT * FROM t
CREATE TABLE g(x PRIMARY KEY)
.apply 1 00000 0
DROP TABLE g
CREATE TABLE g(x, y PRIMARY KEY, z)
.apply 1 00000 0
.db 2
CREATE TABLE t(a INTEGER PRIMARY KEY, b)
.apply 1 00000 0
ATTACH ':memory:' AS other
CREATE TABLE other.t(a INTEGER PRIMARY KEY, b)
CREATE TABLE other.u(a INTEGER PRIMARY KEY, b)
INSERT INTO t VALUES(1, 1), (2, 2), (3, 3)
INSERT INTO other.t VALUES(2, 'two'), (3, 3), (4, 4)
.session
.diff t
.diff u
.diff nowhere
.changeset 6
.show 6 0
.end
CREATE TABLE s(a INTEGER PRIMARY KEY, b UNIQUE)
INSERT INTO s VALUES(1, 1), (2, 2), (3, 3)
CREATE INDEX si ON s(b)
.session
ANALYZE
.changeset 7
.show 7 0
.end
