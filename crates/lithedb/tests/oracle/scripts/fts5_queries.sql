-- What queries of FTS5 find, and what auxiliary functions say of it.
CREATE VIRTUAL TABLE t USING fts5(a, b, prefix='1 2')
INSERT INTO t VALUES ('one two three four five', 'One. Two: three'), ('two one', NULL), ('a b c a b d. a b', 'one x two x x three'), ('éa Éa e', 'ab abc abcd'), ('running runs run', 'x y z one two'), ('x1 x1 abc a. one abd five: a', 'five')
SELECT rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']') FROM t WHERE t MATCH 'one'
SELECT rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']') FROM t WHERE t MATCH '"one two"'
SELECT rowid, highlight(t, 0, '[', ']') FROM t WHERE t MATCH '^two'
SELECT rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']') FROM t WHERE t MATCH 'ab* OR b : x'
SELECT rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']') FROM t WHERE t MATCH 'NEAR(one two three, 1)'
SELECT rowid, highlight(t, 0, '[', ']') FROM t WHERE t MATCH '"a b" OR "b c"' ORDER BY rowid DESC
SELECT rowid FROM t WHERE t MATCH 'one NOT two'
SELECT rowid FROM t WHERE b MATCH 'one two' ORDER BY rowid DESC
SELECT rowid FROM t WHERE t MATCH 'one' AND b MATCH 'three'
-- Phrases count that stand in the row, though what they belong to does not match it.
SELECT rowid, highlight(t, 1, '[', ']') FROM t WHERE t MATCH 'x OR NEAR(one three, 0)'
-- Of instances that lie near in several ways, those count that come up in turn.
SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'NEAR(a x1, 5)'
-- Strings without tokens.
SELECT rowid FROM t WHERE t MATCH '"." one'
SELECT rowid FROM t WHERE t MATCH 'one AND "."'
SELECT rowid, highlight(t, 1, '[', ']') FROM t WHERE t MATCH 'ab* + "."'
-- Ranks.
SELECT rowid, rank = bm25(t), round(bm25(t, 2.0, 0.5), 6) FROM t WHERE t MATCH 'one OR a' ORDER BY rank
SELECT rowid FROM t WHERE t MATCH 'one' AND rank MATCH 'bm25(10.0, 1.0)' ORDER BY rank, rowid
SELECT rowid, snippet(t, -1, '[', ']', '~', 3), snippet(t, 0, '[', ']', '~', 2) FROM t WHERE t MATCH 'one OR five'
SELECT snippet(t, 0, '[', ']', '~', 0) FROM t WHERE t MATCH 'running'
SELECT highlight(t, 5, '[', ']'), fts5_get_locale(t, 0) FROM t WHERE t MATCH 'running'
SELECT highlight(t, 0) FROM t WHERE t MATCH 'running'
SELECT snippet(t, 0) FROM t WHERE t MATCH 'running'
SELECT fts5_get_locale(t, 'x') FROM t WHERE t MATCH 'running'
SELECT bm25(1)
SELECT bm25(rowid) FROM t
SELECT highlight(t, 0, '[', ']') FROM t WHERE rowid = 2
-- Vocabularies.
CREATE VIRTUAL TABLE vr USING fts5vocab(t, row)
CREATE VIRTUAL TABLE vc USING fts5vocab('t', "col")
CREATE VIRTUAL TABLE vi USING fts5vocab(main, t, instance)
CREATE VIRTUAL TABLE vi USING fts5vocab(t, instance)
CREATE VIRTUAL TABLE v USING fts5vocab(t, 'it''s')
SELECT rowid, * FROM vr
SELECT * FROM vc WHERE term >= 'o' AND term < 'three'
SELECT * FROM vi WHERE term = 'a' ORDER BY doc DESC, offset
CREATE VIRTUAL TABLE none USING fts5vocab(nothing, row)
SELECT * FROM none
-- An index that knows less.
CREATE VIRTUAL TABLE c USING fts5(a, b, detail=columns)
INSERT INTO c SELECT a, b FROM t
CREATE VIRTUAL TABLE n USING fts5(a, b, detail=none)
INSERT INTO n SELECT a, b FROM t
SELECT rowid, highlight(c, 1, '[', ']') FROM c WHERE c MATCH 'b : one OR x'
SELECT rowid, highlight(n, 0, '[', ']') FROM n WHERE n MATCH 'one AND a*'
SELECT rowid FROM c WHERE c MATCH '"one two"'
SELECT rowid FROM n WHERE n MATCH 'a : one'
SELECT rowid FROM c WHERE c MATCH 'NEAR(one two)'
-- Patterns.
CREATE VIRTUAL TABLE g USING fts5(a, tokenize = 'trigram')
INSERT INTO g SELECT a FROM t
SELECT rowid, a FROM g WHERE a LIKE '%ONE TW%'
SELECT rowid, a FROM g WHERE a GLOB '*[o]ne*thr*'
SELECT rowid FROM g WHERE a LIKE '%ne%'
SELECT highlight(g, 0, '[', ']') FROM g WHERE g MATCH 'three'
-- A schema that changes in a transaction connects the table anew.
CREATE TABLE other(a)
BEGIN
INSERT INTO g VALUES ('before')
ALTER TABLE other RENAME TO another
INSERT INTO g(g) VALUES ('integrity-check')
INSERT INTO g VALUES ('behind')
COMMIT
INSERT INTO g(g) VALUES ('integrity-check')
SELECT id, block FROM g_data
