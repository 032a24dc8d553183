-- x IN () is FALSE and x NOT IN () is TRUE, as the words are behind IS, unless x calls a function.
CREATE TABLE t(a, b TEXT)
INSERT INTO t VALUES (1, '1'), (2, 'x'), (NULL, NULL), (3, '2024')
SELECT b IS (a NOT IN ()), b IS (upper(a) NOT IN ()), b IS (upper(a) IN ()), b IS NOT (upper(a) IN ()) FROM t
SELECT 5 IS (1 NOT IN ()), 5 IS (abs(1) NOT IN ()), 5 IS (('a' LIKE 'b') NOT IN ()), 5 IS (('{}' -> 'a') NOT IN ()), 5 IS (current_date NOT IN ())
SELECT 5 IS ((SELECT abs(1)) NOT IN ()), 5 IS ((2 IN (1, abs(2))) NOT IN ()), 5 IS (CASE WHEN 1 THEN abs(1) END NOT IN ()), 1 IS (abs(1) NOT IN ())
SELECT * FROM t WHERE b IS (abs(a) NOT IN ())
