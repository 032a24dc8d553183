-- A column that is equal to a constant can still be searched for.
CREATE TABLE k(a TEXT COLLATE NOCASE, b, c TEXT)
CREATE INDEX ka ON k(a)
CREATE INDEX kc ON k(c COLLATE NOCASE)
CREATE INDEX kl ON k(length(c), b)
CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT COLLATE NOCASE, due)
CREATE INDEX open_task ON task(due) WHERE state = 'open' AND due IS NOT NULL
? SELECT * FROM k WHERE a = 'x' AND a = 'X' COLLATE BINARY
? SELECT * FROM k WHERE a = 'X' COLLATE BINARY AND a = 'x'
? SELECT * FROM k WHERE c = 'X' AND c = 'x' COLLATE NOCASE
? SELECT * FROM k WHERE c = 'X' AND length(c) = 1
? SELECT * FROM k WHERE c = 'X' AND length(c) = 1 AND b = 2
? SELECT * FROM k WHERE c = 'X' AND c > 'A' COLLATE NOCASE
? SELECT * FROM k WHERE c = 'X' AND c COLLATE NOCASE BETWEEN 'a' AND 'z'
? SELECT id FROM task WHERE state = 'open' AND due > 2 AND state = 'OPEN' COLLATE BINARY
? SELECT id FROM task WHERE state = 'open' AND due > 2 AND length(state) = 4
? SELECT id FROM task WHERE state = 'open' AND due IS NOT NULL AND due BETWEEN 3 AND 12 AND state = 'open' COLLATE BINARY ORDER BY due, id
