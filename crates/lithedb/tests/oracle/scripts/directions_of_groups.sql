-- GROUP BY takes the directions of an ORDER BY of as many terms, which decides the order of rows that ORDER BY takes for equal.
CREATE TABLE t(a, b, c)
INSERT INTO t VALUES (1, 5, 1), (2, 5, 2), (3, 5, 1), (2, 5, 1), (1, 5, 9), (NULL, 5, 1), (NULL, 5, 2)
CREATE TABLE i(a, b, c)
CREATE INDEX i_a ON i(a)
INSERT INTO i SELECT * FROM t
SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC
SELECT a, count(*) FROM i GROUP BY a ORDER BY count(*) DESC
SELECT a, count(*) FROM t GROUP BY a ORDER BY 2
SELECT a, b FROM t GROUP BY a ORDER BY b DESC
SELECT a, b FROM t GROUP BY a ORDER BY b DESC NULLS LAST
SELECT a, b FROM t GROUP BY a ORDER BY b NULLS LAST
SELECT a, b, c FROM t GROUP BY a, c ORDER BY b DESC
SELECT a, b, c FROM t GROUP BY a, c ORDER BY b DESC, b
SELECT a, b, c FROM t GROUP BY a, c ORDER BY b, b DESC
SELECT a, b, c FROM i GROUP BY a, c ORDER BY b, b DESC
SELECT DISTINCT b, a FROM t GROUP BY a ORDER BY max(c) > 0 DESC
SELECT a FROM t GROUP BY a HAVING count(*) > 0 ORDER BY b DESC LIMIT 2
SELECT group_concat(a) FROM (SELECT a FROM t GROUP BY a ORDER BY b DESC)
SELECT t.a, count(*) FROM t JOIN i ON t.a = i.a GROUP BY t.a COLLATE nocase ORDER BY t.b DESC
