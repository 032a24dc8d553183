-- Which of several errors in one statement is reported: SQLite looks on behind a call that means nothing up to the next operator,
-- and resolves HAVING before WHERE, WHERE before ON.
CREATE TABLE c(c)
CREATE TABLE d(d)
SELECT nosuch(1)+y FROM c
SELECT y+nosuch(1) FROM c
SELECT nosuch(1), y FROM c
SELECT y, nosuch(1) FROM c
SELECT nosuch(1), nosuch2(1) FROM c
SELECT nosuch(nosuch2(1)) FROM c
SELECT nosuch(1)+nosuch2(1) FROM c
SELECT nosuch(1) FROM c WHERE y
SELECT y FROM c WHERE z
SELECT y+z FROM c
SELECT (nosuch(1),2) = (y,3) FROM c
SELECT CASE nosuch(1) WHEN y THEN z END FROM c
SELECT nosuch(1) IN (y) FROM c
SELECT nosuch(1) BETWEEN y AND z FROM c
SELECT nosuch(1) LIKE y FROM c
SELECT abs(1,2,3) LIKE y FROM c
SELECT sum(sum(1))+y FROM c
SELECT 1 FROM c WHERE sum(1)+y
SELECT 1 FROM c WHERE abs(1,2)+y
SELECT 1 FROM c WHERE abs(1,2)+ nosuch(1)
SELECT 1 FROM c WHERE abs(1,2) AND nosuch(1)
SELECT 1 FROM c WHERE nosuch(1) AND abs(1,2)
SELECT 1 FROM c WHERE nosuch(1) AND (SELECT y FROM d)
SELECT 1 FROM c WHERE nosuch(1) AND EXISTS(SELECT y FROM d)
SELECT 1 FROM c WHERE (SELECT nosuch(1)) AND y
SELECT 1 FROM c WHERE nosuch(1) AND (SELECT y FROM nosuch)
SELECT nosuch(1) FROM c ORDER BY y
SELECT nosuch(1) FROM c GROUP BY y
SELECT nosuch(1) AS a FROM c ORDER BY a, y
SELECT nosuch(*) FROM c WHERE y
SELECT sum(*) FROM c WHERE y
SELECT sum(*)+y FROM c
SELECT nosuch(1) OVER (ORDER BY y) FROM c
SELECT nosuch(1) FILTER (WHERE y) FROM c
SELECT abs(1) FILTER (WHERE y) FROM c
SELECT abs(1) OVER (ORDER BY y) FROM c
SELECT abs(1) OVER (ORDER BY y) + z FROM c
SELECT count(DISTINCT y,z) FROM c
SELECT count(DISTINCT c,c) + z FROM c
SELECT likelihood(y, 7) FROM c
SELECT likelihood(1, 7)+y FROM c
SELECT unlikely(y, 7) FROM c
SELECT CAST(nosuch(1) AS int), y FROM c
SELECT nosuch(1) COLLATE nocase || y FROM c
SELECT nosuch(1) COLLATE xx || 'a' FROM c
SELECT -nosuch(1) - -y FROM c
SELECT 1 FROM c JOIN d ON nosuch(1) AND y
SELECT 1 FROM c JOIN d ON nosuch(1) WHERE y
SELECT 1 FROM c LEFT JOIN d ON nosuch(1) WHERE y
SELECT 1 FROM c WHERE nosuch(1) GROUP BY y HAVING z
SELECT 1 FROM c WHERE c GROUP BY nosuch(1), y
SELECT 1 FROM c ORDER BY nosuch(1), y
SELECT 1 FROM c ORDER BY y, nosuch(1)
SELECT 1 FROM c LIMIT nosuch(1) OFFSET y
UPDATE c SET c=nosuch(1) WHERE y
UPDATE c SET c=nosuch(1)+y
DELETE FROM c WHERE nosuch(1) + y
INSERT INTO c VALUES(nosuch(1)+y)
INSERT INTO c VALUES(nosuch(1)),(y)
INSERT INTO d SELECT nosuch(1), y
SELECT (SELECT nosuch(1)), y
SELECT (1,2)+y FROM c
SELECT (1,2)=nosuch(1) AND y FROM c
SELECT RAISE(IGNORE)+y FROM c
SELECT (c,c)=(y,1,2) FROM c
SELECT sum(rank() OVER ())+y FROM c
SELECT 1 FROM c WHERE rank() OVER () + y
SELECT 1 FROM c WHERE c IN (nosuch(1), y)
SELECT 1 FROM c WHERE (c,nosuch(1)) IN (SELECT y, 1)
SELECT 1 FROM c WHERE nosuch(1) IN (SELECT y)
SELECT 1 FROM c WHERE nosuch(1) IN (SELECT 1,2)
SELECT match(y, 1) FROM c
SELECT nosuch(1)+1+y FROM c
SELECT nosuch(1)+abs(y) FROM c
SELECT abs(nosuch(1))+y FROM c
SELECT nosuch(1, y) FROM c
SELECT nosuch(1)+ -y FROM c
SELECT nosuch(1) || y COLLATE nocase FROM c
SELECT 1 FROM c WHERE y GROUP BY c HAVING z
SELECT 1 FROM c WHERE y GROUP BY z
SELECT 1 FROM c WHERE y ORDER BY z
SELECT 1 FROM c GROUP BY y HAVING z
SELECT 1 FROM c GROUP BY 1 HAVING z ORDER BY y
SELECT 1 FROM c JOIN d ON y WHERE z
SELECT 1 FROM c JOIN d ON y GROUP BY 1 HAVING z
SELECT 1 FROM c WHERE y LIMIT z
SELECT y FROM c LIMIT z
SELECT y FROM c GROUP BY 1 HAVING z
SELECT CASE WHEN nosuch(1) THEN y ELSE z END FROM c
SELECT CASE WHEN 1 THEN nosuch(1) ELSE z END FROM c
SELECT CASE WHEN 1 THEN nosuch(1) ELSE 1 END + z FROM c
SELECT CAST(nosuch(1) AS int)+y FROM c
SELECT (nosuch(1) IS NULL)+y FROM c
SELECT nosuch(1) IN (SELECT y) FROM c
SELECT nosuch(1) IN (1,y) FROM c
SELECT nosuch(1) BETWEEN 1 AND y FROM c
SELECT abs(y)+z FROM c
SELECT abs(y+x)+z FROM c
SELECT abs(y)+1+z FROM c
SELECT abs((SELECT y))+z FROM c
SELECT abs(abs(y))+z FROM c
SELECT sum(y)+z FROM c
SELECT max(y,x) FROM c
SELECT max(abs(y),x) FROM c
SELECT sum(y) OVER (ORDER BY z)+w FROM c
SELECT sum(c) OVER (ORDER BY z)+w FROM c
SELECT sum(c) FILTER (WHERE z)+w FROM c
SELECT sum(y) FILTER (WHERE z) FROM c
SELECT group_concat(y ORDER BY z) FROM c
SELECT y LIKE z FROM c
SELECT y LIKE z + w FROM c
SELECT (y LIKE z) + w FROM c
SELECT y -> z FROM c
SELECT (y -> z) + w FROM c
SELECT abs(y), z FROM c
SELECT 1 FROM c WHERE abs(y) AND z
SELECT 1 FROM c WHERE abs(y) GROUP BY z
SELECT nosuch(y)+z FROM c
SELECT (SELECT abs(y))+z FROM c
SELECT abs(y) IN (z) FROM c
SELECT CASE abs(y) WHEN z THEN w END FROM c
CREATE TABLE t1(a, b)
CREATE TABLE t2(c, d)
CREATE TABLE t3(e, f)
-- Inside a join in parentheses the tables keep their names, and an alias of a part of it means nothing.
SELECT t1.a FROM ((t1 JOIN t2) AS x LEFT JOIN t3 ON 1) AS y
SELECT x.a FROM ((t1 JOIN t2) AS x LEFT JOIN t3 ON 1) AS y
SELECT y.a FROM ((t1 JOIN t2) AS x LEFT JOIN t3 ON 1) AS y
SELECT t1.a FROM (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1) AS y
SELECT x.a FROM (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1) AS y
SELECT t1.a FROM t2 AS z JOIN (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1)
SELECT x.a FROM t2 AS z JOIN (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1)
SELECT x.* FROM t2 AS z LEFT JOIN (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1) AS y ON 1
SELECT t1.* FROM t2 AS z LEFT JOIN (t3 LEFT JOIN (t1 JOIN t2) AS x ON 1) ON 1
-- An offset of a frame is a literal, a parameter, or operators of them; whatever else is no offset.
INSERT INTO c VALUES (1), (2), (3)
INSERT INTO d VALUES (1)
SELECT sum(c) OVER (ROWS BETWEEN abs(1) PRECEDING AND CURRENT ROW) FROM c
SELECT sum(c) OVER (ROWS BETWEEN (SELECT 1) PRECEDING AND CURRENT ROW) FROM c
SELECT sum(c) OVER (ROWS BETWEEN 1 IN (1, 2) PRECEDING AND CURRENT ROW) FROM c
SELECT sum(c) OVER (ROWS BETWEEN CASE WHEN 1 THEN 1 END PRECEDING AND CURRENT ROW) FROM c
SELECT sum(c) OVER (ROWS BETWEEN CURRENT_DATE > 0 PRECEDING AND CURRENT ROW) FROM c
SELECT (SELECT sum(c) OVER (ROWS BETWEEN d PRECEDING AND CURRENT ROW) FROM c) FROM d
SELECT sum(c) OVER (ORDER BY c RANGE BETWEEN 0.5 + (SELECT d FROM d) PRECEDING AND CURRENT ROW) FROM c
-- Rows within rows are compared where they can be taken apart.
SELECT 1 WHERE (2, (2, 0)) IS (2, (2, 0))
SELECT 1 WHERE (2, (2, 0)) = (2, (2, 1))
SELECT 1 WHERE (2, (2, 0)) < (2, (2, 1))
SELECT 1 FROM c GROUP BY sum(c) OVER ()
SELECT sum(c) OVER () FROM c GROUP BY 1
SELECT count(*) FROM c LIMIT nth_value(x, 1) OVER ()
WITH w AS (SELECT 1) SELECT * FROM w(1)
CREATE TABLE z(a DEFAULT (nosuchfunc(1)), b)
INSERT INTO z(b) VALUES(1)
INSERT INTO z DEFAULT VALUES
CREATE TABLE z2(a DEFAULT (abs(1,2)), b)
INSERT INTO z2(b) VALUES(1)
-- What nobody may change, before anything else.
CREATE VIEW vc AS SELECT c FROM c
UPDATE vc SET nosuch = 1
UPDATE vc SET c = 1 FROM nosuch
UPDATE sqlite_master SET nosuch = 1
UPDATE json_each SET nosuch = 1
DELETE FROM sqlite_master WHERE nosuch
INSERT INTO sqlite_master VALUES (1)
INSERT INTO json_each(nosuch) VALUES (1)
INSERT INTO pragma_encoding VALUES (1, 2, 3)
-- A query before the value that is sought in it.
SELECT nosuch IN nosuch2 FROM c
CREATE TABLE g(a, b AS (nosuch IN (SELECT 1 FROM c)))
CREATE TABLE g(a, CHECK (nosuch IN c))
CREATE INDEX gi ON c(nosuch IN (SELECT 1))
ALTER TABLE d ADD e AS (nosuch IN (SELECT 1 FROM c))
-- GENERATED ALWAYS is no part of a type.
CREATE TABLE gt(a int generated always as (1), b text    GENERATED   ALWAYS as (2), c int   Always default (3), d Always, e Generated  Always AS (4), f int generatedalways)
SELECT name, type FROM pragma_table_xinfo('gt')
-- Of several triggers that mean nothing the newest is told, whatever its time.
CREATE TABLE wt(a INTEGER PRIMARY KEY, b)
CREATE TRIGGER wt1 BEFORE DELETE ON wt BEGIN INSERT INTO nothing1 VALUES (1); END
CREATE TRIGGER wt2 AFTER DELETE ON wt BEGIN INSERT INTO nothing2 VALUES (1); END
DELETE FROM wt WHERE b = 1
CREATE TRIGGER wt3 BEFORE UPDATE ON wt BEGIN INSERT INTO nothing3 VALUES (1); END
CREATE TRIGGER wt4 AFTER UPDATE ON wt BEGIN INSERT INTO nothing4 VALUES (1); END
UPDATE wt SET b = 1
CREATE TRIGGER wt5 BEFORE INSERT ON wt BEGIN INSERT INTO nothing5 VALUES (1); END
CREATE TRIGGER wt6 AFTER INSERT ON wt BEGIN INSERT INTO nothing6 VALUES (1); END
INSERT INTO wt VALUES (1, 1)
