-- A LEFT JOIN whose WHERE wants values of its right side is an inner join, where SQLite sees it.
create table t(id INTEGER PRIMARY KEY, a, b)
create table u(id INTEGER PRIMARY KEY, t, x, y)
create table v(id INTEGER PRIMARY KEY, t, x, y)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x NOTNULL AND t.a=1
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x NOTNULL AND t.a=1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a=1 AND u.x IS NOT NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE t.a=1 AND u.x IS NOT NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a=1 AND u.x IS NOT NULL AND t.b=2
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE t.a=1 AND u.x IS NOT NULL AND t.b=2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a=1 AND u.x IS NOT NULL)
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a=1 AND u.x IS NOT NULL)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL OR u.y IS NOT NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL OR u.y IS NOT NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR u.y=2
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR u.y=2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR u.y IS NOT NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR u.y IS NOT NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR t.a=2
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 OR t.a=2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x=1 AND t.a=2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a=2 AND u.x=1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a<=u.x
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a<=u.x AND t.b LIKE 'x%'
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a<=u.x AND t.b LIKE 'x%')
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x+1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x+t.a
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE -u.x
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE +u.x < 10
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE NOT u.x
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE NOT u.x IS NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE NOT u.x IS NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x LIKE 'a'
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x BETWEEN 1 AND 2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a BETWEEN u.x AND 2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a BETWEEN 1 AND u.x
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x NOT BETWEEN 1 AND 2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IN (1,2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE t.a IN (u.x, 2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IN (SELECT a FROM t)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x NOT IN (1,2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x, u.y) > (1,2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a, u.y) > (1,2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS TRUE
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x COLLATE NOCASE = 'a'
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE CAST(u.x AS INT) = 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE abs(u.x)=1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE CASE WHEN u.x THEN 1 END
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x || 'a' = 'b'
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x = 1 COLLATE BINARY
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE likely(u.x=1)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (SELECT u.x)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x = (SELECT 1)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.id > 0
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x & 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL AND u.y IS NOT NULL
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x IS NOT NULL AND u.y IS NOT NULL
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x IS NOT NULL) = 1
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x IS NOT NULL) = 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x ISNULL OR u.x = 1
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x ISNULL OR u.x = 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x <> 3 OR u.y <> 4
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE u.x <> 3 OR u.y <> 4
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x = 1 AND t.a = 1) OR u.y = 2
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x = 1 AND t.a = 1) OR u.y = 2
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x = 1 AND t.a = 1) OR (u.y = 2 AND t.a=2)
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE (u.x = 1 AND t.a = 1) OR (u.y = 2 AND t.a=2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a = 1 AND u.x = 1) OR (u.y = 2 AND t.a=2)
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE (t.a = 1 AND u.x = 1) OR (u.y = 2 AND t.a=2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x GLOB 'a*'
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.x -> 'a' = 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE NOT (u.x = 1 OR u.y = 2)
? SELECT t.id, count(*) OVER (ORDER BY t.a) FROM t LEFT JOIN u ON u.t = t.id WHERE NOT (u.x = 1 OR u.y = 2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE NOT (u.x = 1 AND t.a = 2)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE EXISTS (SELECT 1 FROM v WHERE v.x = u.x)
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE json_extract(u.x,'$') = 1
? SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE coalesce(u.x,1) = 1
-- IS NOT NULL in ON is no range of an index. What is constant in ON beside a FULL JOIN drops no rows.
create table e(d REAL UNIQUE)
create table f(a, x, y, z)
create table g(d, x)
create table h(c, x, y)
? SELECT t.id, d FROM t LEFT JOIN e ON d IS NOT NULL
? SELECT t.id, d FROM t LEFT JOIN e ON d NOTNULL AND t.a
? SELECT f.a FROM f JOIN g ON 1 FULL JOIN h USING (y)
? SELECT f.a FROM f JOIN g FULL JOIN h USING (y)
? SELECT f.a FROM f JOIN g ON g.x FULL JOIN h USING (y)
===
-- IS NOT NULL, the only condition around a query with a LEFT JOIN, does not make it an inner join once the query has become part of the outer one.
CREATE TABLE t0(a INT, b TEXT)
CREATE TABLE t1(a INT, b INT)
CREATE VIEW y AS SELECT p.a AS a, q.b AS b FROM t0 AS p LEFT JOIN t1 AS q ON p.b = q.a
CREATE VIEW z AS SELECT p.a AS a, q.b AS b FROM t0 AS p LEFT JOIN t1 AS q ON p.b = q.a WHERE p.a > 1
CREATE VIEW y2 AS SELECT a, b + 1 AS b FROM y
? SELECT * FROM y WHERE b IS NOT NULL
? SELECT * FROM y WHERE b IS NOT NULL AND a > 0
? SELECT * FROM y WHERE a > 0 AND b IS NOT NULL
? SELECT * FROM y WHERE b + 1 IS NOT NULL
? SELECT * FROM y WHERE NOT (b IS NULL)
? SELECT * FROM y WHERE b > 0
? SELECT * FROM z WHERE b IS NOT NULL
? SELECT * FROM y2 WHERE b IS NOT NULL
? SELECT * FROM y JOIN t0 ON t0.a = y.b WHERE y.b IS NOT NULL
? SELECT * FROM y, t0 WHERE y.b IS NOT NULL
? SELECT * FROM t0 LEFT JOIN t1 ON t0.b = t1.a, y WHERE t1.b IS NOT NULL
? SELECT * FROM (SELECT * FROM y WHERE b IS NOT NULL)
? SELECT * FROM (SELECT p.a AS a, q.b AS b FROM t0 AS p LEFT JOIN t1 AS q ON p.b = q.a WHERE q.b IS NOT NULL) WHERE a > 0
? SELECT p.a, q.b FROM t0 AS p LEFT JOIN t1 AS q ON p.b = q.a WHERE q.b IS NOT NULL
