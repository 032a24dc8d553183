-- The hidden column with the name of an FTS5 table is the number of the cursor, which counts all cursors of the connection.
CREATE VIRTUAL TABLE t USING fts5(x)
CREATE VIRTUAL TABLE v USING fts5vocab(t, row)
INSERT INTO t(x) VALUES ('a b'), ('c d'), ('e f'), ('a c e'), ('b')
SELECT t, typeof(t), t + 1, t IS NULL, t || 'x', quote(t), coalesce(t, 9), max(t, 3) FROM t
SELECT a.t, b.t FROM t AS a, t AS b WHERE b.rowid = 2
SELECT t, x FROM t WHERE t MATCH 'a' ORDER BY rank
SELECT t, rank FROM t WHERE t MATCH 'a OR c' ORDER BY rank
SELECT t, bm25(t), rank FROM t WHERE t MATCH 'a OR c OR e'
SELECT t FROM t WHERE t MATCH 'zz OR yy' ORDER BY rank
SELECT t, highlight(t, 0, '<', '>') FROM t WHERE t MATCH 'a OR c' ORDER BY rank LIMIT 1
SELECT n.i, (SELECT count(*) || ' ' || min(t) FROM t WHERE t MATCH n.i) FROM (SELECT 'a' AS i UNION ALL SELECT 'c') AS n
SELECT * FROM v
SELECT t FROM t WHERE t MATCH '*id'
SELECT bm25(t) FROM t WHERE t MATCH '*id'
UPDATE t SET x = t WHERE rowid = 1
SELECT x, t FROM t
DELETE FROM t WHERE rowid = 2
SELECT sum(t), group_concat(t) FROM t
CREATE TABLE c AS SELECT t AS k, x FROM t
SELECT typeof(k), k FROM c
SELECT lag(t) OVER (ORDER BY x) FROM t
SELECT t FROM t WHERE t IS 5
