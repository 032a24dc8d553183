-- A condition on groups goes into WHERE after the queries in FROM have got theirs: it compares as it does there, where a column of a compound
-- whose parts have several types has no affinity.
CREATE TABLE t0(a, b INT)
CREATE TABLE t1(a TEXT, b TEXT)
CREATE INDEX i ON t1(b)
INSERT INTO t0 VALUES (1, 'b'), (2, 1), (2, 5)
INSERT INTO t1 VALUES (0, 1), (1, 3), (2, 0), (2, 'B')
CREATE VIEW c1 AS SELECT a, b FROM t0 UNION ALL SELECT a, b FROM t1
CREATE VIEW c2 AS SELECT a, b FROM t0 UNION SELECT a, b FROM t1
CREATE VIEW g1 AS SELECT a, b FROM c1 GROUP BY 1, 2
SELECT a, b FROM g1 WHERE b > 2
SELECT a, b FROM g1 WHERE b > '2'
SELECT a, b FROM (SELECT a, b FROM c2 GROUP BY 1, 2) WHERE b > 2
SELECT a, b FROM (SELECT a, b FROM c1 GROUP BY 1, 2 HAVING b > 2)
SELECT a, b FROM (SELECT a, b FROM c1 WHERE b > 2 GROUP BY 1, 2)
SELECT a, b FROM (SELECT max(a) AS a, b FROM c1 GROUP BY b) WHERE b > 2
SELECT a, b FROM (SELECT DISTINCT a, b FROM c1) WHERE b > 2
SELECT b, count(*) FROM c1 GROUP BY b HAVING b > 2 AND count(*) > 0
