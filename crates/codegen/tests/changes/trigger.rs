//! Triggers.

use super::{check, check_with};

#[test]
fn before_and_after() {
    check(
        "create table t(a integer primary key, b int)
        create table log(what, x, y, z)
        create trigger b1 before insert on t begin insert into log values('bi', new.a, new.b, typeof(new.b)); end
        create trigger a1 after insert on t begin insert into log values('ai', new.a, new.b, new.rowid); end
        create trigger b2 before update on t begin insert into log values('bu', old.a, old.b, new.b); end
        create trigger a2 after update of b on t begin insert into log values('au', old.a, new.a, new.b); end
        create trigger b3 before delete on t begin insert into log values('bd', old.a, old.b, null); end
        create trigger a3 after delete on t when old.b > 2 begin insert into log values('ad', old.a, old.b, null); end
        insert into t values(null, '1'), (5, 2)
        insert into t(b) select b + 10 from t
        update t set b = b + 1
        update t set a = 100 where a = 5
        delete from t where b < 13
        delete from t
        select rowid, * from log
        insert into t values('x', 1)
        select count(*) from log",
    );
}

#[test]
fn raise() {
    check(
        "create table t(a, b)
        create table log(x)
        create trigger r before insert on t begin
          select case new.a when 1 then raise(ignore) when 2 then raise(abort, 'two') when 3 then raise(fail, 'three')
          when 4 then raise(rollback, 'four') end; end
        create trigger s after insert on t when new.a = 5 begin insert into log values(1); select raise(abort, 'five'); end
        insert into t values(0, 0), (1, 1), (6, 6)
        insert into t values(7, 7), (2, 2)
        insert into t values(8, 8), (3, 3), (9, 9)
        insert into t values(10, 10), (5, 5)
        select * from t
        select * from log",
    );
}

#[test]
fn changes_of_the_row_itself() {
    check(
        "create table t(a integer primary key, b, c)
        create trigger r1 before update on t begin update t set c = c + 100 where a = old.a; end
        create trigger r2 before delete on t when old.b = 7 begin delete from t where a = old.a; end
        insert into t values(1, 1, 1), (2, 2, 2), (3, 7, 3)
        update t set b = b + 1 where a = 1
        select * from t
        delete from t where a = 3
        select * from t
        create trigger r3 after insert on t begin update t set b = new.b * 2 where a = new.a; end
        insert into t values(9, 9, 9)
        select * from t",
    );
}

#[test]
fn other_statements_in_bodies() {
    check(
        "create table t(a unique, b)
        create table u(x unique, y default 0)
        create trigger r after insert on t begin
          insert into u(x) values(new.a) on conflict(x) do update set y = y + 1;
          update u set y = y + 10 where x = new.b;
          delete from u where y > 15;
          insert or ignore into u select a + 100, b from t where a = new.a;
          end
        insert into t values(1, 2), (2, 1), (3, 1)
        select * from u
        insert or replace into t values(1, 5)
        select * from t
        select * from u
        insert or ignore into t values(1, 7)
        select * from u",
    );
}

#[test]
fn policies_of_the_statement_hold_inside() {
    check(
        "create table t(a)
        create table u(x unique)
        create trigger r after insert on t begin insert into u values(new.a); end
        insert into t values(1)
        insert into t values(1)
        insert or ignore into t values(1)
        insert or replace into t values(1)
        select rowid, * from t
        select rowid, * from u
        create trigger s after delete on t begin insert or replace into u values(old.a); end
        delete from t
        select rowid, * from u",
    );
}

#[test]
fn order_and_databases() {
    check(
        "create table t(a)
        create table log(x)
        create trigger x after insert on t begin insert into log values('x'); end
        create trigger y after insert on t begin insert into log values('y'); end
        create temp trigger z after insert on t begin insert into log values('z'); end
        create temp trigger w after insert on t begin insert into log values('w'); end
        insert into t values(1)
        select * from log
        create temp table tt(a)
        create temp trigger v after insert on tt begin insert into t values(new.a); end
        insert into tt values(5)
        select * from t
        drop trigger z
        drop trigger y
        insert into tt values(6)
        select count(*) from log",
    );
}

#[test]
fn recursion() {
    let script = "create table t(a)
        create trigger r after insert on t when new.a < 5 begin insert into t values(new.a + 1); end
        insert into t values(1)
        select * from t
        create table u(a unique, b)
        create table log(x)
        create trigger d after delete on u begin insert into log values(old.b); end
        insert into u values(1, 1), (2, 2)
        replace into u values(1, 3)
        select * from log
        select * from u";
    check(script);
    check_with(script, |connection| {
        let flags = connection.flags.get();
        connection.flags.set(lithe_resolve::environment::Flags { recursive_triggers: true, ..flags });
    });
}

#[test]
fn instead_of() {
    check(
        "create table l(what, x, y)
        create view v as select 1 as a, 2 as b union all select 3, 4
        create trigger i instead of insert on v begin insert into l values('i', new.a, new.b); end
        create trigger u instead of update on v begin insert into l values('u', old.a, new.b); end
        create trigger d instead of delete on v begin insert into l values('d', old.a, old.b); end
        insert into v values(7, 8), (9, 10) returning *
        insert into v(b) values(5)
        insert into v select b, a from v
        update v set b = b + 10 where a = 1 returning *
        update v set a = 1
        delete from v where b > 2 returning *
        delete from v
        select * from l
        insert into v values(1) on conflict do nothing
        insert into v values(1, 2) on conflict do nothing
        insert into v values(1)
        select changes()",
    );
}

#[test]
fn errors_in_bodies() {
    check(
        "create table t(a)
        create trigger r1 after insert on t begin insert into zz values(1); end
        insert into t values(1)
        drop trigger r1
        create trigger r2 after insert on t begin select zz from t; end
        insert into t values(1)
        drop trigger r2
        create trigger r3 after insert on t when new.zz begin select 1; end
        insert into t values(1)
        drop trigger r3
        create trigger r4 after insert on t begin insert into t values(1) returning a; end
        insert into t values(1)
        drop trigger r4
        create trigger r5 after insert on t begin insert into main.t values(1); end
        create trigger r6 after insert on t begin update t indexed by x set a = 1; end
        select raise(abort, 'x')
        select * from t",
    );
}
