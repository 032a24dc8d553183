-- The rows of a query in FROM that are kept in a table may be read backwards for an order.
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(s DESC, id)) WITHOUT ROWID
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT max(p.k) AS k, p.s FROM w AS p WHERE p.k > 1 GROUP BY p.s ORDER BY 2 DESC, 1
CREATE VIEW v2 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT max(p.k) AS k, p.s FROM w AS p WHERE p.k > 1 GROUP BY p.s ORDER BY 2, 1
CREATE VIEW v3 AS SELECT DISTINCT k, s FROM w ORDER BY s DESC LIMIT 9
CREATE VIEW v4 AS SELECT DISTINCT k, s FROM w ORDER BY s LIMIT 9
? SELECT c.k, c.s FROM v1 c JOIN w AS d ON c.k = d.k ORDER BY 2
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2 DESC
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2 DESC, 1
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2, 1 DESC
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2, 1
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY 2, d.n
? SELECT c.k, c.s FROM w d JOIN v1 AS c ON c.k = d.k ORDER BY c.s DESC, d.n
? SELECT c.k, c.s FROM v1 d JOIN v1 AS c ON c.k = d.k ORDER BY c.s DESC
? SELECT c.k, c.s FROM v1 d JOIN v1 AS c ON c.k = d.k ORDER BY d.s DESC
? SELECT c.k, c.s FROM v1 d JOIN v1 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v1 d JOIN v1 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM v2 d JOIN v2 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM v2 d JOIN v2 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v2 d JOIN v1 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v1 d JOIN v2 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v1 d JOIN v2 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM v3 d JOIN v3 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM v3 d JOIN v3 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v3 d JOIN v4 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v3 d JOIN v4 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM v4 d JOIN v3 AS c ON c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v4 d JOIN v3 AS c ON c.k = d.k ORDER BY d.s
? SELECT c.k, c.s FROM w d, v3 c WHERE c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM w d, v4 c WHERE c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v3 c, w d WHERE c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v4 c, w d WHERE c.k = d.k ORDER BY c.s
? SELECT c.k, c.s FROM v3 c, w d WHERE c.k = d.k ORDER BY c.s LIMIT 3
? SELECT c.k, c.s FROM v3 c ORDER BY c.s
? SELECT c.k, c.s FROM v3 c ORDER BY c.s DESC
CREATE VIEW v5 AS SELECT k, s FROM w UNION SELECT id, n FROM w
? SELECT DISTINCT d.s FROM v1 d JOIN v1 c ON c.k = d.k
? SELECT DISTINCT d.s FROM v3 d JOIN v3 c ON c.k = d.k
? SELECT DISTINCT d.s FROM v2 d JOIN v2 c ON c.k = d.k
? SELECT d.s, count(*) FROM v1 d JOIN v1 c ON c.k = d.k GROUP BY 1
? SELECT d.s, count(*) FROM v2 d JOIN v2 c ON c.k = d.k GROUP BY 1
? SELECT d.s, count(*) FROM v1 d JOIN v1 c ON c.k = d.k GROUP BY 1 ORDER BY 1
? SELECT d.s, count(*) FROM v1 d JOIN v1 c ON c.k = d.k GROUP BY 1 ORDER BY 1 DESC
? SELECT d.s, count(*) FROM v3 d GROUP BY 1 ORDER BY 1
? SELECT d.s, count(*) FROM v3 d GROUP BY 1 ORDER BY 1 DESC
? SELECT d.s, d.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k, d.s
? SELECT d.s, d.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC, d.s DESC
? SELECT d.s, d.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC, d.s
? SELECT d.s, d.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC
? SELECT d.s, d.k FROM v1 d JOIN v1 c ON c.k = d.k ORDER BY d.s NULLS LAST
? SELECT max(d.s) FROM v1 d JOIN v1 c ON c.k = d.k
? SELECT min(d.s) FROM v1 d JOIN v1 c ON c.k = d.k
? SELECT max(d.s) FROM v3 d
? SELECT min(d.s) FROM v3 d
? SELECT d.s FROM w LEFT JOIN v3 d ON w.k = d.k ORDER BY d.s
? SELECT d.s FROM w CROSS JOIN v3 d ORDER BY w.s, w.id, d.s
? SELECT d.s FROM v3 d LEFT JOIN w ON w.k = d.k ORDER BY d.s
? SELECT d.s FROM v3 d LEFT JOIN v3 w ON w.k = d.k ORDER BY d.s
