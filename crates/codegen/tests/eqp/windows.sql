-- Windows of several orders: SQLite shows a subquery for each, and sorts between them where the orders differ.
create table t(id INTEGER PRIMARY KEY, a, b, c)
? SELECT sum(a) OVER (ORDER BY b), sum(a) OVER (), sum(c) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b), sum(c) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b) w FROM t ORDER BY w
? SELECT sum(a) OVER (ORDER BY b) w FROM t ORDER BY 1
? SELECT id FROM t ORDER BY sum(a) OVER (ORDER BY b)
? SELECT sum(a) OVER (ORDER BY b) w FROM t ORDER BY sum(c) OVER (ORDER BY b)
? SELECT sum(a) OVER win w FROM t WINDOW win AS (ORDER BY b) ORDER BY w
? SELECT sum(a) OVER win w FROM t WINDOW win AS (ORDER BY b) ORDER BY 1
? SELECT sum(a) OVER win w FROM t WINDOW win AS (ORDER BY b) ORDER BY w, w
? SELECT sum(a) OVER win w, count(*) OVER win x FROM t WINDOW win AS (ORDER BY b) ORDER BY w, x
? SELECT sum(a) OVER win w, sum(a) OVER win  FROM t WINDOW win AS (ORDER BY b)
? SELECT sum(a) OVER (ORDER BY b) + 1 w FROM t ORDER BY w
? SELECT sum(a) OVER (ORDER BY b) + 1 w FROM t ORDER BY 1
? SELECT row_number() OVER (ORDER BY b), rank() OVER (ORDER BY b) FROM t
? SELECT row_number() OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t
? SELECT row_number() OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t
? SELECT rank() OVER (ORDER BY b), sum(a) OVER (ORDER BY b) FROM t
? SELECT rank() OVER (ORDER BY b), dense_rank() OVER (ORDER BY b) FROM t
? SELECT lag(a) OVER (ORDER BY b), row_number() OVER (ORDER BY b) FROM t
? SELECT lag(a) OVER (ORDER BY b), lead(a) OVER (ORDER BY b) FROM t
? SELECT lead(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t
? SELECT lag(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t
? SELECT lag(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t
? SELECT ntile(3) OVER (ORDER BY b), sum(a) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t
? SELECT percent_rank() OVER (ORDER BY b), sum(a) OVER (ORDER BY b GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t
? SELECT cume_dist() OVER (ORDER BY b), sum(a) OVER (ORDER BY b GROUPS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM t
? SELECT percent_rank() OVER (ORDER BY b), cume_dist() OVER (ORDER BY b) FROM t
? SELECT cume_dist() OVER (ORDER BY b), cume_dist() OVER (ORDER BY b) FROM t
? SELECT percent_rank() OVER (ORDER BY b), percent_rank() OVER (ORDER BY b) FROM t
? SELECT first_value(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY b) FROM t
? SELECT nth_value(a,2) OVER (ORDER BY b ROWS 1 PRECEDING), sum(a) OVER (ORDER BY b ROWS 1 PRECEDING) FROM t
? SELECT sum(a) FILTER (WHERE c) OVER (ORDER BY b), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) FILTER (WHERE c) OVER (ORDER BY b), sum(a) FILTER (WHERE c) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b ROWS 1 PRECEDING EXCLUDE TIES), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b RANGE UNBOUNDED PRECEDING), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b DESC), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b NULLS LAST), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b COLLATE NOCASE), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY t.b), sum(a) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (PARTITION BY a,b), sum(a) OVER (PARTITION BY a,b) FROM t
? SELECT sum(a) OVER (PARTITION BY a,b), sum(a) OVER (PARTITION BY b,a) FROM t
? SELECT sum(a) OVER (ORDER BY b ROWS 1+1 PRECEDING), sum(a) OVER (ORDER BY b ROWS 2 PRECEDING) FROM t
? SELECT sum(a) OVER (ORDER BY b ROWS 2 PRECEDING), sum(a) OVER (ORDER BY b ROWS 2 PRECEDING) FROM t
? SELECT sum(a) OVER (ORDER BY b), sum(a) OVER (ORDER BY a), sum(a) OVER (ORDER BY b ROWS 2 PRECEDING), count(*) OVER (ORDER BY a), count(*) OVER (ORDER BY b) FROM t
? SELECT sum(a) OVER (ORDER BY b) w, sum(c) OVER (ORDER BY c) x FROM t ORDER BY w, x
? SELECT sum(a) OVER (ORDER BY b) w, sum(c) OVER (ORDER BY c) x FROM t ORDER BY x, w
? SELECT sum(a) OVER (ORDER BY b) w, sum(c) OVER (ORDER BY c) x FROM t ORDER BY x + sum(a) OVER (ORDER BY a), w
? SELECT a, sum(a) OVER (ORDER BY b) FROM t ORDER BY b
? SELECT a, sum(a) OVER (PARTITION BY c ORDER BY b) FROM t ORDER BY c
? SELECT a, sum(a) OVER (PARTITION BY c ORDER BY b) FROM t ORDER BY c, b
? SELECT a, sum(a) OVER (PARTITION BY c ORDER BY b) FROM t ORDER BY c, b, a
? SELECT a, sum(a) OVER (PARTITION BY c ORDER BY b) FROM t ORDER BY c DESC
? SELECT DISTINCT a, sum(a) OVER (PARTITION BY c ORDER BY b) FROM t ORDER BY c
? SELECT a, sum(a) OVER (ORDER BY c), count(*) OVER (ORDER BY c, b) FROM t
? SELECT a, sum(a) OVER (ORDER BY c,b), count(*) OVER (ORDER BY c) FROM t
? SELECT a, sum(a) OVER (ORDER BY c,b), count(*) OVER (PARTITION BY c) FROM t
? SELECT a, sum(a) OVER (PARTITION BY c), count(*) OVER (ORDER BY c, b) FROM t
===
-- Only the window that is computed first reads the entries of an index on expressions; the others need the columns.
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE INDEX i_w0 ON w(d DESC, k)
CREATE INDEX i_w1 ON w(substr(d, 1, 7))
? SELECT id, lag(id) OVER (PARTITION BY k % 2 ORDER BY substr(d, 1, 7), substr(d, 1, 7)) AS f FROM w ORDER BY f ASC LIMIT 8
? SELECT id, lag(id) OVER (ORDER BY substr(d, 1, 7)) AS f FROM w ORDER BY f
? SELECT id, lag(id) OVER (ORDER BY substr(d, 1, 7)) AS f, lead(id) OVER (ORDER BY k % 2) FROM w
? SELECT id, lag(id) OVER (ORDER BY k % 2) AS f, lead(id) OVER (ORDER BY substr(d, 1, 7)) AS g FROM w ORDER BY f
? SELECT id, lag(id) OVER (ORDER BY substr(d, 1, 7)) AS f, lead(id) OVER (ORDER BY substr(d, 1, 7)) AS g FROM w
? SELECT id, lag(id) OVER (ORDER BY substr(d, 1, 7)) AS f, sum(id) OVER (ORDER BY substr(d, 1, 7) ROWS 1 PRECEDING) AS g FROM w
