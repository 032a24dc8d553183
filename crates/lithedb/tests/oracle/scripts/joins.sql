-- Columns that USING merges: their affinity and collation.
create table f1(c0 numeric, t text, r real, n, nc text collate nocase)
create table f2(c0 numeric, t text, r real, n, nc text collate nocase)
insert into f1 values(5,'5',5,5,'A')
insert into f2 values(6,'6',6,6,'b')
select c0 > '3', typeof(c0) from f1 full join f2 using(c0)
select t > 3, r > '3', n > '3', nc = 'a' from f1 full join f2 using(t,r,n,nc)
select t > 3, r > '3', n > '3', nc = 'a' from f1 right join f2 using(t,r,n,nc)
select t > 3, r > '3', n > '3', nc = 'a' from f1 left join f2 using(t,r,n,nc)
select coalesce(f1.t,f2.t) > 3, coalesce(f1.r,f2.r) > '3', coalesce(f1.nc, f2.nc)='a' from f1 full join f2 on 0
create table f3(c0 text, t numeric, r text, n, nc text)
insert into f3 values(7,'7',7,7,'b')
select c0 > '3', t > 3, r > '3', nc = 'B' from f1 full join f3 using(c0,t,r,n,nc)
select c0 > '3', t > 3, r > '3', nc = 'B' from f3 full join f1 using(c0,t,r,n,nc)
select c0 from f1 full join f3 using (c0) order by c0
select nc from f1 full join f3 using (nc) group by nc
-- Rows of NULLs: generated columns are NULL, too.
create table g1(a, b, g as (a is null), s as (a is null) stored)
create table g2(x)
insert into g1(a, b) values(1, 2)
insert into g2 values(1), (3)
select * from g2 left join g1 on g1.a = g2.x order by x
select g2.x, g1.g, g1.s from g2 left join g1 on g1.a = g2.x where g1.g is null
select g2.x, g1.g from g1 full join g2 on g1.a = g2.x group by g2.x, g1.g
create index g1a on g1(a)
select g2.x, g1.g from g2 left join g1 on g1.a = g2.x
-- Row values whose columns belong to several sources.
create table n(c0 text collate nocase, primary key(c0 collate binary), unique(c0 desc))
insert into n values(10), (11), (null)
select * from n as s0 cross join n as s1 where (s0.c0, s1.c0) in (select q.c0, q.c0 from n as q)
select * from n as s0 cross join n as s1 on s1.c0 = s0.c0 or s0.c0 > 3 where (s0.c0, s1.c0) in (select q.c0, q.c0 from n as q)
select * from n as s0 where (s0.c0, s0.c0) in (select q.c0, q.c0 from n as q)
-- A comparison with nothing.
create table d(c0 decimal, c1 integer, c2 double)
insert into d values(10, 'A', 10), (7, -0.0, '')
select s1.c2 is (s0.c0 in ()), s1.c2 is not (s0.c0 in ()), s1.c2 is (s0.c0 not in ()), s1.c2 = (s0.c0 in ()) from d as s0 left join d as s1
select c0 in (), c0 not in (), null in (), 1 is not distinct from (c0 not in ()) from d
-- A merged column of a FULL JOIN has an affinity, but not before IN (SELECT).
CREATE TABLE fl(a INT)
CREATE TABLE fr(a)
INSERT INTO fr VALUES ('1'), (2)
SELECT a = '1', a = 1, a IN (1), a IN (SELECT 1), a NOT IN (SELECT 1) FROM fl FULL JOIN fr USING(a)
SELECT a, a IN (SELECT '1'), a IN (SELECT x'31') FROM fl FULL JOIN fr USING(a)
SELECT (a, 1) IN (SELECT '1', 1), (2, a) IN (SELECT 2, '2') FROM fr FULL JOIN fl USING(a)
-- A star that stands for nothing is reported, but for what is missed behind it.
WITH w AS (SELECT *) SELECT 1 FROM w AS x, w AS y
WITH w AS (SELECT *), v AS (SELECT 1) SELECT 1 FROM w AS x, v AS y
WITH w AS (SELECT *), v AS (SELECT 1) SELECT 1 FROM v, w AS x
WITH w AS (SELECT no.*) SELECT 1 FROM w AS x LEFT JOIN (SELECT count(*) AS n FROM w) AS y ON y.n > 2
WITH w AS (SELECT *) SELECT (SELECT count(*) FROM w), x.* FROM w AS x
SELECT 1 FROM (SELECT *), missing
CREATE TABLE fa(c TEXT, i INT, n)
CREATE TABLE fb(c TEXT, i INT, n)
INSERT INTO fb VALUES ('9', '9', '9'), (9, 9, 9)
CREATE TABLE fs(i INTEGER PRIMARY KEY, t TEXT, n, j INT)
INSERT INTO fs VALUES (9, 9, 9, 9), (10, NULL, '9', NULL)
SELECT c IN (SELECT i FROM fs), c IN (SELECT i FROM fs WHERE i = i), c IN (SELECT +i FROM fs), c IN (SELECT 9) FROM fa FULL JOIN fb USING(c)
SELECT i IN (SELECT t FROM fs), i IN (SELECT n FROM fs), i IN (SELECT j FROM fs WHERE j = j), i IN (SELECT '9') FROM fa FULL JOIN fb USING(i)
SELECT n IN (SELECT i FROM fs), n IN (SELECT t FROM fs), n IN (SELECT n FROM fs), n IN (SELECT j FROM fs WHERE j = j), n IN (SELECT '9') FROM fa FULL JOIN fb USING(n)
-- USING may name a hidden column; NATURAL does not look at them.
CREATE VIRTUAL TABLE ft USING fts5(a)
INSERT INTO ft VALUES ('b'), ('y')
CREATE TABLE of_ft(x, y, ft)
INSERT INTO of_ft VALUES (1, 2, 'x'), (3, 4, 'b')
SELECT * FROM of_ft JOIN ft USING (ft)
SELECT * FROM ft JOIN of_ft USING (ft)
SELECT ft FROM of_ft LEFT JOIN ft USING (ft)
SELECT * FROM of_ft NATURAL JOIN ft
SELECT *, value FROM (SELECT '[1,2]' AS json) JOIN json_each USING (json)
