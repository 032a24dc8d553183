-- Of an INSERT with both, what is compiled last decides whether SQLite checks the new row's key: the update comes where its conflict is found.
PRAGMA foreign_keys = ON;
CREATE TABLE u(a UNIQUE, b UNIQUE ON CONFLICT REPLACE, c REFERENCES u(b) ON DELETE SET NULL);
INSERT INTO u VALUES (1, 'a', 'a'), (2, 'b', 'b'), (3, 'c', 'b');
INSERT INTO u VALUES (1, 'c', 2.0) ON CONFLICT (a) DO UPDATE SET c = a;
INSERT INTO u VALUES (1, 'c', 2.0) ON CONFLICT (a) DO UPDATE SET b = 'd';
INSERT INTO u VALUES (1, 'd', 'b') ON CONFLICT DO UPDATE SET b = 'e' RETURNING *;
CREATE TABLE w(a UNIQUE, b UNIQUE, c REFERENCES w(b) ON DELETE SET DEFAULT ON UPDATE SET NULL);
REPLACE INTO w VALUES (1, 'a', 2.0) ON CONFLICT (a) DO UPDATE SET c = a, b = '1';
INSERT INTO w VALUES (1, 'a', 'a') ON CONFLICT (a) DO UPDATE SET c = a, b = '1';
PRAGMA foreign_key_check;
SELECT * FROM u, w
