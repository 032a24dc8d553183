-- What a query on the right of a LEFT JOIN computes, and when: where a function may fail, no table is made of it.
CREATE TABLE t1(a INTEGER PRIMARY KEY, b INTEGER)
CREATE TABLE t16(x0, x1)
INSERT INTO t16 VALUES (3, 'B'), (0.1, '2024-03-07'), (2, 'Abc'), (NULL, '{"a":1}')
SELECT (concat(q41.atom, q42.x0) LIKE '_'), q42.x0, q42.x1 FROM json_each('[1,2,3,"a",null]') AS q41 LEFT JOIN (SELECT printf('%Q', q43.x1) AS x0, json_type(q43.x1) AS x1 FROM t16 AS q43 WHERE (q43.x1 GLOB 'A*')) AS q42 ON q41.atom = q42.x0 WHERE (q41.atom IN (true, -2))
SELECT q64.cid FROM pragma_table_info('t1') AS q64 LEFT JOIN (SELECT (q66.a % q66.a) AS x0, (q66.a - '2024-03-07') AS x1 FROM t1 AS q66 WHERE q66.b = -1 OR q66.b = -3) AS q65 ON q64.cid = q65.x1 AND jsonb('abc')
SELECT * FROM t16 LEFT JOIN (SELECT a, abs(b) AS c FROM t1) ON c = x0
INSERT INTO t1 VALUES (1, 3), (2, -9223372036854775808)
SELECT * FROM t16 LEFT JOIN (SELECT a, abs(b) AS c FROM t1) ON c = x0 WHERE x0 IS NULL
SELECT * FROM t16 LEFT JOIN (SELECT a, abs(b) AS c FROM t1) ON c = x0 LIMIT 1
SELECT * FROM t16 LEFT JOIN (SELECT a, lower(b) AS c FROM t1) ON c = x0
