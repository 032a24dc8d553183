-- A view's test of a NOT NULL column is answered when it is resolved; the flattened query does not read the column, and an index without it gives all.
CREATE TABLE o(id INTEGER PRIMARY KEY, p TEXT NOT NULL, f INTEGER NOT NULL, UNIQUE(p))
INSERT INTO o VALUES(1, 'z', 1), (2, 'y', 1), (3, 'x', 1)
CREATE VIEW w AS SELECT * FROM o WHERE f IS NOT NULL
SELECT group_concat(p) FROM w
SELECT group_concat(p) FROM o WHERE f IS NOT NULL
SELECT (SELECT group_concat(p) FROM w)
WITH c AS (SELECT * FROM o WHERE f IS NOT NULL) SELECT group_concat(p) FROM c
SELECT group_concat(p) FROM (SELECT * FROM o WHERE f IS NULL OR p > '')
SELECT p FROM o WHERE p IN (SELECT p FROM w)
