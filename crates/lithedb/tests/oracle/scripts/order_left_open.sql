-- The order that a query leaves open is SQLite's, too: a program that shows the first five shows other rows otherwise.
CREATE TABLE t(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL);
INSERT INTO t VALUES (1, 0, 'c', 1.0), (2, 0, 'b', 2.0), (3, 1, 'x', 5), (4, 1, 'a', 7), (5, 0, 'a', 3.0), (6, 4, 'w', 1), (7, NULL, 'W', 2);
-- GROUP BY takes the directions of an ORDER BY with as many terms.
SELECT k, count(*) FROM t GROUP BY k ORDER BY count(*) > 0 DESC /* ordered */;
SELECT k, count(*) FROM t GROUP BY k ORDER BY count(*) > 0 DESC LIMIT 2 /* ordered */;
SELECT k, count(*) FROM t GROUP BY k ORDER BY count(*) > 0 DESC NULLS FIRST /* ordered */;
SELECT k, count(*) FROM t GROUP BY k ORDER BY count(*) > 0 NULLS LAST /* ordered */;
SELECT k, s, count(*) FROM t GROUP BY k, s ORDER BY count(*) > 0 DESC /* ordered */;
SELECT k, s, count(*) FROM t GROUP BY k, s ORDER BY count(*) > 0 DESC, count(*) < 9 /* ordered */;
SELECT k, s, count(*) FROM t GROUP BY k, s ORDER BY count(*) < 9, count(*) > 0 DESC /* ordered */;
-- A GROUP BY term beside min() and max() is that of the row with the least or greatest value.
SELECT s COLLATE NOCASE, max(k) FROM t WHERE s LIKE 'w' GROUP BY s COLLATE NOCASE /* ordered */;
SELECT s COLLATE NOCASE, min(id) FROM t WHERE s LIKE 'w' GROUP BY 1 /* ordered */;
SELECT s COLLATE NOCASE, max(id) FROM t WHERE s LIKE 'w' GROUP BY 1 /* ordered */;
-- The order of a query in FROM is seen by aggregates, window functions and bare columns.
SELECT k, group_concat(n) FROM (SELECT k, n FROM t ORDER BY n DESC) GROUP BY k ORDER BY k /* ordered */;
SELECT json_group_array(n) FROM (SELECT n FROM t ORDER BY n DESC) ORDER BY 1 /* ordered */;
SELECT sum(n) FROM (SELECT k, n FROM t ORDER BY n DESC) GROUP BY k ORDER BY group_concat(n) /* ordered */;
SELECT sum(n) FROM (SELECT k, n FROM t ORDER BY n DESC) GROUP BY k HAVING group_concat(n) > '4' ORDER BY k /* ordered */;
SELECT k, n FROM (SELECT k, n FROM t ORDER BY n DESC) GROUP BY k /* ordered */;
SELECT k, n FROM (SELECT k, n FROM t GROUP BY k, n ORDER BY n DESC) GROUP BY k ORDER BY k /* ordered */;
SELECT row_number() OVER (), n FROM (SELECT n FROM t ORDER BY n DESC, id) ORDER BY n /* ordered */;
SELECT row_number() OVER (), n FROM (SELECT k, sum(n) AS n FROM t GROUP BY k ORDER BY n DESC) ORDER BY n /* ordered */;
SELECT group_concat(q.n) FROM t JOIN (SELECT k, n FROM t ORDER BY n DESC, id) AS q ON t.id = q.k /* ordered */;
SELECT k, n FROM (SELECT k, n FROM t GROUP BY k, n ORDER BY n DESC) ORDER BY k /* ordered */;
-- A LIMIT that leaves open which rows it means takes the first of the ORDER BY outside.
SELECT * FROM (SELECT k, n FROM t LIMIT 2) ORDER BY k DESC, n /* ordered */;
SELECT * FROM (SELECT k, n FROM t LIMIT 2 OFFSET 1) ORDER BY k DESC /* ordered */;
SELECT * FROM (SELECT k, n FROM t ORDER BY n LIMIT 2) ORDER BY k DESC /* ordered */;
SELECT * FROM (SELECT k, n FROM t LIMIT 3) WHERE n > 1 ORDER BY k DESC /* ordered */;
