-- After ANALYZE with data: what samples (sqlite_stat4) say about constants and ranges.
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%40, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<60) SELECT x FROM n)
insert into e select x, x%40, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<30) SELECT x FROM n)
create index i0 on c(a,c,b,d)
create index i1 on c(c,b DESC)
analyze
create index late on c(a)
? SELECT * FROM c WHERE c.c LIKE '%'
? SELECT * FROM c WHERE c.a IS '2' AND c.c <= 'a' ORDER BY a
? SELECT a,b FROM c WHERE c.d > 'xx' AND c.a = 'b' AND c.c IN ('b',12)
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b > -1 AND c.a IN (1e9)
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b <> 30 AND c.c = +1
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d = 'xxxxxxx' AND c.a <= NULL
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c BETWEEN 1.5 AND 0 AND c.b IN (+1,-1,-1)
? SELECT * FROM c WHERE c.a = 38
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c BETWEEN 'x' AND 1e9 AND c.c >= 'B' AND c.d < 'xx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b = 1e9 AND c.b IS NOT NULL
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d BETWEEN 'xxxx' AND 'xxxxxxx' AND c.d > 'x'
? SELECT a,b FROM c WHERE c.b <> 1e9 AND c.c LIKE 'a%' AND c.c = x'61'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c IN (1e9,x'61',+1) AND c.c LIKE 'x%'
? SELECT * FROM c WHERE c.c LIKE 'ab%' AND c.c LIKE 'x%' ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b >= 1
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE (c.c,c.d) >= (NULL,'xx') AND c.d <= 'xxx'
? SELECT * FROM c WHERE c.a <> 'a'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b <> '2' AND c.c LIKE '%'
? SELECT * FROM c WHERE c.a >= 15 AND c.c IS NULL AND (c.a,c.c) >= (true,+1) ORDER BY a
? SELECT * FROM c WHERE c.c LIKE 'ab%' AND (c.c,c.b) < (true,true)
? SELECT a,b FROM c WHERE c.a IS NULL AND c.a IN ('2',1e9)
? SELECT a,b FROM c WHERE c.d IS NULL AND c.b BETWEEN '2' AND 1e9
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%7, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<24) SELECT x FROM n)
insert into e select x, x%7, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<12) SELECT x FROM n)
create index i0 on c(b) WHERE a>3
create index ex on e(x)
analyze
? SELECT a,b FROM c WHERE c.a > 1e9 AND c.c IS 1e9
? SELECT a,b FROM c WHERE c.c IN (x'61',6,-1,true)
? SELECT * FROM c WHERE c.a IS NOT NULL AND c.c LIKE 'ab%' AND c.a = x'61'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b = true AND c.d IS NULL AND c.d IS NULL
? SELECT * FROM c WHERE c.c IS NOT NULL
? SELECT * FROM c WHERE (c.c,c.d) <= (1e9,'xxxxxxxx') AND c.d IN ('xxxxxx','xxxxxxxx')
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b BETWEEN x'61' AND 1
? SELECT * FROM c WHERE c.a < true AND c.a > 'x'
? SELECT * FROM c WHERE (c.b,c.a) >= (0,-1) AND c.a < 'B' AND (c.a,c.b) >= (x'61',-1)
? SELECT * FROM c WHERE c.c IS NULL AND c.c IN (1e9,'b') AND c.a IN (2)
? SELECT * FROM c WHERE c.d IS 'xxxxxx' AND c.d <> 'xxxxx' AND c.a = 4
? SELECT a,b FROM c WHERE c.b < NULL AND c.b IS NULL
? SELECT * FROM c WHERE c.c IN ('x',x'61',3) ORDER BY a
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b <= 3 AND c.a <= 1e9 AND c.c LIKE 'a%'
? SELECT a,b FROM c WHERE (c.c,c.b) <= (x'61','2') AND c.d > 'xxxxxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c <= 6
? SELECT * FROM c WHERE c.c LIKE 'x%'
? SELECT * FROM c WHERE c.d <> 'xx'
? SELECT * FROM c WHERE c.c IS NOT NULL AND c.b <= true
? SELECT * FROM c WHERE c.c LIKE 'x%'
? SELECT * FROM c WHERE c.c IN ('x') AND c.b <= x'61' ORDER BY a
? SELECT * FROM c WHERE c.c = x'61' AND c.d <= ''
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%3, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<60) SELECT x FROM n)
insert into e select x, x%3, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<30) SELECT x FROM n)
create index i0 on c(b)
create index i1 on c(c,b DESC)
create index i2 on c(c,b DESC)
analyze
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a <> -1
? SELECT * FROM c WHERE c.c = +1 AND c.d >= 'xxxxxxxx'
? SELECT * FROM c WHERE c.c < true
? SELECT * FROM c WHERE c.a IS NOT NULL ORDER BY a
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE (c.d,c.c) < ('',NULL) AND c.a > -1
? SELECT a,b FROM c WHERE c.b > NULL AND (c.b,c.d) = (1,'xxx')
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a = +1 AND c.a IN ('x',2)
? SELECT * FROM c WHERE c.c < 1.5 AND c.a IN (x'61',1) ORDER BY a
? SELECT * FROM c WHERE c.a = 1.5 AND c.d BETWEEN '' AND 'xxx' AND c.d > 'xxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c = 'B' AND c.a BETWEEN x'61' AND '2'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c IN ('2',x'61',1e9,'a')
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b = 1e9
? SELECT * FROM c WHERE c.d IS NOT NULL AND c.b >= +1 ORDER BY a
? SELECT * FROM c WHERE c.c LIKE 'x%' AND c.b = 1.5
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b <> 'a'
? SELECT * FROM c WHERE c.c >= +1 ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b IS NULL
? SELECT * FROM c WHERE c.a <= x'61'
? SELECT * FROM c WHERE c.c IS NULL AND c.d IS NULL AND c.d = 'xxxxxxxx'
? SELECT * FROM c WHERE c.c = -1 AND c.c = true ORDER BY a
? SELECT * FROM c WHERE c.c = 2 AND c.a = true ORDER BY a
? SELECT a,b FROM c WHERE c.b <> NULL AND (c.d,c.a) <= ('xxxxxx',NULL) AND c.c IS NULL
===
create table c(id, a, b INT, c TEXT COLLATE NOCASE, d, PRIMARY KEY(a, id)) WITHOUT ROWID
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%40, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<3) SELECT x FROM n)
insert into e select x, x%40, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<1) SELECT x FROM n)
create index i0 on c(b,c,d)
create index i1 on c(b)
create index i2 on c(c,a)
create index ex on e(x,y)
analyze
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a <= 'x' AND c.b = '2' AND c.d IS 'xxxxxx'
? SELECT * FROM c WHERE c.b IN (1.5,'a',+1,'2') AND c.b IN (21) AND c.d > 'xxxxxxxx'
? SELECT * FROM c WHERE c.b IS NOT NULL AND c.d IS 'xxxxxxx'
? SELECT a,b FROM c WHERE c.b <= 'c'
? SELECT * FROM c WHERE c.a IS NOT NULL AND c.c <= 1.5 AND c.a = 1.5
? SELECT * FROM c WHERE c.a IS '2' AND c.a < x'61'
? SELECT a,b FROM c WHERE c.d IN ('xxxxxxx') AND c.c = NULL
? SELECT * FROM c WHERE c.b IN (-1,+1,'2','a') AND c.c < 'x' ORDER BY a
? SELECT * FROM c WHERE c.b = 1 AND c.a > -1 ORDER BY a
? SELECT * FROM c WHERE c.d = '' AND c.b >= +1
? SELECT * FROM c WHERE c.d = '' AND c.b IS NULL ORDER BY a
? SELECT a,b FROM c WHERE c.a >= '2' AND c.d = 'xx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c >= NULL
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b BETWEEN -1 AND 'a' AND c.d = 'x'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c IN (+1,1)
? SELECT * FROM c WHERE c.c IN (1e9,-1,'2') AND c.b IS 30
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d IS 'xxxxxxxx'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b IN ('2') AND c.c = 1e9 AND c.a < -1
? SELECT * FROM c WHERE c.d IS NULL AND c.c <= x'61' AND c.d = 'xxx' ORDER BY a
? SELECT a,b FROM c WHERE c.d < 'xxxxxxxx' AND c.c LIKE '%' AND c.b IS NOT NULL
? SELECT * FROM c WHERE c.d = 'xxx' ORDER BY a
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%3, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<300) SELECT x FROM n)
insert into e select x, x%3, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<150) SELECT x FROM n)
create index i0 on c(b)
analyze
? SELECT * FROM c WHERE c.c LIKE 'x%' AND c.c BETWEEN -1 AND '2'
? SELECT * FROM c WHERE c.c IS NOT NULL
? SELECT * FROM c WHERE c.b = 1 AND c.a IS NOT NULL AND c.a <> 2 ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE (c.d,c.c) >= ('xxx',2) AND c.a = -1
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a BETWEEN -1 AND 1 AND c.c <> x'61' AND c.b BETWEEN 1e9 AND 0
? SELECT * FROM c WHERE c.d IS NULL AND c.b >= x'61' ORDER BY a
? SELECT * FROM c WHERE c.c = true AND c.d >= 'xxxxxxxx'
? SELECT * FROM c WHERE c.d BETWEEN 'xxxxx' AND 'xxxx' ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b BETWEEN -1 AND 2
? SELECT * FROM c WHERE c.c < true
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d <= 'xxxxx'
? SELECT * FROM c WHERE (c.c,c.a) > ('2',-1) AND c.a <= '2'
? SELECT a,b FROM c WHERE c.d = 'xxx' AND c.d = 'xxxxxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c LIKE 'a%'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a <= +1 AND c.a = '2'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c IN (+1,NULL,2,x'61')
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d BETWEEN 'xxxx' AND 'xx' AND c.c IS NOT NULL
? SELECT * FROM c WHERE c.a > 0 AND c.d IS 'xx'
? SELECT a,b FROM c WHERE c.a IS NOT NULL
? SELECT * FROM c WHERE c.d <= 'xxxxxxx' AND c.a IN (+1,NULL,true) AND c.d <> 'xxxxxxxx' ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c = '2' AND (c.c,c.a) > (2,'2')
? SELECT * FROM c WHERE c.d IS NOT NULL AND c.c IN (x'61')
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%7, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<300) SELECT x FROM n)
insert into e select x, x%7, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<150) SELECT x FROM n)
create index i0 on c(a)
create index i1 on c(a,c,b,d)
create index ex on e(x,y)
analyze
create index late on c(a)
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b <= x'61'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE (c.b,c.c) > (true,1.5)
? SELECT * FROM c WHERE c.c IS +1 AND c.d = 'xxxx' AND c.a > 3
? SELECT a,b FROM c WHERE c.a <= 1e9
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a = true AND c.d >= '' AND c.d >= 'x'
? SELECT * FROM c WHERE c.b < 'a' AND c.b IS NULL
? SELECT * FROM c WHERE c.d = 'xxxx'
? SELECT * FROM c WHERE c.d <= 'x' AND c.d >= 'xxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d > 'xxxxxx' AND c.a BETWEEN x'61' AND '2'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d >= 'xxx' AND c.c BETWEEN NULL AND 1.5 AND (c.c,c.a) > ('B',5)
? SELECT a,b FROM c WHERE c.d IN ('xxxxxxx') AND c.c LIKE 'a%' AND c.c LIKE '%'
? SELECT * FROM c WHERE c.d IN ('xx','xxxxxx','xxxxxx','xxxxxxxx') AND c.d = 'xxx' AND c.d IN ('xxxxxxxx')
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d IS 'x' AND c.c < '2' AND c.b IN (x'61',0,6)
? SELECT * FROM c WHERE c.d >= 'xxxxxxx' AND c.c > 1e9 AND c.a IS -1
? SELECT a,b FROM c WHERE (c.a,c.d) > (1.5,'xxx') AND c.c < 1e9
? SELECT a,b FROM c WHERE c.d = 'xxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c IS NOT NULL AND c.c = 1e9
? SELECT * FROM c WHERE c.a <= -1 AND c.a < 2 AND c.a IN (2,'c',+1) ORDER BY a
? SELECT * FROM c WHERE c.d IS NOT NULL AND c.a <= true
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d BETWEEN 'xxxxx' AND 'xxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d IS NULL
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%3, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<60) SELECT x FROM n)
insert into e select x, x%3, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<30) SELECT x FROM n)
create index i0 on c(a,c,b,d) WHERE a>3
analyze
? SELECT * FROM c WHERE c.c <= x'61' AND c.d IN ('xxx','xx','xxxxxx') ORDER BY a
? SELECT * FROM c WHERE c.d < 'xxxx' AND c.d = 'xxx' AND c.b IS NULL
? SELECT * FROM c WHERE c.a < 1.5 AND c.c LIKE 'ab%'
? SELECT * FROM c WHERE c.b <> +1
? SELECT * FROM c WHERE c.b IN (0,NULL,2)
? SELECT a,b FROM c WHERE c.c LIKE 'x%'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b BETWEEN 'x' AND 0 AND c.c <> NULL
? SELECT * FROM c WHERE c.a IN (0,0,NULL,2) AND c.c IS NULL AND c.c IN (-1,true,2) ORDER BY a
? SELECT * FROM c WHERE c.a IS x'61' AND c.b IN (true,1e9)
? SELECT * FROM c WHERE c.c BETWEEN true AND x'61' AND c.c <> 2 ORDER BY a
? SELECT * FROM c WHERE c.b IN (true,NULL,x'61',true)
? SELECT a,b FROM c WHERE c.b IN (-1) AND c.d BETWEEN 'x' AND 'xxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b = '2'
? SELECT * FROM c WHERE c.a <> '2' AND c.d = 'xxxxxx' ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a >= 1.5 AND c.c LIKE '%' AND c.b IS NULL
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a IN (+1,1e9)
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b IS 'b' AND c.a < +1
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b = x'61'
? SELECT * FROM c WHERE c.a = 'x'
? SELECT a,b FROM c WHERE (c.c,c.d) < (1e9,'xxxxxxxx')
? SELECT * FROM c WHERE c.c = NULL ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c IN (x'61',1e9) AND c.b IN ('2','a',NULL,0)
===
create table c(id, a, b INT, c TEXT COLLATE NOCASE, d, PRIMARY KEY(a, id)) WITHOUT ROWID
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%7, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<300) SELECT x FROM n)
insert into e select x, x%7, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<150) SELECT x FROM n)
create index i0 on c(a,c,b,d)
create index ex on e(x)
analyze
? SELECT * FROM c WHERE c.a < +1
? SELECT * FROM c WHERE c.c <= '2' AND c.a < 2
? SELECT * FROM c WHERE c.c IN (1.5,1,3,1e9)
? SELECT * FROM c WHERE c.a IS true AND c.b IS NULL ORDER BY a
? SELECT * FROM c WHERE c.c LIKE 'ab%'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a < 4
? SELECT * FROM c WHERE c.c IS NULL AND c.b <> -1
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE (c.a,c.c) <= (0,true) AND c.b >= +1 AND c.d <= 'xxx'
? SELECT * FROM c WHERE c.b IS NOT NULL AND c.c LIKE '%'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c = true AND c.b = -1
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c LIKE 'x%' AND c.c <= +1 AND c.c LIKE 'x%'
? SELECT * FROM c WHERE c.b <= 1.5 AND c.a < +1 ORDER BY a
? SELECT a,b FROM c WHERE (c.b,c.d) < (3,'xxxxxx') AND c.c IS 1.5
? SELECT a,b FROM c WHERE c.d IN ('xxx','') AND c.d IN ('x','xxxxxxx')
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a IN (1e9,1e9) AND c.b IS NULL
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a >= +1 AND c.a IN (x'61',x'61',NULL)
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c IN ('b',true)
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c BETWEEN -1 AND true AND c.b BETWEEN 0 AND '2'
? SELECT a,b FROM c WHERE c.c LIKE 'ab%' AND (c.a,c.b) >= (-1,NULL) AND c.a <> 1.5
? SELECT * FROM c WHERE c.b = 1e9
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d = 'xxxx'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a >= true
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%40, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<300) SELECT x FROM n)
insert into e select x, x%40, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<150) SELECT x FROM n)
create index i0 on c(c,b DESC)
create index i1 on c(b)
create index i2 on c(c) WHERE a>3
analyze
? SELECT * FROM c WHERE c.c <> x'61' AND c.d BETWEEN 'xx' AND '' AND c.d = 'xxxxxx'
? SELECT a,b FROM c WHERE c.d <> 'xxxxxxx' AND c.d IS 'xxxxx'
? SELECT a,b FROM c WHERE c.d < '' AND c.a >= 1.5
? SELECT * FROM c WHERE c.a IN (0,'B','2') AND c.c IS NULL
? SELECT * FROM c WHERE c.c >= -1 AND (c.d,c.a) >= ('xxxxx','B') AND c.a >= 28
? SELECT a,b FROM c WHERE c.c <> 1e9 AND c.a IN (true,true)
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a <> true
? SELECT a,b FROM c WHERE c.b IS NULL
? SELECT * FROM c WHERE c.a < -1
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d >= 'xxx' AND c.b <= '2'
? SELECT * FROM c WHERE c.a BETWEEN 38 AND '2' AND c.b > 1.5 ORDER BY a
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c BETWEEN x'61' AND 'x'
? SELECT a,b FROM c WHERE c.c = +1
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b < +1 AND c.b BETWEEN 1e9 AND NULL
? SELECT a,b FROM c WHERE c.b BETWEEN x'61' AND -1
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c LIKE 'a%' AND c.a IS NOT NULL
? SELECT * FROM c WHERE c.c < '2' AND c.a IN (13,'2',NULL,-1) AND c.b = 1.5 ORDER BY a
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b BETWEEN x'61' AND -1
? SELECT * FROM c WHERE c.d IS 'x' AND c.b >= +1
? SELECT * FROM c WHERE c.d <= 'xxxxxxx' AND (c.d,c.c) < ('xxxx',1.5)
? SELECT * FROM c WHERE c.a IS NULL AND c.a IN (+1,1e9)
? SELECT * FROM c WHERE c.c <= +1 AND c.a IN (x'61',+1)
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%3, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<60) SELECT x FROM n)
insert into e select x, x%3, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<30) SELECT x FROM n)
create index i0 on c(a,b)
create index i1 on c(c)
create index i2 on c(c,a) WHERE a>3
create index ex on e(x,y)
analyze
? SELECT * FROM c WHERE c.b <= 'a' AND c.c LIKE 'ab%'
? SELECT * FROM c WHERE c.b IS NULL AND c.a > 'c'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c <= 1e9 AND c.c LIKE '%'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b BETWEEN 0 AND '2'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b <> '2'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c IS 1 AND c.c LIKE 'a%'
? SELECT * FROM c WHERE c.d IS 'xxxxxxx' AND c.a <> '2' AND c.b <= NULL
? SELECT * FROM c WHERE c.a IN (+1,-1,true,'2') AND c.b IS NULL ORDER BY a
? SELECT a,b FROM c WHERE c.b IS NULL AND c.a > -1 AND c.d = 'x'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c > 1e9 AND c.c > 2 AND c.b IN ('a',2,'2')
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c LIKE '%' AND c.d = 'xxxx' AND c.a <= 1.5
? SELECT * FROM c WHERE c.b > -1
? SELECT * FROM c WHERE c.c IS NULL AND c.c = -1 AND c.c LIKE 'ab%' ORDER BY a
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.d <= 'xxx'
? SELECT * FROM c WHERE c.d <> 'xxxxxxxx' AND c.b IS true AND c.c IS +1
? SELECT * FROM c WHERE c.b IN (true,x'61',NULL,-1)
? SELECT * FROM c WHERE c.b >= 1e9
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.b < true AND c.d <= 'xxxxxx'
? SELECT a,b FROM c WHERE c.a IS NOT NULL
? SELECT * FROM c WHERE c.d = 'x'
? SELECT * FROM c WHERE c.b > '2' AND c.d IS NOT NULL AND c.b <= 1.5
===
create table c(id INTEGER PRIMARY KEY, a, b INT, c TEXT COLLATE NOCASE, d)
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%7, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<60) SELECT x FROM n)
insert into e select x, x%7, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<30) SELECT x FROM n)
create index i0 on c(c,a) WHERE a>3
create index i1 on c(a DESC, b)
create index i2 on c(a)
analyze
create index late on c(d,c)
? SELECT * FROM c WHERE c.a < 1e9 AND c.c >= NULL
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b IN (0) AND c.c BETWEEN 3 AND 1.5 AND c.a = 'c'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c LIKE 'a%' AND c.c LIKE 'ab%'
? SELECT a,b FROM c WHERE c.b >= 1.5 AND c.d <> 'xxxxxx'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c IN (NULL,1e9) AND c.a IN (1.5,+1,+1)
? SELECT * FROM c WHERE c.d IN ('xxx','xxxxxxx','xxxxxxx') AND c.c = 1e9 AND c.d < 'xxxx'
? SELECT a,b FROM c WHERE c.b > 1.5
? SELECT * FROM c WHERE c.d IS NULL
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c = +1
? SELECT * FROM c WHERE (c.c,c.a) >= (x'61',1.5) AND c.b < 'x' AND c.b <> +1 ORDER BY a
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c LIKE 'a%' AND c.a >= 0
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.a IN (-1,'2') AND c.d <= 'xxxxxxx'
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.b = x'61' AND c.a IS NULL AND c.d = 'xxx'
? SELECT * FROM c WHERE (c.c,c.d) > (true,'xxxxxxx') AND c.a > true AND c.c < true
? SELECT a,b FROM c WHERE (c.a,c.c) > (-1,1e9) AND c.c <> -1 AND c.c IS NOT NULL
? SELECT * FROM c WHERE c.b <> -1 ORDER BY a
? SELECT * FROM c WHERE c.c IS NULL AND c.a IS NULL
? SELECT a,b FROM c WHERE c.a IS NOT NULL AND c.b = -1
? SELECT * FROM c WHERE c.a = +1 ORDER BY a
? SELECT * FROM c WHERE c.a > true AND c.b < 'x'
? SELECT * FROM c WHERE c.c = 1 AND c.c LIKE 'ab%'
? SELECT * FROM c WHERE c.b IN (1,1,'B',+1)
===
create table c(id, a, b INT, c TEXT COLLATE NOCASE, d, PRIMARY KEY(a, id)) WITHOUT ROWID
create table e(id INTEGER PRIMARY KEY, x, y)
insert into c select x, x*x%40, iif(x%5, x%3/2.0, NULL), substr('abcABCdefg', x*7%10+1, 1+x%2), substr('xxxxxxx', x%7) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<24) SELECT x FROM n)
insert into e select x, x%40, x%3 FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<12) SELECT x FROM n)
create index i0 on c(c)
create index ex on e(x,y)
analyze
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d IS 'xx'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.c > 1e9 AND c.c >= NULL
? SELECT * FROM c WHERE c.c = +1 ORDER BY a
? SELECT * FROM c WHERE c.a IS NULL
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a >= '2' AND c.c < +1
? SELECT * FROM c WHERE c.c <= NULL ORDER BY a
? SELECT * FROM c WHERE c.b IS NOT NULL AND c.c <> true ORDER BY a
? SELECT * FROM c WHERE c.d IS 'xxxxxxx'
? SELECT * FROM c WHERE c.c < 10
? SELECT * FROM c WHERE c.c <> 'c' AND c.c IN (true,7) AND (c.d,c.b) <= ('xx','b')
? SELECT * FROM c WHERE c.d IN ('xxxx')
? SELECT * FROM c WHERE c.b = 1.5 AND c.a > true
? SELECT a,b FROM c WHERE c.c = 2 AND c.c = 1e9
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.c = 'B'
? SELECT * FROM c LEFT JOIN e ON c.a=e.id WHERE c.a <> x'61' AND c.a <= true
? SELECT * FROM c WHERE c.d IS NULL AND c.d IN ('xxxxxxxx','xxxxx') AND c.b IS -1
? SELECT * FROM c WHERE c.a = 2 AND c.c = 1 AND c.a IN (1e9,NULL,true) ORDER BY a
? SELECT * FROM c WHERE c.d IN ('xxxxxxxx','x') AND c.c BETWEEN x'61' AND 8 ORDER BY a
? SELECT * FROM c WHERE c.c IN (+1,true,'2') AND c.a = 36 AND c.d = 'xx'
? SELECT a,b FROM c WHERE c.d <= 'xxxxxxx' AND c.a = 2
? SELECT count(*) FROM c JOIN e ON c.a=e.x WHERE c.d = 'xxxxxxxx' AND c.c < 6
? SELECT * FROM c WHERE c.a IS NOT NULL
===
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(id, d))
INSERT INTO b VALUES (0, 2, 'X', 2.5, '2024-03-02')
INSERT INTO b VALUES (43, 2, 'x', 2.5, '2024-02-01')
INSERT INTO b VALUES (44, 1, 'X', -3, '2024-03-02')
INSERT INTO b VALUES (45, 3, 'X', 2.5, '2024-01-01')
INSERT INTO b VALUES (73, 2, 'z', NULL, '2024-04-02')
INSERT INTO b VALUES (74, 1, 'X', -3, '2024-03-03')
INSERT INTO b VALUES (75, 3, 'y', 2.5, '2024-04-01')
INSERT INTO b VALUES (79, 3, 'X', -3, '2024-04-03')
CREATE INDEX i_b1 ON b(k + n)
CREATE INDEX i_b2 ON b(k, s)
ANALYZE
? SELECT * FROM b INDEXED BY i_b2 WHERE (k, s) IN ((1, 'X'), (3, 'X'), (0, 'y'))
? SELECT * FROM b INDEXED BY i_b2 WHERE (k, s) IN (SELECT 1,2)
? SELECT * FROM b INDEXED BY i_b2 WHERE k IN (SELECT 1)
? SELECT * FROM b INDEXED BY i_b2 WHERE k IN (SELECT 1) AND s IN (SELECT 2)
? SELECT * FROM b INDEXED BY i_b1 WHERE (k, s) IN (SELECT 1,2)
? SELECT * FROM b INDEXED BY i_b1 WHERE k IN (SELECT 1)
? SELECT * FROM b WHERE (k, s) IN (SELECT 1,2)
? SELECT * FROM b WHERE (k, s) IN (SELECT 1,2) ORDER BY k + n
? SELECT * FROM b WHERE (k, s) IN (SELECT 1,2) ORDER BY k
? SELECT * FROM b WHERE k IN (SELECT 1) ORDER BY k + n
? SELECT * FROM b WHERE k IN (SELECT 1) AND s IN (SELECT 2) ORDER BY k + n
? SELECT * FROM b WHERE (k, s) IN (SELECT 1,2) ORDER BY k, s
===
CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id))
INSERT INTO a VALUES (0, 2, 'yy', -3, '2024-01-03')
INSERT INTO a VALUES (2, 2, 'x', 1, '2024-04-01')
INSERT INTO a VALUES (15, 2, 'X', 2, '2024-01-01')
INSERT INTO a VALUES (16, 1, 'yy', 2, '2024-03-03')
INSERT INTO a VALUES (17, 2, 'y', 2.5, '2024-04-01')
INSERT INTO a VALUES (18, 2, 'x', 1, '2024-02-03')
INSERT INTO a VALUES (19, 1, 'y', 2.5, '2024-02-02')
INSERT INTO a VALUES (20, 0, 'x', -3, '2024-03-03')
INSERT INTO a VALUES (21, NULL, 'x', NULL, '2024-03-01')
INSERT INTO a VALUES (22, 0, 'yy', 2, '2024-03-02')
INSERT INTO a VALUES (23, 0, NULL, 1, '2024-04-03')
INSERT INTO a VALUES (24, 2, NULL, 2, '2024-03-02')
INSERT INTO a VALUES (25, 1, 'yy', 1, '2024-01-01')
INSERT INTO a VALUES (26, 1, 'x', -3, '2024-03-02')
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(k, id))
INSERT INTO b VALUES (3, 1, 'X', 2.5, '2024-03-02')
INSERT INTO b VALUES (4, 0, 'x', -3, '2024-02-01')
INSERT INTO b VALUES (13, 2, 'X', NULL, '2024-02-02')
INSERT INTO b VALUES (14, 2, 'yy', -3, '2024-01-02')
INSERT INTO b VALUES (15, 1, 'yy', -3, '2024-02-02')
INSERT INTO b VALUES (16, 2, 'X', NULL, '2024-02-02')
INSERT INTO b VALUES (17, 2, 'X', NULL, '2024-03-03')
INSERT INTO b VALUES (18, 1, 'yy', 2, '2024-01-01')
INSERT INTO b VALUES (19, 1, 'x', 1, '2024-01-03')
INSERT INTO b VALUES (20, 2, 'y', 1, '2024-03-03')
INSERT INTO b VALUES (21, 1, 'x', 2, '2024-04-01')
INSERT INTO b VALUES (22, 4, NULL, 1, '2024-03-01')
INSERT INTO b VALUES (23, 3, 'yy', 2, '2024-01-02')
INSERT INTO b VALUES (24, 1, 'yy', 2, '2024-03-03')
INSERT INTO b VALUES (25, 0, 'x', 2, '2024-04-03')
INSERT INTO b VALUES (26, 3, 'yy', NULL, '2024-02-01')
INSERT INTO b VALUES (27, 0, 'y', NULL, '2024-03-01')
INSERT INTO b VALUES (28, 3, 'z', NULL, '2024-04-02')
ANALYZE
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < y.k WHERE y.k = 2 ORDER BY y.n > 1 NULLS LAST LIMIT 3 OFFSET 3
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < y.k WHERE y.k = 2 ORDER BY y.n > 1 LIMIT 3
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < y.k WHERE y.k = 2 ORDER BY y.n > 1
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < y.k WHERE y.k = 2
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < 2 WHERE y.k = 2
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.k < y.k WHERE y.k = 2
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x CROSS JOIN a AS y ON x.d = y.d AND x.k < y.k WHERE y.k = 2
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM a AS y CROSS JOIN b AS x ON x.d = y.d AND x.k < y.k WHERE y.k = 2
? SELECT 1 FROM b AS x WHERE k < 2
? SELECT 1 FROM b AS x WHERE k < +2
? SELECT * FROM b AS x WHERE k < 2
? SELECT * FROM b AS x WHERE k < +2
? SELECT * FROM a AS x WHERE k = 2
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.k < y.k WHERE y.k = 2 ORDER BY y.n
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.k < y.k WHERE y.k = 2 ORDER BY y.n LIMIT 3
? SELECT x.id, y.id, x.n > 1, y.n > 1 FROM b AS x JOIN a AS y ON x.d = y.d AND x.k < 2 WHERE y.k = 2 ORDER BY y.n LIMIT 3
