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
