-- What the schema computes must not depend on when or where that is.
CREATE TABLE t1(x, y, CHECK( date(x) BETWEEN '2017-07-01' AND '2017-07-31' ))
INSERT INTO t1(x,y) VALUES('2017-07-20','one')
INSERT INTO t1(x,y) VALUES('now','two')
CREATE TABLE t2(x,y)
INSERT INTO t2(x,y) VALUES(1, '2017-07-20'), (2, 'xyzzy'), (3,'now')
CREATE INDEX t2y ON t2(date(y))
select count(*) from sqlite_master where name='t2y'
CREATE INDEX t3y ON t2(datetime('now'))
CREATE INDEX t4y ON t2(julianday(y,'localtime'))
CREATE INDEX t5y ON t2(y) WHERE date(y) IS NOT NULL
delete from t2 where x = 3
CREATE INDEX t6y ON t2(date(y))
insert into t2 values(4, 'now')
select x from t2 where date(y) = '2017-07-20'
create table g(a, b as (date('now')))
insert into g values(1)
select a from g
create table g2(a text, b as (strftime('%Y',a)))
insert into g2 values('now')
insert into g2 values('2020-01-01')
select * from g2
create table g3(a, b default (typeof(date('now'))), c check(date(c, 'localtime') or 1))
insert into g3(a) values(1)
