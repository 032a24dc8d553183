-- 1_000 is not known to be true before it is computed.
CREATE TABLE t(a, b)
INSERT INTO t VALUES (1, 'B')
SELECT json_type(b) OR 1 FROM t
SELECT json_type(b) OR 1_000 FROM t
SELECT json_type(b) AND 0 FROM t
SELECT json_type(b) OR (1_000) FROM t
SELECT json_type(b) OR (1_000 AND 1) FROM t
SELECT json_type(b) OR +1 FROM t
SELECT json_type(b) OR 0x10 FROM t
SELECT json_type(b) OR 0x1_0 FROM t
SELECT 1_000 OR json_type(b) FROM t
SELECT json_type(b) OR (a OR 1_000) FROM t
SELECT a FROM t WHERE json_type(b) OR 1_000
SELECT a FROM t WHERE json_type(b) OR 1
SELECT CASE WHEN json_type(b) OR 1_000 THEN 1 END FROM t
SELECT CASE WHEN 1_000 THEN 1 ELSE json_type(b) END FROM t
SELECT iif(1_000 OR json_type(b), 1, 2) FROM t
SELECT NOT (json_type(b) OR 1_000) FROM t
SELECT (json_type(b) OR 1_0.5) FROM t
SELECT (json_type(b) OR 1.5) FROM t
SELECT json_type(b) OR NOT 0 FROM t
