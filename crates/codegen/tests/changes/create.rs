//! CREATE, DROP, REINDEX.

use super::check;

#[test]
fn tables() {
    check(
        "create table t(a, b unique, c integer primary key)
        create table t(a)
        create table if not exists t(x, y)
        create table T(a)
        create table \"select\" /* odd */ (a, [b c] int) -- comment
        create table u(a primary key, b unique) without rowid
        create table sqlite_x(a)
        create table if not exists sqlite_x(a)
        create table foo.x(a)
        create table v(a integer primary key autoincrement)
        create temp table w(a, b)
        create temp table main.x(a)
        create temp table temp.x(a)
        create table bad(a, a)
        create table loops(a, b as (c), c as (b), d as (b))
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema
        drop table t
        drop table t
        drop table if exists t
        drop table foo.t
        drop table sqlite_schema
        drop table sqlite_sequence
        drop view u
        drop table u
        drop table w
        create table t(b)
        insert into t values(1)
        select type, name, tbl_name, sql from sqlite_schema
        select * from t",
    );
}

#[test]
fn tables_from_queries() {
    check(
        "create table s(a int, b text, c, d real, e numeric, f blob)
        insert into s values(1, 2, 3, 4, 5, 6)
        create table t as select *, a + 1, b || 'x' as \"x y\", 5 as a, cast(a as int) as g from s
        create table u as select 1 as a, 2 as \"select\"
        create table \"v v\" as select 1 as a1, 2 as \"1a\", 3 as b union select 5, 6, 7
        create table w as select 1 as a1234567890, 2 as b1234567890, 3 as c123456789, 4 as d12345678
        create table x as values(1, 2)
        create table if not exists x as select 5
        create table y as select * from zz
        create temp table z as select a, b from s
        select sql from sqlite_schema
        select * from t
        select typeof(a), typeof(b), typeof(d) from t
        select * from \"v v\"
        select * from z",
    );
}

#[test]
fn indexes() {
    check(
        "create table t(a, b)
        insert into t values(3, 1), (1, 2), (2, 3), (null, 4), (1, 5)
        create index i on t(a)
        create   unique  index   if not exists  main.j   on t (b desc)
        create unique index k on t(a)
        create unique index k on t(a) where b < 5
        create unique index l on t(a + 0)
        create index i on t(b)
        create index if not exists i on t(zz)
        create index m on zz(a)
        create index t on t(a)
        create index i2 on t(zz)
        create index temp.i3 on t(a)
        create index foo.i3 on t(a)
        create index sqlite_i on t(a)
        create view v as select 1 as a
        create index i4 on v(a)
        create temp table tt(a, b)
        create index i5 on tt(a)
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema
        select a from t indexed by i where a > 0
        select b from t indexed by j where b > 0
        insert into t values(9, 1)
        insert into t values(3, 0)
        reindex
        reindex i
        reindex t
        reindex nocase
        reindex zz
        drop index i
        drop index i
        drop index if exists i
        drop index main.zz
        create table u(a unique)
        drop index sqlite_autoindex_u_1
        select name from sqlite_schema",
    );
}

#[test]
fn views_and_triggers() {
    check(
        "create table t(a, b)
        create view v as select a + 1 as c from t
        create view v as select 1
        create view if not exists v as select 2
        create view t as select 1
        create temp view  if not exists vv (x) as select 1
        create view w as select ?
        create trigger tr after insert on t begin select 1; end
        create trigger tr after insert on t begin select 1; end
        create trigger if not exists tr after insert on t begin select 1; end
        create trigger if not exists main.tr2  after   delete on t begin select 1 ; end
        create trigger x after insert on zz begin select 1; end
        create trigger x instead of insert on t begin select 1; end
        create trigger x before insert on v begin select 1; end
        create trigger x after insert on sqlite_schema begin select 1; end
        create trigger x after insert on t begin insert into t values(?, 1); end
        create temp trigger main.x after insert on t begin select 1; end
        create temp trigger y after insert on t begin select 1; end
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema
        drop view t
        drop table v
        drop trigger zz
        drop trigger main.zz
        drop trigger if exists zz
        drop trigger tr
        drop view v
        drop table t
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema",
    );
}
