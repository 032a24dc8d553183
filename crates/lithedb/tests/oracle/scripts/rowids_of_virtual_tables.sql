-- Which values are ids of an R-Tree, which rowid RETURNING shows, boxes so long that their lengths are rounded.
CREATE VIRTUAL TABLE r USING rtree(id, a, b)
CREATE VIRTUAL TABLE f USING fts5(x)
INSERT INTO r VALUES(5, 1, 2), (1, 3, 4), (10, 5, 6)
SELECT id FROM r WHERE id = '5.0'
SELECT id FROM r WHERE id = '0.5e1'
SELECT id FROM r WHERE id = '10e-1'
SELECT id FROM r WHERE id = '1e1'
SELECT id FROM r WHERE id = '1e0'
SELECT id FROM r WHERE rowid IN ('5', '1e1', 10.0, '5x')
INSERT INTO r(rowid, a, b) VALUES('17', 1, 1) RETURNING rowid, id
INSERT INTO r(id, a, b) VALUES(18, 1, 1) RETURNING rowid, id
INSERT INTO f(rowid, x) VALUES('8', 'one') RETURNING rowid, x
INSERT INTO f(rowid, x) VALUES(NULL, 'two'), (30.0, 'three') RETURNING rowid, x
INSERT INTO f(x) SELECT 'four' RETURNING rowid
CREATE VIRTUAL TABLE w USING rtree(id, a, b, c, d)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO w SELECT i, i * 37 % 101, i * 37 % 101 + 2, i * 53 % 97, i * 53 % 97 + 3 FROM n
INSERT INTO w VALUES(1000, -5, 123456789, 0, 12345.7), (1001, 0.1, 1e22, -9.5, 9.5), (1002, -1e9, 1e9, 3, 3.25)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO w SELECT 2000 + i, i * 31 % 103 - 0.84, i * 31 % 103 + 30.2, i * 59 % 89 + 0.3, i * 59 % 89 + 33.6 FROM n
SELECT nodeno, rtreenode(2, data) FROM w_node ORDER BY 1
SELECT * FROM w_rowid ORDER BY 1
