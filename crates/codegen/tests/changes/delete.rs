//! DELETE.

use super::check;

#[test]
fn rows() {
    check(
        "create table t(a, b unique)
        create index i on t(a)
        create index j on t(a) where b > 2
        create index k on t(a + b)
        insert into t values(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)
        delete from t where a = 3
        delete from t where rowid = 1
        delete from t where a > 4 and b < 6
        delete from t where b in (select b from t where a = 2)
        delete from t as x where x.a = 99
        delete from t where zz
        select rowid, * from t
        select a from t order by a
        delete from t where a = 4 returning *, rowid
        delete from t
        insert into t values(1, 1)
        delete from t where 1
        select count(*) from t",
    );
}

#[test]
fn many_rows() {
    check(
        "create table t(a, b)
        create index i on t(b)
        with recursive n(x) as (select 1 union all select x + 1 from n where x < 2000)
          insert into t select x, x % 7 from n
        delete from t where b = 3
        select count(*), sum(a) from t
        delete from t where a % 3 = 0
        select count(*), sum(a), min(b), max(b) from t
        update t set b = b + 1
        update t set a = a + 1 where b > 2
        select count(*), sum(a), sum(b) from t
        delete from t where b > 2 and b < 6
        select count(*), sum(a) from t
        delete from t returning max(a, b)",
    );
}

#[test]
fn without_rowid() {
    check(
        "create table t(a, b, c, primary key(b, a)) without rowid
        create index i on t(c)
        insert into t values(1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 4, 3)
        delete from t where b = 1 and a = 2
        delete from t where c = 3 and a > 3
        select * from t
        select c from t order by c
        delete from t where c = 1 returning *
        delete from t
        select count(*) from t",
    );
}
