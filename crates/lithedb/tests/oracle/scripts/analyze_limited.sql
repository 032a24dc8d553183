-- sqlite_stat1 under analysis_limit: the averages of the entries that are looked at.
CREATE TABLE t(a, b, c UNIQUE)
CREATE INDEX i1 ON t(a)
CREATE INDEX i2 ON t(a DESC, b)
CREATE INDEX i3 ON t(b COLLATE NOCASE, a + 0, c)
CREATE INDEX i4 ON t(b) WHERE a > 2
CREATE INDEX i5 ON t(a IS NULL)
WITH RECURSIVE g(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM g WHERE x < 300) INSERT INTO t SELECT CASE WHEN x < 20 THEN NULL ELSE x * x % 7 END, substr('aAbBcC', 1 + x / 60, 1), CASE WHEN x % 3 THEN x END FROM g
PRAGMA analysis_limit = 1
ANALYZE
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
SELECT count(*) FROM sqlite_stat4
PRAGMA analysis_limit = 10
ANALYZE
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
PRAGMA analysis_limit = 60
ANALYZE t
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
PRAGMA analysis_limit = 299
ANALYZE
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
PRAGMA analysis_limit = 300
ANALYZE
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
PRAGMA analysis_limit = 100
ANALYZE i2
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
PRAGMA analysis_limit = 0
ANALYZE
PRAGMA analysis_limit = 1000
ANALYZE
SELECT * FROM sqlite_stat1 ORDER BY 1, 2
