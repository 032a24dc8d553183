-- Auxiliary functions of full-text tables over views, common tables and queries in FROM that are flattened.
CREATE VIRTUAL TABLE t USING fts5(x)
CREATE VIRTUAL TABLE g USING fts4(x)
INSERT INTO t(x) VALUES('a b'),('c d')
INSERT INTO g(x) VALUES('a b'),('c d')
SELECT highlight(a,0,'<','>') FROM (SELECT t AS a FROM t WHERE t MATCH 'a')
SELECT highlight(a,0,'<','>') FROM (SELECT t AS a FROM t) WHERE a MATCH 'a'
SELECT snippet(a) FROM (SELECT g AS a FROM g WHERE g MATCH 'a')
SELECT snippet(a) FROM (SELECT g AS a FROM g WHERE g MATCH 'a' LIMIT 1)
CREATE VIEW v AS SELECT t, x FROM t
SELECT highlight(t,0,'<','>') FROM v WHERE t MATCH 'a'
CREATE VIEW w AS SELECT t AS k, x, rank AS r FROM t WHERE t MATCH 'a OR c'
SELECT highlight(k,0,'<','>'), r FROM w ORDER BY r
SELECT highlight(k,0,'<','>'), r FROM w LIMIT 1
SELECT x, r FROM w WHERE x LIKE 'a%'
WITH m AS (SELECT t, x FROM t WHERE t MATCH 'c') SELECT highlight(t,0,'<','>') FROM m
WITH m AS MATERIALIZED (SELECT t, x FROM t WHERE t MATCH 'c') SELECT highlight(t,0,'<','>') FROM m
SELECT bm25(m.a) FROM (SELECT t AS a, rowid AS r FROM t WHERE t MATCH 'a') m JOIN t AS u ON u.rowid = m.r
SELECT highlight(a,0,'<','>') FROM (SELECT t AS a FROM t WHERE t MATCH 'a' UNION ALL SELECT t FROM t WHERE t MATCH 'c')
SELECT highlight((t),0,'<','>') FROM t WHERE t MATCH 'a'
SELECT highlight(+t,0,'<','>') FROM t WHERE t MATCH 'a'
SELECT x GLOB 'a*', like('a%',x), match('a',t), glob('a*', x) FROM t WHERE t MATCH 'a'
SELECT k, highlight(k,0,'<','>') FROM (SELECT t AS k FROM t WHERE t MATCH 'a OR c' ORDER BY rank LIMIT 5)
SELECT u.x, highlight(m.k,0,'<','>') FROM t AS u LEFT JOIN (SELECT t AS k, rowid AS r FROM t WHERE t MATCH 'a') AS m ON m.r = u.rowid
SELECT max(highlight(k,0,'<','>')) FROM (SELECT t AS k FROM t WHERE t MATCH 'a OR c')
SELECT count(*), highlight(k,0,'<','>') FROM (SELECT t AS k, x FROM t WHERE t MATCH 'a OR c') GROUP BY x
SELECT * FROM w WHERE highlight(k,0,'<','>') LIKE '<a%'
SELECT * FROM (SELECT DISTINCT t AS k FROM t WHERE t MATCH 'a OR c') WHERE highlight(k,0,'<','>') LIKE '<a%'
SELECT row_number() OVER (ORDER BY highlight(k,0,'<','>')), highlight(k,0,'<','>') FROM w
SELECT (SELECT highlight(k,0,'<','>')) FROM w
SELECT offsets(a), matchinfo(a) IS NOT NULL FROM (SELECT g AS a FROM g WHERE g MATCH 'a')
SELECT optimize(a) FROM (SELECT g AS a FROM g)
