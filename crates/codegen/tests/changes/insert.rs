//! INSERT.

use super::check;

#[test]
fn values() {
    check(
        "create table t(a, b int, c text, d real)
        insert into t values(1, '2', 3, 4)
        insert into t values('x', 'y', 5.5, '6'), (null, null, null, null), (x'00', 7.0, x'41', 1e20)
        insert into t(c, a) values(1, 2)
        insert into t(a, a) values(1, 2)
        insert into t default values
        insert into t(rowid, a) values(100, 'r'), (null, 's'), ('102', 't'), (103.0, 'u')
        insert into t(b, rowid, oid) values(1, 200, 300)
        select rowid, *, typeof(b), typeof(c), typeof(d) from t
        insert into t values(1)
        insert into t(a) values(1, 2)
        insert into t(zz) values(1)
        insert into t(rowid) values('x')
        insert into t(rowid) values(1.5)
        insert into t(rowid) values(1)
        insert into zz values(1)
        insert into t values(a, 1, 2, 3)
        select count(*) from t",
    );
}

#[test]
fn integer_primary_keys() {
    check(
        "create table t(k integer primary key, v)
        insert into t values(5, 'a'), (null, 'b'), ('7', 'c')
        insert into t(v) values('d')
        insert into t values('x', 'e')
        insert into t values(5, 'f')
        insert into t values(10, 'g'), (11, 'h'), (5, 'i')
        select * from t
        insert or ignore into t values(5, 'j'), (12, 'k')
        insert or replace into t values(5, 'l'), (13, 'm')
        insert or fail into t values(14, 'n'), (5, 'o'), (15, 'p')
        insert into t(rowid, v) values(20, 'q')
        select rowid, k, v from t
        insert into t values(9223372036854775807, 'max')
        select v from t where k = 9223372036854775807",
    );
}

#[test]
fn from_queries() {
    check(
        "create table t(a, b)
        create table u(a integer primary key, b)
        insert into t select 1, 2 union all select 3, 4
        insert into t select b, a from t
        insert into u select rowid, a from t order by a desc
        insert into t(b) select sum(a) from t
        insert into t values(1, 2), (3, (select count(*) from t)), (5, 6)
        with x as (select 7 as p, 8 as q) insert into t select * from x
        select rowid, * from t
        select * from u
        insert into t select 1
        insert into t(a) select 1, 2
        insert into u select 100, 1 union all select 1, 1
        select count(*) from u",
    );
}

#[test]
fn records_are_transferred() {
    check(
        "create table s(a int, b text default 'x', c real, d)
        insert into s values('1', 2, 3, x'04'), (null, null, null, null), ('q', 'long text that is not inline any more', 2.5, 1e300)
        insert into s(a, d) values(7, zeroblob(5000))
        alter table s add column e int default 9
        insert into s values(-1, '', -0.0, 0, 1)
        create table t(a int, b text default 'x', c real, d, e int default 9)
        insert into t select * from s
        insert into t select * from s
        select rowid, a, b, c, typeof(c), hex(substr(d, 1, 9)), e, typeof(e) from t
        create table f(a int, b text, c real, d, e int default 8)
        insert into f select * from s
        select a, b, c, e, typeof(e) from f
        create table n(a text, b, c blob, d int, e)
        insert into n select * from s
        select typeof(a), typeof(b), typeof(c), typeof(d), e from n
        create table o(a int not null, b text, c real, d, e)
        insert into o select * from s
        insert or ignore into o select * from s
        select count(*) from o
        create table k(x, i integer primary key, y text)
        create table l(p, q integer primary key, r text)
        insert into k values(1, 5, 'a'), (2, 3, 'b'), (3, 9, 'c')
        insert into l select * from k
        insert into l select * from k
        update l set p = 10
        insert or ignore into l select * from k
        select * from l
        delete from l where q = 5
        insert or fail into l select * from k
        select * from l
        delete from l where q = 3
        insert or replace into l select * from k
        select * from l
        delete from l
        insert into l(p, q, r) select * from k
        insert into l(r, q, p) select * from k where i = 100
        insert into l select * from k limit 0
        insert into l select * from l
        select * from l order by q desc
        create table w(x, i integer primary key, y text, check(x < 3))
        insert into w select * from k
        insert or ignore into w select * from k
        create unique index wx on w(x)
        insert or replace into w select * from k where x < 3
        select * from w",
    );
}

#[test]
fn unique_keys_with_nulls() {
    check(
        "create table t(a unique, b unique, c)
        create index tc on t(c)
        insert into t values(1, 1, 'a'), (null, 2, 'b'), (2, null, 'c'), (null, null, 'd'), (null, null, 'e')
        insert or ignore into t values(3, 1, 'f'), (null, 3, 'g'), (1, 4, 'h'), (null, 4, 'i'), (4, 2, 'j'), (null, 5, null)
        insert or replace into t values(1, 2, 'k'), (null, 4, 'l'), (2, 3, 'm'), (null, null, 'n')
        update or ignore t set a = b
        update or replace t set b = 4 where c > 'l'
        update t set a = null, b = null where c = 'd'
        insert into t select a + 10, b + 10, c from t
        select * from t order by rowid
        select a from t order by a
        select b from t order by b
        create table p(a, b)
        create unique index pa on p(a) where b > 0
        create unique index pe on p(a + b)
        create unique index pn on p(+b collate nocase)
        insert or ignore into p values(1, 1), (1, 0), (1, 2), (null, 3), (null, 4), (2, 5), (2, '5'), ('x', 'Y'), ('z', 'y')
        insert or replace into p values(2, 6), (7, 1), (null, 'Y'), (9, null), (9, null), (2, -5)
        update or replace p set b = 2 where a = 9
        select * from p order by rowid",
    );
}

