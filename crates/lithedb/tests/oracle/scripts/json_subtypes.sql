-- JSON within JSON: the subtype of a value goes with it through expressions, and not out of the query that made it.
create table t(id integer primary key, j text, x text)
insert into t values(1,'{"a":1}','a'),(2,'{"b":2}','b')
create view v1 as select json(j) as b, id from t
create view v2(b) as select json('{"z":1}')
create view v3 as select json(j) as b from t limit 5
create view v4 as select distinct json(j) as b from t
create view v5 as select json(j) as b from t union all select json(x'3131') from t
create view v6 as select json(j) as b from t group by id
create view v7 as select max(json(j)) as b from t
select json_group_array(json(j)) over (order by id) from t
select json_array(lag(json(j)) over ()) from t
select json_array(lag(json(j),1,json('[7]')) over ()) from t
select json_array(first_value(json(j)) over ()) from t
select json_array(max(json(j)) over ()) from t
select json_array(json_group_array(json(j)) over ()) from t
select json_array(json_group_array(json(j)) over (), json(j)) from t
select json_array(json(j)), row_number() over () from t
select json_array(json_group_array(json(j))) from t
select json_array(max(json(j))) from t
select json_array(max(json(j)),json(j)) from t
select json_array(min(json(j),json('[9]'))) from t
select json_array(json(j)) from t group by json(j)
select json_array(json(j)), count(*) from t group by json(j)
select json_array(json(j)) from t group by id
select json_array(max(json(j))) from t group by id
select json_array(json_group_array(json(j))) from t group by id
select json_group_array(distinct json(j)) from t
select json_group_array(json(j) order by id desc) from t
select json_group_array(json(j)) filter (where id>0) from t
select json_group_array(b) from v1
select json_array(b) from v1
select json_array(b) from v2
select json_array(b) from v3
select json_array(b) from v4
select json_array(b) from v5
select json_array(b) from v6
select json_array(b) from v7
select json_array(b) from v1 order by id desc
select json_array(b) from v1 order by b
select json_array(b) from v1 where b is not null
select json_array(b) from v1 join t using (id)
select json_array(b) from t left join v1 using (id)
select json_array(b) from v1 left join t using (id)
select json_array(b) from (select json(j) b from t)
select json_array(b) from (select json('[1]') b)
select json_array(b) from (select json(j) b from t order by id)
select json_array(b) from (select json(j) b from t limit 1)
select json_array(b) from (select json(j) b, row_number() over () from t)
select json_array(b) from (select json_group_array(json(j)) over () b from t)
with c as (select json(j) b from t) select json_array(b) from c
with c as materialized (select json(j) b from t) select json_array(b) from c
with c as (select json(j) b from t) select json_array(c.b, d.b) from c, c d
with recursive c(b,n) as (select json('[1]'),1 union all select json_array(b),n+1 from c where n<3) select json_array(b) from c
select json_array((select json(j) from t))
select json_array((select json('[1]')))
select json_array((select b from v1))
select json_array((select json(t.j) from t t2 where t2.id=t.id)) from t
select json_array((select json_group_array(json(j)) from t))
select json_array(coalesce(json(j),1)) from t
select json_array(coalesce(null,json(j))) from t
select json_array(ifnull(json(j),1)) from t
select json_array(ifnull(null,json(j))) from t
select json_array(nullif(json(j),1)) from t
select json_array(case when 1 then json(j) end) from t
select json_array(case id when 1 then json(j) else json('[2]') end) from t
select json_array(iif(1,json(j),0)) from t
select json_array(iif(id=1,json(j),0)) from t
select json_array(likely(json(j)),unlikely(json(j)),likelihood(json(j),0.5)) from t
select json_array(+json(j)) from t
select json_array(json(j) collate nocase) from t
select json_array((json(j))) from t
select json_array(cast(json(j) as text)) from t
select json_array(json(j)||'') from t
select json_array(subtype(json(j))) from t
select json_array(json(j) -> '$'), json_array(json(j) ->> '$'), json_array(json_extract(j,'$')), json_array(json_extract(j,'$.a')) from t
select json_quote(json(j)), json_quote(j) from t
select json_array(json_set(j,'$.q',json('[1]'))), json_array(json_quote('x')), json_array(json_pretty(j)), json_array(json_remove(j,'$.a')), json_array(json_patch(j,'{"q":1}')) from t
select json_array(json('1')), json_array(json('"a"')), json_array(json('null')), json_array(json_extract('[1]','$[0]'))
select json_array(max(json(j),json('[0]'))), json_array(min(json(j),'x')) from t
select json_group_array(value) from json_each('[[2],{"a":1},"x",3]')
select json_object('k', value), json_quote(value) from json_tree('{"a":[2]}') where type='array'
select json_array(value, atom) from json_each('["[1]"]')
select json_group_array(value) from json_each('[[2],{"a":1},"x",3]') group by type
select json_group_array(value order by key desc) from json_each('[[2],{"a":1},"x",3]')
select json_group_array(v) from (select value v from json_each('[[2],{"a":1},"x",3]'))
select json_group_array(v) from (select value v from json_each('[[2],{"a":1},"x",3]') order by 1)
select json_group_array(v) from (select value v from json_each('[[2],{"a":1},"x",3]') limit 10)
select json_array(value) from json_each('[[2],{"a":1},"x",3]') order by key desc
select json_array(value) from json_each('[[2],{"a":1},"x",3]') order by value
select distinct json_array(value) from json_each('[[2],{"a":1},"x",3]')
select json_array(value), json_array(value) over w from json_each('[[2]]') window w as ()
select json_group_array(value) over () from json_each('[[2],{"a":1},"x",3]')
select json_array(value) from json_each('[[2]]') where value is not null
select json_array(e.value) from t, json_each('[[2],'||t.j||']') e
select json_array(e.value), t.id from t left join json_each('[[2],'||t.j||']') e on true
select json_array((select value from json_each('[[2]]')))
select json_array(a) from (values(json('[1]'))) as q(a)
select json_array(column1) from (values(json('[1]')),(json('[2]')))
select json_array(column1) from (values(json('[1]')))
create table d(a, b as (json(a)), c default (json('[5]')))
insert into d(a) values('[ 1 ]')
select json_array(b), json_array(c) from d
create table s(a, b as (json(a)) stored)
insert into s values('[ 1 ]')
select json_array(b) from s
create index di on d(json(a))
select json_array(json(a)) from d
select json_array(json(a)) from d where json(a)='[1]'
select json_array(json(a)), json(a) from d order by json(a)
select json_array(b) from d where json(a)>'' order by json(a)
select json_array(x) from (select json(j) x from t union select json(j) from t)
select json_array(x) from (select json(j) x from t union all select json(j) from t)
select json_array(jsonb(j)) = json_array(json(j)) from t
select json_array(x) from (select json_group_array(json(j)) x from t)
select json_array(x) from (select json_group_array(json(j)) x from t group by id)
select json_array(x) from (select max(json(j)) x from t)
select json_array(json(j)) from t order by json(j) desc
select json_array(json(j)) as q from t order by q desc limit 1
select json_array(json(j)) from t union select json_array(json(j)) from t
select json_array(x) from (select json(j) x from t) where x in (select json(j) from t)
select json_array(x) from (select json(j) x from t where id=1), (select 1)
select json_array(x) from (select json(j) x from t) a left join (select 1) on 1
select json_array(x) from (select 1) left join (select json(j) x from t) a on 1
select json_array(x) from (select json('[1]') x) a, t
select json_array(x) from t, (select json('[1]') x) a
select json_array(json(j)) from t where id=(select max(id) from t where json_array(json(j)) like '%{%')
select json_quote(row_value) from (select json_array(json(j)) row_value from t)
select exists(select json_quote(json(j)) from t), (json('[1]'),2) = ('[1]',2)
select json_array(v) from (select coalesce(value,1) v from json_each('[[2]]'))
select json_array(v) from (select iif(1,value,1) v from json_each('[[2]]'))
select json_array(v) from (select likely(value) v from json_each('[[2]]'))
select json_array(v) from (select +value v from json_each('[[2]]'))
select json_array(v) from (select max(value,'') v from json_each('[[2]]'))
select json_array(v) from (select nullif(value,'') v from json_each('[[2]]'))
select json_array(v) from (select case when 1 then value end v from json_each('[[2]]'))
select json_array(v) from (select value collate nocase v from json_each('[[2]]'))
select json_array(coalesce(v,1)) from (select json(j) v from t)
select json_array(max(v,'')) from (select json(j) v from t)
select json_array(v) from (select value v from json_each('[[2]]') limit 3)
select json_array(v) from (select v from (select value v from json_each('[[2]]')))
select json_array(v) from (select value v from json_each('[[2]]') union all select value from json_each('[[3]]'))
select json_array(v) from (select distinct value v from json_each('[[2]]'))
select json_array(v) from t left join (select value v from json_each('[[2]]')) on 1
select json_array((select value)) from json_each('[[2]]')
select json_array(max(value)) from json_each('[[2]]') group by key
select json_array(value) from json_each('[[2]]') group by value
select json_array(value), row_number() over () from json_each('[[2]]')
select json_array(json(j)), row_number() over () from t
select json_array(value), row_number() over (order by value) from json_each('[[2]]')
select json_array(first_value(value) over ()) from json_each('[[2]]')
select json_array(max(value) over ()) from json_each('[[2]]')
select json_group_array(value) filter (where 1) over () from json_each('[[2]]')
select json_array(coalesce(max(value) over (),1)) from json_each('[[2]]')
select json_array(json_group_array(value) over (), value) from json_each('[[2]]')
select json_group_array(coalesce(json(j),1)) over () from t
select json_group_array(case when id=1 then json(j) end) over (order by id rows 1 preceding) from t
select json_group_array(max(json(j),'')) over () from t
select json_group_array(json_group_array(json(j))) over () from t group by id
select json_group_array(max(json(j))) over () from t group by id
select json_group_array(json(j)) over (), id from t group by json(j), id
select json_array(a, b) from (select json(j) a, 1 b from t) where a > ''
select json_array(json(j), x) from t order by 1
select json_array(json(j) , max(id)) from t
select json_array(iif(max(id),json(j),0)) from t
select json_group_array(j) from (select json(j) as j from t order by id desc)
CREATE TABLE grouped(id INTEGER PRIMARY KEY, attrs)
INSERT INTO grouped VALUES (1, '{"a":1}'), (2, '{"a":1}'), (3, 'no'), (4, '[2]')
SELECT json_group_array(json_set(attrs, '$.n', 1)) FROM grouped WHERE id <> 3 GROUP BY json_set(attrs, '$.n', 1)
SELECT json_group_array(json_set(attrs, '$.n', 1) ORDER BY id), json_set(attrs, '$.n', 1) FROM grouped WHERE id <> 3 GROUP BY json_set(attrs, '$.n', 1) ORDER BY 2
SELECT json_group_array(CASE WHEN json_valid(attrs) THEN json_set(attrs, '$.n', 1) END) FROM grouped GROUP BY CASE WHEN json_valid(attrs) THEN json_set(attrs, '$.n', 1) END
SELECT json_group_object(id, json(attrs)), json_array(json(attrs)) FROM grouped WHERE id <> 3 GROUP BY json(attrs), attrs
SELECT json_group_array(attrs), json_group_array((SELECT json(attrs))) FROM grouped WHERE id <> 3 GROUP BY attrs, (SELECT json(attrs))
