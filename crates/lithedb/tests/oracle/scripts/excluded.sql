-- A conflict of the rowid is found before values get the affinities of their columns, also where there is RETURNING or a trigger.
CREATE TABLE a(c0 INTEGER PRIMARY KEY, c3 VARCHAR(10), c4);
INSERT INTO a VALUES (1, 1, 1);
INSERT INTO a VALUES (1, -1, 0) ON CONFLICT(c0) DO UPDATE SET c4 = 1 WHERE excluded.c3 > 9 RETURNING c0;
INSERT INTO a VALUES (1, 100, 0) ON CONFLICT(c0) DO UPDATE SET c4 = typeof(excluded.c3) RETURNING c4;
INSERT INTO a VALUES (3, 100, 0) RETURNING typeof(c3);
CREATE TABLE log(x);
CREATE TRIGGER r AFTER INSERT ON a BEGIN INSERT INTO log VALUES (typeof(new.c3)); END;
INSERT INTO a VALUES (1, 100, 0), (4, 7, 7) ON CONFLICT(c0) DO UPDATE SET c4 = typeof(excluded.c3);
SELECT * FROM a;
SELECT * FROM log;
-- What is wrong with the triggers of the update is told first.
CREATE TRIGGER r2 AFTER INSERT ON a BEGIN INSERT INTO nothing VALUES (1); END;
CREATE TRIGGER r3 BEFORE UPDATE ON a BEGIN INSERT INTO nowhere VALUES (1); END;
INSERT INTO a VALUES (1, 100, 0) ON CONFLICT(c0) DO UPDATE SET c4 = 1;
INSERT INTO a VALUES (5, 5, 5);
-- The entries of indexes are made of final values, but not before the rowid was looked for.
CREATE TABLE u(a INTEGER PRIMARY KEY, b NUMERIC, c TEXT UNIQUE, UNIQUE(a));
INSERT INTO u VALUES (1, 2, 3), (2, 2, 4);
INSERT INTO u VALUES (1, '1e3', 5) ON CONFLICT(a) DO UPDATE SET c = typeof(excluded.b) || typeof(excluded.c);
INSERT INTO u VALUES (7, '1e3', 4) ON CONFLICT(c) DO UPDATE SET b = typeof(excluded.b) || typeof(excluded.c);
INSERT INTO u VALUES (1, '1e3', 4) ON CONFLICT(c) DO UPDATE SET b = typeof(excluded.c) ON CONFLICT(a) DO UPDATE SET b = 1;
INSERT INTO u VALUES (1, '1e3', 9) ON CONFLICT(c) DO NOTHING ON CONFLICT(a) DO UPDATE SET b = typeof(excluded.c);
INSERT INTO u VALUES (9, '1e3', 9) RETURNING typeof(b), typeof(c);
SELECT * FROM u;
-- A column of excluded has no collation: the other operand brings one.
CREATE TABLE ex(k, c1 COLLATE NOCASE UNIQUE);
INSERT INTO ex VALUES (1,'A');
INSERT INTO ex VALUES (2,'a') ON CONFLICT(c1) DO UPDATE SET c1 = 3 WHERE excluded.c1 != c1;
INSERT INTO ex VALUES (2,'a') ON CONFLICT(c1) DO UPDATE SET k = excluded.c1 = c1;
SELECT * FROM ex;
INSERT INTO ex VALUES (2,'a') ON CONFLICT(c1) DO UPDATE SET k = k || (c1 = excluded.c1) || (excluded.c1 = 'A') || (excluded.c1 = upper(excluded.c1));
SELECT * FROM ex;
