-- BLOBs that JSON functions read as text, in a database of UTF-16.
PRAGMA encoding='UTF-16be'
CREATE TABLE t(a)
SELECT 1, json(x'7b7d')
SELECT 2, json_valid(x'7b7d'), json_type(x'7b7d')
SELECT 3, json_extract(x'007b007d','$')
SELECT 4, json(x'007b007d')
SELECT 5, key FROM json_each(x'7b7d')
SELECT 6, key FROM json_each(x'005b0031005d')
SELECT 7, key FROM json_tree(x'005b0031005d')
SELECT 8, value FROM json_each(jsonb('[1,2]'))
INSERT INTO t VALUES(x'7b7d'),(x'005b0031005d'),(jsonb('[3]'))
SELECT 9, (SELECT count(*) FROM json_each(a)) FROM t WHERE rowid>1
SELECT 10, (SELECT count(*) FROM json_each(a)) FROM t WHERE rowid=1
SELECT 11, json_patch(x'7b7d','{}')
SELECT 12, json_array_length(x'005b0031005d')
SELECT 13, json_group_array(json(a)) FROM t WHERE rowid>1
