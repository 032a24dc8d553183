CREATE TABLE w(a, b, c INTEGER PRIMARY KEY, d AS (a + 1), e DEFAULT 'e', f, g, h, i, j, k, l, m, n)
INSERT INTO w(b, a, b, f) VALUES (1, 2, 3, 4)
INSERT INTO w(rowid, c, a) VALUES (10, 20, 5)
INSERT INTO w(c, rowid, a) VALUES (30, 40, 6)
INSERT INTO w(n, m, l, k, j, i, h, g, f, e, c, b, a) VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
INSERT INTO w DEFAULT VALUES
INSERT INTO w VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
CREATE TABLE x(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, G)
CREATE TABLE x(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, "Q")
CREATE TABLE x(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
CREATE VIEW v AS SELECT a, b, c FROM w
CREATE TRIGGER v_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO w(a, b) VALUES (NEW.a, NEW.b); END
INSERT INTO v(b, a, b) VALUES (100, 101, 102)
SELECT * FROM w
