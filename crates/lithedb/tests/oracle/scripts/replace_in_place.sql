-- REPLACE inserts the new row and its entries where its checks have found their places, unless a deletion has moved the cursors.
CREATE TABLE w(a TEXT PRIMARY KEY, b, c UNIQUE) WITHOUT ROWID
CREATE INDEX w_b ON w(b, c)
REPLACE INTO w VALUES ('d', 1, 10), ('b', 2, 20), ('c', 3, 30), ('a', 4, 40), ('e', 5, 50)
REPLACE INTO w VALUES ('d', 9, 10)
REPLACE INTO w VALUES ('b', 8, 30)
REPLACE INTO w VALUES ('x', 7, 40), ('0', 6, 50)
REPLACE INTO w VALUES ('x', 6, NULL), ('m', 6, NULL), ('m', 7, NULL)
SELECT * FROM w ORDER BY a
SELECT b, c FROM w ORDER BY b, c
CREATE TABLE r(k INTEGER PRIMARY KEY, u UNIQUE, v UNIQUE, n)
CREATE INDEX r_n ON r(n) WHERE n > 3
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 400) REPLACE INTO r SELECT i, i * 7 % 401, i * 11 % 401, i % 9 FROM s
REPLACE INTO r VALUES (5, 900, 901, 4), (500, 35, 902, 4), (501, 903, 55, 2), (6, 49, 88, 8), (6, 49, 88, 1)
REPLACE INTO r(u, v, n) VALUES (42, 66, 5), (NULL, 77, 5), (84, NULL, 5), (84, 66, 9)
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 300) REPLACE INTO r SELECT i * 13 % 420, i * 17 % 401, i * 19 % 401, i % 7 FROM s
SELECT count(*), sum(k * u), sum(k * v), sum(n) FROM r
SELECT k, u FROM r WHERE u BETWEEN 10 AND 30 ORDER BY u
SELECT k, v FROM r WHERE v BETWEEN 10 AND 30 ORDER BY v
SELECT k, n FROM r WHERE n > 5 ORDER BY n, k LIMIT 20
CREATE TABLE log(k)
PRAGMA recursive_triggers = ON
CREATE TRIGGER gone AFTER DELETE ON r BEGIN INSERT INTO log VALUES (old.k); DELETE FROM r WHERE k = old.k + 1000; END
CREATE TRIGGER going BEFORE DELETE ON r WHEN old.n = 6 BEGIN DELETE FROM r WHERE u = old.u; END
REPLACE INTO r VALUES (7, 1, 2, 3), (1007, 3, 4, 6), (7, 5, 6, 7), (8, 3, 6, 6), (9, 1, 3, 6)
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 200) REPLACE INTO r SELECT i * 3 % 420, i * 23 % 401, i * 29 % 401, i % 7 FROM s
SELECT count(*), sum(k * u), sum(k * v), sum(n) FROM r
SELECT count(*), sum(k) FROM log
CREATE TABLE child(p REFERENCES r(u) ON DELETE CASCADE, q REFERENCES w(c) ON DELETE SET NULL)
PRAGMA foreign_keys = ON
INSERT INTO child SELECT u, NULL FROM r WHERE u IS NOT NULL LIMIT 50
REPLACE INTO r SELECT k + 1, u, v + 1, n FROM r ORDER BY k LIMIT 60
SELECT count(*), sum(p) FROM child
INSERT OR REPLACE INTO w SELECT 'k' || k, k, u FROM r WHERE k < 40
INSERT OR REPLACE INTO w SELECT 'k' || (k + 3), k, u FROM r WHERE k < 40 ORDER BY k DESC
SELECT * FROM w ORDER BY a
UPDATE OR REPLACE w SET a = substr(a, 1, 2), c = c + 1 WHERE b % 3 = 0
UPDATE OR REPLACE r SET u = u + 1, v = v + 2 WHERE k % 2 = 0
SELECT count(*), sum(k * u), sum(k * v), sum(n) FROM r
SELECT * FROM w ORDER BY a
PRAGMA integrity_check
