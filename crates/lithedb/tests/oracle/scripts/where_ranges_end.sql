CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c INT, d)
CREATE INDEX tc ON t(c, d DESC)
SELECT * FROM t WHERE b < json('{')
SELECT * FROM t WHERE b > json('{')
SELECT * FROM t WHERE b BETWEEN 'a' AND json('{')
SELECT * FROM t WHERE b BETWEEN json('{') AND 'z'
SELECT * FROM t WHERE a < json('{')
SELECT * FROM t WHERE a > json('{')
SELECT * FROM t WHERE a > 3 AND a < json('{')
SELECT * FROM t WHERE a BETWEEN json('{') AND 5
SELECT * FROM t WHERE a < json('{') ORDER BY a DESC
SELECT * FROM t WHERE a > json('{') ORDER BY a DESC
SELECT * FROM t WHERE b < json('{') ORDER BY b DESC
SELECT * FROM t WHERE b > json('{') ORDER BY b DESC
SELECT * FROM t WHERE c = 3 AND d < json('{')
SELECT * FROM t WHERE c = 3 AND d > json('{')
SELECT * FROM t WHERE c = json('{') AND d > 2
SELECT * FROM t WHERE c IN (1, 2) AND d > json('{')
SELECT * FROM t WHERE c IN (1, 2) AND d < json('{')
SELECT * FROM t WHERE c IN (SELECT 4 WHERE 0) AND d < json('{')
SELECT * FROM t WHERE a = json('{')
SELECT * FROM t WHERE b = json('{')
INSERT INTO t VALUES (5, 'm', 3, 4)
SELECT * FROM t WHERE b < json('{')
SELECT * FROM t WHERE b BETWEEN 'p' AND json('{')
SELECT * FROM t WHERE b BETWEEN 'a' AND json('{')
SELECT * FROM t WHERE a > 7 AND a < json('{')
SELECT * FROM t WHERE a > 3 AND a < json('{')
SELECT * FROM t WHERE a < 3 AND a > json('{') ORDER BY a DESC
SELECT * FROM t WHERE c = 4 AND d > json('{')
SELECT * FROM t WHERE c = 3 AND d > json('{')
SELECT * FROM t WHERE c IN (1, 2) AND d < json('{')
SELECT * FROM t WHERE c IN (1, 3) AND d < json('{')
SELECT * FROM t WHERE c IN (1, 2) AND d > json('{')
DELETE FROM t WHERE b < json('{')
UPDATE t SET c = 3 WHERE b > 'z' AND b < json('{')
