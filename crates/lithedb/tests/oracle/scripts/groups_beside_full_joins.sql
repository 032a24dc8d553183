-- What a group beside a FULL JOIN shows: the loops run in the direction of ORDER BY, though it is sorted.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
INSERT INTO b VALUES (29, 4, 'x', 1, '2024-04-01')
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(id, d), PRIMARY KEY(s DESC, id)) WITHOUT ROWID
INSERT INTO w VALUES (53, 4, 'x', -3, '2024-02-02')
INSERT INTO w VALUES (73, 4, 'X', NULL, '2024-04-03')
INSERT INTO w VALUES (74, 4, 'Y', NULL, '2024-04-03')
INSERT INTO w VALUES (75, 4, 'y', NULL, '2024-04-03')
SELECT x.s COLLATE NOCASE, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k WHERE y.s IN ('x', 'y') GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, count(*), group_concat(x.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, count(*), group_concat(x.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE 
SELECT x.s, x.id FROM w AS x FULL JOIN b AS y ON x.k = y.k ORDER BY x.s COLLATE NOCASE
SELECT x.s, x.id FROM w AS x FULL JOIN b AS y ON x.k = y.k
SELECT x.s COLLATE NOCASE, count(*) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE
SELECT x.s, count(*) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s ORDER BY x.s
SELECT x.s, x.id, count(*) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s ORDER BY x.s
SELECT x.s, x.id, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s ORDER BY x.s
SELECT x.s, x.id, count(*), max(y.id) FROM w AS x LEFT JOIN b AS y ON x.k = y.k GROUP BY x.s ORDER BY x.s
SELECT x.s||'', x.id, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s||'' COLLATE NOCASE ORDER BY x.s||'' COLLATE NOCASE
SELECT x.s COLLATE NOCASE, max(x.k) FROM w AS x GROUP BY x.s COLLATE NOCASE, +x.k ORDER BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, max(x.k) FROM w AS x GROUP BY +x.k, x.s COLLATE NOCASE  ORDER BY x.s COLLATE NOCASE
SELECT x.s COLLATE NOCASE, count(*), max(y.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE DESC
SELECT x.s COLLATE NOCASE, count(*), group_concat(x.id) FROM w AS x FULL JOIN b AS y ON x.k = y.k GROUP BY x.s COLLATE NOCASE ORDER BY x.s COLLATE NOCASE DESC
SELECT x.s, x.id FROM w AS x FULL JOIN b AS y ON x.k = y.k ORDER BY x.s COLLATE NOCASE DESC
