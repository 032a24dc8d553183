-- An unknown REGEXP in the schema is named as it is written.
CREATE TABLE a1(x CHECK(x REGEXP 'a'))
CREATE TABLE a2(x CHECK(x regexp 'a'))
CREATE TABLE a3(x, y AS (x regexp 'b'))
CREATE TABLE a4(x)
CREATE INDEX i4 ON a4(x regexp 'b')
CREATE INDEX i5 ON a4(x) WHERE x ReGexp 'b'
SELECT x ReGexp 'b' FROM a4
CREATE TRIGGER t4 AFTER INSERT ON a4 WHEN NEW.x regexp 'a' BEGIN SELECT 1; END
INSERT INTO a4 VALUES(1)
