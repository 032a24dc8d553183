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
CREATE TABLE namesake(a, b)
CREATE TABLE other_rows(a, b)
CREATE VIEW starred AS SELECT namesake.a, namesake.b, namesake.* FROM namesake NATURAL JOIN other_rows AS namesake
CREATE VIEW starred_2 AS SELECT namesake.* FROM namesake
CREATE VIEW starred_3 AS SELECT x.* FROM namesake AS x
ALTER TABLE namesake RENAME TO renamed
SELECT sql FROM sqlite_schema WHERE name LIKE 'starred%'