#[test]
fn constraints() {
    check(
        "create table t(a not null, b unique, c check(c > 0), d default 9 not null, constraint pos check (b > 0))
        insert into t values(null, 1, 1, 1)
        insert into t values(1, 1, 1, null)
        insert into t values(1, 1, -1, 1)
        insert into t values(1, -1, 1, 1)
        insert into t(a, b, c) values(1, 1, 1)
        insert into t values(2, 1, 1, 1)
        insert into t values(2, 2, 2, 2), (3, 3, 3, 3), (4, 2, 4, 4)
        insert or ignore into t values(2, 2, 2, 2), (null, 3, 3, 3), (4, 1, 4, 4), (5, 5, -5, 5), (6, 6, 6, 6)
        insert or replace into t values(7, 1, 7, null), (8, 8, null, 8)
        insert or replace into t values(null, 9, 9, 9)
        insert or replace into t values(9, 9, -9, 9)
        insert or rollback into t values(null, 9, 9, 9)
        insert into t values(null, null, null, 1)
        insert into t values(10, null, null, 1), (11, null, null, 1)
        select * from t",
    );
}

#[test]
fn unique_indexes() {
    check(
        "create table t(a, b, c, unique(a, b), unique(c) on conflict replace)
        create unique index i on t(a + b)
        create unique index j on t(c) where b > 10
        create index k on t(b desc)
        insert into t values(1, 2, 3)
        insert into t values(1, 2, 4)
        insert into t values(2, 1, 4)
        insert into t values(5, 6, 3)
        select * from t
        insert or replace into t values(5, 6, 7), (6, 5, 8)
        insert into t values(null, 2, 9), (null, 2, 10)
        insert into t values(100, 200, 10)
        select * from t order by rowid
        select b from t indexed by k order by b desc",
    );
}

#[test]
fn without_rowid() {
    check(
        "create table t(a, b, c, primary key(c, a)) without rowid
        create index i on t(b)
        create unique index j on t(b, a)
        insert into t values(1, 2, 3), (2, 2, 3), (1, 2, 1)
        insert into t values(1, 5, 3)
        insert into t values(null, 5, 3)
        insert into t(b) values(1)
        insert or replace into t values(1, 9, 3), (3, 3, 3)
        insert or ignore into t values(1, 10, 3), (4, 4, 4)
        select * from t
        select a, b, c from t order by b, a
        insert into t values(4, 2, 3)
        insert into t values(1, 2, 9)
        insert or replace into t values(1, 2, 9)
        select * from t
        select rowid from t
        insert into t(rowid) values(1)",
    );
}

#[test]
fn autoincrement() {
    check(
        "create table t(k integer primary key autoincrement, v)
        insert into t(v) select 1 where 0
        select * from sqlite_sequence
        insert into t(v) values('a'), ('b')
        insert into t values(10, 'c'), (null, 'd'), (5, 'e')
        select * from t, sqlite_sequence
        delete from t
        insert into t(v) values('f')
        select * from t
        delete from sqlite_sequence
        insert into t(v) values('g')
        insert into t values(-5, 'h')
        update sqlite_sequence set seq = 'x'
        insert into t(v) values('i')
        update sqlite_sequence set seq = 100
        insert into t(v) values('j')
        select * from t, sqlite_sequence
        insert into t values(9223372036854775807, 'k')
        insert into t(v) values('l')
        drop table t
        select * from sqlite_sequence",
    );
}

#[test]
fn strict_tables() {
    check(
        "create table t(a int, b text, c real, d blob, e any) strict
        insert into t values(1, 2, 3, x'04', 5), ('6', 7.5, '8', null, 'nine'), (10.0, 'x', 1, x'', x'00')
        insert into t values('x', 1, 1, x'', 1)
        insert into t values(1, x'00', 1, x'', 1)
        insert into t values(1, 1, 'x', x'', 1)
        insert into t values(1, 1, 1, 'text', 1)
        insert into t values(1.5, 1, 1, x'', 1)
        select *, typeof(a), typeof(b), typeof(c), typeof(e) from t",
    );
}

#[test]
fn generated_columns() {
    check(
        "create table t(a, b as (a + 1), c text as (b * 2) stored, d not null check(d > b), e int as (c))
        create index i on t(b, c)
        insert into t values(1, 10), ('5', 20)
        insert into t(d, a) values(7, 3)
        insert into t values(100, 20)
        insert into t(b) values(1)
        insert into t values(1, 2, 3)
        select *, typeof(c), typeof(e) from t
        select b, c from t indexed by i where b = 4
        create table u(a, b not null as (a))
        insert into u values(null)
        create table w(a primary key, b as (a || 'x') unique) without rowid
        insert into w values(1), (2)
        insert into w values(1)
        select * from w",
    );
}

#[test]
fn returning() {
    check(
        "create table t(a integer primary key, b default 7)
        insert into t(b) values(1) returning *
        insert into t values(5, 6), (7, 8) returning a + b, rowid as r, (select count(*) from t), t.b
        insert into t default values returning b
        insert or ignore into t values(5, 5), (9, 9) returning a
        insert or ignore into t values(5, 5) returning a
        insert into t values(1, 1) returning a
        insert into t as x values(20, 1) returning x.a
        insert into t values(20, 1) returning t.*
        insert into t values(20, 1) returning zz
        select count(*) from t",
    );
}
