-- Tables that are there without being created are not altered; common tables stand in front of functions.
ALTER TABLE json_each RENAME TO other
ALTER TABLE json_each RENAME key TO other
ALTER TABLE json_each DROP COLUMN key
ALTER TABLE json_each ADD COLUMN other
ALTER TABLE pragma_compile_options RENAME TO other
ALTER TABLE pragma_compile_options DROP COLUMN other
WITH w AS (SELECT 1) SELECT * FROM w()
WITH json_each AS (SELECT 1) SELECT * FROM json_each('[1]')
WITH json_each AS (SELECT 1) SELECT * FROM main.json_each('[1]')
