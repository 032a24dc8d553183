CREATE TABLE a(x, y)
CREATE TABLE b(x, y)
INSERT INTO a VALUES (1, '{'), (2, '3')
INSERT INTO b VALUES (2, 7), (3, 8)
SELECT * FROM a, b WHERE a.y NOT IN (SELECT json(a.y)) AND a.x = b.x
SELECT * FROM a, b WHERE a.x IN (SELECT json(a.y)) AND a.x = b.x
SELECT * FROM a, b WHERE CASE WHEN a.x IN (SELECT json(a.y)) THEN 1 ELSE 2 END AND a.x = b.x
SELECT * FROM a, b WHERE (a.x IN (SELECT json(a.y)) OR a.x > 0) AND a.x = b.x
SELECT * FROM a, b WHERE (a.x IN (SELECT json(a.y)) AND a.x > 0) AND a.x = b.x
SELECT * FROM a, b WHERE (a.x IN (SELECT json(a.y))) = 1 AND a.x = b.x
SELECT * FROM a, b WHERE (SELECT json(a.y)) AND a.x = b.x
SELECT * FROM a, b WHERE json(a.y) AND a.x = b.x
SELECT * FROM a WHERE a.x NOT IN (SELECT json(a.y)) AND a.x = 2
SELECT * FROM a WHERE a.x IN (SELECT json(a.y)) AND a.x = 2
SELECT * FROM a WHERE +a.x IN (SELECT json(a.y)) AND +a.x = 2
SELECT * FROM a WHERE (a.x IN (SELECT json(a.y)) OR 0) AND a.x = 2
SELECT * FROM a WHERE (a.x IN (SELECT json(a.y)) OR a.x > 3) AND a.x = 2
SELECT * FROM a WHERE (a.x + (a.x IN (SELECT json(a.y)))) AND a.x = 2
SELECT * FROM a WHERE (a.x, a.y) NOT IN (SELECT json(a.y), 2) AND a.x = 2
SELECT * FROM a WHERE (a.x IN (SELECT json(a.y))) IS NOT NULL AND a.x = 2
