-- A table of WITH that nothing uses sees the rows of its trigger, and no query around it, when a column gets another name.
CREATE TABLE t(a, b);
CREATE TABLE u(a, c, d);
CREATE TRIGGER r AFTER INSERT ON t BEGIN WITH w AS (SELECT new.a, c, "dq" FROM u) SELECT "dq" FROM t; END;
CREATE TRIGGER r2 AFTER INSERT ON t BEGIN SELECT (WITH w AS (SELECT new.a, c, x.a, "dq" FROM u) SELECT "dq") FROM t x; END;
CREATE TRIGGER r3 AFTER INSERT ON t BEGIN SELECT (WITH w AS (SELECT new.a, c, raise(ABORT, 'x'), "dq" FROM u) SELECT "dq") FROM t x; END;
CREATE TRIGGER r4 AFTER INSERT ON t BEGIN WITH w AS (SELECT new.nosuch, c, "dq" FROM u) SELECT "dq" FROM t; END;
CREATE TRIGGER r5 AFTER DELETE ON t BEGIN WITH w AS (SELECT new.a, c, "dq" FROM u) SELECT "dq" FROM t; END;
CREATE TRIGGER r6 AFTER UPDATE ON t BEGIN UPDATE u SET a = (WITH w AS (SELECT old.b, c, "dq" FROM u) SELECT "dq"); END;
ALTER TABLE u RENAME c TO e;
SELECT name, sql FROM sqlite_schema;
ALTER TABLE t RENAME a TO f;
SELECT name, sql FROM sqlite_schema;
ALTER TABLE u RENAME TO v;
SELECT name, sql FROM sqlite_schema
