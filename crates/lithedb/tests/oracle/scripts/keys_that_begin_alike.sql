-- Interior pages of indexes on texts that all begin with the same bytes, sought by keys that do and that do not.
CREATE TABLE t(id INTEGER PRIMARY KEY, address TEXT)
CREATE INDEX t_up ON t(address)
CREATE INDEX t_down ON t(address DESC)
WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 3000) INSERT INTO t SELECT i, 'https://example.org/' || (i * 7919 % 3001) || '/' || i FROM s
WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 200) SELECT count(*), sum(id) FROM s JOIN t INDEXED BY t_up ON address = 'https://example.org/' || (i * 15 * 7919 % 3001) || '/' || (i * 15)
WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 200) SELECT count(*), sum(id) FROM s JOIN t INDEXED BY t_down ON address = 'https://example.org/' || (i * 15 * 7919 % 3001) || '/' || (i * 15)
WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 200) SELECT sum((SELECT count(*) FROM t INDEXED BY t_up WHERE address < substr('https://example.org/99', 1, i % 25))), sum((SELECT min(id) FROM t INDEXED BY t_up WHERE address > substr('https://example.org/17', 1, i % 25) || x)) FROM s, (SELECT '' AS x UNION ALL SELECT '!' UNION ALL SELECT 'zz')
WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 200) SELECT sum((SELECT count(*) FROM t INDEXED BY t_down WHERE address < substr('https://example.org/99', 1, i % 25))), sum((SELECT count(*) FROM t INDEXED BY t_down WHERE address >= substr('https://example.org/17', 1, i % 25) || x)) FROM s, (SELECT '' AS x UNION ALL SELECT '!' UNION ALL SELECT 'zz')
INSERT INTO t VALUES (5000, 'a'), (5001, 'https://example.com'), (5002, 'zebra'), (5003, NULL), (5004, 17), (5005, '')
WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 100) SELECT i % 6, (SELECT group_concat(id) FROM t WHERE address = CASE i % 6 WHEN 0 THEN 'a' WHEN 1 THEN 'https://example.com' WHEN 2 THEN 'zebra' WHEN 3 THEN 'zebr' WHEN 4 THEN '' ELSE 'b' END) FROM s GROUP BY i % 6
DELETE FROM t WHERE address LIKE 'https://example.org/1%'
SELECT count(*), min(address), max(address) FROM t
PRAGMA integrity_check
