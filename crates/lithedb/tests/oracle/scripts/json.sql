-- Subtypes go through the ORDER BY of an aggregate.
SELECT json_group_array(json_array(x) ORDER BY x DESC), json_group_object('a', json(x) ORDER BY -x) FROM (SELECT 1 AS x UNION ALL SELECT 2)
SELECT json_group_array(json_array(x) ORDER BY json_array(x)), json_group_array('[1]' ORDER BY x) FROM (SELECT 1 AS x UNION ALL SELECT 2)
-- Where SQLite finds the error of what stands behind a value.
SELECT json_error_position('[1]x'), json_error_position('[]x'), json_error_position('[1,]x'), json_error_position('{"a":1}x')
SELECT json_error_position('{a:1}x'), json_error_position('{"a":1,}x'), json_error_position('[{},1]x'), json_error_position('1 x')
SELECT json_error_position('{"a":[1 ,2 ],"b":[]}x'), json_error_position('[1/**/]x'), json_error_position('  {}x'), json_error_position('[[1 ]]]')
CREATE TABLE w(a COLLATE NOCASE, b COLLATE RTRIM, c, PRIMARY KEY(c)) WITHOUT ROWID
CREATE INDEX wi ON w(b)
SELECT * FROM pragma_index_xinfo('w')
SELECT * FROM pragma_index_xinfo('wi')
-- json_each of what has no members.
SELECT key, fullkey, path FROM json_each('{"a":1}', '$.a')
SELECT key, fullkey, path FROM json_tree('{"a":1}', '$.a')
SELECT key, fullkey, path FROM json_each('[[7]]', '$[0][#-1]')
SELECT key, fullkey, path FROM json_each('5')
