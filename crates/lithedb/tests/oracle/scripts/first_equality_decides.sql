-- Of two equalities of a column the first decides whether it has one value.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
INSERT INTO b VALUES (12, 2, 'yy', NULL, '2024-02-01')
INSERT INTO b VALUES (13, 2, 'y', 2, '2024-03-03')
SELECT DISTINCT s, k FROM b WHERE (k = CAST('2' AS TEXT)) AND abs(k) < id AND k AND 2 = k /* ordered */
