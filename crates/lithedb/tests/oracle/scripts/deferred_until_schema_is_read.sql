-- Reading the schema ends what defer_foreign_keys has begun.
PRAGMA defer_foreign_keys = ON
SELECT 1
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT (SELECT 1)
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT 1 ORDER BY 1
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT 1 WHERE 1 = 1
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT strftime('%U%g', 2460000.5)
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT * FROM sqlite_schema
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT 3 UNION SELECT 4
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT CASE WHEN 1 IS NOT DISTINCT FROM 1 THEN 7 ELSE -3 END
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT 1, (SELECT 1) WHERE 1 = 1 ORDER BY 1
PRAGMA defer_foreign_keys
PRAGMA defer_foreign_keys = ON
SELECT (3 | ('1' >> 0)), 1 ORDER BY 2, 1
PRAGMA defer_foreign_keys
