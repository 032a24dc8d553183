-- Auxiliary functions, by which full-text tables overload functions: in WHERE and GROUP BY, in the arguments of aggregates and behind them, beside windows.
CREATE VIRTUAL TABLE ft USING fts5(a,b)
INSERT INTO ft VALUES('x y','z'),('x','x')
CREATE TABLE o(k, v)
INSERT INTO o VALUES(1,'x'),(2,'y')
SELECT 1, bm25(ft) FROM ft WHERE ft MATCH 'x' GROUP BY bm25(ft)
SELECT 3, count(*) FROM ft WHERE ft MATCH 'x' GROUP BY bm25(ft) HAVING bm25(ft)<0
SELECT 4, count(*) FROM ft WHERE ft MATCH 'x' GROUP BY bm25(ft) ORDER BY bm25(ft)
SELECT 5, count(*) FROM ft WHERE ft MATCH 'x' GROUP BY bm25(ft) ORDER BY bm25(ft) DESC
SELECT 6, (SELECT bm25(ft)) FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 7, (SELECT count(*) FROM o WHERE bm25(ft) < 0) FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 8, (SELECT count(*) FROM o WHERE bm25(ft) < 0) FROM ft WHERE ft MATCH 'x'
SELECT 9, (SELECT max(bm25(ft)) FROM o) FROM ft WHERE ft MATCH 'x'
SELECT 10, (SELECT max(bm25(ft) + k) FROM o) FROM ft WHERE ft MATCH 'x'
SELECT 12, max(rank) FROM ft WHERE ft MATCH 'x'
SELECT 13, count(*) FILTER (WHERE bm25(ft) < 0) FROM ft WHERE ft MATCH 'x'
SELECT 14, count(*) FROM ft WHERE ft MATCH 'x' LIMIT 1
SELECT 15, group_concat(a ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 16, max(r) FROM (SELECT bm25(ft) AS r FROM ft WHERE ft MATCH 'x' LIMIT 10)
SELECT 17, max(r) FROM (SELECT bm25(ft) AS r FROM ft WHERE ft MATCH 'x' ORDER BY rank)
SELECT 18, sum(length(x)) FROM (SELECT highlight(ft,0,'[',']') AS x FROM ft WHERE ft MATCH 'x')
WITH c AS MATERIALIZED (SELECT highlight(ft,0,'[',']') AS x FROM ft WHERE ft MATCH 'x') SELECT 19, sum(length(x)) FROM c
WITH c AS (SELECT highlight(ft,0,'[',']') AS x FROM ft WHERE ft MATCH 'x') SELECT 20, sum(length(x)) FROM c
SELECT 21, count(*) FROM ft JOIN o ON k = 1 WHERE ft MATCH 'x' GROUP BY k, highlight(ft,0,'[',']')
SELECT 22, count(*), a IS bm25(ft) FROM ft WHERE ft MATCH 'x' AND 0
SELECT 23, count(*), bm25(ft) FROM ft WHERE ft MATCH 'nothing'
SELECT 24, bm25(ft) FROM ft WHERE ft MATCH 'nothing' GROUP BY a
SELECT 25, max(bm25(ft)) FROM ft WHERE ft MATCH 'nothing'
SELECT 26, min(bm25(ft)), a FROM ft WHERE ft MATCH 'x'
SELECT 27, CASE WHEN count(*) > 100 THEN bm25(ft) ELSE 7 END FROM ft WHERE ft MATCH 'x'
SELECT 28, count(*) FROM ft WHERE ft MATCH 'x' GROUP BY a HAVING count(*) > 0 OR bm25(ft)
SELECT 29, sum(count(*)) OVER (), bm25(ft) FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 30, sum(bm25(ft)) OVER () IS NULL, row_number() OVER (ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 31, bm25(ft), row_number() OVER () FROM ft WHERE ft MATCH 'x'
SELECT 32, (SELECT bm25(ft) FROM ft WHERE ft MATCH v) FROM o GROUP BY k
SELECT 33, k, bm25(ft) FROM o, ft WHERE ft MATCH v GROUP BY k
SELECT 34, k, count(*) FROM o, ft WHERE ft MATCH v GROUP BY k ORDER BY count(*), bm25(ft)
CREATE VIRTUAL TABLE f4 USING fts4(a)
INSERT INTO f4 VALUES('x y'),('x')
SELECT 40, offsets(f4) FROM f4 WHERE f4 MATCH 'x' GROUP BY offsets(f4)
SELECT 41, count(*) FROM f4 WHERE f4 MATCH 'x' AND length(offsets(f4)) > 1
SELECT 42, (SELECT count(*) FROM o WHERE length(offsets(f4)) > 1) FROM f4 WHERE f4 MATCH 'x'
SELECT 43, max(x) FROM (SELECT offsets(f4) AS x FROM f4 WHERE f4 MATCH 'x')
SELECT 44, max(x) FROM (SELECT offsets(f4) AS x FROM f4 WHERE f4 MATCH 'x' LIMIT 3)
SELECT 45, count(*), offsets(f4) FROM f4 WHERE f4 MATCH 'nothing'
SELECT 46, optimize(f4) FROM f4 GROUP BY a LIMIT 1
SELECT 47, max(optimize(f4)) FROM f4
SELECT 48, max(snippet(f4)) FROM f4 WHERE f4 MATCH 'x'
SELECT 49, group_concat(hex(matchinfo(f4))) FROM f4 WHERE f4 MATCH 'x'
SELECT 50, a, max(a MATCH 'x') FROM f4
SELECT 51, max(f4 MATCH 'x') FROM f4
SELECT 52, count(*) FROM f4 GROUP BY f4 MATCH 'x'
SELECT 53, max(ft MATCH 'x') FROM ft
SELECT 54, a MATCH 'x' FROM f4 WHERE a MATCH 'x' GROUP BY a
SELECT 56, max(offsets(a)) FROM f4 WHERE f4 MATCH 'x'
SELECT 57, max(bm25(a)) FROM ft WHERE ft MATCH 'x'
SELECT 58, bm25(a) FROM ft WHERE ft MATCH 'x'
SELECT 59, max(bm25(1)) FROM ft WHERE ft MATCH 'x'
SELECT 60, max(highlight(ft, 0, '[', max(a))) FROM ft WHERE ft MATCH 'x'
SELECT DISTINCT 61, bm25(ft) FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 62, count(DISTINCT bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 63, count(DISTINCT bm25(ft)) FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 64, max(x) FROM ft, (SELECT max(bm25(ft)) AS x FROM ft WHERE ft MATCH 'x') WHERE ft MATCH 'y'
SELECT 65, a LIKE 'x%' FROM ft WHERE ft MATCH 'x' GROUP BY a
SELECT 1, bm25(ft), row_number() OVER () FROM ft WHERE ft MATCH 'x'
SELECT 2, row_number() OVER (ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 3, bm25(ft), row_number() OVER (ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 4, row_number() OVER (PARTITION BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 5, max(bm25(ft)) OVER (), max(a) OVER (ORDER BY a) FROM ft WHERE ft MATCH 'x'
SELECT 6, max(bm25(ft)) OVER (ORDER BY a), max(a) OVER (ORDER BY b), max(bm25(ft)) OVER (ORDER BY b,a) FROM ft WHERE ft MATCH 'x'
SELECT 7, row_number() OVER () FROM ft WHERE ft MATCH 'x' ORDER BY bm25(ft)
SELECT 8, row_number() OVER () FROM ft WHERE ft MATCH 'x' AND bm25(ft) < 0 ORDER BY a
SELECT 9, max(bm25(ft)) OVER () + bm25(ft) FROM ft WHERE ft MATCH 'x'
SELECT 10, sum(bm25(ft)) OVER (ORDER BY bm25(ft)) IS NULL FROM ft WHERE ft MATCH 'x'
SELECT 11, bm25(ft), max(bm25(ft)) OVER () FROM ft WHERE ft MATCH 'x'
SELECT 12, count(*) FILTER (WHERE bm25(ft) < 0) OVER (ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 13, row_number() OVER (ORDER BY a), row_number() OVER (ORDER BY bm25(ft)) FROM ft WHERE ft MATCH 'x'
SELECT 14, row_number() OVER (ORDER BY bm25(ft)), row_number() OVER (ORDER BY a) FROM ft WHERE ft MATCH 'x'
