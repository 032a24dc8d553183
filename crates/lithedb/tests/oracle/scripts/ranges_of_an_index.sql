-- Where a range ends is sought once on a leaf of an index; headers with long types are compared with those of the row before; texts of format() without flags.
CREATE TABLE t(a INTEGER PRIMARY KEY, b INT, c TEXT, d INT)
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 3000) INSERT INTO t SELECT i, i * 7919 % 500, 'x' || (i % 90), i % 7 FROM s
INSERT INTO t(b, c, d) VALUES (NULL, NULL, NULL), (12.5, 12, 'a'), ('text', x'00', 3), (x'01', '', NULL), (9223372036854775807, 'x5', 1)
CREATE INDEX t_b ON t(b)
CREATE INDEX t_cd ON t(c, d DESC)
CREATE INDEX t_d ON t(d DESC, b)
CREATE INDEX t_long ON t(c || printf('%0600d', a))
SELECT count(*) FROM t WHERE b BETWEEN 10 AND 400
SELECT count(*), sum(a) FROM t WHERE b > 10 AND b < 400
SELECT count(*), sum(d) FROM t WHERE b >= 10 AND b <= 12.5
SELECT count(*), sum(a) FROM t WHERE b > 490
SELECT count(*), sum(a) FROM t WHERE b < 10
SELECT count(*), sum(a) FROM t WHERE c BETWEEN 'x1' AND 'x5'
SELECT count(*), sum(a) FROM t WHERE c > 'x1' AND c < 'x5'
SELECT count(*), sum(a) FROM t WHERE c = 'x7' AND d BETWEEN 1 AND 4
SELECT count(*), sum(a) FROM t WHERE c = 'x7' AND d > 2
SELECT count(*), sum(a) FROM t WHERE d = 3 AND b < 300
SELECT count(*), sum(a) FROM t WHERE d IN (1, 2, 5) AND b > 100 AND b <= 200
SELECT count(*), sum(a) FROM t WHERE b > 'a' OR b < 20
SELECT count(*) FROM t WHERE c || printf('%0600d', a) BETWEEN 'x10' AND 'x40'
SELECT a, b FROM t WHERE b BETWEEN 7 AND 9 ORDER BY b, a
SELECT a, b FROM t WHERE b BETWEEN 7 AND 9 ORDER BY b DESC, a DESC
SELECT count(*) FROM t x JOIN t y ON y.b BETWEEN x.a AND x.a + 1 WHERE x.a < 200
SELECT x.a, (SELECT count(*) FROM t y WHERE y.b BETWEEN x.a AND x.a + x.d) FROM t x WHERE x.a < 20
UPDATE t SET d = d + 1 WHERE b BETWEEN 100 AND 120
UPDATE t SET b = b + 10 WHERE b BETWEEN 100 AND 140
SELECT count(*), sum(b), sum(d) FROM t WHERE b BETWEEN 90 AND 200
CREATE TRIGGER ahead AFTER DELETE ON t BEGIN DELETE FROM t WHERE b = old.b + 1; END
DELETE FROM t WHERE b BETWEEN 200 AND 240
SELECT count(*), sum(b), sum(d) FROM t WHERE b BETWEEN 190 AND 260
DROP TRIGGER ahead
DELETE FROM t WHERE b BETWEEN 300 AND 310 AND length(c) > 2
SELECT count(*), sum(b) FROM t WHERE b BETWEEN 290 AND 320
SELECT count(*) FROM t WHERE d BETWEEN 2 AND 4
PRAGMA integrity_check
CREATE TABLE w(k TEXT, n INT, PRIMARY KEY(k, n)) WITHOUT ROWID
INSERT INTO w SELECT c, a FROM t WHERE c IS NOT NULL
SELECT count(*), sum(n) FROM w WHERE k BETWEEN 'x1' AND 'x4'
SELECT count(*), sum(n) FROM w WHERE k = 'x3' AND n < 2000
PRAGMA integrity_check
CREATE TABLE hashes(h TEXT, b BLOB, n)
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 60) INSERT INTO hashes SELECT printf('%064d', i), CASE WHEN i % 10 < 7 THEN zeroblob(3000) END, i FROM s
INSERT INTO hashes(h) SELECT substr(h, 1, 60 + n % 3) FROM hashes WHERE n < 9
SELECT h, length(b), octet_length(b), typeof(b), typeof(h), n FROM hashes
SELECT sum(length(h)), sum(length(b)), count(n), count(b) FROM hashes WHERE typeof(b) <> 'text'
ALTER TABLE hashes ADD COLUMN later DEFAULT 'later'
INSERT INTO hashes VALUES (printf('%064d', 1), zeroblob(3000), 1, 'now'), (printf('%064d', 1), zeroblob(3000), 2, NULL)
SELECT h, typeof(b), n, later FROM hashes WHERE n < 5 OR later IS NULL
SELECT printf('%.2f|%5.1f|%-8.3f|%+.0f|% f|%08.2f|%.16f|%.17f|%.40f', n / 3.0, -n / 7.0, n * 1e10, n / 2.0, 1.0 / n, n, n / 9.0, n / 9.0, n) FROM hashes WHERE n < 6
SELECT printf('%f|%.3f|%.1f|%.0f|%.5f', 0.0, -0.0, 1e15, 1e16, 1e17), printf('%.2f|%.0f|%.0f|%.15f', 0.005, 0.5, 1.5, 5e-324)
SELECT printf('%d|%s|%x|%q|%Q|%w|%5d|%-5s|', n, h, n, 'it''s', 'it''s', 'a"b', n, n) FROM hashes WHERE n < 3
SELECT printf('%Q|%q|%w|%6Q|%.2q|%Q', NULL, NULL, NULL, 'a''', 'a''b', '')
