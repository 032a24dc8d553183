-- Settings among statements: a pragma that names the temporary database opens it, and so do a check of everything and some ALTERs
PRAGMA database_list
PRAGMA temp.secure_delete = ON
PRAGMA temp.secure_delete
PRAGMA database_list
BEGIN
PRAGMA temp_store = MEMORY
COMMIT
PRAGMA temp_store = MEMORY
PRAGMA temp.journal_mode
PRAGMA query_only = ON
PRAGMA default_cache_size = 10
PRAGMA cache_size
PRAGMA query_only = OFF
PRAGMA cache_size = 0
PRAGMA cache_spill
PRAGMA table_list('sqlite_schema')
PRAGMA table_list('sqlite_master')
PRAGMA foreign_key_check('sqlite_schema')
PRAGMA foreign_key_check('missing')
CREATE TABLE p(a PRIMARY KEY)
CREATE TABLE c(x REFERENCES p)
INSERT INTO c VALUES (5)
CREATE TEMP TABLE p(a PRIMARY KEY)
CREATE TEMP TABLE c(x REFERENCES p)
INSERT INTO c VALUES (7), (8)
PRAGMA foreign_key_check(c)
PRAGMA main.foreign_key_check(c)
PRAGMA foreign_key_check
CREATE TABLE k(a, b, CONSTRAINT k CHECK (a > 0))
ALTER TABLE k DROP CONSTRAINT missing
ALTER TABLE k ADD CONSTRAINT k CHECK (b > 5)
ALTER TABLE k ADD CONSTRAINT k CHECK (missing > 5)
PRAGMA query_only = ON
ALTER TABLE k DROP CONSTRAINT missing
ALTER TABLE k ADD CONSTRAINT k CHECK (b > 5)
PRAGMA query_only = OFF
-- Full names of columns
CREATE VIEW v AS SELECT a, b FROM k
PRAGMA full_column_names = ON
SELECT a, k.b, a + 1, x.a AS z FROM k AS x
SELECT x.a FROM v AS x
SELECT a FROM (SELECT a, b FROM k)
SELECT s.a FROM (SELECT a, b FROM k) AS s
SELECT q FROM (SELECT a AS q FROM k WHERE b IN (SELECT 1))
WITH c AS (SELECT a FROM k) SELECT d.a FROM c AS d
SELECT j.value FROM json_each('[1]') AS j
PRAGMA full_column_names = OFF
-- LIKE depends on a setting
PRAGMA case_sensitive_like = ON
CREATE INDEX i ON k(a) WHERE b LIKE 'x%'
CREATE INDEX i ON k(b LIKE 'x')
CREATE INDEX i ON k(a) WHERE b GLOB 'x*'
