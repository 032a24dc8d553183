-- Rows of a table-valued function have the same rowids in the branches of an OR: only those that meet all conditions count.
CREATE TABLE t7(c0 REAL)
INSERT INTO t7 VALUES (1), (2)
SELECT s.c0, j.path, j.fullkey FROM t7 AS s JOIN json_each AS j ON (j.json = json_object('k', 1) AND j.type <> 'null') OR (j.json = '{"a":{"a":5}}' AND j.root = '$.a') WHERE j.key = 'a'
SELECT j.path, j.fullkey FROM json_each AS j WHERE (j.json = json_object('k', 1) AND j.type <> 'null') OR (j.json = '{"a":{"a":5}}' AND j.root = '$.a')
SELECT j.path, j.fullkey FROM json_each AS j WHERE (j.json = '{"a":{"a":5}}' AND j.root = '$.a')
SELECT j.path, j.fullkey FROM json_each AS j WHERE (j.json = '{"b":{"a":5}}') OR (j.json = '{"a":{"a":5}}' AND j.root = '$.a')
SELECT j.path, j.fullkey FROM json_each AS j WHERE (j.json = '{"b":{"a":5}}' AND j.root = '$.b') OR (j.json = '{"a":{"a":5}}' AND j.root = '$.a')
SELECT j.path, j.fullkey FROM json_each AS j WHERE (j.json = '{"b":{"a":5}}' AND j.root = '$.b') OR (j.json = '{"a":{"c":5}}' AND j.root = '$.a')
SELECT j.path, j.fullkey, j.rowid FROM json_each AS j WHERE (j.json = '{"b":{"a":5}}' AND j.key = 'b') OR (j.json = '{"a":{"c":5},"d":6}')
SELECT j.path, j.fullkey, j.rowid FROM json_each AS j WHERE (j.json = '{"a":{"c":5},"d":6}' AND j.root = '$.a') OR (j.json = '{"b":{"a":5}}' AND j.key = 'b')
