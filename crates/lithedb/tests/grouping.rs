//! GROUP BY over unsorted rows: the result must equal SQLite's, in SQLite's order, whether all groups fit into memory or not; and joins of
//! large tables, whose plans differ from SQLite's.

mod common;

use common::{ask_lithe, ask_sqlite, exactly};
use lithe::Connection;

/// Texts that are equal only under NOCASE, integers that equal reals, NULLs.
const DATA: &str = "
    CREATE TABLE t(id INTEGER PRIMARY KEY, word TEXT COLLATE NOCASE, number, wide TEXT, small INTEGER, price REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
    INSERT INTO t SELECT i,
        CASE i * 7 % 11 WHEN 0 THEN NULL WHEN 1 THEN 'abc' WHEN 2 THEN 'ABC' WHEN 3 THEN 'aBc ' ELSE 'w' || (i % 13) END,
        CASE i % 9 WHEN 0 THEN i % 5 WHEN 1 THEN (i % 5) * 1.0 WHEN 2 THEN NULL WHEN 3 THEN x'00ff' ELSE i % 7 + 0.5 END,
        'a wide text that is no short one, number ' || (i * 7919 % 6000), i % 3, (i % 100) / 4.0 FROM n;
    CREATE TABLE few(id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO few VALUES (0, 'none'), (1, 'one'), (2, 'two');
    CREATE INDEX t_small ON t(small);";

/// The value that is shown for a group of equal values is the first one only while SQLite sorts in memory, so queries that show it have
/// fewer rows.
const QUERIES: &[&str] = &[
    "SELECT lower(rtrim(word)), count(*), sum(price), min(wide), max(number) FROM t GROUP BY word",
    "SELECT word, count(*), sum(price), min(wide), max(number) FROM t WHERE id < 900 GROUP BY word",
    "SELECT word, upper(word), max(id) FROM t WHERE id < 900 GROUP BY word HAVING word <> 'q' ORDER BY word || max(id)",
    "SELECT number, typeof(number), count(*), avg(price) FROM t WHERE id < 900 GROUP BY number",
    "SELECT wide, count(*), sum(id), total(price) FROM t GROUP BY wide",
    "SELECT wide, count(*) AS c FROM t GROUP BY wide HAVING c > 3 ORDER BY c DESC, wide LIMIT 50",
    "SELECT wide, number, word, count(number), max(id) FROM t WHERE id % 7 = 1
        GROUP BY wide, number, word ORDER BY wide DESC, number DESC, word DESC",
    "SELECT wide, id, max(price), word FROM t WHERE id < 3000 GROUP BY wide",
    "SELECT wide, id, min(number) FILTER (WHERE small = 1), word FROM t WHERE id BETWEEN 500 AND 7000 AND id % 4 = 0 GROUP BY wide",
    "SELECT id % 4000, count(*), sum(small) FROM t WHERE price > 3 GROUP BY 1 ORDER BY 1 DESC",
    "SELECT id, count(*), sum(small), min(wide) FROM t GROUP BY wide || id",
    "SELECT word, count(DISTINCT number), group_concat(small, '') FROM t WHERE id < 300 GROUP BY word",
    "SELECT wide FROM t GROUP BY wide ORDER BY count(*), wide LIMIT 20",
    "SELECT DISTINCT count(*) FROM t GROUP BY wide",
    "SELECT count(*) FROM (SELECT number FROM t GROUP BY number, wide)",
    "SELECT lower(rtrim(word)), (SELECT count(*) FROM few WHERE few.id <= t.small), count(*) FROM t GROUP BY word, 2",
    "SELECT name, count(*), sum(price) FROM t, few WHERE few.id = t.small GROUP BY name",
    "SELECT small, sum(price), count(*) FROM t GROUP BY small",
    "SELECT name, wide, count(*) FROM few LEFT JOIN t ON t.small = few.id + 1 GROUP BY name, wide",
    "SELECT count(*), sum(t.id) FROM t, few WHERE t.small = few.id
        AND (name = 'one' AND word = 'abc' OR name = 'two' AND price < 2)",
    "SELECT a.small, lower(b.word), count(*) FROM t a, t b, few WHERE a.id = b.id + 1 AND a.small = few.id
        AND (few.name = 'one' AND b.word = 'w3' OR few.name = 'two' AND b.word = 'w4' OR a.id < 5 AND b.id > 2)
        GROUP BY 1, 2",
];

fn check(settings: &str) {
    let lithe = Connection::open_in_memory().unwrap();
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    lithe.execute_batch(DATA).unwrap();
    lithe.execute_batch(settings).unwrap();
    sqlite.execute_batch(DATA).unwrap();
    for sql in QUERIES {
        let (found, expected) = (ask_lithe(&lithe, sql, exactly).unwrap(), ask_sqlite(&sqlite, sql, exactly).unwrap());
        assert_eq!(found.len(), expected.len(), "{sql}");
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "row {row} of {sql}");
        }
    }
}

#[test]
fn groups_that_fit_into_memory() {
    check("PRAGMA temp_store = MEMORY");
}

#[test]
fn groups_that_do_not_fit_into_memory() {
    // The groups go to a file, as a larger number of groups would.
    check("PRAGMA temp_store = FILE; PRAGMA cache_size = -300");
}
