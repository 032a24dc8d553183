-- The LIMIT of a compound is known where its first core is planned, and unknown for the cores that follow.
CREATE TABLE a(id INTEGER PRIMARY KEY, x INT, s TEXT)
INSERT INTO a VALUES (5, 1, 'A'), (39, 2, 'A'), (11, NULL, 'B'), (6, 3, 'A'), (19, 1, 'A'), (20, 2, 'A')
CREATE INDEX ax ON a(x)
SELECT DISTINCT x, s, 1 FROM a LIMIT 3 /* ordered */
SELECT DISTINCT x, s, 1 FROM a UNION ALL SELECT 1, 2, 3 LIMIT 2 /* ordered */
SELECT DISTINCT x, s, 1 FROM a UNION ALL SELECT DISTINCT x, s, 1 FROM a LIMIT 7 /* ordered */
SELECT 1, 2, 3 UNION ALL SELECT DISTINCT x, s, 1 FROM a LIMIT 3 /* ordered */
SELECT 1, 2, 3 UNION ALL SELECT DISTINCT x, s, 1 FROM a LIMIT 3 OFFSET 0 /* ordered */
SELECT 1, 2, 3 UNION ALL SELECT DISTINCT x, s, 1 FROM a UNION ALL SELECT 1, 2, 3 LIMIT 4 /* ordered */
SELECT 1, 2, 3 UNION SELECT DISTINCT x, s, 1 FROM a UNION ALL SELECT DISTINCT x, s, 1 FROM a LIMIT 8 /* ordered */
SELECT 1, 2, 3 UNION ALL SELECT DISTINCT x, s, 1 FROM a LIMIT (SELECT 4) /* ordered */
