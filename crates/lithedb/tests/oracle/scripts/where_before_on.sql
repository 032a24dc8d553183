-- Conditions are evaluated in this order: WHERE, ON, both from left to right.
CREATE TABLE a(x,y)
CREATE TABLE b(x,y)
INSERT INTO a VALUES(1,'bad')
INSERT INTO b VALUES(1,'bad')
SELECT 1 FROM a JOIN b ON json(b.y) WHERE b.x=5
SELECT 1 FROM a JOIN b ON b.x=5 WHERE json(b.y)
SELECT 1 FROM a CROSS JOIN b ON json(b.y) WHERE b.x+0=5
SELECT 1 FROM a CROSS JOIN b ON b.x+0=5 WHERE json(b.y)
SELECT 1 FROM a LEFT JOIN b ON b.x+0=5 WHERE json(a.y)
SELECT 1 FROM a LEFT JOIN b ON json(b.y) WHERE b.x=5
SELECT 1 FROM a JOIN b ON json(b.y) JOIN a AS c ON b.x=5
SELECT 1 FROM a JOIN b ON b.x=5 JOIN a AS c ON json(b.y)
SELECT 1 FROM a, b WHERE json(b.y) AND b.x=5
SELECT 1 FROM a, b WHERE b.x=5 AND json(b.y)
SELECT 1 FROM a WHERE json(y) AND x=5
SELECT 1 FROM a WHERE CASE WHEN x THEN json(y) END AND x=5
SELECT 1 FROM a WHERE x=5 AND CASE WHEN x THEN json(y) END
SELECT 1 FROM a WHERE json(y) AND (SELECT 0)
SELECT 1 FROM a WHERE json('bad') AND x=5
SELECT CASE WHEN 0 THEN json('bad') ELSE 2 END
SELECT CASE WHEN x=5 THEN json('bad') ELSE 2 END FROM a
SELECT coalesce(x, json('bad')) FROM a
SELECT json('bad') FROM a WHERE x=5
SELECT json('bad') FROM a WHERE 0
SELECT max('abc'->>0, x) FROM a WHERE x=5
UPDATE a SET y=json('bad') WHERE x=5
INSERT INTO a SELECT 1,json('bad') WHERE 0
INSERT INTO a VALUES(1,1),(1,json('bad'))
SELECT count(*) FROM a
SELECT 1 FROM b WHERE EXISTS(SELECT json('bad') FROM a WHERE x=5)
SELECT (SELECT json('bad') FROM a WHERE x=5)
SELECT x FROM a WHERE x IN (SELECT json('bad') FROM b WHERE x=5)
SELECT x FROM a WHERE x=5 ORDER BY json('bad')
SELECT x FROM a WHERE x=5 GROUP BY json('bad')
SELECT sum(json('bad')) FROM a WHERE x=5
SELECT sum(x) FILTER (WHERE json('bad')) FROM a WHERE x=5
SELECT x FROM a WHERE x=5 LIMIT json('bad')
SELECT iif(x=1,2,json('bad')) FROM a
SELECT x BETWEEN 5 AND json('bad') FROM a
SELECT 1 FROM a FULL JOIN b ON a.x=b.x WHERE max('abc'->>0,a.rowid)
SELECT 1 FROM a FULL JOIN b ON a.x=5 WHERE json('bad')
SELECT 1 FROM a LEFT JOIN b ON json('bad') WHERE a.x=5
SELECT 1 FROM a LEFT JOIN b ON json(a.y) AND 0
SELECT 1 FROM a LEFT JOIN b ON 0 AND json(a.y)
SELECT 1 FROM a WHERE 'abc' AND json(y)
SELECT 1 FROM a WHERE json(y) AND 'abc'
SELECT 1 FROM a WHERE json(y) AND NULL
SELECT 1 FROM a JOIN b ON 'abc' WHERE json(a.y)
SELECT 1 FROM a CROSS JOIN b ON 'abc' WHERE json(a.y)
