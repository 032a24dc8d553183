-- The types of the columns of views.
CREATE TABLE s(a ANY, b INT, c TEXT, d BLOB, e REAL, f INTEGER) STRICT
CREATE TABLE t(a ANY, b BOOLEAN, c VARCHAR(10), d, e DOUBLE, f INTEGER PRIMARY KEY, g DATETIME, h DECIMAL(10,2), i FLOATING POINT)
CREATE VIEW v1 AS SELECT CAST(1 AS INTEGER) a, CAST(1 AS TEXT) b, CAST(1 AS REAL) c, CAST(1 AS BLOB) d, CAST(1 AS NUMERIC) e, 1+1 f, 'x' g, length('x') h, (SELECT 1) i, x'00' j, NULL k, 1.5 l, 1 m, CAST(1 AS VARCHAR(5)) n, 1=1 o, -1 p, 'a'||'b' q, CASE WHEN 1 THEN 2 END r, coalesce(1,'x') s
CREATE VIEW v2 AS SELECT * FROM s
CREATE VIEW v3 AS SELECT * FROM t
CREATE VIEW v4 AS SELECT rowid, * FROM t
CREATE VIEW v5 AS SELECT a FROM t UNION ALL SELECT c FROM t
CREATE VIEW v6 AS SELECT c FROM t UNION ALL SELECT f FROM t
CREATE VIEW v7 AS SELECT f FROM t UNION ALL SELECT c FROM t
CREATE VIEW v8 AS SELECT (SELECT c FROM t) x, (SELECT f FROM t) y, max(f), count(*), sum(e), min(c), avg(f), +f, f COLLATE nocase, (f), abs(f), group_concat(c) FROM t
CREATE VIEW v9 AS SELECT * FROM v1
CREATE VIEW v10 AS SELECT CASE WHEN c THEN CAST(c AS NUMERIC) ELSE trim(c) END x, CASE WHEN 1 THEN 1 ELSE 'x' END y, CASE 1 WHEN 1 THEN f ELSE c END z FROM t
CREATE VIEW v12 AS SELECT json('1') a, '1' -> '$' b, upper('x') c, date() d, random() e, quote(1) f, NOT 1 g, 1 IN (1) h, 1 BETWEEN 0 AND 2 i, EXISTS(SELECT 1) j, 1 IS NULL k, 'a' LIKE 'b' l, ~1 m, 1<<2 n, 1%2 o, 2.0*3 p
SELECT m.name, i.cid, i.type FROM sqlite_schema m, pragma_table_info(m.name) i WHERE m.type='view'
