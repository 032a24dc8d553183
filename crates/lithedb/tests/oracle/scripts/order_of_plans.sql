-- The order in which rows come because of the plan: it is SQLite's where a query leaves it open.
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT);
INSERT INTO a VALUES (1, 1, 'y', 2, 'p'), (2, 1, 'x', 3, 'q'), (3, 2, 'x', 1, 'p'), (4, 1, 'X', 2.5, 'r'), (5, 0, 'z', NULL, 'q'), (6, 2, 'y', 1, 'p');
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(s DESC, id)) WITHOUT ROWID;
INSERT INTO w SELECT 10 - id, k, s, n, d FROM a;
CREATE TABLE c(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT);
INSERT INTO c SELECT * FROM a;
-- A constant that a column is equal to stands in the place of the column: the other table may come first.
SELECT x.id, y.id FROM a x JOIN a y ON x.k = y.k WHERE x.k = 1 /* ordered */;
SELECT x.id, y.id FROM a x JOIN a y ON x.k = y.k WHERE y.k = 1 /* ordered */;
SELECT x.id, y.id FROM a x JOIN a y ON x.s = y.s WHERE x.s = 'x' /* ordered */;
SELECT x.id, y.id FROM a x JOIN a y ON x.k = y.k WHERE x.k = '1' /* ordered */;
SELECT x.id, y.id FROM a x JOIN a y ON x.s = y.k WHERE x.s = 1 /* ordered */;
SELECT x.id, y.id FROM a x JOIN c y ON y.s = x.s WHERE x.s = 'x' /* ordered */;
SELECT x.id, y.id FROM a x LEFT JOIN a y ON x.k = y.k WHERE x.k = 1 /* ordered */;
SELECT x.id FROM a x WHERE x.k = 1 AND EXISTS (SELECT 1 FROM w y WHERE y.k = x.k) /* ordered */;
-- The rows of an automatic index: the key, the other columns that are used, those of a primary key among them, the rowid.
SELECT DISTINCT x.n > 1, substr(y.d, 1, 1) FROM w x JOIN w y ON x.k = y.k /* ordered */;
SELECT DISTINCT x.k, y.n FROM a x LEFT JOIN w y ON x.d = y.d /* ordered */;
SELECT x.id, y.id, y.s FROM c x JOIN c y ON x.s = y.s WHERE x.k > 0 /* ordered */;
SELECT q.k, q.n, a.id FROM (SELECT k, n FROM w ORDER BY d) AS q JOIN a ON a.k = q.k ORDER BY q.k /* ordered */;
-- The ORDER BY of a query in FROM is the order of its groups.
SELECT k, count(*), group_concat(n) FROM (SELECT k, n FROM a ORDER BY k DESC, n) GROUP BY k /* ordered */;
SELECT k, count(*), group_concat(n) FROM (SELECT k, n FROM a ORDER BY k DESC) GROUP BY k ORDER BY count(*) > 0 /* ordered */;
SELECT k, count(*), group_concat(n) FROM (SELECT k, n FROM a ORDER BY k DESC LIMIT 4) GROUP BY k LIMIT 1 /* ordered */;
SELECT * FROM (SELECT k, n FROM a ORDER BY k DESC, n LIMIT 5) ORDER BY k DESC /* ordered */;
-- A loop runs in the direction that would give the order between two rows of the loops outside, though all rows are sorted.
CREATE INDEX an ON a(s, n DESC);
SELECT id, s, n FROM a WHERE s IN ('x', 'y') ORDER BY n /* ordered */;
SELECT id, s, n FROM a WHERE s IN ('x', 'y') ORDER BY n, s COLLATE NOCASE /* ordered */;
SELECT id, s, n FROM a WHERE s IN ('x', 'y') ORDER BY s DESC NULLS FIRST, d /* ordered */;
SELECT x.id, y.id, y.s FROM c x CROSS JOIN w y ON x.k = y.k + 0 ORDER BY y.s /* ordered */;
SELECT id, s FROM w WHERE s IN ('x', 'y') ORDER BY s NULLS LAST /* ordered */;
SELECT s, k, max(k), id FROM a WHERE s IN ('x', 'y') GROUP BY s COLLATE NOCASE, k ORDER BY s COLLATE NOCASE /* ordered */;
-- Of two indexes that cost the same, the one with the smaller entries.
CREATE INDEX ad ON a(d);
CREATE INDEX adk ON a(d DESC, k);
SELECT id, d FROM a ORDER BY d /* ordered */;
SELECT d, total(k), id FROM a WHERE d IN ('p', 'q') GROUP BY d /* ordered */;
-- A COLLATE that ORDER BY writes is another term than that of the result column.
SELECT DISTINCT s COLLATE NOCASE, k FROM c WHERE k > 0 ORDER BY s COLLATE NOCASE DESC, k /* ordered */;
SELECT DISTINCT s, k FROM w ORDER BY s NULLS LAST, k /* ordered */;
SELECT s COLLATE NOCASE, total(k), id FROM c GROUP BY 1 ORDER BY s COLLATE NOCASE DESC /* ordered */;
-- A UNION of which only the first row counts is not sorted.
SELECT k FROM a UNION SELECT 0 - k FROM a LIMIT 1 /* ordered */;
SELECT (SELECT k FROM a UNION SELECT 0 - k FROM a) /* ordered */;
SELECT (SELECT k FROM a UNION SELECT 0 - k FROM a ORDER BY 1) /* ordered */;
SELECT k FROM a EXCEPT SELECT 0 FROM a UNION SELECT -1 LIMIT 1 /* ordered */;
SELECT k, d FROM a WHERE s IN ('x', 'y') UNION ALL SELECT k, d FROM c ORDER BY 1, 1 DESC /* ordered */;
-- A partial index has the columns that its WHERE makes equal to constants.
CREATE INDEX ak ON a(d) WHERE k = 1;
SELECT d, k FROM a WHERE k = 1 /* ordered */;
SELECT x.id, y.d, y.k, typeof(y.k) FROM c x LEFT JOIN a y ON y.d = x.d AND y.k = 1 ORDER BY x.id, y.d /* ordered */;
CREATE INDEX cn ON c(k) WHERE n = 2 AND d = 'p';
SELECT k, n, d, typeof(n) FROM c WHERE n = 2 AND d = 'p' /* ordered */;
UPDATE c SET d = 'q' WHERE n = 2 AND d = 'p' RETURNING id, d, n;
SELECT k, n, d FROM c WHERE n = 2 AND d = 'p' /* ordered */;
