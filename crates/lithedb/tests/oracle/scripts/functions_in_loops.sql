-- Calls of functions whose results are found without a context, in loops that mix values.
CREATE TABLE t(id INTEGER PRIMARY KEY, x, y)
INSERT INTO t VALUES (1, 'abc', 'x'), (2, 'a longer text than a register holds', 'y'), (3, NULL, 1), (4, -5, 2), (5, -2.5, 'grün'), (6, x'00ff', 3), (7, '', ''), (8, 'ab' || char(0) || 'cd', 'AB'), (9, 'ÄÖÜ äöü ß', 'Ö')
SELECT id, length(x), upper(x), lower(x), typeof(x), abs(x) FROM t ORDER BY id
SELECT id, substr(x, 2), substr(x, 2, 3), substr(x, -2, 1), substring(x, 1, 40), instr(x, y) FROM t ORDER BY id
SELECT id, length(upper(substr(x, id, 9))), x || y, y || x, x || x FROM t ORDER BY id
SELECT id, x LIKE '%B%', x GLOB '*b*', x LIKE y, y LIKE x FROM t ORDER BY id
PRAGMA case_sensitive_like = 1
SELECT id, x LIKE '%B%', x LIKE '%b%' FROM t ORDER BY id
PRAGMA case_sensitive_like = 0
SELECT id, x LIKE '%B%', upper(typeof(x)) || substr(upper(y), 1, 1) FROM t ORDER BY id DESC
SELECT sum(length(x)), max(upper(x)), count(DISTINCT substr(x, 1, 1)) FROM t
UPDATE t SET x = upper(x) || lower(y), y = substr(x, 1, 2) WHERE id <> 6
SELECT id, x, y, hex(x) FROM t ORDER BY id
SELECT abs(-9223372036854775807 - id) FROM t WHERE id < 2
