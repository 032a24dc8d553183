-- UPDATE computes the new rowid first, and the other columns in their order.
create table t(a INTEGER PRIMARY KEY, b, c, d)
insert into t values (1, 2, 3, 4)
update t set b = json('bad'), a = NULL
update t set b = json('bad'), a = 'x'
update t set d = json('bad'), b = json_type('1', 'x'), a = 5
update t set c = json_type('1', 'x'), b = json('bad')
update t set b = json_type('1', 'x'), b = 2, c = json('bad')
update t set c = b, b = c, a = a + 1 returning *
create trigger r after update on t begin select new.b; end
update t set d = json('bad'), b = json_type('1', 'x'), a = 'x'
update t set d = json('bad'), b = json_type('1', 'x')
select * from t
