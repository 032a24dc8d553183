-- REPLACE into a table without foreign keys opens no statement journal, which would make a full-text table write what it has pending: total_changes() shows it.
PRAGMA foreign_keys = 1
CREATE VIRTUAL TABLE f USING fts5(b)
CREATE TABLE plain(id INTEGER PRIMARY KEY, b)
CREATE TABLE parent(id INTEGER PRIMARY KEY, b UNIQUE)
CREATE TABLE child(id INTEGER PRIMARY KEY, b REFERENCES parent)
CREATE TABLE u(a UNIQUE)
INSERT INTO u VALUES(1)
INSERT INTO parent VALUES(1, 1)
CREATE TRIGGER ti AFTER INSERT ON plain WHEN new.b = 'both' BEGIN INSERT INTO f(b) VALUES(new.b); INSERT INTO u VALUES(1); END
INSERT INTO plain VALUES(4, 'both')
SELECT total_changes()
DROP TRIGGER ti
BEGIN
INSERT INTO f(rowid, b) VALUES(1, 'x')
SELECT total_changes()
REPLACE INTO plain VALUES(1, 1)
SELECT total_changes()
REPLACE INTO child VALUES(1, 1)
SELECT total_changes()
COMMIT
SELECT total_changes()
