CREATE TABLE j(n INTEGER PRIMARY KEY, doc)
INSERT INTO j VALUES (1, '{"a":[1,"two",{"b":null}],"c d":0x1F,"e":[[],[[3.5]]]}'), (2, '[1,[2,[3]],"x"]'), (3, '7'), (4, NULL), (5, jsonb('{"a":[true,false],"b":"text"}'))
SELECT n, key FROM j, json_each(doc)
SELECT n, value FROM j, json_each(doc)
SELECT n, typeof(value), json_quote(value) FROM j, json_each(doc)
SELECT n, fullkey FROM j, json_tree(doc)
SELECT n, path FROM j, json_tree(doc)
SELECT n, type, atom FROM j, json_tree(doc)
SELECT n, json_array(value) FROM j, json_tree(doc) WHERE type = 'array'
SELECT n, json, root FROM j, json_each(doc, '$.a')
SELECT n, count(*) FROM j, json_tree(doc) GROUP BY n
SELECT n, j.doc ->> '$.a[1]', rowid IS NULL FROM j, json_each(j.doc) AS e WHERE e.key = 'a'
SELECT * FROM json_tree('{"x":{"y":"a\"b\\","z":''single "quoted"''}}')
SELECT hex(jsonb('[' || substr('1,2,3,4,5,6,7,8,9,', 1, 12) || '"' || printf('%.*c', 300, 'x') || '"]')), json(jsonb('{"a":{"b":{"c":[1,2,3,"' || printf('%.*c', 70000, 'y') || '"]}}}')) = '{"a":{"b":{"c":[1,2,3,"' || printf('%.*c', 70000, 'y') || '"]}}}'
SELECT n, value FROM j, json_each(doc, '$.e') WHERE n = 1 UNION ALL SELECT n, fullkey FROM j, jsonb_tree(doc)
