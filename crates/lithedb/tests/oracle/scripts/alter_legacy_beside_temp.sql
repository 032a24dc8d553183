PRAGMA legacy_alter_table = ON
CREATE TABLE t1("a" INT, `t1` CHECK (1) CHECK ((t1) COLLATE nocase), PRIMARY KEY(`a` COLLATE NOCASE), CONSTRAINT named CHECK ('a'), CHECK ((`a` BETWEEN a AND "z") COLLATE nocase)) WITHOUT ROWID
CREATE TABLE temp.t2(a INTEGER CHECK (0 AND 'a' <> ("dq", 1) = (2, 'é')), d)
CREATE TABLE "T5"(a TEXT, rowid varchar(10), [a"b] INT REFERENCES t1(a), "t1" INT, PRIMARY KEY(A COLLATE NOCASE), CONSTRAINT named UNIQUE('a', `rowid`)) WITHOUT ROWID
CREATE TRIGGER r7  UPDATE OF "a""b", t1 ON T5 BEGIN INSERT INTO T5 VALUES (rowid, a, new."a""b" || 'str', old.T1 <> "new".[a]); UPDATE "t1" SET a = abs("b") WHERE coalesce([OLD].a + new."a""b", `new`.t1); END
ALTER TABLE `t1` RENAME COLUMN a TO 'a'
