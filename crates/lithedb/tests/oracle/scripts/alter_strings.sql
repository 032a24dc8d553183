-- Strings in double quotes become strings in single quotes where a column gets another name or goes.
CREATE TABLE t(a, b DEFAULT "dq", c, d CHECK (a <> "dq"), e AS ("dq" || a), f COLLATE "nocase" REFERENCES "p"("q"), CHECK ("t"."a" <> "it's"), UNIQUE("a", "b"));
CREATE INDEX i ON t("a", b || "dq", "nn" || 1) WHERE "zz" <> "a";
CREATE VIEW v AS SELECT "a", "dq" AS "alias", "dq" "x", count("dq") OVER ("w") FROM t WINDOW "w" AS (ORDER BY "dq") ORDER BY "alias", "dq";
CREATE VIEW v2("l") AS SELECT "dq"'alias' FROM t;
CREATE TRIGGER r AFTER UPDATE OF "a" ON "t" WHEN new."a" <> "dq" BEGIN INSERT INTO t("a") VALUES ("dq") ON CONFLICT("a", "b") DO UPDATE SET "a" = "dq" WHERE "zz"; UPDATE t SET a = "dq" FROM v WHERE "zz"; END;
CREATE TABLE u("k" PRIMARY KEY, z DEFAULT "dq" CHECK ("dq"), y) WITHOUT ROWID;
CREATE TEMP TABLE tt(x CHECK ("dq" <> x));
CREATE TEMP VIEW tv AS SELECT "dq" FROM t;
ALTER TABLE u DROP COLUMN y;
SELECT sql FROM sqlite_schema UNION ALL SELECT sql FROM temp.sqlite_schema;
ALTER TABLE t RENAME c TO dq;
SELECT sql FROM sqlite_schema UNION ALL SELECT sql FROM temp.sqlite_schema;
ALTER TABLE t RENAME COLUMN b TO "new b";
SELECT sql FROM sqlite_schema UNION ALL SELECT sql FROM temp.sqlite_schema;
CREATE TABLE w(a, b);
CREATE INDEX wi ON w(a, "none");
ALTER TABLE w RENAME b TO c;
ALTER TABLE tt ADD COLUMN y;
ALTER TABLE tt DROP COLUMN y;
DROP INDEX wi;
CREATE TABLE k(a, b CHECK ("a" <> 1));
ALTER TABLE k DROP COLUMN a;
-- IN () is looked at only where it calls something.
CREATE TABLE n(a, b);
CREATE VIEW nv AS SELECT a IN (), a LIKE 'x' IN (), a -> 'x' IN (), a GLOB 'b' IN (), abs(a) IN () FROM n;
ALTER TABLE n RENAME a TO z;
SELECT sql FROM sqlite_schema WHERE name = 'nv';
