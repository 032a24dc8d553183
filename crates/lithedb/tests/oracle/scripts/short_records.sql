-- Rows that are older than columns of their table: what their records do not have are the defaults.
CREATE TABLE few(a INTEGER PRIMARY KEY, b)
INSERT INTO few VALUES (1, 10), (2, NULL), (3, 'text'), (4, x'0102'), (5, 2.5)
WITH n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n WHERE value < 9) INSERT INTO few SELECT 5 + value, printf('%.*c', value * 37, 'x') FROM n
ALTER TABLE few ADD COLUMN c DEFAULT 7
SELECT sum(c), count(c), max(c), group_concat(c) FROM few
ALTER TABLE few ADD COLUMN d TEXT DEFAULT 'later'
ALTER TABLE few ADD COLUMN e REAL DEFAULT 3
ALTER TABLE few ADD COLUMN f
INSERT INTO few VALUES (100, 'new', 1, 'two', 3, 4)
UPDATE few SET f = a WHERE a % 3 = 0
SELECT a, length(b), c, d, e, f, typeof(e), typeof(f) FROM few ORDER BY a
SELECT a FROM few WHERE c = 7 AND d > 'a' AND e < 4 AND f IS NULL ORDER BY d, e DESC, a
SELECT count(*), c FROM few GROUP BY c, d
SELECT f, e, d, c, b, a FROM few WHERE c <> 1
-- One that goes on on other pages.
CREATE TABLE long(a, b)
INSERT INTO long VALUES (printf('%.*c', 9000, 'y'), 1), (2, printf('%.*c', 9000, 'z'))
ALTER TABLE long ADD COLUMN c DEFAULT 'c'
ALTER TABLE long ADD COLUMN d DEFAULT 4.5
SELECT length(a), length(b), c, d FROM long
SELECT d, c, length(b), length(a) FROM long WHERE c = 'c' AND d > 4
-- Many columns.
CREATE TABLE many(c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14)
INSERT INTO many VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
INSERT INTO many(c1, c14) VALUES (printf('%.*c', 70, 'a'), printf('%.*c', 200, 'b'))
ALTER TABLE many ADD COLUMN c15 DEFAULT 15
ALTER TABLE many ADD COLUMN c16 DEFAULT 16
ALTER TABLE many ADD COLUMN c17 DEFAULT 17
ALTER TABLE many ADD COLUMN c18 DEFAULT 18
SELECT c18, c17, c16, c15, c14, c1 FROM many
SELECT * FROM many
INSERT INTO many(c18) VALUES (80)
SELECT c16, c17, c18, c5 FROM many WHERE c17 = 17 AND c16 = 16
SELECT sum(c15), sum(c16), sum(c17), sum(c18) FROM many
PRAGMA integrity_check
