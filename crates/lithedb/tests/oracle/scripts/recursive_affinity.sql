-- What the recursive terms give has a say in the affinity of a column, also within these terms.
CREATE TABLE m(a TEXT, i INT, n)
INSERT INTO m VALUES('1', 1, 1), ('2', 2, '2'), ('x', 3, 'x')
WITH RECURSIVE s(k) AS (SELECT a FROM m UNION SELECT k + 1 FROM s WHERE k < 4) SELECT k, typeof(k) FROM s
WITH RECURSIVE s(k) AS (SELECT a FROM m UNION SELECT k + 1 FROM s WHERE k < 4) SELECT i FROM m WHERE i IN (SELECT k FROM s)
WITH RECURSIVE s(k) AS (SELECT a FROM m UNION ALL SELECT k + 1 FROM s WHERE k < '4' LIMIT 20) SELECT k < 2, k = '2', k FROM s
WITH RECURSIVE s(k) AS (SELECT i FROM m UNION ALL SELECT k || '' FROM s WHERE k < 4 LIMIT 20) SELECT k < 2, k = '2', k FROM s
WITH RECURSIVE s(k) AS (SELECT a FROM m UNION ALL SELECT k || '' FROM s WHERE k < 4 LIMIT 20) SELECT k < 2, k = '2', k FROM s
WITH RECURSIVE s(k, j) AS (SELECT a, 0 FROM m UNION ALL SELECT 7, j + 1 FROM s WHERE j < 3 AND (k = '7' OR j < 3 AND k <> 7)) SELECT * FROM s
