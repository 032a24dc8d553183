-- Columns of a row value behind the first that differs are not computed.
SELECT (NULL, 2) = (1, 3), (NULL, 3) = (1, 3), (NULL, 2) <> (1,3), (NULL, 3) <> (1,3), (1,2)=(1,NULL), (1,2)<>(2,NULL), (NULL,NULL) IS (NULL,NULL), (NULL,1) IS NOT (NULL,2)
CREATE TABLE t(a,b,c)
INSERT INTO t VALUES(1,2,3),(1,NULL,4),(NULL,2,'x'),('A','b','c')
SELECT (a,b) = (SELECT a,b FROM t LIMIT 1), (a,b) IS (SELECT a,b FROM t LIMIT 1 OFFSET 1) FROM t
SELECT (a,json(c)) = (SELECT 9,1), (a,json(c)) IS (SELECT 'z',b FROM t), (a,json(c)) <> (SELECT 7,8) FROM t
SELECT (SELECT 9,1) = (a,json(c)) FROM t
SELECT a FROM t WHERE ((a,json(c)) = (SELECT 9,3)) IS NOT 5
