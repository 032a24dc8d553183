-- A path of json_each ends where a NUL stands.
SELECT key, value, fullkey FROM json_each('[1, 2]', '$' || char(0) || '[7]')
SELECT key, value, fullkey, path FROM json_tree('{"a":[1]}', '$.a' || char(0))
SELECT key, value FROM json_each('{"a":[1]}', x'242e610062')
