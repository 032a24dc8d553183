-- What a star shows of a join in parentheses: what USING merges comes first, in its order, and names that stand twice get numbers.
CREATE TABLE a(p, x, y, q);
CREATE TABLE b(y, b, x);
CREATE TABLE c(c, x, y);
CREATE TABLE d(d, x);
INSERT INTO a VALUES (1, 2, 3, 4), (5, 6, 7, 8);
INSERT INTO b VALUES (3, 1, 2), (7, 1, 9);
INSERT INTO c VALUES (1, 2, 3), (2, 9, 7), (3, 6, 7);
INSERT INTO d VALUES (1, 2), (7, 9);
SELECT * FROM (a JOIN b USING (x, y)) AS z;
SELECT * FROM (a NATURAL FULL JOIN b) AS z NATURAL JOIN d;
SELECT * FROM d JOIN (a JOIN b ON a.x = b.x);
SELECT * FROM d, (a, b);
SELECT * FROM d JOIN (a LEFT JOIN b ON a.x = b.x) USING (x);
SELECT * FROM (a JOIN d USING (x) JOIN c USING (x)) AS z NATURAL LEFT JOIN d AS e;
SELECT * FROM (a JOIN b JOIN d USING (x)) AS z, c;
SELECT * FROM (a JOIN d USING (x) LEFT JOIN c ON 1) AS z, b;
SELECT * FROM ((d FULL JOIN c USING (x)) AS z JOIN b ON 1) AS w JOIN d AS e USING (d);
SELECT * FROM (c LEFT JOIN (d JOIN a ON 1) USING (x, y)) AS z RIGHT JOIN d AS e;
SELECT a.* FROM d JOIN (a JOIN b USING (x));
SELECT a.* FROM (a JOIN b USING (x)) AS z;
SELECT b.* FROM (a JOIN b) AS z;
SELECT * FROM (a JOIN b) AS z;
SELECT z.* FROM (a JOIN b) AS z;
SELECT y FROM (a JOIN b USING (x)) AS z;
SELECT z.y, z."y:1" FROM d JOIN (a JOIN b USING (x)) AS z;
SELECT "y:1" FROM (a JOIN b USING (x)) AS z;
SELECT x FROM d FULL JOIN (a JOIN b ON a.x = b.x) USING (x);
SELECT x FROM d JOIN (a JOIN b ON a.x = b.x) USING (x);
SELECT rowid FROM (a JOIN b) AS z;
SELECT rowid FROM (a JOIN (SELECT 1)) AS z;
SELECT a.rowid, b.rowid FROM (a JOIN b) AS z;
SELECT z.rowid FROM (a JOIN b) AS z;
-- Names that both have, rowids among them, are common columns.
SELECT * FROM (d AS f JOIN d AS g) AS z NATURAL JOIN (a JOIN b USING (x));
CREATE TABLE e AS SELECT * FROM d JOIN (a JOIN b USING (x));
SELECT sql FROM sqlite_schema WHERE name = 'e';
-- What USING has merged has the affinity of the first operand where a query has it as a column.
CREATE TABLE r(c REAL);
CREATE TABLE i(c INT);
INSERT INTO r VALUES (3), (7);
INSERT INTO i VALUES (3), (4);
SELECT c, typeof(c) FROM (SELECT DISTINCT c FROM r FULL JOIN i USING (c));
SELECT c, typeof(c) FROM (SELECT c FROM r FULL JOIN i USING (c) LIMIT 5)
