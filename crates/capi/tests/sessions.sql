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
.db 0
CREATE TABLE u(a INTEGER PRIMARY KEY, b UNIQUE, c INT, d, UNIQUE(c, d))
CREATE UNIQUE INDEX ui ON u(lower(b)) WHERE c > 0
INSERT INTO u VALUES(1, 'x', 1, 1), (2, 'y', 2, 2), (3, 'z', 3, 3), (4, x'04', 4, 4), (5, 5.5, 5, 5)
.db 1
CREATE TABLE u(a INTEGER PRIMARY KEY, b UNIQUE, c INT, d, UNIQUE(c, d))
INSERT INTO u VALUES(1, 'x', 1, 1), (2, 'y', 2, 2), (3, 'z', 3, 3), (4, x'04', 4, 4), (5, 5.5, 5, 5)
CREATE TABLE seen(what)
CREATE TRIGGER ut AFTER UPDATE ON u BEGIN INSERT INTO seen VALUES(old.a || ' ' || typeof(old.b) || ' ' || typeof(new.b)); END
.db 0
.session
UPDATE u SET b = NULL WHERE a = 1
UPDATE u SET b = 'x' WHERE a = 2
UPDATE u SET b = 'y' WHERE a = 3
UPDATE u SET b = 'z' WHERE a = 1
UPDATE u SET b = NULL, c = 50 WHERE a = 4
UPDATE u SET b = x'04', c = 4, d = 4 WHERE a = 5
UPDATE u SET b = 5.5, c = 5, d = 5 WHERE a = 4
.changeset 1
.end
.db 1
SAVEPOINT s
.apply 1 00000 0
SELECT * FROM u
SELECT * FROM seen
ROLLBACK TO s
.apply 1 00000 16
SELECT * FROM u
ROLLBACK TO s
UPDATE u SET b = 'zz' WHERE a = 3
INSERT INTO u VALUES(9, 'z', 0, 0)
.apply 1 00000 0
SELECT * FROM u
ROLLBACK TO s
RELEASE s
CREATE TABLE k(a COLLATE NOCASE PRIMARY KEY, b, c)
INSERT INTO k VALUES('x', 1, 1), ('y', 2, 2), ('n', NULL, NULL)
.session
UPDATE k SET a = 'X', b = 3 WHERE a = 'x'
UPDATE k SET a = 'Y' WHERE a = 'y'
DELETE FROM k WHERE a = 'n'
.changeset 1
.show 1 0
.end
.db 2
CREATE TABLE k(a COLLATE NOCASE PRIMARY KEY, b COLLATE NOCASE, c REAL)
INSERT INTO k VALUES('x', 1, 1), ('y', 2, 2), ('n', NULL, NULL)
.apply 1 00000 0
SELECT * FROM k
.session
UPDATE k SET b = 'B', c = 7 WHERE a = 'x'
DELETE FROM k WHERE a = 'y'
INSERT INTO k VALUES('m', 'M', 5)
.changeset 2
.end
UPDATE k SET b = 'b', c = 7.0 WHERE a = 'x'
INSERT INTO k VALUES('Y', NULL, NULL)
UPDATE k SET b = 'm' WHERE a = 'm'
.apply 2 00000 4
SELECT * FROM k
.db 1
PRAGMA foreign_keys = 0
CREATE TABLE parent(a PRIMARY KEY)
CREATE TABLE child(a PRIMARY KEY, b REFERENCES parent)
.session
INSERT INTO child VALUES(2, 'p')
INSERT INTO parent VALUES('p')
.changeset 3
.end
.db 2
PRAGMA foreign_keys = 0
CREATE TABLE parent(a PRIMARY KEY)
CREATE TABLE child(a PRIMARY KEY, b REFERENCES parent)
INSERT INTO child VALUES(1, 'p')
PRAGMA foreign_keys = 1
.apply 3 00000 0
SELECT * FROM child
.db 2
CREATE TABLE reals(a INTEGER PRIMARY KEY, b)
INSERT INTO reals VALUES(1, 1), (2, 2), (3, 3), (4, 4)
ALTER TABLE reals ADD COLUMN r REAL DEFAULT 5
ALTER TABLE reals ADD COLUMN s REAL DEFAULT 5.5
ALTER TABLE reals ADD COLUMN t REAL DEFAULT 140737488355328
ALTER TABLE reals ADD COLUMN u REAL DEFAULT -140737488355328
ALTER TABLE reals ADD COLUMN g AS (b + 1)
ALTER TABLE reals ADD COLUMN v REAL DEFAULT '7'
.session
.enable
.enable 5
.enable -1
.indirect 7
.indirect -3
.indirect 0
.indirect -1
UPDATE reals SET b = 8 WHERE a = 1
UPDATE reals SET r = 8 WHERE a = 1
DELETE FROM reals WHERE a = 2
UPDATE reals SET a = 9 WHERE a = 3
REPLACE INTO reals(a, b) VALUES(4, 5)
.changeset 6
.show 6 0
.show 6 2
.patchset 7
.show 7 0
.damage 6 3 1
.show 6 0
.damage 7 30 77
.show 7 0
.enable 0
.end
.db 0
CREATE TABLE nocase(a COLLATE NOCASE PRIMARY KEY, b)
INSERT INTO nocase VALUES ('X', 1), ('y', 2)
.session
UPDATE nocase SET a = upper(a), b = b + 0
UPDATE nocase SET a = lower(a), b = b + 1
.changeset 1
.end
.apply 1 00000 2
.apply 1 00000 0
.bytes 2 540201006e6f636173650017000301580003017800120003017a010000000000000001
.apply 2 00000 0
.apply 2 00000 2
.bytes 2 540201006e6f636173650017000301580100000000000000020000120003017a010000000000000001
.apply 2 00000 2
.apply 2 00000 0
SELECT * FROM nocase
