-- Of equal arguments of f(DISTINCT x ORDER BY x) the last one counts.
CREATE TABLE t(i INTEGER PRIMARY KEY, a, b TEXT COLLATE NOCASE)
INSERT INTO t VALUES(1, 1, 'A'), (2, 1.0, 'a'), (3, 2, 'b'), (4, 2.0, 'B'), (5, 1, 'A'), (6, 3.0, 'c'), (7, 3, 'C'), (8, NULL, 'c'), (9, NULL, NULL)
SELECT group_concat(DISTINCT b ORDER BY b), group_concat(DISTINCT b ORDER BY b DESC), group_concat(DISTINCT b ORDER BY i) FROM t
SELECT group_concat(DISTINCT b COLLATE BINARY ORDER BY b), group_concat(DISTINCT b ORDER BY b COLLATE BINARY) FROM t
SELECT json_group_array(DISTINCT a ORDER BY a), json_group_array(DISTINCT a ORDER BY a DESC NULLS FIRST), json_group_array(DISTINCT a) FROM t
SELECT i % 2, json_group_array(DISTINCT b ORDER BY b), count(DISTINCT a ORDER BY a), sum(DISTINCT a ORDER BY a) FROM t GROUP BY 1
SELECT json_group_array(DISTINCT json_quote(b) ORDER BY json_quote(b)) FROM t
SELECT group_concat(DISTINCT a ORDER BY a) FROM t WHERE 0
