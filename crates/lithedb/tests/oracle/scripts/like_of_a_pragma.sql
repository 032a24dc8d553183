-- PRAGMA case_sensitive_like defines LIKE anew, as an application would: it is not deterministic any more.
create table t(a, b as (a like 'x%'))
create index ti on t(a) where a like 'x%'
create table e(x)
insert into t values ('x'), ('X'), ('y')
select * from e where 'a' like json('bad')
pragma case_sensitive_like = 1
select name, builtin, type, enc, narg, flags from pragma_function_list where name in ('like', 'glob') order by 1, 2, 5
select * from e where 'a' like json('bad')
select * from e where 'a' glob json('bad')
select * from t
create index tj on t(a like 'x')
create index tk on t(a glob 'x')
create table u(a, b as (a like 'x'))
create table v(a check (a like 'x'))
select a from t where a like 'x%'
pragma case_sensitive_like = 0
select a from t where a like 'x%' escape 'z'
select name, builtin, flags from pragma_function_list where name = 'like' order by 2, 3, narg
