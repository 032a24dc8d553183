CREATE TABLE g(a, b)
CREATE TEMP TRIGGER r3 UPDATE ON main.g BEGIN SELECT 1; END
CREATE TEMP TABLE g(x, y)
ALTER TABLE g RENAME TO h
ALTER TABLE temp.g RENAME x TO z
PRAGMA legacy_alter_table = 1
ALTER TABLE temp.g RENAME TO h
PRAGMA legacy_alter_table = 0
ALTER TABLE main.g RENAME TO k
ALTER TABLE temp.g RENAME TO h
SELECT name, tbl_name, sql FROM temp.sqlite_schema
