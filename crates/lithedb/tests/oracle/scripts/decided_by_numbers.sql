-- What numbers decide in AND and OR.
CREATE TABLE e(x)
CREATE TABLE t(x, y)
INSERT INTO t VALUES(1,'bad'),(2,'1')
SELECT count(*) FROM e WHERE x AND (SELECT json('bad'))
SELECT x FROM e WHERE (SELECT 1) + json('bad')
SELECT count(*) FROM e WHERE (SELECT 1 LIMIT 1) % (1 AND json('bad'))
SELECT json(y) AND 0 FROM t
SELECT json(y) OR 1 FROM t
SELECT json(y) OR 2 FROM t
SELECT json(y) AND NULL FROM t
SELECT 2 OR json(y) FROM t
SELECT -1 OR json(y) FROM t
SELECT +1 OR json(y) FROM t
SELECT (1) OR json(y) FROM t
SELECT true OR json(y) FROM t
SELECT false AND json(y) FROM t
SELECT json(y) AND false FROM t
SELECT 1.0 OR json(y) FROM t
SELECT (0 AND x) AND json(y) FROM t
SELECT (1 OR x) OR json(y) FROM t
SELECT NOT (1 OR x) AND json(y) FROM t
SELECT (1 OR json(y)) AND (0 AND json(y)) FROM t
SELECT x + (1 OR json(y)) FROM t
SELECT x + (json(y) AND 0) FROM t
SELECT 0x0 AND json(y) FROM t
SELECT 0 COLLATE nocase AND json(y) FROM t
SELECT CAST(0 AS INT) AND json(y) FROM t
SELECT 1 FROM t WHERE json(y) OR 1
SELECT 1 FROM t WHERE (json(y) OR 1) = 1
SELECT 1 FROM t WHERE (json(y) AND 0) = 0
SELECT 9223372036854775808 OR json(y) FROM t
SELECT 4294967296 OR json(y) FROM t
SELECT ?1 OR json(y) FROM t
SELECT (1=1) OR json(y) FROM t
SELECT 1 OR (SELECT json(y)) FROM t
SELECT (SELECT json(y)) AND 0 FROM t
