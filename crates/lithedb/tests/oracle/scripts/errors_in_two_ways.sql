-- Which of several errors is reported: names of UPDATE FROM, aggregates, statements that are wrong in two ways.
CREATE TABLE t(a, b)
CREATE TABLE u(a, c)
CREATE TABLE v(b, c)
UPDATE t SET a = 1 FROM u, v WHERE a = 1
UPDATE t SET a = 1 FROM u, v WHERE b = 1
UPDATE t SET a = 1 FROM u, v WHERE c = 1
UPDATE t SET a = c FROM u, v
UPDATE t SET a = b FROM u, v WHERE c = 1
UPDATE t SET a = b FROM u, v WHERE t.a = c
UPDATE t SET a = u.a FROM u, v WHERE a = c RETURNING c
UPDATE t SET a = 1 FROM u, v RETURNING c
UPDATE t SET a = 1 FROM u JOIN v USING (c) WHERE b = 1
UPDATE t SET a = 1 FROM u JOIN v ON c = 1 WHERE b = 1
UPDATE t SET a = 1 FROM u JOIN v ON u.c = v.c AND b = 1 WHERE a = 1
UPDATE t SET a = (SELECT c FROM u JOIN v), b = c FROM u JOIN v
UPDATE t SET a = (SELECT b), b = c FROM u JOIN v
UPDATE t SET a = (SELECT a), b = c FROM u JOIN v
UPDATE t SET b = c, a = a FROM u JOIN v
UPDATE t SET b = a, a = c FROM u JOIN v
UPDATE t SET (a, b) = (c, a) FROM u JOIN v
UPDATE t SET (a, b) = (SELECT c, a) FROM u JOIN v
UPDATE t SET nosuch = c FROM u JOIN v
UPDATE t SET a = nosuch, b = c FROM u JOIN v
UPDATE t SET a = c, b = nosuch FROM u JOIN v
UPDATE t SET a = nosuch FROM u JOIN v WHERE c
UPDATE t SET a = c FROM u JOIN v WHERE nosuch
UPDATE t SET a = c FROM u JOIN v ON nosuch
UPDATE t SET a = c FROM u JOIN v ON c WHERE b
UPDATE t SET a = c FROM u JOIN nosuch
UPDATE t SET a = 1 FROM u WHERE a = 1
UPDATE t SET a = 1 FROM t AS x WHERE a = 1
UPDATE t SET a = 1 FROM t WHERE a = 1
UPDATE t AS y SET a = 1 FROM t WHERE a = 1
UPDATE t AS y SET a = b FROM t WHERE y.a = 1
UPDATE t AS y SET a = 1 FROM t WHERE rowid = 1
UPDATE t AS y SET a = 1 FROM u WHERE rowid = 1
UPDATE t SET a = rowid FROM u
UPDATE t SET a = rowid FROM u WHERE c
UPDATE t SET rowid = rowid FROM u
UPDATE t SET a = 1 FROM u WHERE a IN (SELECT c FROM v)
UPDATE t SET a = 1 FROM u WHERE u.a IN (SELECT a FROM v)
UPDATE t SET a = 1 FROM u WHERE u.a IN (SELECT b FROM v)
UPDATE t SET a = count(*) FROM u WHERE a
UPDATE t SET a = 1 FROM u WHERE count(*)
UPDATE t SET a = 1 FROM u WHERE a GROUP BY a
UPDATE t SET a = 1 FROM (SELECT a, c FROM u, v) WHERE b
UPDATE t SET a = 1 FROM (SELECT u.a, v.c FROM u, v) s WHERE a
UPDATE t SET a = row_number() OVER () FROM u WHERE a
CREATE TABLE g(a, b, PRIMARY KEY(a)) WITHOUT ROWID
UPDATE g SET b = a FROM u
UPDATE g SET b = 1 FROM u WHERE a
UPDATE g SET b = c FROM u, v
SELECT max(a) AS m FROM t GROUP BY m
SELECT max(a) AS m, b FROM t GROUP BY m, b
SELECT max(a) AS m, b FROM t GROUP BY 1
SELECT max(a), b FROM t GROUP BY 1
SELECT max(a) + 1 AS m FROM t GROUP BY m
SELECT max(a) AS m FROM t GROUP BY m + 1
SELECT max(a) AS m FROM t GROUP BY max(a)
SELECT max(a) AS m FROM t GROUP BY b HAVING m
SELECT max(a) AS m FROM t WHERE m
SELECT count(*) AS b FROM t GROUP BY b
SELECT count(*) AS m FROM t GROUP BY (SELECT m)
SELECT count(*) AS m FROM t GROUP BY 2
SELECT count(*) AS m FROM t ORDER BY 2
SELECT count(*) AS m, row_number() OVER () AS w FROM t GROUP BY w
SELECT row_number() OVER () AS w FROM t WHERE w
SELECT row_number() OVER () AS w FROM t GROUP BY w
SELECT row_number() OVER () AS w FROM t GROUP BY 1
SELECT row_number() OVER () AS w FROM t HAVING w
SELECT row_number() OVER (ORDER BY max(a)) AS w FROM t GROUP BY b
SELECT max(a) AS m FROM t GROUP BY m HAVING nosuch
SELECT max(a) AS m FROM t GROUP BY nosuch, m
SELECT max(a) AS m FROM t GROUP BY m, nosuch
SELECT max(a) AS m, nosuch FROM t GROUP BY m
SELECT nosuch1, nosuch2 FROM t
SELECT nosuch1 FROM t WHERE nosuch2
SELECT a FROM t WHERE nosuch2 GROUP BY nosuch3
SELECT a FROM t GROUP BY nosuch3 ORDER BY nosuch4
SELECT a FROM t GROUP BY nosuch3 HAVING nosuch4
SELECT a FROM t WHERE nosuch2 ORDER BY nosuch4
SELECT a FROM t LIMIT nosuch4
SELECT a FROM t WHERE nosuch LIMIT nosuch4
SELECT a FROM t ORDER BY nosuch LIMIT nosuch4
SELECT nosuch() FROM t WHERE nosuch
SELECT max(max(a)) FROM t
SELECT max(max(a)) FROM t WHERE nosuch
SELECT max(a), nosuch FROM t GROUP BY max(a)
SELECT (SELECT nosuch1 FROM nosucht) FROM t WHERE nosuch2
SELECT * FROM t, nosucht WHERE nosuch2
SELECT * FROM t JOIN u USING (nosuch) WHERE nosuch2
SELECT * FROM t JOIN u ON nosuch1 WHERE nosuch2
SELECT nosuch1 FROM t JOIN u ON nosuch2
SELECT nosuch1 FROM t JOIN u USING(nosuch2)
SELECT a FROM t UNION SELECT nosuch FROM t ORDER BY nosuch2
SELECT a FROM t UNION SELECT a, b FROM t ORDER BY nosuch2
SELECT a FROM t UNION SELECT a, nosuch FROM t
SELECT nosuch FROM t UNION SELECT a, b FROM t
SELECT a, b FROM t UNION SELECT nosuch FROM nosucht
INSERT INTO t SELECT nosuch FROM t
INSERT INTO t(a, nosuch) SELECT nosuch2 FROM t
INSERT INTO t(a, nosuch) VALUES(1)
INSERT INTO t(a) VALUES(1, nosuch)
INSERT INTO t(a, a, nosuch) VALUES(1)
INSERT INTO nosucht(a) VALUES(nosuch)
INSERT INTO t VALUES(1,2,3),(nosuch)
INSERT INTO t VALUES(nosuch, 2, 3)
INSERT INTO t VALUES(1,2),(1,2,3)
INSERT INTO t VALUES(1,2) ON CONFLICT(nosuch) DO UPDATE SET nosuch2 = 1
INSERT INTO t VALUES(1,nosuch3) ON CONFLICT(a) DO UPDATE SET nosuch2 = 1
DELETE FROM t WHERE nosuch RETURNING nosuch2
UPDATE t SET a = nosuch1 WHERE nosuch2
UPDATE t SET nosuch1 = nosuch3 WHERE nosuch2 RETURNING nosuch4
CREATE VIEW vv AS SELECT nosuch FROM t
SELECT nosuch2 FROM vv
SELECT * FROM vv WHERE nosuch2
CREATE INDEX nosuch ON t(nosuch1, nosuch2)
CREATE INDEX i ON nosucht(nosuch1, nosuch2)
CREATE INDEX i ON t(a, nosuch2) WHERE nosuch3
CREATE INDEX i ON t(abs(nosuch1), nosuch2)
CREATE VIEW grouped_by_count AS SELECT 2 COLLATE NOCASE AS x0, count(a) AS x1 FROM t GROUP BY (2 COLLATE NOCASE)
SELECT * FROM grouped_by_count
SELECT x0 FROM (SELECT 5 AS x0, (SELECT x0 FROM grouped_by_count) AS x1 LIMIT 1)
SELECT 1, count(*) + 1 AS n FROM t GROUP BY 2 COLLATE NOCASE
SELECT 1, count(*) FROM t GROUP BY 2
CREATE INDEX two_ways ON t("dq") WHERE nosuch = 1
PRAGMA recursive_triggers = ON
CREATE TABLE replacing(a INTEGER PRIMARY KEY ON CONFLICT REPLACE, b)
CREATE TRIGGER of_nothing BEFORE DELETE ON replacing BEGIN DELETE FROM no_such_table; END
INSERT INTO replacing VALUES (NULL, 1)
INSERT INTO replacing(b) VALUES (1)
PRAGMA recursive_triggers = OFF
INSERT INTO replacing VALUES (NULL, 1)
CREATE TABLE checked(a CHECK (abs(a) > 0), b)
CREATE TRIGGER before_checked BEFORE INSERT ON checked BEGIN INSERT INTO no_such_table VALUES (1); END
INSERT INTO checked VALUES (1, 2)
PRAGMA writable_schema = ON
UPDATE sqlite_schema SET sql = replace(sql, 'abs(', 'theirs(') WHERE name = 'checked'
PRAGMA writable_schema = RESET
INSERT INTO checked VALUES (1, 2)
DROP TRIGGER before_checked
CREATE TRIGGER after_checked AFTER INSERT ON checked BEGIN INSERT INTO no_such_table VALUES (1); END
INSERT INTO checked VALUES (1, 2)
CREATE TABLE u1(a PRIMARY KEY, b)
CREATE TRIGGER u1_b BEFORE INSERT ON u1 BEGIN INSERT INTO u5 VALUES (2); END
CREATE TRIGGER u1_u AFTER UPDATE ON u1 BEGIN INSERT INTO u2 VALUES (7); END
INSERT INTO u1 VALUES (1, 2) ON CONFLICT(a) DO UPDATE SET b = 1
UPDATE u1 SET b = 1
