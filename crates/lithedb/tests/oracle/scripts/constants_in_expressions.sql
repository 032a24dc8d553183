-- A column that is equal to a constant is that constant in all other conditions, with the column's affinity; a condition that has become
-- constant is checked before all loops, where a call in it may fail.
create table b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d)
create index bk on b(k)
create table e(x INT, y TEXT, z)
insert into b values (1, 1, 'x', 1, 5), (2, 2, 'y', 1, 'x'), (3, 3, 'x', 2, 2), (4, 1, 'z', 2, NULL), (5, 5, '5', 1, 5)
SELECT id FROM b WHERE n = 1 AND k > n + 1 /* ordered */
SELECT id FROM b WHERE n = 1 AND k IN (n, n + 1) /* ordered */
SELECT id FROM b WHERE d = 5 AND d > k AND k = 1
SELECT x.id, y.id FROM b AS x JOIN b AS y WHERE x.s = 'x' AND y.k = length(x.s) + 1 /* ordered */
SELECT x.id, y.id FROM b AS x JOIN b AS y WHERE x.s = 5 AND y.s > x.s || '' /* ordered */
-- Of two equalities the last one counts, and a CAST does not.
select * from e where x = 1 and x = 2 and json('bad' || x)
select * from e where x = 1 and json('bad' || x)
select * from e where z = 1 and json('bad' || z)
select * from e where x = cast(1 as int) and json('bad' || x)
select * from e where x = 1 and x > json('bad')
select * from e where z = 1 and z > json('bad')
select * from e where x = 1 and (y = 'a' or json('bad' || x))
select * from e where x = 1 and y = 'b' and x + 1 = 3 and json('bad' || x)
select * from e where x = 1 and exists (select json('bad' || x))
select x.x from e as x left join b on b.k = x.x and b.k = 7 and json('bad' || k)
select x.x from e as x join b on b.k = 7 and json('bad' || b.k)
select x.x from e as x right join b on b.k = 7 and json('bad' || b.k) where x.x is null
update e set x = 2 where x = 1 and json('bad' || x)
delete from e where x = 1 and json('bad' || x)
select * from b where k = 1 and s = 'a' and k = s
select id from b where id = 3 and k >= id - 1 and id + 1 = 4
-- What became equal to a constant is propagated, too.
SELECT x.id, y.id FROM b AS x, b AS y WHERE x.n = 1 AND y.n = x.n + 1 AND y.k > y.n /* ordered */
-- A call in the place of a column of a query in FROM is not noticed in the expression around it, which is computed before all loops.
select v + 1 from (select json('bad') as v from e)
select v from (select json('bad') as v from e)
select coalesce(v, 1) from (select json('bad') as v from e)
select case when v then 1 end from (select json('bad') as v from e)
select max(v, 1) from (select json('bad') as v from e)
select x from (select x, json('bad') as v from e) where v > 'a' and x
select x from (select x, json_type('') as v from e) where x and v is not distinct from (v + 1)
-- Conditions are pushed into queries in FROM the last one first, also those that are about no source, but for numbers.
select * from (select distinct x, y from e) where x > 1 and json('bad' || x) and json_type('', '$' || x)
select * from (select distinct k, s from b) where json('bad' || k) and json_type('1', 'x' || s)
select * from (select x, max(y) as m from e group by x), b where json('bad')
select * from e left join (select distinct k, json(s) from b) on 0
select * from b left join (select k, max(json(s)) from b group by k) as v on 1 - 1
select * from b left join (select k, max(json(s)) from b group by k) as v on 0
select * from b left join (select max(json(s)) from b) as v on NULL
-- Both sides of a comparison are the column.
select * from e where z = json('bad') and z >= z
select * from e where z = 'b' and z >= z and json('bad')
select e.x from e join (select z, json_type('b') as j from e) as q on e.z = q.j where e.z > e.z
-- A part of a constant that is computed where it is needed is not computed before.
select max(quote(v is v)) from (select json_set('b', '$', 1) as v from e)
select max(quote(v + 1)) from (select json('bad') as v from e)
-- A built-in function that gives a subtype is no constant here, and no function sees the subtype of a column that is equal to a constant.
select * from e where z = json('bad') and z >= z
select json_array(y) from (select '{}' as y) where y = json('{}')
select * from (select cast('{"a":1}' as text) as t) where t = json('{"a":1}') and json_array(t) = '["{\"a\":1}"]'
select abs(v + 1) from (select json_type('bad') as v from e)
