-- Columns of a query in FROM that an UPDATE does not read do not keep an index from covering it, which decides which row is the last.
CREATE TABLE u(a INT PRIMARY KEY, b, c);
INSERT INTO u VALUES (1, 1, 2), (NULL, 2, 2), (7, 2, 2), (3, 3, 3);
UPDATE u SET b = q.k FROM (SELECT a AS k, b AS l FROM u) AS q WHERE u.a = 1;
SELECT * FROM u;
CREATE TABLE t(a TEXT PRIMARY KEY, b NOT NULL, c);
INSERT INTO t VALUES (6, 2, 'b'), (1, 2.0, 4);
UPDATE t SET b = q.k, c = 5 FROM (SELECT a AS k, b AS l FROM t) AS q WHERE t.a = 1;
SELECT * FROM t;
-- An index that a UNIQUE constraint has made covers no generated column of a WITHOUT ROWID table.
CREATE TABLE w(a, b, c, g AS (coalesce(b, 0) + 1) STORED, PRIMARY KEY (c DESC, b, a DESC), UNIQUE (g, a)) WITHOUT ROWID;
INSERT INTO w(a, b, c) VALUES (4, 1, '1'), (3, 5, 2);
SELECT * FROM w /* ordered */;
SELECT g FROM w /* ordered */;
-- IS NOT NULL in the ON of an outer join is no range of an index.
CREATE TABLE x(d REAL UNIQUE);
INSERT INTO x VALUES ('b'), ('a'), (NULL), (2);
SELECT * FROM (SELECT 1) LEFT JOIN x ON d IS NOT NULL /* ordered */
