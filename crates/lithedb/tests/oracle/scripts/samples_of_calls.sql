-- Samples are asked about calls with constant arguments: the index shows in the order of the rows.
CREATE TABLE t(a, b, c);
CREATE INDEX ta ON t(a, c DESC);
CREATE INDEX tb ON t(b, c);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) INSERT INTO t SELECT CASE WHEN i % 2 THEN 3 ELSE i + 10000 END, i % 60, i FROM n;
INSERT INTO t SELECT a, b, -c FROM t WHERE b = 7;
ANALYZE;
SELECT c FROM t WHERE a = 3 AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = abs(-3) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = abs(abs(-3)) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = -round(-3) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = 1 + 2 AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = max(3, 1) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = json_array_length('[1, 2, 3]') AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = length('abc' COLLATE nocase) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a IN (abs(-3), 10002) AND b = 7 /* ordered */;
SELECT c FROM t WHERE a = coalesce(3, 1) AND b = 7 /* ordered */;
-- An error of such a function is one of the statement, whether or not a row is found.
SELECT c FROM t WHERE a = abs(-9223372036854775808) AND b = 70;
SELECT c FROM t WHERE c = abs(-9223372036854775808) AND b = 70;
