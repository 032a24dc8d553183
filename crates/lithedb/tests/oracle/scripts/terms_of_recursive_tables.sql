-- SQLite refuses window functions in the last recursive term alone, and reports the last error.
CREATE TABLE t(a, b);
INSERT INTO t VALUES (1, 2), (3, 'x');
WITH RECURSIVE r(n, s) AS (VALUES (1, 'a') UNION ALL SELECT n + 1, row_number() OVER () FROM r WHERE n < 3 UNION ALL SELECT n + 2, s FROM r WHERE n < 4) SELECT * FROM r;
WITH RECURSIVE r(n, s) AS (VALUES (1, 'a') UNION ALL SELECT n + 1, s FROM r WHERE n < 3 UNION ALL SELECT n + 2, row_number() OVER () FROM r WHERE n < 4) SELECT * FROM r;
WITH RECURSIVE r(n, s) AS (VALUES (1, 'a') UNION ALL SELECT n + x, s FROM r UNION ALL SELECT n + y, s FROM r) SELECT * FROM r;
WITH RECURSIVE r(n, s) AS (VALUES (1, 'a') UNION ALL SELECT max(n), s FROM r UNION ALL SELECT n + 1, row_number() OVER () FROM r) SELECT * FROM r;
-- COLLATE does not count where ORDER BY of a compound looks for a column.
SELECT a COLLATE NOCASE, b FROM t EXCEPT SELECT 1, 'a' ORDER BY a, 2;
VALUES (1, 2) UNION SELECT b COLLATE RTRIM, a COLLATE NOCASE FROM t ORDER BY a COLLATE BINARY DESC, b;
-- Hidden columns of table-valued functions are texts.
SELECT json, typeof(json), root, typeof(root) FROM json_each(1.50, x'24');
SELECT json, typeof(json) FROM json_tree(x'5b315d');
SELECT hex(json), typeof(json) FROM jsonb_each(jsonb('[1]'));
SELECT arg, typeof(arg), schema, typeof(schema) FROM pragma_table_info(x'74', x'6d61696e');
-- LIMIT counts for the estimate of the last term alone, which decides which table is searched.
WITH RECURSIVE r(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || 'y' FROM r WHERE n < 6 UNION ALL SELECT DISTINCT n + 1, s FROM r WHERE n < 5 LIMIT 3 OFFSET 2) SELECT * FROM r AS x JOIN r AS y ON x.n = y.n + 1 /* ordered */
