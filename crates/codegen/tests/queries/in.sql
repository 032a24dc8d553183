create table t(a,b int,c text); insert into t values(1,10,'x'),('1',5,'1'),(2.0,7,'z'),(null,20,null),(7,9,'7'),('x',null,'abc');
create table u(id integer primary key, n int, s text collate nocase, r, q text); create index un on u(n); create index us on u(s); create index ur on u(r); create index uq on u(q,n);
insert into u values(1,1,'X',1,'1'),(2,7,'Abc','1','7'),(7,null,null,null,null),(9,20,'zz',2,'x');
create table w(k text, v int, primary key(v,k)) without rowid; insert into w values('1',1),('x',7),('q',10);
create table e(id integer primary key, n int); create index en on e(n);
? select a in (select id from u), a not in (select id from u), b in (select id from u), c in (select id from u) from t
? select a in (select n from u), a not in (select n from u), b in (select n from u), c in (select n from u) from t
? select a in (select s from u), a not in (select s from u), b in (select s from u), c in (select s from u) from t
? select a in (select r from u), a not in (select r from u), b in (select r from u), c in (select r from u) from t
? select (c,b) in (select q,n from u), (c,b) not in (select q,n from u) from t
? select (b,c) in (select v,k from w), b in (select v from w), c in (select k from w) from t
? select a in (select id from e), null in (select id from e), a not in (select n from e), null not in (select n from e) from t
? select * from t where a in (select id from u)
? select * from t where b not in (select id from u)
? select * from t where b not in (select n from u)
? select * from t where b in (select n from u where n > 5)
? select * from u where id in (select b from t) or n in (select a from t)
? select a from t where (a,b) in (select id, n from u)
? select 7 in (select n from u), 8 in (select n from u), 8 in (select id from u), '7' in (select id from u), 7.0 in (select id from u), 7.5 in (select id from u)
? select x in (select id from u) from (select 1 x union all select null)
