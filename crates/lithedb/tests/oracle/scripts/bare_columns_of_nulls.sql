-- Bare columns beside a min() or max() of NULLs alone: where the rows come in the order of the argument, they are those of the first row.
CREATE TABLE t(a, b, c)
INSERT INTO t VALUES (NULL, 1, 1), (NULL, 2, 2), (NULL, 3, 3)
SELECT min(a), b FROM t
SELECT min(a), b FROM t WHERE a IS NULL
SELECT max(a), b FROM t WHERE a IS NULL AND b > 1
CREATE INDEX i ON t(a)
SELECT min(a), b FROM t
SELECT max(a), b FROM t
SELECT min(a), b FROM t WHERE b > 1
SELECT max(a), b FROM t WHERE b < 3
SELECT max(a), b FROM t WHERE b < 3 AND a IS NULL
SELECT min(x.a), x.b, y.b FROM t x, t y
SELECT max(x.a), x.b, y.b FROM t x, t y
INSERT INTO t VALUES (5, 9, 9), (5, 10, 10)
SELECT min(a), b FROM t
SELECT max(a), b FROM t
SELECT min(a), b FROM t WHERE b < 9
SELECT max(a), b FROM t WHERE b < 9
SELECT min(x.a), x.b, y.b FROM t x, t y
SELECT min(a), b FROM (SELECT * FROM t WHERE a IS NULL ORDER BY a LIMIT 10) WHERE a IS NULL
DROP INDEX i
CREATE INDEX i ON t(a DESC, b)
SELECT min(a), b FROM t WHERE b < 9
SELECT max(a), b FROM t WHERE b < 9
SELECT min(a), b FROM t WHERE a IS NULL
-- Beside HAVING, and of the values of an IN, they are those of the row that a scan finds first.
CREATE TABLE n(a, b, c)
CREATE INDEX na ON n(a)
CREATE INDEX nc ON n(c, a)
INSERT INTO n VALUES (2, 'x', 1), (3, 'y', 2), ('2', 'x', 3), (2.0, 'z', 2), (1, 'w', 3), (NULL, 'v', 2)
SELECT max(a), b, typeof(a) FROM n WHERE abs(a) = 2 HAVING b <> 'q'
SELECT min(a), c FROM n WHERE a IS NOT NULL HAVING b <> 'q'
SELECT max(c), a FROM n WHERE c IN (2, 3)
SELECT min(c), a FROM n WHERE c IN (2, 3)
SELECT max(c), a, b FROM n WHERE c = 1 OR c = 3
SELECT max(c), a FROM n WHERE c > 1
