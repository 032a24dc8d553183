-- Row values of different widths in constraints and indexes: found by ALTER TABLE in the old schema, in the order of its objects.
CREATE TABLE ra(a, b, CHECK (1 + ('s', 1) = (2, b)))
CREATE TABLE rc(a, b)
CREATE TRIGGER rt AFTER INSERT ON rc BEGIN SELECT nosuch FROM rc; END
ALTER TABLE ra RENAME TO rb
ALTER TABLE rc RENAME TO rd
ALTER TABLE rc RENAME COLUMN a TO z
ALTER TABLE rc DROP COLUMN b
DROP TABLE ra
ALTER TABLE rc RENAME COLUMN a TO z
DROP TRIGGER rt
CREATE TABLE re(a, b, c)
CREATE INDEX ri ON re(a) WHERE 1 + ('s', 1) = (2, b)
ALTER TABLE rc RENAME COLUMN a TO z
ALTER TABLE re DROP COLUMN c
ALTER TABLE re RENAME TO rf
CREATE TABLE rg(a AS (0 AND a), b AS (0 AND b + c), c)
INSERT INTO rg(c) VALUES (1)
SELECT * FROM rg
CREATE TABLE rh(a AS (b), b AS (0 AND a))
SELECT type, name, sql FROM sqlite_schema
