-- Columns far behind the first, and behind values that end on other pages.
CREATE TABLE w(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34, c35, c36, c37, c38, c39)
INSERT INTO w(c0, c16, c17, c33, c34, c38, c39) VALUES (1, 16, 'seventeen', 3.5, x'3434', 0, 1)
INSERT INTO w(c0, c5, c16, c17, c33, c34, c39) VALUES (2, zeroblob(300), hex(zeroblob(40)), 17, 'short', NULL, 1234567890123)
INSERT INTO w(c0, c5, c16, c17, c33, c38, c39) VALUES (3, zeroblob(9000), 'behind', 17, zeroblob(70000), 'x', hex(zeroblob(5000)))
INSERT INTO w(c3, c20, c39) VALUES (zeroblob(1100000), 20, -1)
SELECT c39 FROM w WHERE typeof(c39) <> 'text'
SELECT c38, c34, c17, c39, c0 FROM w WHERE c0 IS NOT 3
SELECT c17, c33 IS NULL, length(c39), c16 FROM w
SELECT length(c33), typeof(c33), octet_length(c16), c20 FROM w
SELECT c3 IS NULL, c5 IS NULL, typeof(c5), length(c5), length(c3), typeof(c3), c20, c39 IS NULL FROM w
SELECT c0 FROM w WHERE c39 IS NOT NULL AND c38 IS NULL
ALTER TABLE w ADD COLUMN c40 DEFAULT 'later'
ALTER TABLE w ADD COLUMN c41
INSERT INTO w(c0, c41) VALUES (4, 41)
SELECT c40, c41 IS NULL, c39 IS NULL, typeof(c40), length(c40), c0 FROM w
UPDATE w SET c39 = c40, c20 = c0 WHERE c17 = 17
SELECT c0, c20, c39, c40, length(c5), c16 FROM w
CREATE INDEX wi ON w(c39, c20, c17)
SELECT c0 FROM w WHERE c39 = 'later' AND c20 > 1 ORDER BY c17, c0
SELECT sum(c20), max(c38), min(c33 IS NULL), total(length(c3)) FROM w
DELETE FROM w WHERE c41 IS NULL AND c39 = 'later'
SELECT c0, c41, length(c3) FROM w
CREATE TABLE l(id INTEGER PRIMARY KEY, body BLOB, note TEXT, n)
INSERT INTO l SELECT value, zeroblob(200000), hex(zeroblob(1000000)), value FROM json_each('[1, 2, 3]')
INSERT INTO l VALUES (4, 'text', NULL, 5), (5, hex(zeroblob(4000)), 'short', NULL), (6, NULL, x'00', 7)
SELECT id, typeof(body), length(body), octet_length(note), n, body IS NULL, note IS NULL, n IS NULL FROM l
SELECT sum(length(body)), count(note), sum(n) FROM l WHERE typeof(body) = 'blob' AND note IS NOT NULL
