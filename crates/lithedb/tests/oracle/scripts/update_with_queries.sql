-- An UPDATE whose SET has queries changes the rows in the order in which it finds them, in one pass.
CREATE TABLE u(a, b, c, UNIQUE(b, a))
CREATE INDEX uc ON u(c)
CREATE TABLE w(a PRIMARY KEY, b, c) WITHOUT ROWID
CREATE INDEX wc ON w(c)
INSERT INTO u VALUES (1, 1, 9), (2, 1, 8), (3, 2, 7), (4, 2, 6), (3, 3, 5)
INSERT INTO w SELECT rowid, b, c FROM u
UPDATE OR FAIL u SET b = (SELECT 2) WHERE c > 0
SELECT * FROM u
UPDATE u SET b = (SELECT count(*) FROM u AS x WHERE x.b < 10) + 10 * a WHERE c > 0
SELECT * FROM u
UPDATE u SET b = b + (SELECT sum(b) FROM u) WHERE c BETWEEN 5 AND 8
SELECT * FROM u
UPDATE u SET b = (SELECT group_concat(b) FROM u) WHERE c IS NOT NULL RETURNING a, b
UPDATE u SET (b, a) = (SELECT max(length(b)), 5 FROM u AS x WHERE x.a < u.a) WHERE c > 6
SELECT * FROM u
UPDATE u SET c = (SELECT max(c) FROM u) + 1 WHERE c > 0
SELECT * FROM u
UPDATE u SET a = (SELECT max(a) FROM u) + 1
SELECT * FROM u
UPDATE w SET b = (SELECT sum(b) FROM w AS x WHERE x.a <> w.a) WHERE c > 0
SELECT * FROM w
UPDATE w SET b = (SELECT sum(b) FROM w) WHERE a > 2
SELECT * FROM w
UPDATE w SET a = (SELECT max(a) FROM w) + 1 WHERE c > 0
SELECT * FROM w
UPDATE w SET c = 1 WHERE a IN (SELECT a FROM w)
SELECT * FROM w
