-- PRAGMA optimize analyses a table with an index that never was, whether or not it was searched.
CREATE TABLE plain(id INTEGER PRIMARY KEY, a, b)
INSERT INTO plain VALUES (1, 2, 3), (2, 3, 4)
CREATE TABLE after(id INTEGER PRIMARY KEY, a, b)
INSERT INTO after VALUES (1, 2, 3), (2, 3, 4)
CREATE INDEX after_a ON after(a)
CREATE TABLE before(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE, b)
INSERT INTO before VALUES (1, 2, 3), (2, 3, 4)
SELECT * FROM before WHERE a = 2
CREATE TABLE empty(id INTEGER PRIMARY KEY, a UNIQUE)
PRAGMA optimize(3)
PRAGMA optimize
SELECT tbl, idx, stat FROM sqlite_stat1
CREATE INDEX after_b ON after(b)
PRAGMA optimize
SELECT tbl, idx, stat FROM sqlite_stat1
