-- The row of bare columns beside several min() and max() with FILTER.
CREATE TABLE t(i INTEGER PRIMARY KEY, a, b, d)
INSERT INTO t VALUES(1, 1, 5, 0), (2, 3, 4, 1), (3, 2, 6, 0), (4, 3, 2, 1), (5, 0, 9, 0)
SELECT i, max(a), min(b) FILTER (WHERE d) FROM t
SELECT i, max(a) FILTER (WHERE d), min(b) FILTER (WHERE d = 0) FROM t
SELECT i, max(a) FROM t GROUP BY d > 7 HAVING min(b) FILTER (WHERE d = 0) > 0
SELECT i, max(a), min(b) FILTER (WHERE i = 9) FROM t GROUP BY d > 7
SELECT i, max(a) FILTER (WHERE i = 3), min(b) FILTER (WHERE i = 9) FROM t GROUP BY d > 7
SELECT i, min(b) FILTER (WHERE i = 9), max(a) FROM t GROUP BY d > 7
