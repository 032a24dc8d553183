-- The FROM of an UPDATE is that of a SELECT: its queries become part of it, lose columns that nothing reads, and get the conditions.
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)
CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID
INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, NULL)
INSERT INTO w VALUES ('x', 5), ('y', 6), ('z', '{')
UPDATE t SET b = b + 1 FROM (SELECT 1 AS one, (SELECT v -> 'a' FROM w ORDER BY k DESC LIMIT 1) AS two LIMIT 1)
UPDATE t SET b = b + 1 FROM (SELECT 1 AS one, json(v) AS two FROM w WHERE k = 'z' LIMIT 1)
UPDATE t SET b = two FROM (SELECT k AS one, json(v) AS two FROM w) WHERE one = c RETURNING a, b, c
UPDATE t SET b = two FROM (SELECT k AS one, json(v) AS two FROM w LIMIT 5) WHERE one = c
UPDATE w SET v = s FROM (SELECT c AS x, sum(b) AS s FROM t GROUP BY c) WHERE x = k
UPDATE w SET v = v || y FROM (SELECT c AS x, 1 AS y FROM t UNION ALL SELECT k, 2 FROM w) AS u WHERE u.x = w.k
UPDATE t SET b = u.v FROM t AS s LEFT JOIN w AS u ON u.k = s.c WHERE s.a = t.a AND u.v IS NULL
UPDATE t SET c = column1 FROM (VALUES ('p'), ('q'))
UPDATE OR REPLACE w SET k = 'same', v = a FROM t
SELECT * FROM t
SELECT * FROM w
