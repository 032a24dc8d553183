CREATE TABLE k(a, b TEXT, c REAL, d BLOB)
INSERT INTO k VALUES (1, 'text', 2.0, x'61'), (-9223372036854775808, '', 1e300, x''), (NULL, NULL, NULL, NULL), ('x', 'a text that is longer than a register holds', 0.1, zeroblob(3)), (12345678901, 'ä', -0.0, x'C3')
SELECT a || b, b || a, a || a, b || b, a || c, c || a, hex(d || a), hex(a || d), b || ', ' || a || ' (' || c || ')' FROM k
SELECT typeof(a || 1), length(1 || a || 2 || b || 3), a || 1 = b || 1 FROM k
UPDATE k SET b = b || a || b, a = a || a
SELECT a, b FROM k
