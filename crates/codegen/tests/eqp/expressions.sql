-- Indexes on expressions that cover a query, and generated columns, which to SQLite may be made of all others.
create table t(a,b,c,d)
create index i1 on t(length(c))
? SELECT length(c) FROM t WHERE length(c)=3
? SELECT length(c) FROM t
? SELECT rowid FROM t WHERE length(c)=3
? SELECT rowid,length(c),c FROM t WHERE length(c)=3
? SELECT rowid,a FROM t WHERE length(c)=3
? SELECT length(c)+1 FROM t order by length(c)
? SELECT count(*) FROM t where length(c)>3
? SELECT length(c),count(*) FROM t group by length(c)
? SELECT max(length(c)) FROM t
create index i2 on t(a%3,b)
? SELECT b FROM t WHERE a%3=1
? SELECT b,a%3 FROM t WHERE a%3=1
? SELECT b,a%3 FROM t WHERE a%3=1 and b>5
? SELECT b,a FROM t WHERE a%3=1 and b>5
? SELECT sum(b) FROM t WHERE a%3=1 and b>5
? SELECT x.b FROM t x join t y on x.a%3=y.a%3
? UPDATE t set d=1 where a%3=1
? DELETE FROM t where a%3=1
? SELECT b FROM t where a%3=1 order by b
? SELECT a%3 FROM t order by b
? SELECT b FROM t left join (select 1 as z) on a%3=z
? SELECT distinct a%3 FROM t
? SELECT a%3 FROM t where b=3
create table w(k primary key, a,b,c) without rowid
create index iw on w(a+1)
? SELECT k,a+1 FROM w where a+1>5
? SELECT k,a+1 FROM w
? SELECT a+1,a FROM w where a+1>5
? SELECT a+1 FROM w where a+1>5 and c=1
? UPDATE w SET c=1 WHERE a+1=3
create table g(a, b as (a+1), c as (a||'x') stored)
create index ig on g(b)
? SELECT b FROM g where b=3
? SELECT b FROM g
? SELECT a+1 FROM g
create index ip on t(a*2) where b>3
? SELECT a*2 FROM t where b>3
? SELECT a*2 FROM t where b>3 and a*2=5
? SELECT (select count(*) from t t2 where t2.a*2=t.a*2) FROM t
? SELECT a FROM t where length(c) between 3 and 4 and a*2=1
create table o(x,y)
? SELECT length(c) FROM t GROUP BY length(c)
? SELECT count(*) FROM t GROUP BY length(c)
? SELECT length(c), sum(length(c)) FROM t
? SELECT sum(length(c)) FROM t
? SELECT sum(b) FROM t GROUP BY a%3
? SELECT count(*) FROM t WHERE length(c)=1 HAVING max(length(c))>1
? SELECT y,b FROM t LEFT JOIN o ON a%3=x
? SELECT y,b FROM t JOIN o ON a%3=x
? SELECT y FROM o WHERE EXISTS (SELECT 1 FROM t WHERE length(c)=x)
? SELECT y FROM o WHERE (SELECT b FROM t WHERE a%3=x)
? SELECT y FROM o WHERE x IN (SELECT a%3 FROM t)
? SELECT y FROM o WHERE x IN (SELECT b FROM t WHERE a%3=1)
? SELECT z FROM (SELECT a%3 AS z, b FROM t) WHERE z=1
? SELECT z,a FROM (SELECT a%3 AS z, b,a FROM t) WHERE z=1
? SELECT a%3 FROM t UNION SELECT length(c) FROM t
? SELECT a%3 FROM t UNION ALL SELECT length(c) FROM t ORDER BY 1
? SELECT (SELECT max(x) FROM o WHERE y=a%3) FROM t
? SELECT (SELECT max(x) FROM o WHERE y=a%3), b FROM t WHERE a%3>2
? SELECT b FROM t WHERE a%3 IN (1,2)
? SELECT b FROM t WHERE a%3=1 OR length(c)=1
? SELECT b FROM t WHERE a%3=1 OR b=1
? SELECT a%3 FROM t INDEXED BY i2
? INSERT INTO o SELECT a%3,b FROM t WHERE a%3>1
? UPDATE o SET y=(SELECT b FROM t WHERE a%3=x)
? UPDATE o SET y=b FROM t WHERE a%3=x
? DELETE FROM o WHERE x IN (SELECT b FROM t WHERE a%3=1)
? SELECT DISTINCT b FROM t WHERE a%3=1
? SELECT DISTINCT length(c) FROM t
? SELECT b FROM t WHERE (a%3)+0=1
? SELECT b FROM t WHERE 3+(a%3)=1
? SELECT length(c) FROM t WHERE length(c) LIKE 'a%'
? SELECT min(length(c)) FROM t
? SELECT min(length(c)), a FROM t
? SELECT count(*) FROM t
? SELECT count(length(c)) FROM t
? SELECT length(c), b FROM t ORDER BY length(c) LIMIT 3
? SELECT length(c) FROM t WHERE b=1
? SELECT length(c) AS x FROM t WHERE x>1 ORDER BY x DESC
===
create table g(a, b as (a+1), c as (a||'x') stored, d)
create index ig on g(b)
? SELECT b FROM g where b=3
? SELECT a FROM g where b=3
? SELECT a+1 FROM g where a+1=3
? SELECT count(*) FROM g
create index ig2 on g(b,a)
? SELECT b FROM g where b=3
? SELECT a FROM g where b=3
? SELECT b FROM g
create index ig3 on g(b,a,c)
? SELECT b FROM g where b=3
? SELECT a FROM g where b=3
create index ig4 on g(b,a,c,d)
? SELECT b FROM g where b=3
? SELECT a FROM g where b=3
create index ig5 on g(c)
? SELECT c FROM g where c=3
? SELECT c FROM g
create index ig6 on g(d)
? SELECT d FROM g where d=3
===
CREATE TABLE w(a, b, c, d, PRIMARY KEY(a DESC, b)) WITHOUT ROWID
CREATE UNIQUE INDEX i_w0 ON w(b)
create index i_c on w(c)
? SELECT DISTINCT b FROM w WHERE c IS NOT NULL
? SELECT DISTINCT b FROM w 
? SELECT DISTINCT a,b FROM w WHERE d=1
? SELECT DISTINCT a FROM w WHERE d=1
? SELECT DISTINCT c FROM w WHERE d=1
create table t(a,b not null unique,c, d)
create index tc on t(c)
? SELECT DISTINCT b FROM t WHERE c IS NOT NULL
? SELECT DISTINCT b FROM t WHERE d=1
? SELECT DISTINCT b,c FROM t WHERE d=1
? SELECT DISTINCT b FROM t
? SELECT DISTINCT rowid FROM t where d=1
? SELECT DISTINCT c FROM t where d=1
===
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d)
CREATE INDEX i_t0 ON t(a DESC, b)
? SELECT a, b FROM t WHERE rowid > 1 ORDER BY a,b
? SELECT a, b FROM t WHERE rowid > 1 ORDER BY a
? SELECT a, b FROM t WHERE rowid > 1 ORDER BY a DESC,b
? SELECT a, b FROM t WHERE rowid > 1
? SELECT a, b FROM t WHERE a > 1 UNION SELECT 1,2
? SELECT a, b FROM t WHERE rowid > 1 UNION ALL SELECT 1,2 ORDER BY 1,2
? SELECT a, b FROM t UNION SELECT 1,2
? SELECT a, b,c FROM t WHERE a>1 UNION SELECT 1,2,3
? SELECT DISTINCT a, b FROM t WHERE rowid > 1
? SELECT DISTINCT a, b FROM t WHERE rowid > 1 ORDER BY a,b
? SELECT b FROM t WHERE rowid > 1
? SELECT b FROM t WHERE rowid between 1 and 4
? SELECT b FROM t WHERE rowid = 1
? SELECT b FROM t WHERE rowid in (1,2)
===
-- The rows that a RIGHT JOIN adds are not taken from the expressions of an index.
CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT)
CREATE TABLE r(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL)
CREATE TABLE w(id INT, k INT, s TEXT, n REAL, PRIMARY KEY(s DESC, id)) WITHOUT ROWID
CREATE INDEX i_r1 ON r(k + n)
CREATE INDEX i_r2 ON r(s, k + n)
CREATE INDEX i_w1 ON w(k + n)
? SELECT x.s, y.k + y.n FROM a AS x RIGHT JOIN r AS y
? SELECT x.s, y.k + y.n, y.s FROM a AS x FULL JOIN r AS y ON x.id = y.id
? SELECT x.s, y.k + y.n FROM a AS x RIGHT JOIN r AS y WHERE y.k + y.n > 2
? SELECT x.s, y.k + y.n FROM a AS x RIGHT JOIN r AS y WHERE y.s > 2 AND y.k + y.n > 3
? SELECT count(*) FROM a AS x RIGHT JOIN r AS y
? SELECT DISTINCT x.s, y.k + y.n FROM a AS x FULL JOIN w AS y ON x.id = y.id ORDER BY x.s
