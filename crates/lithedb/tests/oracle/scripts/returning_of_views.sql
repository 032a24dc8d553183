-- A query in RETURNING that depends on no row runs once, also where INSTEAD OF triggers change what it reads.
CREATE TABLE t(a, b);
CREATE VIEW v AS SELECT * FROM t;
CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (new.a, new.b); END;
CREATE TRIGGER r2 INSTEAD OF UPDATE ON v BEGIN UPDATE t SET b = new.b WHERE a = new.a; END;
CREATE TRIGGER r3 INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE a = old.a; END;
INSERT INTO v VALUES (1, 1), (2, 2), (3, 3) RETURNING a, (SELECT count(*) FROM t);
INSERT INTO v VALUES (4, 1) RETURNING a, (SELECT count(*) FROM t);
INSERT INTO v SELECT a + 10, b FROM t RETURNING a, (SELECT count(*) FROM t), (SELECT count(*) FROM t WHERE t.a < v.a);
UPDATE v SET b = b + 1 RETURNING a, (SELECT sum(b) FROM t), b IN (SELECT b FROM t);
DELETE FROM v WHERE a > 10 RETURNING a, (SELECT count(*) FROM t)
