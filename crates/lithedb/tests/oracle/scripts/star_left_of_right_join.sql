-- A merged column stands in * by its bare name on the left of a RIGHT JOIN, and is ambiguous if another source has it.
CREATE TABLE a(id, x, y)
CREATE TABLE b(x, w)
CREATE TABLE c(w, x, k)
CREATE TABLE d(y, k)
INSERT INTO a VALUES(1, 2, 3)
INSERT INTO b VALUES(2, 4)
INSERT INTO d VALUES(3, 5)
SELECT * FROM a JOIN b USING (x) RIGHT JOIN c ON c.w = b.w
SELECT * FROM a LEFT JOIN b USING (x) RIGHT JOIN c USING (w)
SELECT * FROM a JOIN b USING (x) LEFT JOIN c ON 1
SELECT * FROM a JOIN b USING (x) RIGHT JOIN d ON 1
SELECT * FROM (a NATURAL JOIN b) RIGHT JOIN c ON 1
SELECT * FROM (a NATURAL JOIN b) RIGHT JOIN d ON 1
SELECT a.* FROM a JOIN b USING (x) RIGHT JOIN c ON 1
