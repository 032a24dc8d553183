pragma foreign_keys=on
create table p(id integer primary key, u unique, x)
create table c(a integer primary key, pid references p(id), pu references p(u))
insert into c values(1, 5, null)
insert into p values(5, 'k', 1),(6,'l',2)
insert into c values(1, 5, 'k'),(2,null,'l')
insert into c values(3, '5', 'k')
insert into c values(4, 'x', 'k')
insert into c values(4, 5.5, 'k')
insert into c values(4, 6, 'zz')
update c set pid=7
update c set pid=6 where a=1
update c set pu='none'
delete from p where id=6
delete from p
update p set id=9 where id=6
update p set id=id
update p set x=x+1
update p set u='m' where id=5
insert or replace into p values(6,'q',3)
insert or replace into p values(7,'l',3)
replace into p values(6,'l',4)
drop table p
delete from c where a=3
begin
delete from c
drop table p
rollback
select * from c
select * from p
create table c2(a references p(u) on delete cascade on update cascade)
create table c3(a references p(u) on delete set null on update set null)
create table c4(a default 'l' references p(u) on delete set default on update set default)
create table c5(a references p(u) on delete restrict on update restrict)
insert into p values(10,'A',0),(11,'B',0),(12,'C',0),(13,'D',0)
insert into c2 values('A'),('A')
insert into c3 values('B'),('B')
insert into c4 values('C'),('C')
insert into c5 values('D'),('D')
update p set u='AA' where u='A'
update p set u='BB' where u='B'
update p set u='CC' where u='C'
update p set u='DD' where u='D'
select * from c2
select * from c3
select * from c4
select * from c5
delete from p where u='AA'
delete from p where u='D'
delete from p where u='l'
select * from c2
select * from c4
create table d(a references p(id) deferrable initially deferred)
insert into d values(99)
begin
insert into d values(99)
commit
insert into p(id) values(99)
commit
select * from d
begin
delete from p where id=99
savepoint s
insert into p(id) values(99)
rollback to s
commit
release s
insert into p(id) values(99)
commit
begin
pragma defer_foreign_keys=on
insert into c values(50, 77, null)
commit
pragma defer_foreign_keys
insert into p(id) values(77)
commit
pragma defer_foreign_keys
insert into c values(51, 78, null)
create table self(id integer primary key, parent references self(id))
insert into self values(1,1)
insert into self values(2,1)
insert into self values(3,4)
insert into self values(3,4),(4,3)
insert into self select 5,6 union all select 6,5
update self set parent=9 where id=1
delete from self where id=1
delete from self
select * from self
create table self2(id integer primary key, parent references self2(id) on delete cascade)
insert into self2 values(1,null),(2,1),(3,2),(4,3)
delete from self2 where id=2
select * from self2
create table m1(a,b,primary key(a,b))
create table m2(x,y,foreign key(x,y) references m1 on update cascade on delete cascade)
insert into m1 values(1,2),(3,4)
insert into m2 values(1,2),(1,null),(null,9)
insert into m2 values(2,1)
update m1 set a=7 where a=1
select * from m2
delete from m1 where a=7
select * from m2
create table bad1(a references nothing(x))
insert into bad1 values(null)
insert into bad1 values(1)
delete from bad1
create table bad2(a references p(x))
insert into bad2 values(1)
delete from p where id=13
update p set x=1
update p set u=u
drop table bad2
create table w(k text primary key, v) without rowid
create table wc(k text references w on delete cascade on update cascade, n)
insert into w values('a',1),('b',2)
insert into wc values('a',1),('b',2),('a',3)
update w set k=k||'x'
select * from wc
delete from w where k='ax'
select * from wc
update w set v=3
insert into w values('bx',9) on conflict(k) do update set k='by'
select * from wc
drop table w
drop table wc
drop table w
create table nc(k text collate nocase primary key)
create table ncc(k references nc)
insert into nc values('Abc')
insert into ncc values('aBC')
delete from nc
update nc set k='ABC'
delete from ncc
create trigger tr after delete on wc begin select 1; end
create table lg(x)
create table tp(id integer primary key)
create table tc(id references tp on delete cascade)
create trigger t1 after delete on tc begin insert into lg values(old.id); end
create trigger t2 after delete on tp begin insert into lg values(-old.id); end
insert into tp values(1),(2)
insert into tc values(1),(1),(2)
delete from tp
select * from lg
create table r1(id integer primary key)
create table r2(id references r1 on delete restrict deferrable initially deferred)
insert into r1 values(1)
insert into r2 values(1)
begin
delete from r1
pragma defer_foreign_keys=1
delete from r1
commit
rollback
-- Which of several keys that do not fit is named.
CREATE TABLE mp(a PRIMARY KEY, b, c)
CREATE TABLE mp2(z PRIMARY KEY)
CREATE TABLE mc1(x, y REFERENCES mp(b) ON UPDATE CASCADE)
CREATE TABLE mc2(x REFERENCES mp(c) ON DELETE CASCADE ON UPDATE RESTRICT DEFERRABLE INITIALLY DEFERRED)
DELETE FROM mp
UPDATE mp SET b = 1, c = 1
UPDATE mp SET c = 1
UPDATE mp SET a = 1
CREATE TABLE me(x PRIMARY KEY, y REFERENCES mp2(q), z REFERENCES mp(b))
INSERT INTO me VALUES (1, 2, 3)
DELETE FROM me
UPDATE me SET y = 1
CREATE TABLE mself(x PRIMARY KEY, y, z REFERENCES mself(y), w REFERENCES mp(b))
CREATE TABLE mo(x REFERENCES mself(z))
DELETE FROM mself
UPDATE mself SET y = 1
UPDATE mself SET z = 1, w = 2
-- OR FAIL keeps what was done, unless a deferred key is violated.
CREATE TABLE fp(a PRIMARY KEY)
CREATE TABLE fc(x REFERENCES fp(a) DEFERRABLE INITIALLY DEFERRED, y UNIQUE)
INSERT OR FAIL INTO fc VALUES (7, 1), (8, 2), (9, 2)
SELECT * FROM fc
-- The rows of a child that is dropped are looked at only while something is violated.
INSERT INTO fc VALUES (NULL, 1), (NULL, 2)
DROP TABLE fc
-- Two constraints on one key.
CREATE TABLE kk(a INTEGER, PRIMARY KEY(a DESC) ON CONFLICT ABORT, UNIQUE(a) ON CONFLICT FAIL) WITHOUT ROWID
-- DO NOTHING leaves nothing to be replaced: the key is checked before the row is there.
CREATE TABLE dp(a PRIMARY KEY)
CREATE TABLE dc(x REFERENCES dp(a), y UNIQUE ON CONFLICT REPLACE)
INSERT INTO dc VALUES (1, 2) ON CONFLICT DO NOTHING
SELECT count(*) FROM dc
-- Turning defer_foreign_keys off forgets the violations that were deferred.
CREATE TABLE df(a INTEGER PRIMARY KEY)
CREATE TABLE dg(x REFERENCES df, y REFERENCES df DEFERRABLE INITIALLY DEFERRED)
BEGIN
PRAGMA defer_foreign_keys = 1
INSERT INTO dg VALUES (1, NULL), (NULL, 2)
PRAGMA defer_foreign_keys = 0
COMMIT
SELECT count(*) FROM dg
