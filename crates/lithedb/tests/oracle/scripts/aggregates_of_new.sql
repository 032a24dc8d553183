-- NEW, OLD and the rows of RETURNING are no sources: an aggregate of their columns belongs to the query where it stands.
CREATE TABLE t1(a, b, c)
CREATE TABLE t2(a, b, c)
CREATE TRIGGER tr AFTER INSERT ON t1 BEGIN SELECT new.a, max(new.b); INSERT INTO t2 VALUES (new.a, 1, 2); END
INSERT INTO t1 VALUES (1, 2, 3)
SELECT * FROM t2
CREATE TRIGGER tr2 AFTER UPDATE ON t1 BEGIN INSERT INTO t2 SELECT max(new.b), count(*), sum(old.a + x) FROM (SELECT 1 AS x UNION SELECT 2); END
UPDATE t1 SET a = 5
SELECT * FROM t2
CREATE TRIGGER tr3 AFTER DELETE ON t1 BEGIN INSERT INTO t2 SELECT (SELECT sum(old.a) FROM t2), 1, count(old.b) FROM t2; END
DELETE FROM t1
SELECT * FROM t2
INSERT INTO t1 VALUES (1, 2, 3), (4, 5, 6) RETURNING (SELECT max(a)), (SELECT count(b) FROM t2)
