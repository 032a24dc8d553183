-- Automatic indexes: Bloom filters need the collation BINARY, conditions on the table and constants make them partial.
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT collate nocase, n REAL, d TEXT)
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT x.k, y.s collate nocase FROM b AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT x.k, y.s collate rtrim FROM b AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT DISTINCT x.k, y.s collate nocase FROM b AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT DISTINCT x.k, y.s FROM b AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT x.k, y.s FROM c AS x CROSS JOIN b AS y ON x.s = y.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN c AS y ON x.s = y.s
? SELECT x.k, y.s FROM c AS x CROSS JOIN c AS y ON x.s = y.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN c AS y ON y.s = x.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.s = x.s collate nocase
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.s = x.s and y.k=x.k
? SELECT x.k, y.s FROM c AS x CROSS JOIN c AS y ON y.s = x.s and y.k=x.k
? SELECT x.k, y.s FROM c AS x CROSS JOIN c AS y ON y.k=x.k and y.s = x.s
? SELECT x.k, y.s FROM c AS x CROSS JOIN c AS y ON y.n = x.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.k = x.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.s = x.k
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.s is x.s
? SELECT x.k, y.s FROM b AS x CROSS JOIN b AS y ON y.n = x.n
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT collate nocase, n REAL, d TEXT)
create table bl(id INTEGER PRIMARY KEY, k INT, s , n REAL, d TEXT)
? SELECT x.k, y.s FROM c AS x CROSS JOIN c AS y ON x.s = y.n
? SELECT x.k, y.s FROM c AS x CROSS JOIN bl AS y ON x.s = y.s
? SELECT x.k, y.s FROM bl AS x CROSS JOIN bl AS y ON x.s collate nocase = y.s
? SELECT x.k, y.s FROM bl AS x CROSS JOIN bl AS y ON x.s collate nocase is y.s
? SELECT x.k, y.s FROM b AS x join (select max(s) as s,k from c group by k) AS y ON x.s = y.s
? SELECT x.k, y.s FROM c AS x join (select max(s) as s,k from c group by k) AS y ON x.s = y.s
? SELECT x.k, y.s FROM (select max(s) as s,k from c group by k) AS y cross join c as x ON x.s = y.s
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index bi on b(k)
? select * from b join c on b.n=c.n where exists(select 1 from b z where z.k=c.k)
? select * from b join c on b.n=c.k where exists(select 1 from c z where z.k=b.k)
? select * from c join b on b.k=c.k where exists(select 1 from c z where z.k=b.n)
? select * from c where k=4 and exists(select 1 from b z where z.k=c.k)
? select * from c where k=4 and exists(select 1 from b z where z.n=c.k)
? select * from c where exists(select 1 from b z where z.n=5)
? select * from c where exists(select 1 from b z where z.k=5)
? select * from c where exists(select 1 from b z where z.k=5 and c.k>4)
? select * from c where exists(select 1 from b z where z.k>5 and c.k>4) and exists(select 2 from c y where y.n=c.n)
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
? select * from b join c on b.n=c.n where 1
? select * from b join c on b.n=c.n where abs(5)=5
? select * from b join c on b.n=c.n where 5=5
? select * from b left join c on b.n=c.n and 1
? select id, sum(n) over (order by k) from b
? select id, sum(n) over (order by k) from b where k=4
? select id, sum(n) over (order by k), max(n) from b group by k
? select sum(n) over (order by k), k from b limit 3
===
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(k, id)) WITHOUT ROWID
CREATE TABLE b(id INT, k INT, s TEXT, n REAL, d TEXT)
CREATE INDEX bk ON b(k, s)
CREATE INDEX i_w0 ON w(k, s)
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2)
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2)
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2)
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2)
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1)
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1)
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1)
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1)
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1)
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1)
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1)
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1)
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.k
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.k
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.k
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.k
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND (y.k, y.id) IN (SELECT 1,2) ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) AND y.id = 1 ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (SELECT 1) ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id IN (SELECT 1) ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k = 1 AND y.id = 1 ORDER BY x.d
? SELECT 1 FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.d
? SELECT 1 FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.d
? SELECT * FROM w AS x CROSS JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.d
? SELECT * FROM w AS x JOIN w AS y WHERE x.s = y.s AND y.k IN (1,2) AND y.id = 5 ORDER BY x.d
