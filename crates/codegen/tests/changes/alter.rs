//! ALTER TABLE.

use super::check;

#[test]
fn add_column() {
    check(
        "create table t(a)
        insert into t values(1), (2)
        alter table t add column b
        alter table t add c int default 5
        insert into t(a) values(3)
        select *, typeof(c) from t
        alter table t add d as (a + 1)
        select * from t
        update t set b = d
        alter table t add e text default 7 collate nocase
        select *, typeof(e) from t
        alter table t add a
        alter table t add x primary key
        alter table t add x unique
        alter table t add x not null
        alter table t add x not null default 5
        alter table t add y default (1 + 1)
        alter table t add y default current_time
        alter table t add y as (a) stored
        alter table zz add a
        create view v as select 1
        alter table v add a
        alter table sqlite_schema add a
        create table k(a /*x*/ , primary key(a)) without rowid
        insert into k values(1)
        alter table k add b int default 9
        select * from k
        create table n(a /* x */ )
        alter table n add b   int
        create temp table tt(a)
        alter table tt add b
        select sql from sqlite_schema
        select sql from temp.sqlite_schema
        select * from t",
    );
}

#[test]
fn drop_column() {
    check(
        "create table t(a, b, c, d)
        create index i on t(a)
        insert into t values(1, 2, 3, 4), (5, 6, 7, 8)
        alter table t drop column b
        select * from t
        alter table t drop d
        select * from t
        alter table t drop a
        drop index i
        alter table t drop a
        select * from t
        alter table t drop c
        alter table t drop zz
        create table u(a, b integer  primary key, c, check(b > 0))
        insert into u values(1, 2, 3)
        alter table u drop b
        alter table u drop c
        select * from u
        alter table u drop a
        select *, rowid from u
        create table w(a, b unique, c, d, primary key(d)) without rowid
        insert into w values(1, 2, 3, 4), (5, 6, 7, 8)
        alter table w drop d
        alter table w drop b
        alter table w drop a
        select * from w order by d
        select b from w where b = 6
        create view v as select c from w
        alter table w drop c
        drop view v
        create trigger r after insert on w begin select new.c; end
        alter table w drop c
        alter table v drop c
        create table g(a, b as (a), c check(c > 0), e check(a > 0))
        insert into g values(1, 2, 3)
        alter table g drop a
        alter table g drop b
        alter table g drop c
        alter table g drop e
        select * from g
        create view broken as select * from zz
        alter table g drop e
        select sql from sqlite_schema",
    );
}

#[test]
fn constraints() {
    check(
        "create table t(a, b, constraint c check(a > 0))
        insert into t values(1, -1), (2, null)
        alter table t add check(b > 0)
        alter table t add check(b < 0)
        alter table t add constraint C check(b)
        alter table t add constraint d check(zz)
        alter table t add constraint d check((select 1))
        alter table t add constraint d check(a < 10) on conflict ignore
        insert into t values(20, -1)
        alter table t drop constraint zz
        alter table t drop constraint c
        insert into t values(-1, -1)
        alter table t alter column b set not null
        alter table t alter zz set not null
        alter table t alter a set not null
        insert into t values(null, -5)
        alter table t alter a set not null on conflict ignore
        insert into t values(null, -5)
        select sql from sqlite_schema
        alter table t alter a drop not null
        alter table t alter b drop not null
        insert into t values(null, -5)
        create table u(a constraint x unique, b  int   constraint y  not null   check (b), c constraint z default 5)
        alter table u drop constraint x
        alter table u drop constraint y
        alter table u drop constraint z
        create table v(a , constraint x check (a<5) , check(1), constraint y foreign key (a) references v(a))
        alter table v drop constraint x
        alter table v drop constraint y
        create view w as select 1 as a
        alter table w add check(a)
        select sql from sqlite_schema
        select * from t",
    );
}

const SCHEMA: &str = "create table t(a, \"b\" int, [c] unique, check(a>0), check(\"b\">t.a))
        create index i on t(a, b+1)
        create table c(x references t(a), y, foreign key(y, x) references t(b, a))
        create view v as select a, \"b\", x.c from t x where x.a>(select max(a) from t)
        create trigger tr after update of a on t when new.a>old.b begin
          update t set a=new.a where b=1; insert into t(a) values(5); select a, t.b from t; delete from t where a=1;
          insert into t(c, a) select a, a from t where true on conflict(c) do update set a=t.a; end
        create temp view tv as select a from t
        create temp trigger tt after insert on t begin select new.a; end
        insert into t values(1, 2, 3)
        ";

#[test]
fn rename_table() {
    check(&format!(
        "{SCHEMA}alter table t rename to \"q r\"
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema
        select * from \"q r\"
        insert into \"q r\" values(1, 2, 3)
        alter table \"q r\" rename to c
        alter table \"q r\" rename to I
        alter table \"q r\" rename to sqlite_x
        alter table v rename to x
        alter table sqlite_schema rename to x
        alter table zz rename to x
        create table k(a integer primary key autoincrement)
        insert into k values(7)
        alter table k rename to l
        insert into l default values
        select * from l
        select * from sqlite_sequence
        create view broken as select * from zz
        alter table l rename to m"
    ));
}

#[test]
fn rename_column() {
    check(&format!(
        "{SCHEMA}alter table t rename a to \"x y\"
        select type, name, tbl_name, sql from sqlite_schema
        select type, name, tbl_name, sql from temp.sqlite_schema
        alter table t rename column b to q
        alter table t rename c to C2
        select type, name, tbl_name, sql from sqlite_schema
        select * from t
        alter table t rename q to C2
        alter table t rename zz to b
        alter table v rename a to b
        create table s(a)
        create table r(z)
        create view w as select s.a from s, r order by a, s.a
        alter table s rename a to b
        create view x as select b from (select b from s)
        alter table s rename b to c
        drop view x
        create view y as select * from s join (select 1 as b) using(b)
        alter table s rename b to c
        select sql from sqlite_schema"
    ));
}
