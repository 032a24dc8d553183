-- What SQLite's parser knows to be false it does not look at.
CREATE TABLE r(c0, c1);
INSERT INTO r VALUES (1, 2);
SELECT nosuch AND 0 FROM r;
SELECT nosuch AND (1 IN () AND 5) FROM r;
SELECT 0x0 AND (SELECT abs(nosuch)) FROM r;
SELECT 0 AND abs(nosuch) FROM r;
SELECT nosuch AND CURRENT_DATE AND 0;
SELECT (abs(1) AND nosuch) AND 0 FROM r;
SELECT abs(1) AND (nosuch AND 0) FROM r;
SELECT nosuch AND FALSE FROM r;
SELECT nosuch AND 0.0 FROM r;
SELECT (SELECT abs(nosuch)) IN ();
SELECT (1, 2) AND 0;
SELECT count(*) FROM r WHERE (0 AND nosuch) = 0;
CREATE INDEX i ON r(c0) WHERE (c0, c0) IN (VALUES (3.0, NULL)) AND c1 IN ();
CREATE TABLE u(a, b DEFAULT (nosuch AND 0), CHECK(nosuch AND 0 OR 1));
INSERT INTO u(a) VALUES (1);
SELECT * FROM u;
