-- An index on a constant.
CREATE TABLE t2(c0 INTEGER PRIMARY KEY, c1 TEXT)
INSERT INTO t2 VALUES (3,'x')
CREATE INDEX i12 ON t2(-2)
SELECT -2 FROM t2
SELECT c0, -2, instr('a-2b', -2) FROM t2
SELECT -2, v.x FROM t2, (VALUES(1),(2)) AS v(x)
SELECT instr(v.x,-2), v.x, -2 FROM t2 AS s0, (SELECT 'a-2' AS x UNION ALL SELECT 'b') AS v
SELECT instr(s1.key, -2), -2 FROM t2 AS s0, (SELECT key FROM json_each('["a","b"]')) AS s1
SELECT -2 FROM t2 WHERE -2 < 0
CREATE TABLE t3(a,b)
CREATE INDEX i3 ON t3('k')
INSERT INTO t3 VALUES(1,2)
SELECT 'k', a FROM t3
SELECT 'k' FROM t3
SELECT upper('k') FROM t3
SELECT count('k') FROM t3
SELECT 'k'||b FROM t3
SELECT 'k', (SELECT 'k' FROM t3) FROM t2 LEFT JOIN t3 ON 0
SELECT instr('akb','k'), count(*) FROM t3 GROUP BY 'k'
SELECT substr('akb', 2, 1), substr(b,1,1) FROM t3 GROUP BY a, +1
CREATE TABLE config(k, v)
CREATE UNIQUE INDEX only_one ON config((1))
INSERT INTO config VALUES('name','value')
SELECT substr(k, 1, 2), substr(v, 1+0, 3), 1 FROM config
SELECT substr(k, 1, 2) FROM config WHERE 1 = 1
SELECT count(*) FROM config WHERE 1 > 0
INSERT INTO config VALUES(2,3)
SELECT printf('%d-%d', 1, count(*)) FROM config
SELECT max(1, 5), round(2.567, 1) FROM config
SELECT rank() OVER (PARTITION BY 'k' ORDER BY a), instr('akb','k') FROM t3
