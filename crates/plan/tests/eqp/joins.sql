create table t(a,b,c); create index i on t(a); create table u(x integer primary key, y, z);
? select * from t right join u on t.b=u.y order by t.a
? select distinct a from t full join u on t.b=u.y
? select distinct x from t full join u on t.b=u.y
? select * from t left join u on t.b=u.x order by t.a
? select max(a) from t full join u on t.b=u.y
? select * from t left join u on t.b=u.x right join t as t2 on t2.a=u.z
? select * from t right join u on t.b=u.y left join t as t3 on t3.a=u.x
? select * from t right join u on t.b=u.y join t as t3 on t3.a=u.x
? select * from t right join u on t.b=u.y join t as t3 on t3.a=u.x join u as u4 on u4.x=5
? select * from t join u as u0 on t.a=u0.x right join u on t.b=u.y 
? select * from t join u as u0 on t.a=5 right join u on t.b=u.y 
? select * from t cross join u, t as t3, u as u3 where t3.a=5 and u3.x=6
? select * from t left join u on t.a=u.x, t as t3 where t3.a=5
