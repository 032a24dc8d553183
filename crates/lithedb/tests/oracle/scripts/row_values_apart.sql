-- Outside of WHERE, columns behind the pair that decides are not computed.
CREATE TABLE t(a,b,c);
CREATE INDEX tab ON t(a,b);
INSERT INTO t VALUES (5,6,'x'), (3,4,'x'), (1,2,'x'), (3,4,'2'), (1,2,'2'), (1,NULL,'3'), (1,2,'x');
SELECT (a,1) = (7,json(c)), (a,1) <> (7,json(c)), NOT (a,1) = (7,json(c)), (a,1) IS (7,json(c)), (a,1) IS NOT (7,json(c)) FROM t;
SELECT (a,1) = (NULL,json(c)) FROM t;
SELECT CASE (a,1) WHEN (7,json(c)) THEN 1 ELSE 2 END, CASE WHEN (a,1) <> (7,json(c)) THEN 1 END FROM t;
UPDATE t SET b = b + ((a,1) = (7,json(c)));
SELECT count(*) FROM t GROUP BY a HAVING (a,1) <> (7,json(max(c)));
SELECT a FROM t WHERE NOT (a,1) = (7,json(c));
SELECT a FROM t WHERE ((a,1) = (7,json(c))) IS NOT TRUE;
-- In WHERE, the pairs stand behind the other conditions.
SELECT a FROM t WHERE (json(c),1) = (2,1) AND c <> 'x';
SELECT a FROM t WHERE (json(c),1) = (2,1) AND (c,1) = (2,1);
SELECT a FROM t WHERE (c,1) = ('2',1) AND (json(c),1) = (2,1);
SELECT a FROM t WHERE (json(c),1) = ('2',1) OR a = 5;
SELECT t.a FROM t LEFT JOIN t AS u ON (json(u.c),1) = (2,1) AND u.c <> 'x';
-- Row values within row values are right in WHERE alone.
SELECT * FROM t WHERE (a,(b,c)) = (1,(2,'2'));
SELECT * FROM t WHERE (a,(b,c)) = (1,2);
SELECT (a,(b,c)) = (1,(2,'2')) FROM t;
SELECT (a,(SELECT 1,2)) = (1,2) FROM t;
-- A list of row values is a query: it is computed once, and rows come in the order of the index.
SELECT * FROM t WHERE (a,b) IN ((3,4),(1,2)) /* ordered */;
SELECT * FROM t WHERE (a,b) IN (VALUES (3,4),(1,2)) /* ordered */;
SELECT * FROM t WHERE (a,b) IN ((3,4),(1,b)) /* ordered */;
CREATE INDEX tba ON t(b DESC,a);
SELECT * FROM t WHERE (a,b) IN ((3,4),(1,2),(5,6)) AND +a /* ordered */;
SELECT * FROM t INDEXED BY tba WHERE (a,b) IN (VALUES (3,4),(1,2),(5,6)) /* ordered */;
SELECT * FROM t INDEXED BY tba WHERE (b,a) IN (VALUES (4,3),(2,1),(6,5)) /* ordered */;
SELECT * FROM t INDEXED BY tba WHERE (a,b) IN (VALUES (9,4),(3,4),(1,4),(1,2)) /* ordered */;
DROP INDEX tba;
-- COLLATE and likely() above a condition count for nothing.
SELECT t.a FROM t, t AS u WHERE ((t.a,json(u.c)) = (9,1)) COLLATE NOCASE;
SELECT t.a FROM t, t AS u WHERE likely(t.a = 9 AND json(u.c) = 1);
SELECT (a,b) IN ((1,2),(1,json(c))) FROM t;
SELECT (a,b) NOT IN ((1,NULL),(3,4)), (1,NULL) NOT IN ((a,b),(3,4)) FROM t;
SELECT ('1',2) IN ((CAST(1 AS INT),2),(5,6)), ('1',2) IN ((5,6),(CAST(1 AS INT),2)), ('1',2) IN ((CAST(1 AS INT),2));
SELECT ('a',1) IN (('A' COLLATE nocase,1),('b',2)), ('a',1) IN (('b',2),('A' COLLATE nocase,1));
SELECT (a,b) IN ((1,2),(b-1,b)), count(*) FROM t GROUP BY (a,b) IN ((1,2),(b-1,b));
SELECT (a,b) IN ((1,count(*)),(3,4)) FROM t;
SELECT (1,2) IN (3,4);
SELECT (SELECT 1,2) IN ((1,2));
SELECT (SELECT 1,2) IN ((1,2),(3,4));
SELECT (a,abs(b)) NOT IN () FROM t;
CREATE TABLE u(a,b,CHECK((a,b) IN ((1,2),(3,4))));
CREATE INDEX ti ON t(a) WHERE (a,b) IN ((1,2));
CREATE TABLE g(a,b DEFAULT ((1,2) IN ((1,2),(3,4))));
CREATE VIEW v AS SELECT (a,b) IN ((1,2),(b-1,b)) AS q FROM t;
ALTER TABLE t RENAME COLUMN b TO bb;
SELECT sql FROM sqlite_master;
SELECT * FROM v
