create table t1(a TEXT, b INT, c INT, d INT); CREATE INDEX t1abc ON t1(a,b,c);
analyze; insert into sqlite_stat1 values('t1','t1abc','10000 5000 2000 10'); analyze sqlite_schema;
? select * from t1
? select * from t1 where b=3
? select * from t1 where a='x' and c=3
? select * from t1 where c=3
? select * from t1 where a>'x' and c=3
? select * from t1 where b>3
? select * from t1 where b in (1,2,3)
? select * from t1 where a in (1,2,3) and b in (1,2,3)
? select * from t1 where a in (1,2,3) and b in (1,2,3) and c in (3,4)
? select * from t1 where a in (1,2,3) and c in (1,2,3)
? select a,b from t1 where b=3 order by a
? select * from t1 where a='x' and b=5
? select * from t1 where d=5
===
create table o(id integer primary key, cust int, amt real); create index oc on o(cust); create table c(id integer primary key, name text, region int); create index cr on c(region); create table li(oid int, item int, qty int, primary key(oid,item)) without rowid; create index lii on li(item);
analyze; insert into sqlite_stat1 values('o','oc','100000 10'),('c','cr','10000 500'),('li','li','500000 5 1'),('li','lii','500000 50'); analyze sqlite_schema;
? select * from o,c where o.cust=c.id
? select * from o,c where o.cust=c.id and c.region=5
? select * from o,c,li where o.cust=c.id and c.region=5 and li.oid=o.id
? select * from o,c,li where o.cust=c.id and li.oid=o.id and li.item=7
? select * from o,c,li where o.cust=c.id and li.oid=o.id and c.name='x'
? select * from o,c,li where o.cust=c.id and li.oid=o.id and c.name='x' and o.amt>5
? select * from o join li on li.oid=o.id where li.qty>5
? select * from o left join li on li.oid=o.id where o.cust=5
? select c.name,sum(amt) from o,c where o.cust=c.id group by c.name
? select c.id,sum(amt) from o,c where o.cust=c.id group by c.id
? select * from c where region between 1 and 2
? select * from c where region>5 and name='x'
? select * from li where oid in (1,2,3) and item in (4,5,6)
? select * from li where oid=5 and qty=3
? select * from o a, o b where a.cust=b.cust
? select * from o a, o b where a.cust=b.cust and a.amt=5
? select * from c,o where c.region=o.amt
===
CREATE TABLE region(r_regionkey INTEGER PRIMARY KEY, r_name TEXT, r_comment TEXT); CREATE TABLE nation(n_nationkey INTEGER PRIMARY KEY, n_name TEXT, n_regionkey INTEGER, n_comment TEXT); CREATE TABLE part(p_partkey INTEGER PRIMARY KEY, p_name TEXT, p_mfgr TEXT, p_brand TEXT, p_type TEXT, p_size INTEGER, p_container TEXT, p_retailprice REAL, p_comment TEXT); CREATE TABLE supplier(s_suppkey INTEGER PRIMARY KEY, s_name TEXT, s_address TEXT, s_nationkey INTEGER, s_phone TEXT, s_acctbal REAL, s_comment TEXT); CREATE TABLE partsupp(ps_partkey INTEGER, ps_suppkey INTEGER, ps_availqty INTEGER, ps_supplycost REAL, ps_comment TEXT, PRIMARY KEY(ps_partkey,ps_suppkey)); CREATE TABLE customer(c_custkey INTEGER PRIMARY KEY, c_name TEXT, c_address TEXT, c_nationkey INTEGER, c_phone TEXT, c_acctbal REAL, c_mktsegment TEXT, c_comment TEXT); CREATE TABLE orders(o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER, o_orderstatus TEXT, o_totalprice REAL, o_orderdate TEXT, o_orderpriority TEXT, o_clerk TEXT, o_shippriority INTEGER, o_comment TEXT); CREATE TABLE lineitem(l_orderkey INTEGER, l_partkey INTEGER, l_suppkey INTEGER, l_linenumber INTEGER, l_quantity REAL, l_extendedprice REAL, l_discount REAL, l_tax REAL, l_returnflag TEXT, l_linestatus TEXT, l_shipdate TEXT, l_commitdate TEXT, l_receiptdate TEXT, l_shipinstruct TEXT, l_shipmode TEXT, l_comment TEXT, PRIMARY KEY(l_orderkey,l_linenumber));create index l_part on lineitem(l_partkey); create index l_supp on lineitem(l_suppkey); create index o_cust on orders(o_custkey); create index ps_supp on partsupp(ps_suppkey); create index c_nat on customer(c_nationkey); create index s_nat on supplier(s_nationkey); create index l_ship on lineitem(l_shipdate); create index o_date on orders(o_orderdate); create index n_reg on nation(n_regionkey);analyze; insert into sqlite_stat1 values('region',null,'5'),('nation',null,'25'),('nation','n_reg','25 5'),('part',null,'20000'),('supplier',null,'1000'),('supplier','s_nat','1000 40'),('partsupp','sqlite_autoindex_partsupp_1','80000 4 1'),('partsupp','ps_supp','80000 80'),('customer',null,'15000'),('customer','c_nat','15000 600'),('orders','o_cust','150000 15'),('orders','o_date','150000 63'),('lineitem','sqlite_autoindex_lineitem_1','600000 4 1'),('lineitem','l_part','600000 30'),('lineitem','l_supp','600000 600'),('lineitem','l_ship','600000 240'); analyze sqlite_schema;
? select * from customer, orders, lineitem where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate < '1995-03-15' and l_shipdate > '1995-03-15'
? select * from customer, orders where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and o_orderdate < '1995-03-15'
? select * from customer cross join orders cross join lineitem where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate < '1995-03-15' and l_shipdate > '1995-03-15'
? select * from orders cross join customer cross join lineitem where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate < '1995-03-15' and l_shipdate > '1995-03-15'
? select * from customer, orders where c_custkey = o_custkey and o_orderdate < '1995-03-15'
? select * from customer, orders where c_custkey = o_custkey and c_mktsegment = 'BUILDING'
? select * from customer, orders where c_custkey = o_custkey
===
CREATE TABLE region(r_regionkey INTEGER PRIMARY KEY, r_name TEXT, r_comment TEXT); CREATE TABLE nation(n_nationkey INTEGER PRIMARY KEY, n_name TEXT, n_regionkey INTEGER, n_comment TEXT); CREATE TABLE part(p_partkey INTEGER PRIMARY KEY, p_name TEXT, p_mfgr TEXT, p_brand TEXT, p_type TEXT, p_size INTEGER, p_container TEXT, p_retailprice REAL, p_comment TEXT); CREATE TABLE supplier(s_suppkey INTEGER PRIMARY KEY, s_name TEXT, s_address TEXT, s_nationkey INTEGER, s_phone TEXT, s_acctbal REAL, s_comment TEXT); CREATE TABLE partsupp(ps_partkey INTEGER, ps_suppkey INTEGER, ps_availqty INTEGER, ps_supplycost REAL, ps_comment TEXT, PRIMARY KEY(ps_partkey,ps_suppkey)); CREATE TABLE customer(c_custkey INTEGER PRIMARY KEY, c_name TEXT, c_address TEXT, c_nationkey INTEGER, c_phone TEXT, c_acctbal REAL, c_mktsegment TEXT, c_comment TEXT); CREATE TABLE orders(o_orderkey INTEGER PRIMARY KEY, o_custkey INTEGER, o_orderstatus TEXT, o_totalprice REAL, o_orderdate TEXT, o_orderpriority TEXT, o_clerk TEXT, o_shippriority INTEGER, o_comment TEXT); CREATE TABLE lineitem(l_orderkey INTEGER, l_partkey INTEGER, l_suppkey INTEGER, l_linenumber INTEGER, l_quantity REAL, l_extendedprice REAL, l_discount REAL, l_tax REAL, l_returnflag TEXT, l_linestatus TEXT, l_shipdate TEXT, l_commitdate TEXT, l_receiptdate TEXT, l_shipinstruct TEXT, l_shipmode TEXT, l_comment TEXT, PRIMARY KEY(l_orderkey,l_linenumber));create index l_part on lineitem(l_partkey); create index l_supp on lineitem(l_suppkey); create index o_cust on orders(o_custkey); create index ps_supp on partsupp(ps_suppkey); create index c_nat on customer(c_nationkey); create index s_nat on supplier(s_nationkey); create index l_ship on lineitem(l_shipdate); create index o_date on orders(o_orderdate); create index n_reg on nation(n_regionkey);analyze; insert into sqlite_stat1 values('region',null,'5'),('nation',null,'25'),('nation','n_reg','25 5'),('part',null,'20000'),('supplier',null,'1000'),('supplier','s_nat','1000 40'),('partsupp','sqlite_autoindex_partsupp_1','80000 4 1'),('partsupp','ps_supp','80000 80'),('customer',null,'15000'),('customer','c_nat','15000 600'),('orders','o_cust','150000 15'),('orders','o_date','150000 63'),('lineitem','sqlite_autoindex_lineitem_1','600000 4 1'),('lineitem','l_part','600000 30'),('lineitem','l_supp','600000 600'),('lineitem','l_ship','600000 240'); analyze sqlite_schema;
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%'
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and n_name='x'
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and n_nationkey=5
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and o_orderkey=5
? select * from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and s_name='x'
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey and ps_availqty=5
? select 1 from part, supplier, lineitem, partsupp, orders, nation where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey and o_orderkey = l_orderkey and s_nationkey = n_nationkey group by n_name
