-- SET of a row: each value is resolved before its column, and both before the next.
CREATE TABLE t(a INTEGER PRIMARY KEY, b)
UPDATE t SET (zz, a) = (a, zz2)
UPDATE t SET (a, zz) = (zz2, a)
UPDATE t SET (zz1, zz2) = (zz3, zz4)
UPDATE t SET (a, zz) = (a, zz2)
UPDATE t SET (zz, a) = (SELECT zz2, 1)
UPDATE t SET (zz, a) = (zz2, 1, 2)
UPDATE t SET zz2 = 1, a = zz1
INSERT INTO t(a) VALUES (1) ON CONFLICT(a) DO UPDATE SET (zz, a) = (a, zz2)
INSERT INTO t(a) VALUES (1) ON CONFLICT(a) DO UPDATE SET (zz1, a) = (zz, zz2)
