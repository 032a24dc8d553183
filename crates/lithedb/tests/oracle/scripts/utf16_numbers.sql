-- The digits of a number are ASCII to hex(), whatever the encoding.
PRAGMA encoding = 'UTF-16le';
CREATE TABLE t(a, b TEXT);
INSERT INTO t VALUES (7, 7), (-2.5, 'ä'), ('x', NULL);
SELECT hex(a), hex(b), octet_length(a), octet_length(b), length(a) FROM t;
