-- An UPDATE of one row that moves it: the scan must not go on from there.
CREATE TABLE k(a NUMERIC, PRIMARY KEY(a DESC)) WITHOUT ROWID
INSERT INTO k VALUES (1e10), ('a b'), (-3), (1)
UPDATE OR IGNORE k SET a = '12abc' WHERE a == 1
UPDATE k SET a = 'x' WHERE a = -3
SELECT a FROM k
CREATE TABLE u(a UNIQUE, b)
CREATE UNIQUE INDEX ud ON u(b DESC)
INSERT INTO u VALUES (1, 1), (2, 2), (3, 3), (4, 4)
UPDATE u SET a = 9 WHERE a = 1
UPDATE u SET b = 'z' WHERE b = 2
UPDATE OR REPLACE u SET a = 3 WHERE a = 9
SELECT rowid, * FROM u
-- Rows are changed in the order in which the search of an index finds them: IGNORE depends on it.
CREATE TABLE o(a REAL, b DECIMAL(10, 2) UNIQUE ON CONFLICT IGNORE, c ANY UNIQUE ON CONFLICT IGNORE)
INSERT INTO o VALUES (1, NULL, 1), (2, 'q', 2), (NULL, 10, 7), (-2.5, -2.5, 8), (0, 0.5, 'a b'), (3, 'a', 11), ('1', 4, 2.5), ('a b', '1e3', 'a')
UPDATE o SET a = a, b = c WHERE c IS NOT NULL
SELECT rowid, * FROM o
-- Columns that SET names are looked up before FROM.
UPDATE o SET nosuch = f.m FROM (SELECT 1 AS m FROM missing) AS f
UPDATE o SET a = nosuch FROM (SELECT 1 AS m FROM missing) AS f
-- As a rowid, the real -2^63 is an integer.
CREATE TABLE r(a INTEGER PRIMARY KEY)
INSERT INTO r VALUES (-9223372036854775808.0)
INSERT INTO r VALUES ('-9223372036854775808.0')
INSERT INTO r VALUES (9223372036854775807.0)
SELECT a, (SELECT count(*) FROM r WHERE a = -9223372036854775808.0) FROM r
