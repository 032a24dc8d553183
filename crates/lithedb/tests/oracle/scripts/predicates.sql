-- An OR whose first branch scans rowids: the second one's rows are found by an index.
CREATE TABLE t(a INTEGER PRIMARY KEY, g, f TEXT)
INSERT INTO t VALUES (1,'x','p'), (2,'x','q'), (3,'y','r'), (4,'z','s'), (5,'z','t')
CREATE INDEX tg ON t(g, f)
SELECT a FROM t WHERE a BETWEEN 1 AND 2 OR g = 'z'
SELECT a, f FROM t WHERE (a BETWEEN 1 AND 2 AND a <> 1) OR (g = 'z' AND f > 's')
SELECT a FROM t WHERE a < 3 OR (g = 'z' AND f GLOB 't*')
UPDATE t SET f = 'u' WHERE a < 2 OR g = 'z'
DELETE FROM t WHERE a < 3 OR (g = 'z' AND f = 'u')
SELECT * FROM t
-- NULLs at the other end, for each value of an IN, and of skipped columns.
CREATE TABLE n(a, b, c)
INSERT INTO n VALUES (1,1,11), (1,2,12), (1,NULL,1), (2,NULL,1), (2,2,12), (2,1,11), (3,NULL,1), (3,2,12), (3,NULL,3)
CREATE INDEX nab ON n(a, b)
SELECT a, b FROM n WHERE a IN (1, 2, 3) ORDER BY a, b NULLS LAST /* ordered */
SELECT a, b FROM n WHERE a IN (1, 2, 3) ORDER BY a DESC, b DESC NULLS FIRST /* ordered */
SELECT b FROM n WHERE a IN (1, 2) ORDER BY b NULLS LAST /* ordered */
CREATE TABLE s(a, b, c)
CREATE INDEX sabc ON s(a, b, c)
ANALYZE
INSERT INTO sqlite_stat1 VALUES ('s', 'sabc', '648 324 81')
ANALYZE sqlite_schema
INSERT INTO s VALUES (1,10,'b'), (1,10,'d'), (1,10,NULL), (2,10,'a'), (2,10,NULL), (1,10,'c'), (2,10,'b'), (1,11,'a')
SELECT a, b, c FROM s WHERE b = 10 ORDER BY a, c NULLS LAST /* ordered */
SELECT a, b, c FROM s WHERE b = 10 ORDER BY a DESC, c DESC NULLS FIRST /* ordered */
-- A row value is compared by the columns of the key only, and evaluated once.
CREATE TABLE w(id INTEGER, a STRING, PRIMARY KEY(id)) WITHOUT ROWID
INSERT INTO w VALUES ('a', 'c'), (1, 'x'), (2, 'b')
SELECT * FROM w WHERE (id, a) > ('a', 8)
SELECT * FROM w WHERE (id, a) BETWEEN (1, 'a') AND (2, 'a')
SELECT * FROM w WHERE (id, a) NOT BETWEEN (1, 'y') AND ('a', 'a')
SELECT a, b FROM n WHERE (a, b) BETWEEN (1, 2) AND (2, 1)
SELECT (1, NULL) BETWEEN (1, 2) AND (3, 4), (NULL, 1) BETWEEN (1, 2) AND (3, 4), (2, NULL) BETWEEN (1, 2) AND (3, 4)
SELECT (1, 2) BETWEEN (1, 2) AND (1, 2, 3)
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 500) SELECT sum((abs(random() % 10), 1) BETWEEN (5, 1) AND (4, 1)) FROM r
-- Integers of a list stay what they are beside a column of reals.
CREATE TABLE r(b REAL)
INSERT INTO r VALUES (9007199254740992), (9223372036854775807), (5)
SELECT b IN (9007199254740993, 'a', 5, 6) FROM r
SELECT b FROM r WHERE b IN (9007199254740993, 9223372036854775807, 5, '5')
CREATE INDEX rb ON r(b)
SELECT b FROM r WHERE b IN (9007199254740993, 9223372036854775807)
SELECT b FROM r WHERE b IN (9007199254740993, 9223372036854775807, 5, '5')
-- Subqueries of DELETE and UPDATE that depend on no row are run once.
CREATE TABLE o(x)
WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 200) INSERT INTO o SELECT i FROM r
DELETE FROM o WHERE x = (SELECT x FROM o WHERE x < 200 ORDER BY random() LIMIT 1)
SELECT count(*) FROM o
CREATE TABLE p(id INTEGER PRIMARY KEY, v)
INSERT INTO p SELECT rowid, 0 FROM o
UPDATE p SET v = 1 WHERE id = (SELECT id FROM p ORDER BY random() LIMIT 1)
SELECT sum(v) FROM p
UPDATE p SET v = (SELECT random())
SELECT count(DISTINCT v) FROM p
SELECT 0.5 IS TRUE COLLATE NOCASE, 0.0 IS FALSE COLLATE NOCASE, 5 IS NOT TRUE COLLATE BINARY
CREATE TABLE x(a, b CHECK (nosuch.x.b > 1))
CREATE INDEX xb ON x(b) WHERE nosuch.x.b BETWEEN 5 AND 10
INSERT INTO x VALUES (1, 7), (2, 0)
CREATE TABLE cc(aa COLLATE NOCASE, bb)
INSERT INTO cc VALUES ('a', 'A')
SELECT (SELECT +bb, 1) >= (aa, 1), (aa, 1) <= (SELECT +bb, 1), (SELECT +bb, 1) >= (aa COLLATE RTRIM, 1) FROM cc
-- An index that names a column twice: the values of an IN are gone through once.
CREATE TABLE twice(a, b)
CREATE INDEX twice_aab ON twice(a, a, b)
CREATE INDEX twice_b ON twice(b DESC, b COLLATE RTRIM)
CREATE TABLE pairs(x, y)
INSERT INTO twice VALUES (1, 2), (1, 3), (2, 2), (' b ', ' a ')
INSERT INTO pairs VALUES (1, 2), (1, 5), (2, 2), (' b ', ' a ')
SELECT * FROM twice WHERE (a, b) IN (SELECT x, y FROM pairs)
SELECT * FROM twice WHERE (b, a) IN (SELECT y, x FROM pairs)
SELECT * FROM twice WHERE a IN (1, 2) AND b IN (2, 3)
-- A partial index may serve a branch of an OR, and no other.
CREATE TABLE part(a, b, c, d)
CREATE INDEX part_b ON part(b) WHERE c IS NOT NULL
CREATE INDEX part_d ON part(d)
INSERT INTO part VALUES (1, 1, NULL, 4), (2, 1, 2, 2), (3, 1, 2, 2), (4, NULL, 5, 2), (5, 1, NULL, 9)
SELECT * FROM part WHERE (b = 1 AND c > 1) OR d = 2
SELECT * FROM part WHERE (b = 1 AND c IS NULL) OR d = 2
SELECT * FROM part WHERE b = 1 OR d = 2
SELECT * FROM part INDEXED BY part_b WHERE (b = 1 AND c > 1) OR d = 2
-- LIKE under case_sensitive_like.
CREATE TABLE folded(a TEXT COLLATE NOCASE)
CREATE TABLE plain(a TEXT)
CREATE INDEX folded_a ON folded(a)
CREATE INDEX plain_a ON plain(a)
INSERT INTO folded VALUES ('abc'), ('ABC'), ('abd'), (x'616263')
INSERT INTO plain SELECT a FROM folded
PRAGMA case_sensitive_like = 1
SELECT a FROM folded WHERE a LIKE 'ab%'
SELECT a FROM plain WHERE a LIKE 'ab%'
SELECT a FROM plain WHERE a LIKE 'abc' OR a = 'ABC'
PRAGMA case_sensitive_like = 0
SELECT a FROM folded WHERE a LIKE 'ab%'
SELECT a FROM plain WHERE a LIKE 'aB%'
-- A branch of an OR that says more than one comparison.
CREATE TABLE ranges(a, b)
CREATE INDEX ranges_a ON ranges(a)
INSERT INTO ranges VALUES ('abc', 1), ('abd', 2), (1, 2), (3, 4)
SELECT * FROM ranges WHERE a > 'abc' OR a BETWEEN 'abc' AND 3
SELECT * FROM ranges WHERE a BETWEEN 1 AND 2 OR a >= 1 AND a < 2
SELECT * FROM ranges WHERE a = 3 OR (a, b) = (SELECT 1, 3)
SELECT * FROM ranges WHERE (a, b) = (SELECT 1, 2) OR a = 'abd'
-- An OR behind a LEFT JOIN that nothing reads.
CREATE TABLE lj1(c0 INTEGER PRIMARY KEY, c2)
CREATE TABLE lj2(c0 INTEGER PRIMARY KEY, c1)
INSERT INTO lj1 VALUES (1, 5), (5, 7)
INSERT INTO lj2 VALUES (5, 1), (7, 2)
SELECT s2.rowid, s0.c2 FROM lj1 AS s0 LEFT JOIN lj2 AS s1 ON s1.c0 = s0.c2 CROSS JOIN lj2 AS s2 WHERE s2.rowid = 5 OR (s0.c0 IS 5 AND s2.rowid LIKE '7%') ORDER BY 1, 2
-- What the parts of two branches have in common is searched once.
CREATE TABLE co(a, b, c, d, PRIMARY KEY(a DESC, b)) WITHOUT ROWID
INSERT INTO co VALUES (1, 0, 1, 1), (3, 1, 1, 1), (3, 0, 1, 1), (4, 0, 1, 1)
SELECT a, b FROM co WHERE a BETWEEN 0 AND 3 OR a >= 0
SELECT a, b FROM co WHERE b = 1 AND a > 0 OR a BETWEEN 0 AND 4
SELECT a, b FROM co WHERE b = 1 AND a > 2 OR a BETWEEN 2 AND 4
SELECT a, b FROM co WHERE b = 1 AND a < 3 OR c = 1 AND a = 3
UPDATE co SET d = 7 WHERE a BETWEEN 0 AND 3 AND b = 1 OR a >= 0 AND c = 9
SELECT * FROM co
