-- Conditions that WHERE has on the left table of a RIGHT JOIN fix the order; what follows from an OR is checked on entries.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
CREATE INDEX i_b0 ON b(k, s)
CREATE INDEX i_b1 ON b(k DESC) WHERE s IS NOT NULL
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE TABLE c(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id))
CREATE INDEX i_c0 ON c(s)
SELECT id, k, s, n, d, s COLLATE NOCASE FROM b NOT INDEXED WHERE (s, s) = ('z', 'z') OR (s, s) = ('y', 'z') ORDER BY s COLLATE NOCASE DESC NULLS FIRST
SELECT id, k, s, n, d FROM b WHERE (s, s) = ('z', 'z') OR (s, s) = ('y', 'z') ORDER BY s COLLATE NOCASE DESC NULLS FIRST
SELECT id, k, s, n, d FROM b WHERE s = 'z' AND k > 1 OR s = 'z' ORDER BY s COLLATE NOCASE
SELECT id, k, s, n, d FROM b WHERE s = 'z' AND n > 1 OR s = 'z' ORDER BY s COLLATE NOCASE
SELECT id, k, s, n, d FROM b WHERE s = 'z' OR s = 'y' ORDER BY s COLLATE NOCASE
SELECT x.id, y.id, x.d, y.d FROM w AS x JOIN b AS y ON x.k = y.id WHERE (y.s, y.s) = ('x', 'x') OR (y.s, y.s) = ('x', 'x') ORDER BY x.d LIMIT 8
SELECT x.id, y.id, x.d, y.d FROM w AS x JOIN b AS y ON x.k = y.id WHERE (y.s, y.k) = ('x', 'x') OR (y.s, y.d) = ('x', 'x') ORDER BY x.d LIMIT 8
SELECT x.id, y.id, x.d, y.d FROM w AS x JOIN b AS y ON x.k = y.id WHERE y.s = 'x' ORDER BY x.d LIMIT 8
SELECT x.id, y.id, x.d, y.d FROM w AS x JOIN b AS y ON x.k = y.id WHERE (y.s, y.s) = ('x', 'x') ORDER BY x.d LIMIT 8
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE (x.s, x.s) = ('X', 'X') ORDER BY x.s DESC, x.s LIMIT 2
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE x.s = 'X' ORDER BY x.s DESC, x.s LIMIT 2
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE x.s = 'X' ORDER BY x.s LIMIT 2
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE (x.s, x.n) = ('X', 1) ORDER BY x.s LIMIT 2
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE (x.s, x.s) = ('X', 'X') ORDER BY x.s
SELECT x.id, y.id, x.s, y.k FROM c AS x RIGHT JOIN w AS y ON x.d = y.d AND x.k < y.k WHERE x.s = 'X' AND x.s = 'X' ORDER BY x.s
