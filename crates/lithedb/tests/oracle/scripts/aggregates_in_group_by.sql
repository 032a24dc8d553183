-- GROUP BY terms that name or have aggregates.
CREATE TABLE t(a,b)
SELECT max(a) AS m FROM t GROUP BY m COLLATE nocase
SELECT max(a) AS m FROM t GROUP BY (m)
SELECT max(a) AS m FROM t GROUP BY +m
SELECT max(a) AS m FROM t GROUP BY abs(m)
SELECT max(a) AS m FROM t GROUP BY max(a)+1
SELECT max(a) AS m FROM t GROUP BY abs(max(a))
SELECT max(a) AS m FROM t GROUP BY (SELECT max(a))
SELECT max(a) AS m FROM t GROUP BY (SELECT max(t.a))
SELECT max(a) AS m FROM t GROUP BY (SELECT m+1 FROM t)
SELECT max(a) AS m FROM t GROUP BY m IN (1,2)
SELECT max(a) AS m FROM t GROUP BY 1 IN (SELECT m)
SELECT max(a) AS m FROM t GROUP BY CASE WHEN m THEN 1 END
SELECT abs(max(a)) AS m FROM t GROUP BY m+1
SELECT abs(max(a)) AS m, min(b) n FROM t GROUP BY n+m
SELECT max(a) AS m, min(b) n FROM t GROUP BY m+1,n
SELECT max(a) AS m, min(b) n FROM t GROUP BY m+1 HAVING nosuch
SELECT max(a) AS m, min(b) n FROM t GROUP BY m+1 ORDER BY nosuch
SELECT max(a) AS m, min(b) n FROM t GROUP BY m ORDER BY nosuch
SELECT max(a) AS m, min(b) n FROM t GROUP BY m LIMIT nosuch
SELECT max(a) AS m, min(b) n FROM t GROUP BY m+1 LIMIT nosuch
SELECT count(*) AS m FROM t GROUP BY (SELECT m)
SELECT count(*) AS m FROM t GROUP BY EXISTS (SELECT 1 FROM t x WHERE m)
SELECT count(*) AS m FROM t GROUP BY a, m+1
