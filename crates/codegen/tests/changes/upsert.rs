//! ON CONFLICT clauses.

use super::check;

#[test]
fn do_nothing() {
    check(
        "create table t(a unique, b integer primary key, c)
        create unique index i on t(c) where c > 10
        insert into t values(1, 1, 1), (2, 2, 20)
        insert into t values(1, 5, 5) on conflict do nothing
        insert into t values(1, 5, 5), (5, 5, 5) on conflict(a) do nothing
        insert into t values(6, 1, 6) on conflict(a) do nothing
        insert into t values(6, 1, 6) on conflict(b) do nothing
        insert into t values(6, 1, 6) on conflict(rowid) do nothing
        insert into t values(7, 7, 20) on conflict(c) do nothing
        insert into t values(7, 7, 20) on conflict(c) where c > 10 do nothing
        insert into t values(7, 7, 20) on conflict(zz) do nothing
        insert into t values(7, 7, 20) on conflict(a, c) do nothing
        select * from t",
    );
}

#[test]
fn do_update() {
    check(
        "create table t(a unique, b, n default 0, unique(b))
        insert into t(a, b) values(1, 10), (2, 20)
        insert into t(a, b) values(1, 30) on conflict(a) do update set n = n + 1
        insert into t(a, b) values(1, 31) on conflict(a) do update set b = excluded.b, n = t.n + excluded.b
        insert into t as x(a, b) values(2, 1), (3, 3), (2, 2) on conflict(a) do update set n = x.n + excluded.b
        insert into t(a, b) values(3, 20) on conflict(a) do update set b = excluded.b
        insert into t(a, b) values(2, 5) on conflict(a) do update set n = 100 where n > 100
        insert into t(a, b) values(2, 5) on conflict(a) do update set n = 100 where n < 100
        insert into t(a, b) values(9, 20) on conflict(a) do update set n = 5
        insert into t(a, b) values(9, 20) on conflict do update set n = 6
        insert into t(a, b) values(1, 20) on conflict(b) do update set n = 7 on conflict(a) do update set n = 8
        insert into t(a, b) values(1, 20) on conflict(a) do update set n = 9 on conflict(b) do update set n = 10
        insert into t(a, b) select 1, 77 where true on conflict(a) do update set (b, n) = (select 78, 79)
        insert into t(a, b) values(1, 1) on conflict(a) do update set a = 50 returning *
        insert into t(a, b) values(51, 51) on conflict(a) do update set a = 50 returning *
        insert into t(a, b) values(1, 1) on conflict(a) do update set zz = 50
        insert into t(a, b) values(1, 1) on conflict(a) do update set a = zz
        select rowid, * from t",
    );
}

#[test]
fn on_other_keys() {
    check(
        "create table t(a integer primary key, b text collate nocase, c)
        create unique index i on t(lower(b))
        create unique index j on t(c) where b = 'x'
        insert into t values(1, 'One', 1), (2, 'Two', 2)
        insert into t values(1, 'Three', 3) on conflict(a) do update set c = c + 10
        insert into t values(null, 'ONE', 3) on conflict(lower(b)) do update set c = c + 100, a = 5
        insert into t values(9, 'x', 3), (10, 'x', 3) on conflict(lower(b)) do update set c = 4
        select * from t
        create table w(a, b, n default 0, primary key(a, b)) without rowid
        insert into w values(1, 1, 1), (2, 2, 2)
        insert into w values(1, 1, 5), (3, 3, 3), (2, 2, 7) on conflict(b, a) do update set n = n + excluded.n, b = b + 10
        insert into w values(1, 11, 5) on conflict do nothing
        select * from w",
    );
}
