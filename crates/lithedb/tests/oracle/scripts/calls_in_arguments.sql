-- A constant operator in the place of an aggregate's argument is computed for each row, and what is below it once, before all rows.
CREATE TABLE t2(a, b)
SELECT max(x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT max(x1 + 0), x0 FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT count(x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT count((x1 + 0) + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT count((x1 + 0) + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count((x1 + 0) + x0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count((x1 + 0) + x0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT count(abs(x1 + 0)) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT count(abs(x1 + 0)) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT group_concat(x1 + 0, 'x') FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT group_concat(x0, x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 IS NULL) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 AND 5) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 || 5) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(-x1) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(+x1) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(CAST(x1 AS TEXT)) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 COLLATE NOCASE) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(CASE x1 WHEN 1 THEN 2 END) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 IN (1,2)) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 BETWEEN 1 AND 2) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(x1 = 1) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count((x1, 1) = (1, 2)) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(1) FILTER (WHERE x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT count(1) FILTER (WHERE x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT x1 + 0 FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT x1 + 0, count(*) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT 1 FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x1 + 0
SELECT 1 FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) ORDER BY x1 + 0
SELECT 1 FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) WHERE x1 + 0
SELECT sum(x1 + 0) OVER () FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT group_concat(x0 ORDER BY x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2) GROUP BY x0
SELECT group_concat(x0 ORDER BY x1 + 0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
SELECT max(x1 + 0, x0) FROM (SELECT b AS x0, json_array(7, x'61') AS x1 FROM t2)
