-- The rows of a query in FROM, read backwards for an order.
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
INSERT INTO w VALUES (1,1,'a',1,1),(2,1,'b',1,1),(3,1,'c',1,1),(4,2,'b',3,3),(5,NULL,NULL,3,4),(6,2,'d',5,6),(7,1,NULL,3,3)
CREATE VIEW v1 AS SELECT p.k, p.s FROM w AS p UNION ALL SELECT max(p.k) AS k, p.s FROM w AS p WHERE p.k > 1 GROUP BY p.s ORDER BY 2 DESC, 1
CREATE VIEW v3 AS SELECT DISTINCT k, s FROM w ORDER BY s DESC LIMIT 9
CREATE VIEW v5 AS SELECT k, s FROM w UNION SELECT id, n FROM w
SELECT DISTINCT d.s FROM v1 d JOIN v1 c ON c.k = d.k /* ordered */
SELECT DISTINCT d.s FROM v3 d JOIN v3 c ON c.k = d.k /* ordered */
SELECT d.s, count(*) FROM v1 d JOIN v1 c ON c.k = d.k GROUP BY 1 /* ordered */
SELECT d.s, count(*) FROM v3 d JOIN v3 c ON c.k = d.k GROUP BY 1 /* ordered */
SELECT d.s, count(*) FROM v3 d JOIN v3 c ON c.k = d.k GROUP BY 1 ORDER BY 1 /* ordered */
SELECT d.s, count(*) FROM v3 d JOIN v3 c ON c.k = d.k GROUP BY 1 ORDER BY 1 DESC /* ordered */
SELECT d.s, count(*) FROM v3 d GROUP BY 1 /* ordered */
SELECT d.s, d.k, c.s, c.k FROM v1 d JOIN v1 c ON c.k = d.k ORDER BY d.s /* ordered */
SELECT d.s, d.k, c.s, c.k FROM v3 d JOIN v3 c ON c.k = d.k ORDER BY d.s /* ordered */
SELECT d.s, d.k, c.s, c.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC, d.s DESC /* ordered */
SELECT d.s, d.k, c.s, c.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC, d.s /* ordered */
SELECT d.s, d.k, c.s, c.k FROM v5 d JOIN v5 c ON c.k = d.k ORDER BY d.k DESC /* ordered */
SELECT DISTINCT d.s FROM v3 d LEFT JOIN v3 w ON w.k = d.k ORDER BY d.s /* ordered */
SELECT d.s, d.k, w.k, w.s FROM v3 d LEFT JOIN v3 w ON w.k = d.k ORDER BY d.s /* ordered */
SELECT DISTINCT d.k FROM v5 d JOIN v5 c ON c.k = d.k /* ordered */
SELECT DISTINCT d.s FROM v3 d CROSS JOIN v3 c /* ordered */
