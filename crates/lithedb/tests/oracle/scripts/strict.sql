-- In which order types and other constraints are checked.
create table a1(k integer primary key, b int not null, c text unique) strict
insert into a1 values(1,1,'x')
insert into a1 values(1,null,x'00')
insert into a1 values(1,2,x'00')
insert into a1 values(2,'q','x')
insert into a1 values(1,'q','z')
create table a2(k integer primary key, b int not null, c text check(c<>'x')) strict
insert into a2 values(1,1,'y')
insert into a2 values(1,null,x'00')
insert into a2 values(1,'q','x')
insert into a2 values(1,'q','z')
insert into a2 values(1,2,'x')
update a2 set b='q', c='x'
update a2 set b='q', k=null
update a2 set b=null, c=x'00'
create table a3(k integer primary key, b int not null, c text, g int as (b+1)) strict
insert into a3(k,b,c) values(1,null,x'00')
insert into a3(k,b,c) values(1,'q',x'00')
insert into a3(k,b,c) values('zz',2,x'00')
insert into a3(k,b,c) values(1,2,'c')
update a3 set b=null, c=x'00'
update a3 set k='x', c=x'00'
create table a4(k integer primary key, b int not null, c text, g text not null as (b+1)) strict
insert into a4(k,b,c) values(1,null,x'00')
insert into a4(k,b,c) values(1,5,'c')
update a4 set b=null, c=x'00'
update a4 set b=2.5
create table a5(k integer primary key, b int not null, c text) strict
create trigger a5t before insert on a5 begin select raise(abort,'trig'); end
insert into a5 values(1,null,x'00')
insert into a5 values(1,2,x'00')
insert into a5 values('x',2,x'00')
insert into a5 values(1,2,'x')
create trigger a5u before update on a5 begin select raise(abort,'trigu'); end
drop trigger a5t
insert into a5 values(1,2,'x')
update a5 set b='w', c=null
update a5 set b=null, c=x'00'
create table a6(a int, b text, primary key(a)) strict, without rowid
insert into a6 values(1,'x')
insert into a6 values(1,x'00')
insert into a6 values(null,x'00')
-- Types of stored generated columns are checked after NOT NULL, those of the others before.
CREATE TABLE sg(a INT, b INT NOT NULL, c INT CHECK(c > 0), g INT AS (1.5) STORED) STRICT
INSERT INTO sg(a, b, c) VALUES (1, NULL, 1)
INSERT INTO sg(a, b, c) VALUES (1, 1, 0)
INSERT INTO sg(a, b, c) VALUES ('x', NULL, 0)
CREATE TABLE vg(a INT, b INT NOT NULL, c INT CHECK(c > 0), g INT AS (a + 0.5)) STRICT
INSERT INTO vg(a, b, c) VALUES (1, NULL, 1)
INSERT INTO vg(a, b, c) VALUES (1, 1, 0)
