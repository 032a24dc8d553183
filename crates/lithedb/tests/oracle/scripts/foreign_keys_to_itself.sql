-- Rows that had no parent get one: once a statement or transaction counts, more put right than put wrong is a violation too.
CREATE TABLE c(a UNIQUE, b REFERENCES c(a));
INSERT INTO c VALUES (1, 3), (2, 3), (5, 3);
PRAGMA foreign_keys = ON;
INSERT INTO c VALUES (3, 4), (7, 9);
REPLACE INTO c VALUES (3, 4);
UPDATE c SET a = 3, b = 4 WHERE a = 1;
INSERT INTO c VALUES (8, 9), (9, 9);
INSERT INTO c VALUES (3, NULL);
SELECT * FROM c;
PRAGMA foreign_keys = OFF;
CREATE TABLE d(a UNIQUE, b REFERENCES d(a) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO d VALUES (1, 3), (2, 3);
PRAGMA foreign_keys = ON;
BEGIN;
INSERT INTO d VALUES (8, 9);
INSERT INTO d VALUES (3, NULL);
COMMIT;
INSERT INTO d VALUES (18, 9);
COMMIT;
SELECT * FROM d;
-- An UPDATE that is about any key looks at those that refer to the table itself.
PRAGMA foreign_keys = OFF;
CREATE TABLE e(a UNIQUE, b, d PRIMARY KEY, FOREIGN KEY(b) REFERENCES e) WITHOUT ROWID;
INSERT INTO e VALUES (1, 3, 1), (2, 1, 2);
CREATE TABLE p(x PRIMARY KEY, y);
CREATE TABLE f(a, b, d, FOREIGN KEY(d, a) REFERENCES p(y, x), FOREIGN KEY(b) REFERENCES f(d));
PRAGMA foreign_keys = ON;
UPDATE OR REPLACE e SET d = d + 1 WHERE d = 1;
UPDATE e SET a = 7;
UPDATE f SET a = 1;
UPDATE f SET b = 1;
UPDATE f SET d = 1;
SELECT * FROM e;
-- While a row that refers to its own table is changed, no index has an entry of it.
CREATE TABLE own_real(c0 UNIQUE, c1 REAL, c2, PRIMARY KEY(c0, c1, c2), FOREIGN KEY(c0, c2, c1) REFERENCES own_real(c0, c1, c2))
INSERT INTO own_real VALUES (1, 3, NULL)
UPDATE own_real SET c2 = 'x'
INSERT INTO own_real VALUES (1, 3, 'x') ON CONFLICT(c0) DO UPDATE SET c2 = excluded.c2
SELECT * FROM own_real
