-- Constants take the place of columns that are equal to them; what is an automatic index of some rows only.
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
? SELECT x.id, y.id FROM b AS y JOIN b AS x where y.k=1 and x.k=y.k
? SELECT x.id, y.id FROM b AS y JOIN b AS x where y.k=1 and y.k=x.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and y.k=x.k
? SELECT x.id, y.id FROM b AS y JOIN b AS x where y.k=5 and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.k=1
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.s='1' and x.s=y.s
? SELECT x.id, y.id FROM b AS y JOIN b AS x where y.s='1' and x.s=y.s
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.k>y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.s>y.s
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.s>y.s and x.n=y.n
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1 and x.s>'a' and x.n=y.n
? SELECT x.id, y.id FROM b AS x JOIN b AS y where x.s>'a' and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s>'a' and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where (y.s>'a' or y.s is null) and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s between 'a' and 'b' and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s in ('a','b') and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s in (select s from c) and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s=(select s from c) and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s is not null and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.s like 'a%' and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.id>5 and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where y.id=5 and x.n=y.n
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where x.n=y.n and y.s=y.d
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where x.n=y.n and abs(y.k)>3
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where x.n=y.n and random()>3
? SELECT x.id, y.id FROM b AS x CROSS JOIN b AS y where x.n=y.n and y.k>random()
? SELECT x.id, y.id FROM b AS x LEFT JOIN b AS y on x.n=y.n and y.k>3
? SELECT x.id, y.id FROM b AS x LEFT JOIN b AS y on x.n=y.n where y.k>3 or y.k is null
? SELECT x.id, y.id FROM b AS x LEFT JOIN b AS y on x.n=y.n where y.k is null
? SELECT x.id, y.id FROM b AS x JOIN b as y ON x.n=y.n and y.k>3 left join b as z on z.k=y.k
? SELECT x.id, y.id FROM b AS x CROSS JOIN c as y ON x.n=y.n and y.k>3
? SELECT x.id, y.k FROM b AS x CROSS JOIN (select k,max(n) as n from b group by 1) as y ON x.n=y.n and y.k>3
? SELECT x.id, y.k FROM b AS x CROSS JOIN (select k, n from b limit 5) as y ON x.n=y.n and y.k>3
? SELECT x.id, y.k FROM b AS x CROSS JOIN (select k, n from b limit 5) as y ON x.n=y.n and y.k=3
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table c(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create table u(a, b, c)
create index ic on c(n)
? SELECT b.id from b cross join c where b.k=1 and c.n=b.k
? SELECT b.id from c join b where b.k=1 and c.n=b.k
? SELECT x.c from u x join u y where y.a=1 and x.a=y.a
? SELECT x.c from u x join u y where y.a='a' and x.a=y.a
? SELECT x.c from u x join u y where y.a=1 and x.a>y.a
? SELECT x.c from u x join u y where y.a=1 and x.a=abs(y.a)
? SELECT x.c from u x join u y where y.a=1 and x.a=y.a+1
? SELECT x.c from u x join c y where y.k=1 and x.a=y.k
? SELECT x.c from u x join c y where y.s='a' and x.a=y.s
? SELECT x.c from u x join c y where y.s='a' and y.s=x.a
? SELECT x.c from u x join c y where x.a='a' and y.s=x.a
? SELECT x.c from u x join c y where x.a=1 and y.k=x.a
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=(select 1) and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=abs(-1) and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1.0 and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=1.5 and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k=null and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y where y.k='1' and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y on x.k=y.k where y.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y on x.k=y.k and y.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y on x.k=y.k left join c on c.k=y.n where y.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y on x.k=y.k right join c on c.k=y.n where y.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y right join c on c.k=y.n where y.k=7 and x.k=y.k
? SELECT x.id, y.id FROM b AS x JOIN b AS y using(k) where y.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y using(k) where x.k=7
? SELECT x.id, y.id FROM b AS x JOIN b AS y using(k) where k=7
? SELECT x.id, y.id, c.n FROM b AS x JOIN b AS y JOIN c where x.k=7 and y.k=x.k and c.k=y.k
? SELECT x.id, y.id, c.n FROM b AS x JOIN b AS y JOIN c where c.k=y.k and y.k=x.k and x.k=7
? SELECT x.id FROM b AS x JOIN b AS y where y.s='x' and x.s=y.s collate nocase
? SELECT x.id FROM b AS x JOIN b AS y where y.s='x' and x.s collate nocase=y.s
? SELECT x.id FROM b AS x JOIN b AS y where y.s='x' and x.s in (y.s,'z')
? SELECT x.id FROM b AS x JOIN b AS y where y.s='x' and x.s in (y.s)
? SELECT x.id FROM b AS x JOIN b AS y where y.k=2 and x.k is y.k
? SELECT x.id FROM b AS x JOIN b AS y where y.k=2 and x.k between y.k and 6
? SELECT x.id FROM b AS x where x.k=2 and exists (select 1 from b y where y.k=x.k)
? SELECT x.id, (select y.n from b y where y.k=x.k) from b x where x.k=2
? SELECT x.id FROM b AS x JOIN b AS y where y.id=2 and x.k=y.id
? SELECT x.id FROM b AS x JOIN b AS y where y.k=2 and x.id=y.k
===
create table w(id int, k int, s text, n real, d text, primary key(k,id)) without rowid
create table b(id int, k int, s text, n real, d text)
create index bk on b(k)
? select x.n, y.n from w x join w y on x.k=y.k where x.k=2
? select x.n, y.n from w x join w y on x.k=y.k where y.k=2
? select x.n, y.n from w x right join w y on x.k=y.k where x.k=2
? select x.n, y.n from w x right join w y on x.k=y.k where x.k=2 order by y.s
? select x.n, y.n from w x join w y on x.k=y.k where x.k=2 order by y.s
? select x.n, y.n from w x join w y on x.k=y.k where x.k=1
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 order by y.s
? select x.n, y.n from b x join b y on x.k=y.k where x.k=1
? select x.n, y.n from b x join b y on x.k=y.k where y.k=1
===
create table b(id int, k int, s text, n real, d text)
create index bk on b(k)
create table c(id int, k int, s text, n real, d text)
create index ck on c(k, n)
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2
? select x.n, y.n from b y join b x on x.k=y.k where x.k=2
? select x.n, y.n from b y join b x where x.k=2 and y.k=2
? select x.n, y.n from b y join b x on x.k=y.k where x.k=2 and x.s='x'
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and y.s='x'
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and x.s='x'
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and x.n>4
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and y.n>4
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and y.n>4 and y.id>3
? select x.n, y.n from b y join b x on x.k=y.k where y.k=2 and y.n>4 and y.id>3 and y.d>4
? select x.n, y.n from b y join c x on x.k=y.k where y.k=2
? select x.n, y.n from c y join b x on x.k=y.k where y.k=2
? select x.n, y.n from b x, b y, b z where x.k=y.k and y.k=z.k and x.k=2
? select x.n, y.n from b x, b y, b z where x.k=y.k and x.k=z.k and x.k=2
? select x.n, y.n from b x, b y, b z where x.k=y.k and z.n=y.n and x.k=2
===
create table b(id int, k int, s text, n real, d text)
create index bk on b(k)
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n>4
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n>4 and x.d>3
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n>4 and x.d>3 and x.s>3
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n=4
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n=4 and y.n=4
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n=4 and y.n=4 and x.d>3
? select x.n, y.n from b x join b y on x.k is y.k where x.k=2
? select x.n, y.n from b x join b y on x.k>y.k where x.k=2
? select x.n, y.n from b x join b y on x.k>y.k where x.k=2 and x.n>4
drop index bk
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2
? select x.n, y.n from b x join b y on x.k=y.k where x.k=2 and x.n>4
? select x.n, y.n from b x join b y on x.k=y.k where y.k=2 and y.n>4
? select x.n, y.n from b x join b y on x.k=y.k where y.k=2
===
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d)
create table e(x INT, y TEXT, z)
create index bk on b(k)
? SELECT id FROM b WHERE n = 1 AND k > n + 1
? SELECT id FROM b WHERE n = 1 AND k IN (n, n + 1)
? SELECT id FROM b WHERE d = 1 AND k > d
? SELECT id FROM b WHERE d = 1 AND k > d + 1
? SELECT x.id, y.id FROM b AS x JOIN b AS y WHERE x.s = 'x' AND y.k = length(x.s) + 1
? SELECT x.id FROM b AS x, b AS y WHERE x.n = 1 AND y.n = x.n + 1 AND y.k > y.n + 1
? SELECT x.id FROM b AS x, e AS y WHERE y.x = cast(1 as int) AND x.k = y.x + 1
? SELECT x.id FROM b AS x LEFT JOIN e AS y ON y.x = 1 AND y.y = y.x + 1 WHERE x.n = 2 AND x.k = x.n + 1
? SELECT count(*) FROM e JOIN (SELECT id AS i, s FROM b ORDER BY s LIMIT 0) AS q ON q.i = e.x
