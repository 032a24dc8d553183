-- An AND that is never true is not looked at when the changed schema is loaded, but when its texts are checked afterwards.
CREATE TABLE t(a, b, c, CHECK (0 AND b));
CREATE INDEX i ON t(b);
ALTER TABLE t DROP COLUMN b;
DROP INDEX i;
CREATE INDEX i ON t(b + 1);
ALTER TABLE t DROP COLUMN b;
DROP INDEX i;
CREATE TABLE u(a, b, c AS (0 AND b), UNIQUE (b));
ALTER TABLE u DROP COLUMN b;
ALTER TABLE t DROP COLUMN b;
ALTER TABLE t RENAME b TO d;
SELECT sql FROM sqlite_schema
