-- last_insert_rowid() is 0 after a command of a full-text table.
CREATE TABLE d(id INTEGER PRIMARY KEY)
CREATE VIRTUAL TABLE f USING fts4(b)
INSERT INTO f VALUES('a b')
INSERT INTO d VALUES(77)
INSERT INTO f(f) VALUES('optimize')
SELECT last_insert_rowid()
INSERT INTO d VALUES(78)
INSERT INTO f(f) VALUES('rebuild')
SELECT last_insert_rowid()
INSERT INTO d VALUES(79)
INSERT INTO f(f) VALUES('integrity-check')
SELECT last_insert_rowid()
INSERT INTO d VALUES(80)
INSERT INTO f(f) VALUES('automerge=2')
SELECT last_insert_rowid();
-- The rows that OR FAIL keeps are counted, whatever the table writes for them.
CREATE VIRTUAL TABLE g USING fts5(a);
INSERT OR FAIL INTO g(a, rowid) VALUES ('x', 1), ('y', 2), ('z', 1);
SELECT changes()
