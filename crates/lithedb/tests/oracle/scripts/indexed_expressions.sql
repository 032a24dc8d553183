-- Indexes on expressions that cover a query: what the columns are made of is not read.
CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d)
CREATE INDEX i1 ON t(length(c))
CREATE INDEX i2 ON t(a % 3, b)
CREATE INDEX i3 ON t((d IS NULL), (a < b))
CREATE TABLE o(x, y)
INSERT INTO t(a, b, c, d) VALUES (1, 2, 'three', 4), (2, 1, 'two', NULL), (4, 5, NULL, 7), (NULL, 3, '', NULL), (7, 2, 'seven', 0)
INSERT INTO o VALUES (1, 10), (2, 20), (5, 50), (NULL, 0)
SELECT length(c) FROM t ORDER BY 1
SELECT length(c) + 1, typeof(length(c)) FROM t WHERE length(c) > 2 ORDER BY length(c) DESC
SELECT b FROM t WHERE a % 3 = 1 AND b > 1 ORDER BY b
SELECT b, a % 3 FROM t WHERE a % 3 IN (1, 2) ORDER BY 1, 2
SELECT count(*) FROM t WHERE d IS NULL
SELECT d IS NULL, a < b FROM t WHERE d IS NULL AND NOT (a < b)
SELECT count(*) FROM t WHERE (d IS NULL) AND (a < b OR a < b IS NULL)
SELECT length(c), count(*), sum(length(c)) FROM t GROUP BY length(c) ORDER BY length(c)
SELECT sum(a % 3), b FROM t GROUP BY b ORDER BY b
SELECT a % 3, max(b), sum(a % 3 + 1) FROM t GROUP BY a % 3 HAVING sum(a % 3) >= 0 ORDER BY a % 3
SELECT sum(length(c)), length(c) FROM t WHERE length(c) = 5
SELECT max(length(c)), min(length(c)), avg(length(c)) FROM t
SELECT y, length(c), coalesce(length(c), -1) FROM o LEFT JOIN t ON length(c) = x ORDER BY y
SELECT y, b, coalesce(a % 3, -1) FROM o RIGHT JOIN t ON a % 3 = x ORDER BY b, y
SELECT y, b FROM o FULL JOIN t ON a % 3 = x ORDER BY y, b
SELECT y FROM o WHERE x IN (SELECT length(c) FROM t) ORDER BY y
SELECT y, (SELECT b FROM t WHERE a % 3 = x ORDER BY b LIMIT 1) FROM o ORDER BY y
SELECT (SELECT max(y) FROM o WHERE x = a % 3), b FROM t WHERE a % 3 > 0 ORDER BY b
SELECT length(c), row_number() OVER (ORDER BY length(c)) FROM t ORDER BY 2
SELECT a % 3 AS m, sum(b) OVER (PARTITION BY a % 3 ORDER BY b) FROM t ORDER BY m, 2
SELECT DISTINCT a % 3 FROM t ORDER BY 1
SELECT a % 3 FROM t UNION SELECT length(c) FROM t ORDER BY 1
UPDATE o SET y = b FROM t WHERE a % 3 = x
SELECT * FROM o ORDER BY x
UPDATE t SET b = b + 1 WHERE a % 3 = 1
DELETE FROM t WHERE length(c) = 3
SELECT id, a, b FROM t ORDER BY id
CREATE TABLE u(a, b NOT NULL UNIQUE, c)
INSERT INTO u VALUES (1, 3, 1), (2, 2, 1), (3, 1, 1)
SELECT DISTINCT b FROM u WHERE c = 1 /* ordered */
