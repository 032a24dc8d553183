-- What full-text tables and their declarations say: no columns, columns twice, the function of rank behind the query, missing rows of content.
CREATE VIRTUAL TABLE e1 USING fts5()
CREATE VIRTUAL TABLE e2 USING fts5
CREATE VIRTUAL TABLE e3 USING fts5(a,)
CREATE VIRTUAL TABLE e4 USING fts5(,a)
CREATE VIRTUAL TABLE e5 USING fts5( )
CREATE VIRTUAL TABLE e6 USING fts5(detail=none)
CREATE VIRTUAL TABLE e7 USING fts5(detail=none, )
CREATE VIRTUAL TABLE e8 USING fts5(content='',)
SELECT name, sql FROM sqlite_schema WHERE name GLOB 'e[0-9]'
CREATE VIRTUAL TABLE f4a USING fts4(a,a)
CREATE VIRTUAL TABLE f4b USING fts4(docid)
CREATE VIRTUAL TABLE f4c USING fts4(f4c)
CREATE VIRTUAL TABLE f5c USING fts5(f5c)
CREATE VIRTUAL TABLE r1 USING rtree(a,b,b)
CREATE VIRTUAL TABLE t USING fts5(a)
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 'nope()' ORDER BY rank
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 'nope()'
INSERT INTO t VALUES('x y')
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 'nope()' ORDER BY rank
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 'nope()'
SELECT rowid, rank FROM t WHERE t MATCH 'x' AND rank MATCH 'nope()'
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 'snippet(0)' ORDER BY rank
SELECT rowid, rank FROM t WHERE t MATCH 'x' AND rank MATCH 'snippet(0)'
SELECT rowid, snippet(t,0) FROM t WHERE t MATCH 'x'
SELECT rowid FROM t WHERE t MATCH 'z' AND rank MATCH 'nope()' ORDER BY rank
SELECT rowid FROM t WHERE t MATCH 'z' AND rank MATCH 'snippet(0)' ORDER BY rank
SELECT rowid FROM t WHERE t MATCH NULL AND rank MATCH 'x'
SELECT rowid FROM t WHERE rank MATCH 'x'
SELECT rowid FROM t WHERE rank MATCH 'bm25()'
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH NULL ORDER BY rank
SELECT rowid FROM t WHERE t MATCH 'x' AND rank MATCH 5 ORDER BY rank
SELECT rowid FROM t WHERE t MATCH '*reads' AND rank MATCH 'x'
SELECT rowid FROM t WHERE t MATCH '*foo' AND rank MATCH 'x'
CREATE TABLE s(id INTEGER PRIMARY KEY, a)
CREATE VIRTUAL TABLE x USING fts5(a, content='s', content_rowid='id')
INSERT INTO x(rowid,a) VALUES(4,'one two')
SELECT snippet(x,-1,'<','>','..',1) FROM x WHERE x MATCH 'one'
SELECT a FROM x WHERE x MATCH 'one'
SELECT highlight(x,0,'<','>') FROM x WHERE x MATCH 'one'
SELECT bm25(x) FROM x WHERE x MATCH 'one'
CREATE VIRTUAL TABLE y USING fts5(a, content='s', content_rowid='id', tokenize=trigram, columnsize=0)
INSERT INTO y(rowid,a) VALUES(4,'one two')
SELECT a FROM y WHERE a GLOB '*one*'
SELECT snippet(y,-1,'<','>','..',1) FROM y WHERE y MATCH 'one'
CREATE VIRTUAL TABLE n USING fts5(a, content='', columnsize=0)
INSERT INTO n(rowid, a) VALUES(1, 'x')
SELECT rowid FROM n
SELECT rowid FROM n WHERE rowid = 1
SELECT rowid FROM n WHERE n MATCH 'x'
UPDATE n SET a = 'y' WHERE rowid = 1
INSERT INTO x(x, rank) VALUES('integrity-check', 1)
INSERT INTO y(y, rank) VALUES('integrity-check', 1)
CREATE VIRTUAL TABLE z USING fts5(a, content='nosuch')
INSERT INTO z(z, rank) VALUES('integrity-check', 1)
CREATE VIRTUAL TABLE c4 USING fts4(a, content=nosuch)
PRAGMA integrity_check(c4)
