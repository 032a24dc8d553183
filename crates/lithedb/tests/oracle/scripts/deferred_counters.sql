-- Violations of deferred keys are counted for themselves, also under defer_foreign_keys: those that cascades undo are found again.
PRAGMA foreign_keys = 1
CREATE TABLE au(id INTEGER PRIMARY KEY)
CREATE TABLE p(id INTEGER PRIMARY KEY, a REFERENCES au DEFERRABLE INITIALLY DEFERRED, par REFERENCES p ON DELETE CASCADE)
BEGIN
INSERT INTO p VALUES(1, 7, NULL), (2, NULL, 1)
PRAGMA defer_foreign_keys = 1
DELETE FROM p WHERE id = 1
COMMIT
BEGIN
INSERT INTO p VALUES(3, 7, NULL)
PRAGMA defer_foreign_keys = 1
UPDATE p SET a = NULL WHERE id = 3
INSERT INTO p VALUES(5, NULL, 99)
DELETE FROM p WHERE id = 5
COMMIT
BEGIN
INSERT INTO p VALUES(4, 7, NULL), (6, 7, NULL)
PRAGMA defer_foreign_keys = 1
UPDATE p SET a = NULL WHERE id = 4
INSERT INTO p VALUES(5, NULL, 99)
DELETE FROM p WHERE id = 5
COMMIT
UPDATE p SET a = NULL WHERE id = 6
COMMIT
SELECT * FROM p
