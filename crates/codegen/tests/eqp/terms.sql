-- The order of the conditions decides between plans: WHERE, then ON; of a query in FROM first; of EXISTS last.
create table w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index i_w1 on w(k)
? select x.n, y.k from w x left join b y on x.id=y.n where x.k=1 or x.s='y'
? select x.n, y.k from w x left join b y on x.id=y.n where x.s='y' or x.k=3
? select x.n, y.k from w x cross join b y on x.id=y.n where x.s='y' or x.k=3
? select x.n, y.k from w x cross join b y on x.k+1=y.n where x.s='y' or x.k=3
? select x.n, y.k from w x cross join b y on x.k+1=y.id where x.s='y' or x.k=3
? select x.n, y.k from w x cross join b y on x.k=y.id where x.s='y' or x.k=3
? select x.n, y.k from w x cross join b y on x.k=y.id where x.s>'y'
? select x.n, y.k from w x cross join b y on y.id=x.k where x.s>'y'
? select x.n, y.k from w x cross join b y on y.id=x.k
? select x.n, y.k from w x cross join b y on y.id=x.k+0
? select x.n, y.k from w x cross join b y on y.id=x.s where x.k+1>5
? select x.n, y.k from w x cross join b y where x.k+1>5 and y.id=x.s
? select x.n from w x where x.k+1>5
? select x.n from w x where x.k+1=5
? select x.n from w x where x.k+1=5 and x.s=3
? select x.n from w x where x.s=3 and x.k+1=5
? select x.n from w x where x.k<>5
? select x.n from w x where x.k<>5 and x.k<>6 and x.k<>7
===
create table w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index i_w1 on w(k)
create index i_b1 on b(k)
? select x.n, y.k from w x cross join b y where x.s>'y' and y.id=x.k
? select x.n, y.k from w x cross join b y where y.id=x.k and x.s>'y'
? select x.n, y.k from w x cross join b y on y.id=x.k and x.s>'y'
? select x.n, y.k from w x cross join b y on x.s>'y' and y.id=x.k
? select x.n, y.k from w x cross join b y on y.id=x.k where x.s>'y'
? select x.n, y.k from w x cross join b y on x.s>'y' where y.id=x.k
? select y.id from w x cross join b y on y.k=x.k and y.s>'x'
? select y.id from w x cross join b y on y.k=x.k where y.s>'x'
===
create table w(id INT, k INT, s TEXT, n REAL, d TEXT, PRIMARY KEY(id)) WITHOUT ROWID
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT)
create index i_w1 on w(k)
create index i_b1 on b(k)
? select x.n, y.k from (select * from w where s>'y') x cross join b y on y.id=x.k
? select x.n, y.k from (select * from w where k+1=7) x cross join b y where x.s>'y'
? select x.n, y.k from (select * from w where k+1=7) x cross join b y on x.s>'y'
? select x.n, y.k from w x cross join (select * from b where k>3) y on y.id=x.k
? select x.n, y.k from w x cross join (select * from b where k>3) y where y.id=x.k and x.s>'a'
? select x.n, y.k from (select * from w where s>'y') x cross join b y where y.id=x.k
? select x.n, y.k from (select k,n,s from (select * from w where k+1=7) where s>'x') x cross join b y
? select x.n, y.k from (select k,n,s from (select * from w where s>'x') where k+1=7) x cross join b y
? select n from w x where s>'x' and exists(select 1 from b y where y.id=x.k)
? select n from w x where exists(select 1 from b y where y.id=x.k) and s>'x'
? select n from w x where exists(select 1 from b y where y.id=x.k and x.s>'a')
? select x.n from w x join b y using(k) cross join b z on z.id=x.k where x.s>'a'
? select x.n from w x cross join b z on z.id=x.k cross join b y on y.id=x.s
? select x.n from w x cross join b z on z.id=x.s cross join b y on y.id=x.k
===
-- TRUE and FALSE are no numbers where SQLite guesses how many rows a column equals them in.
create table customer(id INTEGER NOT NULL PRIMARY KEY, f BOOLEAN DEFAULT true, g INTEGER)
create table orders(id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER, placed DATETIME)
create index i on orders(customer_id, placed)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=1
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=true
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=false
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=0
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IS true
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IS 1
? select e.* from orders e join customer k on e.customer_id=k.id where true=k.f
? select e.* from orders e join customer k on e.customer_id=k.id where 1=k.f
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=+1
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=-1
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=+true
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=(1)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=(true)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=1.0
? select e.* from orders e join customer k on e.customer_id=k.id where k.f='1'
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=NULL
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=2
? select e.* from orders e join customer k on e.customer_id=k.id where k.f
? select e.* from orders e join customer k on e.customer_id=k.id where NOT k.f
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IS NOT true
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=1 AND k.g=1
? select e.* from orders e join customer k on e.customer_id=k.id where k.f=true AND k.g=true
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IN (true)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IN (1)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f IN (true,false)
? select e.* from orders e join customer k on e.customer_id=k.id where k.f<>true
===
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(k, id));
CREATE TABLE w(id INT, k INT, s TEXT COLLATE NOCASE, n REAL, d TEXT, UNIQUE(s, id), PRIMARY KEY(id)) WITHOUT ROWID;
CREATE INDEX i_w1 ON w(k DESC);
? SELECT * FROM (SELECT k, n FROM w) AS c WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = c.k) AND n > 0 ORDER BY k, k LIMIT 5
? SELECT k, n FROM w INDEXED BY i_w1 WHERE n > 0 AND EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k)
? SELECT k, n FROM w INDEXED BY i_w1 WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND n > 0
? SELECT k, n FROM w INDEXED BY i_w1 WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k)
? SELECT k, n FROM w INDEXED BY i_w1 WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k AND w.n) AND n > 0
? SELECT k, n FROM w INDEXED BY i_w1 WHERE n > 0 AND EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND s > 0
? SELECT k, n FROM w INDEXED BY i_w1 WHERE +k > 0 AND EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND s > 0
? SELECT k, n FROM w INDEXED BY i_w1 WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND n > 0
? SELECT k, n FROM w INDEXED BY i_w1 WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k) AND EXISTS (SELECT 1 FROM b AS e WHERE e.id = w.k)
? SELECT count(*) FROM w WHERE EXISTS (SELECT 1 FROM b)
? SELECT max(k) FROM w WHERE EXISTS (SELECT 1 FROM b)
? SELECT min(k) FROM w WHERE EXISTS (SELECT 1 FROM b WHERE b.n = w.n)
? select * from w x join b y on 7 or y.k
? select * from w x join b y where 7 or x.k
? select * from w x join b y where x.k or true
? select * from w x join b y where x.k or 2.5
? select * from w x join b y where x.k or '1'
? select * from w x join b y where (x.k or 7) and y.k = 2
? select * from w x join b y where x.k = 1 or 7
? select * from w x join b y where y.n or (x.k or 7)
? select * from w x join b y on x.id = y.n where x.s = 'y' or (x.k = 2 and (y.n or 7))
? select * from w x left join b y on x.id = y.n or 1
? select * from w x left join b y on x.id = y.n and (y.k or 1)
? select * from w x where x.k = 1 and (x.id or 1)
