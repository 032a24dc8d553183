//! UPDATE.

use super::check;

#[test]
fn rows_that_grow_and_shrink() {
    check(
        "create table t(a integer primary key, b, c text)
        with recursive n(i) as (values(1) union all select i + 1 from n where i < 600)
            insert into t select i, i, substr('abcdefghijklmnopqrstuvwxyz', 1 + i % 20) from n
        update t set b = b + 1
        update t set c = c || 'x'
        update t set c = substr(c, 3) where a % 3 = 0
        update t set c = null where a % 7 = 0
        update t set c = c || c || c || c, b = -b where a % 5 = 0
        update t set c = hex(zeroblob(3000)) where a % 50 = 0
        update t set b = b + 1, c = c || 'y'
        update t set c = 'z' where a % 25 = 0
        update t set b = '7', c = 8 where a between 100 and 110
        select count(*), sum(b), sum(length(c)), min(c), max(c), count(c) from t
        select * from t where a between 98 and 112
        create table r(a real, b int, c text)
        insert into r values(1, 2, 3), (1.5, 2.5, 3.5), ('4', '5', 6)
        update r set a = a + 1, b = '8', c = 9 where b > 2 returning a, b, c, typeof(a), typeof(b), typeof(c)
        update r set a = b, b = a, c = a
        select a, b, c, typeof(a), typeof(b), typeof(c) from r",
    );
}

#[test]
fn columns() {
    check(
        "create table t(a, b int, c text)
        insert into t values(1, 2, 3), (4, 5, 6), (7, 8, 9)
        update t set a = a + 1
        update t set b = '50', c = 60 where a = 5
        update t set a = b, b = a where rowid = 1
        update t set a = 1, a = 2 where rowid = 2
        update t set (a, b) = (10, 11) where rowid = 3
        update t set (a, c) = (select 20, max(b) from t) where rowid = 3
        update t set rowid = 100 where rowid = 1
        update t set rowid = 2 where rowid = 3
        update t set rowid = 'x' where rowid = 3
        update t set oid = null where rowid = 3
        update t set zz = 1
        update t set a = zz
        update t set (a, b) = 1
        update t set (a, b) = (1, 2, 3)
        update zz set a = 1
        update t as x set a = x.b + 1 where x.rowid = 3
        update t as x set a = t.b
        update t set a = a where 0
        select rowid, *, typeof(b), typeof(c) from t",
    );
}

#[test]
fn keys_and_indexes() {
    check(
        "create table t(k integer primary key, a unique, b)
        create index i on t(b)
        create index j on t(b) where a > 2
        create index l on t(a + b)
        insert into t values(1, 1, 10), (2, 2, 20), (3, 3, 30), (4, 4, 40)
        update t set b = b + 1
        update t set a = a + 10
        update t set a = a + 1 where k > 2
        update t set a = a - 11
        update t set k = k + 10
        update t set k = k + 1
        update t set k = -k where b > 20
        update t set a = 2 where a = 1
        update or ignore t set a = 2
        update or replace t set a = 3 where a = 4
        update or replace t set k = 13 where b = 11
        select * from t order by k
        select b from t indexed by i where b > 0
        select b from t indexed by j where a > 2
        update t set b = b + 1 where b > 0
        update t set b = 5 where a + b > 20
        select * from t order by k",
    );
}

#[test]
fn the_halloween_problem() {
    check(
        "create table t(a)
        create index i on t(a)
        insert into t values(1), (2), (3), (4), (5)
        update t set a = a + 2 where a > 2
        update t set a = a * 2 where a between 1 and 100
        update t set rowid = rowid + 100
        update t set rowid = rowid - 98 where rowid > 0
        select rowid, a from t order by rowid
        create table w(a primary key, b) without rowid
        insert into w values(1, 1), (2, 2), (3, 3)
        update w set a = a + 10
        update w set a = a - 5 where a > 0
        update w set b = b + 1 where a > 6
        select * from w",
    );
}

#[test]
fn without_rowid() {
    check(
        "create table t(a, b, c, primary key(b, a)) without rowid
        create index i on t(c)
        create unique index j on t(c, a)
        insert into t values(1, 1, 1), (2, 1, 2), (3, 2, 3)
        update t set c = c + 1
        update t set a = a + 1, b = 5
        update t set a = 3
        update t set a = 2 where a = 4
        update t set a = 9 where c = 4
        update or replace t set a = 3 where a = 2
        update or ignore t set a = null
        update t set a = null
        select * from t
        select c from t order by c",
    );
}

#[test]
fn constraints() {
    check(
        "create table t(a not null, b check(b > 0), c unique, check(a <> b))
        insert into t values(1, 2, 3), (4, 5, 6)
        update t set a = null
        update t set b = -1
        update t set a = b
        update t set c = 3
        update t set c = null
        update or ignore t set a = null where b = 2
        update or ignore t set b = -1
        update or fail t set b = 3 - b
        select * from t
        create table s(a int, b text) strict
        insert into s values(1, 'x')
        update s set a = 'y'
        update s set a = '7', b = 8
        select *, typeof(a), typeof(b) from s",
    );
}

#[test]
fn generated_columns() {
    check(
        "create table t(a, b as (a + 1) stored, c as (b * 10), d)
        create index i on t(c)
        create unique index j on t(b)
        insert into t values(1, 'x'), (2, 'y')
        update t set a = a + 5
        update t set d = d || '!'
        update t set a = 7
        update t set b = 1
        update t set a = 100 where c = 80
        select * from t
        select c from t indexed by i where c > 0",
    );
}

#[test]
fn from_other_tables() {
    check(
        "create table t(a integer primary key, b, c)
        create table u(x, y)
        insert into t values(1, 1, 1), (2, 2, 2), (3, 3, 3)
        insert into u values(1, 10), (2, 20), (9, 90)
        update t set b = y from u where a = x
        update t set c = u.y + v.y from u, u as v where a = u.x and v.x = 9
        update t set b = q.s from (select sum(y) as s from u) as q where t.a = 3
        update t set a = a + 100 from u where x = a
        update t set b = 5 from zz
        select * from t
        create table w(p primary key, q) without rowid
        insert into w values('a', 1), ('b', 2)
        update w set q = y, p = p || x from u where x = q
        select * from w",
    );
}

#[test]
fn returning() {
    check(
        "create table t(a, b)
        insert into t values(1, 2), (3, 4)
        update t set a = a + 10 returning a, b, (select sum(a) from t)
        update t set b = 9 where a = 13 returning *
        update t set b = 9 where a = 99 returning *
        update t set a = 5 from (select 7 as z) where b = 2 returning a, z
        update t set rowid = 50 where b = 9 returning rowid, b",
    );
}

#[test]
fn system_tables() {
    check(
        "create table t(a)
        update sqlite_schema set sql = ''
        delete from sqlite_master
        insert into sqlite_schema values(1, 2, 3, 4, 5)
        create view v as select 1 as a
        update v set a = 2
        insert into v values(1)
        delete from v",
    );
}
