SELECT count(x - 7), count(*) FILTER (WHERE jsonb(x)) FROM (SELECT x'61' AS x UNION ALL SELECT 11) GROUP BY x LIMIT 1
SELECT count(x - 7), count(*) FILTER (WHERE jsonb(x)) FROM (SELECT x'61' AS x UNION ALL SELECT 11) GROUP BY x LIMIT 2
SELECT count(json(x)) FROM (SELECT 'b' AS x UNION ALL SELECT 11 UNION ALL SELECT 12) GROUP BY x LIMIT 1 OFFSET 1
SELECT count(json(x)) FROM (SELECT 'b' AS x UNION ALL SELECT 11 UNION ALL SELECT 12) GROUP BY x ORDER BY 1 LIMIT 1
SELECT (SELECT count(json(x)) FROM (SELECT 'b' AS x UNION ALL SELECT 11 UNION ALL SELECT 12) GROUP BY x)
SELECT 1 IN (SELECT count(json(x)) FROM (SELECT 'b' AS x UNION ALL SELECT 11 UNION ALL SELECT 12) GROUP BY x LIMIT 1)
CREATE TABLE texts(a INTEGER PRIMARY KEY, b, c, d)
INSERT INTO texts VALUES (-3, 'b', -1, 6), (1, 11, 3, 4), (7, -3, x'', 0)
SELECT min(quote(json_type(b))) FROM texts GROUP BY json_array(d, c)
SELECT min(quote(json_type(b))) FILTER (WHERE json(b)) FROM texts GROUP BY json_array(d, c)
SELECT count(*) FILTER (WHERE json(b)) FROM texts GROUP BY json_array(d, c)
SELECT count(*) FILTER (WHERE json(b)), count(d) FROM texts GROUP BY d
SELECT count(b) FROM texts GROUP BY json_array(d, c)
