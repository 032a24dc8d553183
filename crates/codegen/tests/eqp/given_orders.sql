-- Orders that are there already: of a query in FROM, of terms with COLLATE, of a first row.
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT collate nocase, n REAL, d TEXT)
create index cs on c(s)
? select k, count(*) from (select k,n from b order by k) group by k
? select k, count(*) from (select k,n from b order by k desc) group by k
? select k, count(*) from (select k,n from b order by k,n) group by k
? select k, count(*) from (select k,n from b order by n,k) group by k
? select k, count(*) from (select k,n from b order by n,k) group by n,k
? select k, count(*) from (select k,n from b order by n,k) group by k,n
? select k, count(*) from (select k,n from b order by n,k limit 7) group by k,n
? select k, count(*) from (select k,n from b order by n,k limit 7) group by n
? select k, group_concat(n) from (select k,n from b order by n,k) group by n
? select k, group_concat(n) from (select k,n from b order by k) group by k order by k
? select k, group_concat(n) from (select k,n from b order by k) group by k order by k desc
? select k, group_concat(n) from (select k,n from b order by k desc) group by k order by k desc
? select k, group_concat(n) from (select k,n from b order by k limit 5) group by k
? select k, group_concat(n) from (select k,n from b order by k collate nocase) group by k
? select s, group_concat(n) from (select s,n from c order by s) group by s
? select s, group_concat(n) from (select s,n from b order by s) group by s
? select s, group_concat(n) from (select s,n from b order by s) group by s collate nocase
? select s, group_concat(n) from (select s,n from b order by s collate nocase) group by s
? select s, group_concat(n) from (select s,n from b order by s collate nocase) group by s collate nocase
? select k+1, group_concat(n) from (select k,n from b order by k) group by k+1
? select kk, group_concat(n) from (select k+1 as kk,n from b order by k+1) group by kk
? select kk, group_concat(n) from (select k+1 as kk,n from b order by 1) group by kk
? select kk, group_concat(n) from (select k as kk,n from b order by kk) group by kk
? select * from (select k,n from b order by k limit 5) order by k
? select * from (select k,n from b order by k limit 5) order by k desc
? select * from (select k,n from b order by k desc limit 5) order by k
? select * from (select k,n from b order by k desc limit 5) order by k desc
? select * from (select k,n from b order by k,n limit 5) order by k
? select * from (select k,n from b order by k limit 5) order by k, n
? select * from (select k,n from b order by k nulls last limit 5) order by k
? select * from (select k,n from b order by k nulls last limit 5) order by k nulls last
? select distinct k from (select k,n from b order by k desc limit 5)
? select distinct n from (select k,n from b order by k,n limit 5)
? select distinct n,k from (select k,n from b order by k,n limit 5)
? select k, count(*) from (select k,n from b order by k nulls last) group by k
? select k, count(*) from (select k,n from b order by k,n desc) group by k, n
? select k, count(*) from (select k,n,s from b order by k,s,n desc) group by k, n
? select k, count(*) from (select k,n,s from b order by k,s,n desc) group by k, s
? select k, count(*) from (select k,count(*) as n from b group by k) group by k
? select k, count(*) from (select k,count(*) as n from b group by k order by k) group by k
? select k, count(*) from (select distinct k, n from b order by k) group by k
? select k, count(*) from (select k, n from b union all select k, n from c order by k) group by k
? select k, count(*) from (select k, n from b union select k, n from c order by k) group by k
? select x.k, count(*) from (select k, n from b order by k limit 6) x join c on x.n=c.n group by x.k
? select x.k, c.n from (select k, n from b order by k limit 6) x join c on x.n=c.n order by x.k
? select x.k, c.n from (select k, n from b order by k limit 6) x left join c on x.n=c.n order by x.k
? select x.k, c.n from (select k, n from b order by k limit 6) x left join c on x.n=c.n order by x.k, c.n
? select x.k, c.n from c join (select k, n from b order by k limit 6) x on x.n=c.n order by x.k
? with x as materialized (select k, n from b order by k) select k,count(*) from x group by k
? with x as (select k, n from b order by k limit 9) select k,count(*) from x group by k union all select n,7 from x
? select min(k) from (select k,n from b order by k limit 5)
? select max(k) from (select k,n from b order by k limit 5)
? select k, sum(n) over (order by k) from (select k,n from b order by k limit 5)
? select k, sum(n) over (order by k) from (select k,n from b order by k)
? select k, sum(n) over (partition by k) from (select k,n from b order by k)
? select count(*) from (select k,n from b order by k) where k>3 group by k
? select k,count(*) from (select k,n from b order by k) where k=3 group by k
? select k,count(*) from (select k,n,id from b order by n,k) where n=3 group by k
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
CREATE INDEX i_a0 ON a(s)
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
? SELECT DISTINCT s , k FROM a ORDER BY s, k
? SELECT DISTINCT s , k FROM a ORDER BY s DESC, k
? SELECT DISTINCT s , k FROM a ORDER BY s DESC, k desc
? SELECT DISTINCT s , k FROM a ORDER BY s , k desc
? SELECT DISTINCT s , k FROM a ORDER BY s nulls last, k
? SELECT DISTINCT s COLLATE NOCASE, k % 2 FROM a WHERE k > 0 ORDER BY s COLLATE NOCASE DESC, k % 2
? SELECT DISTINCT s COLLATE NOCASE, k % 2 FROM a WHERE k > 0 ORDER BY s COLLATE NOCASE, k % 2
? SELECT DISTINCT n , k FROM a ORDER BY n, k
? SELECT DISTINCT n , k FROM a ORDER BY n desc, k
? SELECT DISTINCT n , k FROM a ORDER BY n nulls last, k
? SELECT DISTINCT n , k FROM a ORDER BY n, k desc nulls first
? SELECT DISTINCT k,s FROM a ORDER BY k,s
? SELECT DISTINCT k,s FROM a ORDER BY s,k
? SELECT DISTINCT k,s FROM a ORDER BY s desc
? SELECT n,k,count(*) FROM a group by n,k ORDER BY n nulls last,k
? SELECT s,k,count(*) FROM a group by s,k ORDER BY s nulls last,k
? SELECT s,k,count(*) FROM a group by s,k ORDER BY s desc,k
? SELECT s,k,count(*) FROM a group by s,k ORDER BY s,k
? SELECT s,k,count(*) FROM a group by s,k ORDER BY s desc,k desc
? SELECT k,s,count(*) FROM a group by k,s ORDER BY s,k
? SELECT s,n,count(*) FROM b group by s,n ORDER BY s desc,n
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT)
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
? SELECT DISTINCT s COLLATE NOCASE, k FROM b ORDER BY s COLLATE NOCASE, k
? SELECT DISTINCT s COLLATE NOCASE, k FROM b ORDER BY 1, 2
? SELECT DISTINCT s COLLATE NOCASE AS x, k FROM b ORDER BY x, k
? SELECT DISTINCT s , k FROM b ORDER BY s COLLATE NOCASE, k
? SELECT DISTINCT s , k FROM b ORDER BY s COLLATE BINARY, k
? SELECT DISTINCT k+1, k FROM b ORDER BY k+1, k
? SELECT DISTINCT k+1, k FROM b ORDER BY k+1, k nulls first
? SELECT DISTINCT k FROM b ORDER BY k asc nulls last
? SELECT DISTINCT k FROM b ORDER BY k desc nulls last
? SELECT DISTINCT s COLLATE NOCASE FROM b ORDER BY s COLLATE NOCASE
? SELECT DISTINCT k, s COLLATE NOCASE FROM b ORDER BY k, s COLLATE NOCASE
? SELECT DISTINCT k % 2, s FROM b ORDER BY k % 2 desc, s desc
? SELECT DISTINCT s COLLATE NOCASE, k % 2 FROM b ORDER BY s COLLATE NOCASE DESC, k % 2
? SELECT DISTINCT s COLLATE NOCASE||'a', k % 2 FROM b ORDER BY s COLLATE NOCASE||'a' DESC, k % 2
===
create table b(id int, k int, s text, n real, d text)
create table c(id int, k int, s text collate nocase, n real, d text)
? select s collate nocase, count(*) from b group by 1 order by s collate nocase
? select s collate nocase, count(*) from b group by s collate nocase order by s collate nocase
? select s collate nocase, count(*) from b group by s collate nocase order by 1
? select s collate nocase, count(*) from b group by 1 order by 1
? select s collate nocase as x, count(*) from b group by x order by x
? select s collate nocase as x, count(*) from b group by x order by s collate nocase
? select count(*) from b group by s collate nocase order by s collate nocase
? select k, count(*) from b group by s collate nocase order by s collate nocase
? select s, count(*) from b group by s collate nocase order by s collate nocase
? select s, count(*) from c group by s collate nocase order by s collate nocase
? select s collate nocase, count(*) from c group by 1 order by s collate nocase
? select s collate nocase, count(*) from c group by s collate nocase order by s collate nocase
? select k, s collate nocase, count(*) from c group by k, s collate nocase order by k, s collate nocase
? select k+1, count(*) from c group by 1 order by k+1
? select s||'a' collate nocase, count(*) from c group by 1 order by s||'a' collate nocase
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
? SELECT k FROM b UNION SELECT n FROM b LIMIT 1
? SELECT k FROM b UNION SELECT n FROM b LIMIT 1 offset 0
? SELECT k FROM b UNION SELECT n FROM b LIMIT 1 offset 2
? SELECT k FROM b UNION SELECT n FROM b LIMIT 2
? SELECT k FROM b UNION SELECT n FROM b LIMIT 0
? SELECT k FROM b UNION SELECT n FROM b order by 1 LIMIT 1
? SELECT k FROM b UNION SELECT n FROM b union select id from b LIMIT 1
? SELECT k FROM b UNION ALL SELECT n FROM b union select id from b LIMIT 1
? SELECT k FROM b UNION SELECT n FROM b union all select id from b LIMIT 1
? SELECT k FROM b EXCEPT SELECT n FROM b LIMIT 1
? SELECT k FROM b UNION SELECT n FROM b EXCEPT select id from b LIMIT 1
? SELECT k FROM b EXCEPT SELECT n FROM b UNION select id from b LIMIT 1
? SELECT distinct k FROM b LIMIT 1
? select exists(SELECT k FROM b UNION SELECT n FROM b)
? select exists(SELECT k FROM b UNION SELECT n FROM b limit 4)
? select exists(SELECT k FROM b UNION SELECT n FROM b order by 1)
? select (SELECT k FROM b UNION SELECT n FROM b)
? select * from b where k in (SELECT k FROM b UNION SELECT n FROM b limit 1)
? select * from (SELECT k FROM b UNION SELECT n FROM b limit 1)
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index i_b1 on b(s)
create index i_b2 on b(d, k)
? SELECT count(DISTINCT s) FROM b WHERE d < '2024-03' GROUP BY s, n
? SELECT count(DISTINCT k) FROM b WHERE d < '2024-03' GROUP BY s, n
? SELECT count(DISTINCT n) FROM b WHERE d < '2024-03' GROUP BY s, n
? SELECT count(DISTINCT s) FROM b WHERE d < '2024-03' GROUP BY s, n,k
? SELECT count(DISTINCT s), max(k) FROM b WHERE d < '2024-03' GROUP BY s, n
? SELECT count(DISTINCT s) FROM b WHERE d < '2024-03' GROUP BY s, n, s
? SELECT count(*) FROM b WHERE d < '2024-03' GROUP BY s, n, s
? SELECT count(*) FROM b WHERE d < '2024-03' GROUP BY s, n, k
? SELECT count(*) FROM b WHERE d < '2024-03' GROUP BY s, n
? SELECT count(*) FROM b WHERE d < '2024-03' GROUP BY s, n ORDER BY s,n,k
? SELECT 1 FROM b WHERE d < '2024-03' ORDER BY s, n
? SELECT 1 FROM b WHERE d < '2024-03' ORDER BY s, n, s
? SELECT 1 FROM b WHERE d < '2024-03' ORDER BY s, n, k
? SELECT count(DISTINCT s) FROM b GROUP BY s
? SELECT count(DISTINCT s) FROM b GROUP BY s ORDER BY s DESC
? SELECT count(DISTINCT k) FROM b GROUP BY d
? SELECT count(DISTINCT d) FROM b GROUP BY d
? SELECT count(DISTINCT d) FROM b GROUP BY d, k
? SELECT count(DISTINCT k) FROM b GROUP BY d, k
? SELECT count(DISTINCT k) FROM b GROUP BY k, d
? SELECT s, count(DISTINCT s) FROM b GROUP BY s ORDER BY s
