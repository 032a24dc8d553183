create table t(a,b,c); create index i on t(a); create table u(x integer primary key, y, z); create index uy on u(y,z);
create table w(a text, b integer, c varchar(100), d) ; create index wa on w(a,b); create unique index wb on w(c,d);
? select * from t where a=1
? select a from t where a=1
? select * from t where a>1
? select * from t where a>1 and a<5
? select a from t where a>1 and a<5
? select * from t where a between 1 and 5
? select * from u where x=1
? select * from u where x in (1,2,3)
? select * from u where x>1
? select * from u where x>1 and x<10
? select * from u where y=1
? select * from u where y=1 and z=2
? select * from u where y in (1,2,3) and z=2
? select * from u where y=1 and z>2
? select * from u
? select y from u
? select a from t order by a
? select * from t order by a
? select * from t order by b
? select * from w where a='x' and b=1
? select * from w where a like 'abc%'
? select * from w where a glob 'abc*'
? select * from w where c=1 and d=2
? select * from w where c=1 and d is 2
? select * from w where c=1
? select * from w where c is null
? select * from w where a='x' or b=2
? select * from w where a='x' or c=2
? select * from w where a in (select b from t)
? select * from t,u where t.a=u.y
? select * from t,u where t.b=u.y
? select * from t,u where t.b=u.z
? select * from t left join u on t.b=u.z
? select min(a) from t
? select distinct a from t
? select distinct b from t
? select a, count(*) from t group by a
? select b, count(*) from t group by b
? select * from t where a=1 or a=2
? select * from t where a=1 or a>5
? select * from t where rowid=5 or a=3
? select * from t where (a,b)>(1,2)
? select * from u where (y,z)>(1,2)
? select * from w where (a='x' and d=5) or (c=2 and b=3)
? select * from w where (a='x' and (b=5 or b=6)) or (c=2 and b=3)
? select * from w where (a='x' and (b=5 or d=6)) or (c=2 and b=3)
? select * from w where (a='x' or c=3) and b=5 
? select * from w where (a='x' or c=3) and (a='y' or c=7) 
? select * from w where (a='x' or c>3)
? select * from w where (a like 'x' or c>3)
? select * from w where (a='x' or rowid in (1,2,3))
? select * from w where (a='x' or c=3 or a='z' or c between 1 and 3 or rowid>100)
? select a from w where (a='x' or c=3) order by a
===
create table t(a, b, c, d)
create index tb on t(b) where c is not null
create index td on t(d)
create index taab on t(a, a, b)
create table p(a, b)
? select * from t where (b=1 and c=4) or d=2
? select * from t where (b=1 and c is not null) or d=2
? select * from t where b=1 or d=2
? select * from t indexed by tb where (b=1 and c=4) or d=2
? select * from t where (a,b) in (select a,b from p) and d is null
===
CREATE TABLE x(a INT, b INT, c TEXT, d BLOB)
CREATE INDEX i ON x(b, a) WHERE c IS NOT NULL
CREATE INDEX j ON x(c, d)
CREATE TABLE y(a INT, b INT, c TEXT, d BLOB)
CREATE INDEX k ON y(c)
CREATE INDEX l ON y(b, a) WHERE c IS NOT NULL
CREATE TABLE z(a INT, b INT, c TEXT, d BLOB)
CREATE INDEX m ON z(b) WHERE a > 5
CREATE INDEX n ON z(c)
? SELECT b, a FROM x WHERE c IS NOT NULL
? SELECT b, a FROM x WHERE c IS NOT NULL AND d = 1
? SELECT b, a FROM x WHERE c IS NOT NULL ORDER BY d
? SELECT b, a FROM x WHERE c LIKE 'a%'
? SELECT DISTINCT b, a FROM x WHERE c IS NOT NULL
? SELECT count(*), sum(a) FROM x WHERE c IS NOT NULL
? SELECT max(a) FROM x WHERE c IS NOT NULL
? DELETE FROM x WHERE c IS NOT NULL
? SELECT b, a FROM y WHERE c IS NOT NULL
? SELECT b, a FROM y WHERE c IS NOT NULL ORDER BY b
? SELECT b, a FROM z WHERE likelihood(c > 5, 0.99) AND a > 5
? SELECT b, a FROM z WHERE likelihood(c > 5, 0.5) AND a > 5
? SELECT b, a FROM z WHERE a > 5
===
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d)
CREATE INDEX tb ON t(b)
CREATE TABLE w(a, b, c, d, PRIMARY KEY(b, a)) WITHOUT ROWID
CREATE INDEX wa ON w(a)
? SELECT b, a FROM t NOT INDEXED WHERE a = 3 OR a < 4
? SELECT b, a FROM t NOT INDEXED WHERE b = 3 OR a < 4
? SELECT b, a FROM t NOT INDEXED WHERE a > 30 OR a < 4
? SELECT b, a FROM t INDEXED BY tb WHERE b = 3 OR a < 4
? SELECT b, a FROM t INDEXED BY tb WHERE b = 3 OR b < 4
? SELECT b, a, c FROM t INDEXED BY tb WHERE b = 3 OR b < 4 OR a = 2
? SELECT a, b, length(c) FROM w NOT INDEXED WHERE b = 2 OR a < 3
? SELECT a, b, length(c) FROM w INDEXED BY wa WHERE b = 2 OR a < 3
? SELECT a, b, length(c) FROM w INDEXED BY wa WHERE a = 2 OR a < 3
? DELETE FROM t NOT INDEXED WHERE a = 3 OR a = 4 OR a > 100
? UPDATE t NOT INDEXED SET b = 1 WHERE a = 3 OR a = 4 OR a > 100
create table uw(b PRIMARY KEY, d INT UNIQUE, e TEXT) WITHOUT ROWID; create table vw(b, d INT, e TEXT, UNIQUE(d, b), UNIQUE(e), PRIMARY KEY(b)) WITHOUT ROWID;
? SELECT b FROM uw
? SELECT d FROM uw
? SELECT b FROM uw WHERE d=4
? SELECT d FROM uw WHERE d=4
? SELECT d,b FROM uw WHERE d>4
? SELECT d,b FROM uw ORDER BY d
? SELECT d,b,e FROM uw ORDER BY d
? SELECT count(*) FROM uw
create index ui on uw(e);
? SELECT b FROM uw
? SELECT e,b FROM uw
? SELECT e,b FROM uw WHERE e=4
? SELECT b FROM vw
? SELECT b FROM vw WHERE e=5
? SELECT b,e FROM vw WHERE e=5
? SELECT b FROM vw WHERE d=5
