CREATE TABLE t(a, b TEXT, c REAL)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) INSERT INTO t SELECT i * 7919 % 5501, 'group ' || (i * 31 % 5003), i % 7 / 4.0 FROM n
-- Most groups have one row: groups beyond some thousands are sorted, and merged with those in memory.
SELECT count(*), sum(n), max(n), sum(s) FROM (SELECT a, count(*) AS n, sum(c) AS s FROM t GROUP BY a)
SELECT b, count(*), group_concat(a), max(c) FROM t GROUP BY b ORDER BY 2 DESC, 1 LIMIT 20 /* ordered */
SELECT * FROM (SELECT b, a, count(*) FROM t GROUP BY b, a) LIMIT 15 OFFSET 5990
-- Rows whose first columns, or the first bytes of whose texts, are equal.
SELECT a, b FROM t ORDER BY c, b DESC LIMIT 12 /* ordered */
SELECT a, b FROM t ORDER BY b, a DESC LIMIT 12 OFFSET 3000 /* ordered */
SELECT b FROM t WHERE a < 40 ORDER BY b || ' and a long end ' || b COLLATE NOCASE, c /* ordered */
SELECT c, a FROM t WHERE a < 60 ORDER BY c + 1e15, substr(b, 7), a /* ordered */
SELECT hex(x) FROM (SELECT CAST(substr('abcdefg', 1, a % 9) || char(0) || substr('xyz', 1, a % 3) AS BLOB) AS x FROM t WHERE a < 80) ORDER BY x, 1 /* ordered */
