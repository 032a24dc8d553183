-- Several rows of VALUES that begin like those of an INSERT before.
CREATE TABLE t(a INTEGER, b TEXT, c)
INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', x'02')
INSERT INTO t VALUES (3, 'three', -1), (4, 'four', NULL)
INSERT INTO t VALUES (5, 'five', 'x'), (6, 'six', 1e3)
INSERT INTO t VALUES (7, 'seven', '7'), (8, 'eight', 8), (9, 'nine', abs(-9))
INSERT INTO t(c, a) VALUES (10, 10), ((SELECT count(*) FROM t), 11), ((SELECT max(a) FROM t), 12)
INSERT INTO t(c, a) VALUES (10, 13), ((SELECT count(*) FROM t), 14)
INSERT INTO t VALUES (15, 'fifteen'), (16, 'sixteen', 16)
INSERT INTO t VALUES (15, 'fifteen', 15), (16, 'sixteen')
INSERT INTO t SELECT * FROM (VALUES (17, 17, 17), (18, (SELECT max(a) FROM t), 18))
INSERT INTO t VALUES (19, 'b', 1), (20, 'b', 2) ORDER BY 1
SELECT a, b, c, typeof(a), typeof(b), typeof(c) FROM t
INSERT INTO t VALUES ('21', 21, 21), (x'22', 2.2, 22), (NULL, NULL, NULL) RETURNING a, b, typeof(a)
CREATE TRIGGER tr AFTER INSERT ON t WHEN new.a < 100 BEGIN INSERT INTO t VALUES (new.a + 100, 'trigger', (SELECT count(*) FROM t)), (new.a + 200, 'trigger', 0); END
INSERT INTO t VALUES (30, 'x', 0), (31, 'y', (SELECT count(*) FROM t))
SELECT a, b, c FROM t WHERE a >= 30 ORDER BY rowid
