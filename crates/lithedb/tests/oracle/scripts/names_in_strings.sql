-- A term of a key is a column's name in a string when the string is alone or behind one COLLATE.
create table t(a, b, str)
create index i1 on t('a')
create index i2 on t('a' collate nocase)
create index i3 on t('a' collate nocase collate rtrim)
create index i4 on t('x' collate nocase collate nocase)
create index i5 on t('x' collate nocase)
create index i6 on t((('x') collate nocase))
create index i7 on t(a collate nocase collate rtrim)
create table u1(a, b, primary key('a' collate nocase collate rtrim))
create table u2(a, b, unique('a' collate nocase))
create table u3(a, b, unique(a collate nocase collate rtrim))
create table u4(a, b, unique('a' collate nocase collate rtrim))
select s.name, x.seqno, x.cid, x.name, x.coll from sqlite_schema as s, pragma_index_xinfo(s.name) as x where s.type = 'index'
