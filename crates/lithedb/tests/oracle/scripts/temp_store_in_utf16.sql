-- PRAGMA temp_store opens the temporary database anew, in the encoding of the others.
PRAGMA encoding='UTF-16be'
CREATE TABLE t1(c0)
PRAGMA temp_store = 1
CREATE TEMP TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID
INSERT INTO w VALUES('a',1),('B',2),('é',3),('ab',4),('',5),('z',6)
SELECT * FROM w
INSERT INTO w VALUES('ab',4)
PRAGMA temp.integrity_check
PRAGMA temp.encoding
SELECT typeof(k), hex(CAST(k AS BLOB)) FROM w
