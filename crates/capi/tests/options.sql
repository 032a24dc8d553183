A CREATE TABLE t(x)
A BEGIN
A .get 0
A COMMIT
A PRAGMA journal_mode = WAL
A .get 0
A BEGIN
A .get 0
A COMMIT
A INSERT INTO t VALUES (1)
A BEGIN
A .get 1
A COMMIT
A INSERT INTO t VALUES (2)
A BEGIN
A SELECT * FROM t
A .get 2
A COMMIT
A .compare 1 2
A .compare 2 1
A .compare 2 2
A BEGIN IMMEDIATE
A .get 3
A .open 1
A COMMIT
A .open 1
A BEGIN
A .open 1
A SELECT * FROM t
A .open 2
A SELECT * FROM t
A .open 1
A INSERT INTO t VALUES (9)
A SELECT * FROM t
A COMMIT
A SELECT * FROM t
A CREATE TABLE u(y)
A INSERT INTO u VALUES (5)
A BEGIN
A .open 1
A SELECT * FROM u
A SELECT * FROM t
A .open 2
A COMMIT
A SELECT * FROM u
B BEGIN
B .open 2
B SELECT * FROM t
B COMMIT
B BEGIN
B .open 2
B SELECT * FROM t
A PRAGMA wal_checkpoint
A BEGIN
A .open 1
A .open 2
A SELECT * FROM t
A SELECT name FROM sqlite_schema
A COMMIT
B SELECT * FROM t
B COMMIT
A PRAGMA wal_checkpoint
A BEGIN
A .open 2
A SELECT * FROM t
A COMMIT
A BEGIN
A .get 3
A COMMIT
A INSERT INTO t VALUES (3)
A BEGIN
A .open 3
A COMMIT
A PRAGMA wal_checkpoint = TRUNCATE
A BEGIN
A .get 4
A COMMIT
A INSERT INTO t VALUES (4)
A BEGIN
A .open 4
A SELECT * FROM t
A COMMIT
A INSERT INTO t VALUES (5)
A BEGIN
A .get 5
A COMMIT
A INSERT INTO t VALUES (6)
A BEGIN
A .get 6
A COMMIT
A INSERT INTO t VALUES (7)
A BEGIN
A .get 7
A COMMIT
A PRAGMA wal_checkpoint
A UPDATE t SET x = x + 100 WHERE x = 2
A BEGIN
A .get 8
A COMMIT
A UPDATE t SET x = x + 100 WHERE x = 3
A BEGIN
A .get 9
A COMMIT
A .again
B .again
C .again
B .recover
A BEGIN
A .open 5
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 6
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 7
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 8
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 9
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A SELECT 1 FROM t LIMIT 1
A .recover
A COMMIT
A .recover
A BEGIN
A .open 5
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 6
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 7
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 8
A SELECT count(*), sum(x) FROM t
A COMMIT
A BEGIN
A .open 9
A SELECT count(*), sum(x) FROM t
A COMMIT
A .normalize SELECT "x", "no such", 'a' FROM t WHERE x IN (1, 2)
A .normalize SELECT "no such" AS "No Such" FROM t
A .normalize INSERT INTO t VALUES ("abc")
A .normalize EXPLAIN QUERY PLAN SELECT "abc"
A .normalize EXPLAIN SELECT "abc"
A .normalize PRAGMA table_info("t")
A .normalize SELECT "abc" FROM (SELECT 1 AS "abc")
A .normalize CREATE TABLE v(a DEFAULT "abc")
A .normalize ;
A .normalize 
A SELECT * FROM tables_used('SELECT * FROM t')
A SELECT * FROM tables_used('INSERT INTO u VALUES (1)')
A SELECT type, schema, name, wr FROM tables_used('SELECT name FROM sqlite_schema')
A SELECT * FROM tables_used('nonsense')
A SELECT * FROM tables_used(NULL)
A SELECT * FROM tables_used
A SELECT * FROM bytecode
A SELECT * FROM bytecode('SELECT nosuch')
A SELECT count(*) > 2, max(nexec), min(subprog IS NULL) FROM bytecode('SELECT 1')
A CREATE TRIGGER w AFTER INSERT ON t BEGIN DELETE FROM u WHERE y = new.x; END
A SELECT type, schema, name, max(wr), subprog FROM tables_used('INSERT INTO t VALUES (1)') GROUP BY 1, 2, 3, 5 ORDER BY 5, 3
A SELECT name FROM tables_used('INSERT INTO t VALUES (1)') WHERE subprog IS NULL GROUP BY 1
A SELECT count(*) FROM bytecode('SELECT 1') AS one JOIN tables_used('SELECT 1 FROM t') AS other WHERE one.addr = 0
A SELECT * FROM pragma_table_xinfo('bytecode')
A SELECT * FROM pragma_table_xinfo('tables_used')
