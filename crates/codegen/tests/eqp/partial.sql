-- Partial indexes cover the columns that their WHERE makes equal to constants.
create table t(id integer primary key,a int,c int,s text,n real)
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index i on t(a) where c=5
create table w(id int, a int, c int, s text, n real, primary key(id)) without rowid
create index wi on w(a) where c=5
? select b.id, t.c from b left join t on t.a=b.k and t.c=5
? select b.id, t.c from b join t on t.a=b.k and t.c=5
? select b.id, t.c from b left join t on t.a=b.k where t.c=5
? select b.id, t.c from t join b on t.a=b.k left join b x on x.id=t.id where t.c=5
? select b.id, t.c from t join b on t.a=b.k right join b x on x.id=t.id where t.c=5
? update t set s='x' where c=5 and a=3
? delete from t where c=5 and a=3
? update t set a=c where c=5 and a>3
? select c from t where (c=5 and a=3) or (c=5 and a=4)
? select c from t where c=5 and a in (3,4)
? select a, c from w where c=5
? select a, c, n from w where c=5
? select count(*) from t where c=5
? select count(c) from t where c=5
? select max(a) from t where c=5
? select a, (select count(*) from b where k=t.c) from t where c=5
? select a from t where c=5 order by c, a
? select a,c from t where c=5 order by a desc, c
? select c, count(*) from t where c=5 group by c, a
? select * from t where c=5 and a=3
? select id, a, c from t where c=5 and a=3
? select x.a, y.a from t x join t y on x.a=y.a where x.c=5 and y.c=5
? select x.a, y.a from t x join t y on x.a=y.a and x.c=y.c where x.c=5
? select sum(a) over (order by a) from t where c=5
? select a from t where c=5 and s is null
? select exists(select 1 from t where c=5 and a=7)
? select * from b where exists(select 1 from t where c=5 and a=k)
? select * from b where k in (select a from t where c=5)
===
create table w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
create index i0 on w(d) where s is not null
create index i1 on w(k,s) where s is not null
? select * from w where s in ('x','y')
? select * from w where s in ('x','y') order by s collate nocase
? select * from w where s in ('x','y') order by s
? select * from w where s in ('x','y') order by k
? select * from w where s in ('x','y') order by n
? select * from w where s is not null order by n
? select * from w where s is not null order by s collate nocase
? select * from w where s is not null order by s collate nocase, s
? select * from w where s is not null order by s
drop index i0
create index i0 on w(d) where s is not null
? select * from w where s in ('x','y')
? select * from w where s in ('x','y') order by s collate nocase
? select * from w where s is not null order by s
create table t(id integer primary key,a int,b int,c int)
create index t1 on t(a) where c=5
create index t2 on t(a,b) where c=5
? select a from t where c=5
? select a,c from t where c=5
? select a,c,b from t where c=5
? select a,c,b from t where c=5 and b>3
? select a,c,b from t where c=5 order by a
? select a,b from t where c=5 and a=3
? select a,b from t where c=5 and a=3 and c>2
? select max(c) from t where c=5 and a=3
create index t3 on t(a,b) where c>5
? select a,b,c from t where c>5 and a=3
? select a,b from t where c>5 and a=3
? select a,b from t where c>5
? select a,b from t where c>5 order by a,b
create index t4 on t(b) where c is null
? select b,c from t where c is null
? select b from t where c is null
create table x(id integer primary key,a text,b text,c text)
create index x1 on x(a) where c='q'
? select a,c from x where c='q'
? select a,c from x where c='q' and a>'e'
? select a,c from x where 'q'=c and a>'e'
? select a from x where c='q' and a>'e'
===
-- What follows from an OR counts, too: an IN, or the comparison that both of its branches have.
CREATE TABLE b(id INT, k INT, s TEXT, n REAL, d TEXT)
CREATE INDEX i1 ON b(d) WHERE s IS NOT NULL
CREATE INDEX i2 ON b(id) WHERE k IS NOT NULL
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = ('X', 3)
? SELECT * FROM b WHERE (k, s) = (1, 'X') OR (s, k) = ('X', 3)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, n) = ('X', 3)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (n, s) = (3, 'X')
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR s = 'X'
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR s = 'Y' OR s = 'Z'
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR n = 'X'
? SELECT * FROM b WHERE (n, k) = ('X', 1) OR k = 3
? SELECT * FROM b WHERE (n, k) = ('X', 1) OR (k, n) = (2, 3)
? SELECT * FROM b WHERE (n, k) = ('X', 1) OR (n, k) = (2, 3)
? SELECT * FROM b WHERE (s, k) = ('X', 1)
? SELECT * FROM b WHERE (n, k) = ('X', 1)
? SELECT * FROM b WHERE s > 1 OR s < 0
? SELECT * FROM b WHERE s = 1 OR s = 0
? SELECT * FROM b WHERE (s = 1 AND k = 1) OR (s = 0 AND k = 1)
? SELECT * FROM b WHERE s = 'X' OR (s, k) = ('X', 3)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = ('X', n)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = (n, 3)
? SELECT * FROM b WHERE (s, k) > ('X', 1) OR (s, k) = ('X', 3)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = ('X', 3) OR (s, k) = ('X', 4)
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = ('X', 3) OR s = 'X'
? SELECT * FROM b WHERE (s, k) = ('X', 1) OR (s, k) = ('X', 3) OR (s, n) = ('X', 4)
CREATE INDEX i3 ON b(n) WHERE d > 5
CREATE INDEX i4 ON b(n) WHERE d = 7
? SELECT * FROM b WHERE d > 5 AND k = 1 OR d > 5 AND k = 2
? SELECT * FROM b WHERE d = 7 AND k = 1 OR 7 = d AND k = 2
? SELECT * FROM b WHERE d = 7 AND k = 1 OR d = 7
? SELECT * FROM b WHERE d = 5 OR d > 5
? SELECT * FROM b WHERE s BETWEEN 1 AND 2 OR s = 2
? SELECT * FROM b WHERE s BETWEEN 1 AND 2 OR s = 1
? SELECT * FROM b WHERE s = b.id OR s = b.id
? SELECT * FROM b LEFT JOIN b AS c ON c.s = 1 OR c.s = 2 WHERE b.id = 1
? SELECT * FROM b LEFT JOIN b AS c ON c.id = b.id AND (c.s = 1 AND c.k = 1 OR c.s = 1) WHERE b.id = 1
? SELECT * FROM b LEFT JOIN b AS c ON c.id = b.id WHERE (c.s = 1 AND c.k = 1 OR c.s = 1)
? SELECT * FROM b, b AS c WHERE (c.s = b.id AND c.k = 1 OR c.s = b.id)
? SELECT * FROM b, b AS c WHERE (c.s = b.id OR c.s = b.k)
