//! The script with statements of all kinds.

/// Statements, and how what they leave is described.
#[derive(Clone, Copy)]
pub(crate) struct Script {
    /// The statements, some lines with several. `?` marks a line that only reads, `!` one that fails.
    /// `FOLDER` stands for the folder of the database.
    pub(crate) lines: &'static [&'static str],
    /// Queries with one value, which describe the content of the database. (Their tables may not be there.)
    pub(crate) contents: &'static [&'static str],
}

/// One statement of every kind that needs much memory.
pub(crate) const STATEMENTS: Script = Script { lines: LINES, contents: CONTENTS };

const CONTENTS: &[&str] = &[
    "SELECT count(*) || ' ' || total(length(b)) || ' ' || total(length(c)) || ' ' || total(a) FROM t",
    "SELECT count(*) || ' ' || total(rowid) || ' ' || total(length(body)) FROM f5",
    "SELECT count(*) || ' ' || total(rowid) || ' ' || total(length(body)) FROM f4",
    "SELECT count(*) || ' ' || total(id) || ' ' || total(x0 + y1) FROM boxes",
];

const LINES: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)",
    "INSERT INTO t(b, c) VALUES (zeroblob(1000000), 'x')",
    "INSERT INTO t(b, c) SELECT randomblob(900000), hex(zeroblob(50000))",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000) INSERT INTO t(b, c) SELECT i, hex(i) || printf('%040d', i * 7919 % 4001) FROM n",
    "CREATE INDEX i ON t(c)",
    "?SELECT count(*), max(length(b)), sum(length(hex(b))) FROM t",
    "?SELECT b, c FROM t WHERE a < 4",
    "?SELECT length(b || c || b), length(replace(c, '0', 'zero')), length(quote(b)) FROM t WHERE a < 3",
    "?SELECT length(printf('%.*c', 1000000, 'x')), length(upper(c)) FROM t WHERE a < 3",
    "?SELECT length(group_concat(c)), length(group_concat(c || '' ORDER BY c)) FROM t WHERE a <> 1",
    "?SELECT count(*) FROM (SELECT c, b FROM t ORDER BY b DESC, c LIMIT 3000)",
    "?SELECT count(*) FROM (SELECT DISTINCT c || 'x' FROM t)",
    "?SELECT count(*) FROM (SELECT substr(c, 3) AS k, count(*) FROM t GROUP BY k)",
    "?SELECT count(*) FROM t WHERE c || '' IN (SELECT c || '' FROM t)",
    "?SELECT count(*) FROM t AS x JOIN t AS y ON x.c || '' = y.c || ''",
    "?SELECT count(*) FROM (SELECT c FROM t UNION SELECT c || 'y' FROM t)",
    "?SELECT sum(n) FROM (SELECT count(*) OVER (ORDER BY c ROWS 3 PRECEDING) AS n FROM t)",
    "?SELECT length(hex(b)), length(substr(b, 5)), length(unhex(hex(b))), length(coalesce(NULL, b)) FROM t WHERE a < 3",
    "?WITH m AS MATERIALIZED (SELECT c FROM t) SELECT count(*) FROM m AS x, m AS y WHERE x.c = y.c",
    "?SELECT length(CAST(b AS TEXT)), length(CAST(c AS BLOB)), typeof(CAST(hex(b) AS TEXT)) FROM t WHERE a < 3",
    "?WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000) SELECT count(*) FROM (SELECT i FROM n ORDER BY i * 7919 % 40009)",
    "?SELECT length(json_group_array(c)), length(jsonb_group_array(c)), length(json_group_object(a, c)) FROM t WHERE a > 2",
    "?SELECT length(json(j)), length(jsonb(j)), json_array_length(jsonb(j)), length(j ->> '$[1]'), length(json_pretty(j)), json_valid(jsonb(j), 8) FROM (SELECT json_group_array(c || char(10, 34)) AS j FROM t WHERE a > 1)",
    "?SELECT length(json_array(hex(b))), length(json_quote(hex(b) || char(34))), json_array(hex(b)) -> '$[0]' IS NULL FROM t WHERE a < 3",
    "?SELECT sum(length(value)) FROM t, json_each(json_array(c, c || char(9))) WHERE a < 3",
    "?WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000), d AS MATERIALIZED (SELECT json_group_array(i) AS j FROM n) SELECT length(json_set(j, '$[#]', 7)), length(json_insert(j, '$[#]', json(j))), length(json_replace(j, '$[1]', json(j))), length(json_array_insert(j, '$[0]', 1)), length(jsonb_remove(jsonb(j), '$[1]')), length(json_extract(j, '$', '$[2]')), length(json_array(json(j))), j -> '$[7]' FROM d",
    "?WITH d AS MATERIALIZED (SELECT json_group_object('k' || a, a) AS o FROM t WHERE a < 4200) SELECT length(json_patch(o, '{\"new\":1}')), length(json_patch('{}', o)), length(json_set(o, '$.x', json(o), '$.y.z', json(o))), length(json_remove(o, '$.x')) FROM d",
    "?SELECT json_extract(o, '$.\"' || k || '\"'), json_type(o, '$.' || k), o -> k, o ->> ('$.' || k), length(json_insert(o, '$.' || k || 'x', k)), length(json_set('{}', '$.a.' || k, 1)), length(json_remove(o, '$.' || k)), length(json_patch(o, o)), length(jsonb_set(jsonb(o), '$.x', k)) FROM (SELECT hex(zeroblob(150000)) AS k, json_object(hex(zeroblob(150000)), 1) AS o)",
    "?SELECT json_extract(o, '$.\"' || k || '\\n\"'), length(json_set(o, '$.\"' || k || '\\n\"', k || char(10))), length(json_pretty(o, k)) FROM (SELECT hex(zeroblob(150000)) AS k, json_object(hex(zeroblob(150000)) || char(10), 1) AS o)",
    "?SELECT sum(length(key) + length(fullkey) + length(path) + length(value) + length(atom)) FROM (SELECT hex(zeroblob(150000)) AS k) CROSS JOIN json_tree(json_object(k, json_array(k || char(10)), k || char(10), k), '$.' || k)",
    "?SELECT sum(length(key) + length(fullkey) + length(path)) FROM (SELECT hex(zeroblob(150000)) AS k) CROSS JOIN json_each(json_object(k || char(10), 1, k, 2))",
    "UPDATE t SET c = c || 'u' WHERE a % 3 = 0",
    "BEGIN; UPDATE t SET b = zeroblob(300) WHERE a > 3; SAVEPOINT s; DELETE FROM t WHERE a % 2; ROLLBACK TO s; COMMIT",
    "BEGIN; INSERT INTO t(b) VALUES (randomblob(1500000)); DELETE FROM t WHERE a < 1000; ROLLBACK",
    "DELETE FROM t WHERE a > 3500",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "?PRAGMA integrity_check",
    "CREATE VIRTUAL TABLE f5 USING fts5(body)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000) INSERT INTO f5(rowid, body) SELECT i, printf('word%d of %d and %s', i * 7919 % 4001, i, hex(i)) FROM n",
    "?SELECT count(*), sum(length(body)) FROM f5 WHERE f5 MATCH 'of NOT word17'",
    "?SELECT length(highlight(f5, 0, '[', ']')), length(snippet(f5, 0, '[', ']', '', 9)) FROM f5 WHERE f5 MATCH 'word17'",
    "UPDATE f5 SET body = body || ' more' WHERE rowid % 5 = 0",
    "BEGIN; DELETE FROM f5 WHERE rowid % 3 = 0; INSERT INTO f5(f5) VALUES('optimize'); ROLLBACK",
    "INSERT INTO f5(f5) VALUES('rebuild')",
    "CREATE VIRTUAL TABLE f4 USING fts4(body)",
    "INSERT INTO f4(rowid, body) SELECT rowid, body FROM f5",
    "?SELECT length(offsets(f4)), length(matchinfo(f4, 'pcxnal')) FROM f4 WHERE f4 MATCH 'word17 OR word18'",
    "DELETE FROM f4 WHERE rowid % 4 = 1",
    "INSERT INTO f4(f4) VALUES('optimize')",
    "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000) INSERT INTO boxes SELECT i, i * 7919 % 4001, i * 7919 % 4001 + 3, i % 97, i % 97 + 5 FROM n",
    "?SELECT count(*), sum(id) FROM boxes WHERE x0 < 2000 AND y1 > 50",
    "DELETE FROM boxes WHERE id % 3 = 0",
    "ANALYZE",
    "ALTER TABLE t ADD COLUMN d DEFAULT 7",
    "VACUUM",
    "DROP INDEX i",
    "DELETE FROM t",
];
