-- REINDEX makes a WITHOUT ROWID table anew, too.
CREATE TABLE w(a, b REAL, c AS (a || b), d AS (b) STORED, PRIMARY KEY(b DESC, a)) WITHOUT ROWID;
INSERT INTO w VALUES (1, 2), ('x', 2), (3, 1.5), (NULL, 4);
INSERT INTO w VALUES (7, 4);
ALTER TABLE w ADD e DEFAULT 5;
CREATE INDEX i ON w(e, a);
INSERT INTO w(a, b, e) VALUES (8, 4, 6);
REINDEX;
SELECT *, typeof(b) FROM w /* ordered */;
REINDEX w;
SELECT * FROM w INDEXED BY i WHERE e = 5 /* ordered */;
PRAGMA integrity_check;
