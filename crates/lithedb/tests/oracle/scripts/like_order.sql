-- LIKE finds texts and blobs; in descending order blobs come first.
CREATE TABLE t(id INTEGER PRIMARY KEY, c0 TEXT COLLATE NOCASE, d);
INSERT INTO t VALUES (1, 'abc', 1), (2, x'6162', 2), (3, 'abd', 3), (4, x'616263', 4), (5, 'b', 5);
CREATE INDEX i ON t(c0);
SELECT id FROM t WHERE c0 LIKE 'a%' ORDER BY c0 /* ordered */;
SELECT id FROM t WHERE c0 LIKE 'a%' ORDER BY c0 DESC /* ordered */;
DROP INDEX i;
CREATE INDEX j ON t(c0 DESC, d);
SELECT id FROM t WHERE c0 LIKE 'a%' ORDER BY c0 /* ordered */;
SELECT id FROM t WHERE c0 LIKE 'a%' ORDER BY c0 DESC /* ordered */;
SELECT id FROM t WHERE c0 GLOB 'a*' ORDER BY c0 DESC, d /* ordered */;
