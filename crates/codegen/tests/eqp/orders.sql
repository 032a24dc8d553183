create table t(a,b,c); create index i on t(a,b); create table u(x integer primary key, y, z);
? select a,b,count(*) from t group by a,b order by a
? select a,b,count(*) from t group by a,b order by a desc
? select a,b,count(*) from t group by a,b order by a,b
? select a,b,count(*) from t group by a,b order by b,a
? select a,b,count(*) from t group by b,a order by b,a
? select a,b,count(*) from t group by b,a order by a,b
? select a,b,count(*) from t group by a,b order by a desc,b desc
? select a,b,count(*) from t group by a,b order by a desc,b
? select a,b,count(*) from t group by a,b,c order by a,b,c
? select a,b,count(*) from t group by a,b order by a,b,count(*)
? select a,count(*) from t group by a order by a,count(*)
? select c,count(*) from t group by c order by c desc
? select c,b,count(*) from t group by c,b order by b,c
? select c,b,count(*) from t group by c,b order by c desc
? select distinct a,b from t order by a desc
? select distinct a,b from t order by b,a
? select distinct c,b from t order by b,c
? select distinct c,b from t order by b
? select distinct a from t where b=1
? select distinct b from t where a=1
? select distinct c from t order by a
? select sum(c) from t group by a+1
? select max(a),min(b) from t
? select max(b) from t where a=3
? select min(c) from t
? select max(x) from u
? select min(x) from u where y=3
? select max(x) from u where x<10
? select a from t group by a having count(*)>1
? select a from t where b=1 group by a
? select 1 from t order by a nulls last
? select 1 from t order by a desc nulls first
? select b from t where a=1 order by b nulls last
? select b from t where a=1 order by b desc nulls last
? select b from t order by a, b nulls last
? select x from u order by x nulls last
