-- In a database of UTF-16, a BLOB that is read as text is text of that encoding.
PRAGMA encoding = 'UTF-16le'
CREATE TABLE t(a, n)
CREATE INDEX i ON t(a || 'x')
INSERT INTO t VALUES (x'6161', 1), (x'3100', 2), (x'0031', 3), (x'61', 4), (x'', 5), (x'310032002e003500', 6), (x'2500', 9)
SELECT n, a || 'x', 'x' || a, a || a, hex(a || ''), a || 1 FROM t
SELECT n, upper(a), lower(a), trim(a), ltrim(a, '1'), rtrim(a), hex(upper(a)), unistr(a) FROM t
SELECT n, printf('%s', a), printf('%Q', a), printf('%d', a), printf('%f', a), format(a, 1) FROM t
SELECT n, a LIKE '_', '1' LIKE a, a GLOB '?', instr(a, '1'), instr(a, a) FROM t
SELECT n, replace(a, '1', '2'), replace('121', '2', a) FROM t
SELECT n, length(a), octet_length(a), typeof(a), hex(a), quote(a), substr(a, 1, 1), coalesce(a, 1), min(a, '1') FROM t
SELECT n, a + 1, -a, ~a, a | 1, a * 2, a % 3, abs(a), round(a), CAST(a AS INTEGER), CAST(a AS REAL), CAST(a AS NUMERIC) FROM t
SELECT n, CAST(a AS TEXT), CAST(a AS BLOB), a = '1', a < '2', CAST(a AS TEXT) = '1' FROM t
SELECT sum(a), total(a), avg(a), group_concat(a), count(a), max(a) FROM t
SELECT n FROM t WHERE a || 'x' = '1x'
SELECT n FROM t ORDER BY a || 'x'
SELECT json(a), json_valid(a) FROM t WHERE n IN (2, 6)
SELECT json_extract('[1]', a) FROM t WHERE n = 1
PRAGMA integrity_check
