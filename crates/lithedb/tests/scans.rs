//! Conditions, sums and comparisons that read columns directly from the page, without a register: the results must equal SQLite's, for
//! every class of value, in records of every shape.

mod common;

use common::{ask_lithe, ask_sqlite, exactly};
use lithe::Connection;

/// Columns of reals with integers, texts and blobs in them; records with long types between short ones, with columns added later, that end
/// a page, and that overflow it.
const DATA: &str = "
    CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL, a, long TEXT, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q, last REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400)
    INSERT INTO t SELECT i,
        CASE i % 8 WHEN 0 THEN NULL WHEN 1 THEN i WHEN 2 THEN i + 0.5 WHEN 3 THEN 'text' || i WHEN 4 THEN '12'
            WHEN 5 THEN x'3132' WHEN 6 THEN 9007199254740993 ELSE -i * 1.0e15 END,
        CASE i % 5 WHEN 0 THEN i WHEN 1 THEN i / 4.0 WHEN 2 THEN 'word' || (i % 20) WHEN 3 THEN x'00' ELSE NULL END,
        CASE i % 4 WHEN 0 THEN printf('%.*c', i * 20, 'y') WHEN 1 THEN 'short' ELSE printf('%.*c', i % 90, 'z') END,
        i, 'b' || i, i * 1000000, i % 2, 1 - i % 2, -i, i << 33, i * 0.25, printf('%.*c', i % 70, 'k'), NULL, 'l', 'm', i, x'ff',
        'abcdefgh' || (i % 3), i % 40 FROM n;
    ALTER TABLE t ADD COLUMN added REAL DEFAULT 7;
    ALTER TABLE t ADD COLUMN word TEXT DEFAULT 'abcdefghij';
    INSERT INTO t(id, r, last, added, word) VALUES (1000, 1, 2, 3, 'abcdefgh'), (1001, NULL, NULL, NULL, NULL);
    CREATE TABLE tiny(a, b);
    INSERT INTO tiny VALUES (NULL, NULL), (0, 1), (NULL, 1), (1, NULL), ('', x''), (0.5, '');
    CREATE TABLE wide(a REAL, b REAL, PRIMARY KEY(a, b)) WITHOUT ROWID;
    INSERT INTO wide SELECT id % 7, id FROM t;
    CREATE TABLE near(id INTEGER PRIMARY KEY, t INTEGER);
    INSERT INTO near SELECT id, id FROM t WHERE id % 10 <> 3;
    INSERT INTO near VALUES (2000, 401), (2001, 399), (2002, 400), (2003, 402), (2004, 1000), (2005, 1001), (2006, 1002);
    CREATE INDEX near_t ON near(t);";

/// Values for comparisons and for the column.
const VALUES: &[&str] = &[
    "0",
    "12",
    "12.0",
    "12.5",
    "-3e15",
    "9007199254740993",
    "9007199254740992.0",
    "'12'",
    "'text11'",
    "x'3132'",
    "NULL",
    "'abcdefgh1'",
    "'word7'",
    "abs(-12)",
    "date('2020-01-01')",
    "last",
    "id",
];
const COLUMNS: &[&str] = &["r", "a", "long", "last", "added", "word", "q", "g", "h", "j"];
const OPERATORS: &[&str] = &["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"];
const QUERIES: &[&str] = &[
    "SELECT sum(last), avg(last), min(last), max(last), total(r), count(r), count(added), sum(added) FROM t",
    "SELECT min(r), max(r), min(a), max(a), typeof(min(r)), typeof(max(last)), count(*) FROM t WHERE id > 3",
    "SELECT last, typeof(last), added, typeof(added), word, typeof(r) FROM t",
    "SELECT r + last, r - a, last * last, last / 8, r * 'x', a + 0.5, last % 7, -last, 1 - last FROM t",
    "SELECT a, b, count(*) FROM tiny GROUP BY a, b",
    "SELECT a FROM tiny WHERE b = 1 OR b IS NULL",
    "SELECT a, sum(b), typeof(sum(b)) FROM wide WHERE b > 5.5 GROUP BY a",
    "SELECT a, b FROM wide WHERE a < 3 AND b >= 100",
    "SELECT x.r, y.r FROM t x LEFT JOIN t y ON y.id = x.id + 400 WHERE y.last IS NULL OR y.r > 3",
    "SELECT near.id, t.q, t.last FROM near LEFT JOIN t ON t.id = near.t ORDER BY near.t, near.id",
    "SELECT near.id, t.b FROM near JOIN t ON t.id = near.t WHERE near.t > 380 ORDER BY near.t DESC",
    "SELECT id, (SELECT count(*) FROM near WHERE near.t BETWEEN t.id - 2 AND t.id), EXISTS (SELECT 1 FROM near WHERE near.t = t.id + 1
        AND near.id < 300) FROM t",
    "SELECT count(*) FROM t WHERE long LIKE '%y' AND q LIKE 'ABC%' AND j NOT LIKE '%kkkk%k'",
    "SELECT id FROM t WHERE long LIKE '%ZZ%' OR b LIKE '1_' OR c LIKE '%b1%3%'",
    "SELECT id FROM t WHERE r LIKE '%1%' AND a NOT LIKE 'WORD1%'",
    "SELECT DISTINCT last FROM t WHERE last BETWEEN 3 AND 7.5",
    "SELECT length(upper(substr(q, 2, 9))), abs(g), CASE WHEN e % 2 THEN abs(h) ELSE length(q) END FROM t WHERE id < 50",
];

#[track_caller]
fn check(lithe: &Connection, sqlite: &rusqlite::Connection, sql: &str) {
    let (found, expected) = (ask_lithe(lithe, sql, exactly).unwrap(), ask_sqlite(sqlite, sql, exactly).unwrap());
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "row {row} of {sql}");
    }
    assert_eq!(found.len(), expected.len(), "{sql}");
}

#[test]
fn columns_are_read_where_they_stand() {
    for settings in ["", "PRAGMA encoding = 'UTF-16le';", "PRAGMA page_size = 512;"] {
        let (lithe, sqlite) = (Connection::open_in_memory().unwrap(), rusqlite::Connection::open_in_memory().unwrap());
        lithe.execute_batch(&format!("{settings}{DATA}")).unwrap();
        sqlite.execute_batch(&format!("{settings}{DATA}")).unwrap();
        // The text value of a BLOB's bytes depends on the encoding, which these queries do not test.
        if !settings.contains("UTF-16") {
            QUERIES.iter().for_each(|sql| check(&lithe, &sqlite, sql));
        }
        for column in COLUMNS {
            for operator in OPERATORS {
                for value in VALUES {
                    check(&lithe, &sqlite, &format!("SELECT id FROM t WHERE {column} {operator} {value}"));
                }
            }
        }
    }
}

#[test]
fn indexes_are_filled_in_their_order() {
    const INDEXES: &str = "
        CREATE INDEX t_r ON t(r); CREATE INDEX t_a ON t(a DESC, long COLLATE NOCASE); CREATE INDEX t_long ON t(long);
        CREATE UNIQUE INDEX t_g ON t(g, id); CREATE INDEX t_some ON t(q, last DESC) WHERE e; CREATE INDEX t_expr ON t(last * 2, b || c);
        ANALYZE; REINDEX;";
    for settings in ["", "PRAGMA encoding = 'UTF-16be';", "PRAGMA page_size = 512; PRAGMA auto_vacuum = FULL;"] {
        let (lithe, sqlite) = (Connection::open_in_memory().unwrap(), rusqlite::Connection::open_in_memory().unwrap());
        lithe.execute_batch(&format!("{settings}{DATA}{INDEXES}")).unwrap();
        sqlite.execute_batch(&format!("{settings}{DATA}{INDEXES}")).unwrap();
        for sql in [
            "PRAGMA integrity_check",
            "SELECT a, long FROM t INDEXED BY t_a ORDER BY a DESC, long COLLATE NOCASE",
            "SELECT r FROM t INDEXED BY t_r WHERE r > 1 ORDER BY r",
            "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2",
        ] {
            check(&lithe, &sqlite, sql);
        }
    }
}

/// The WHERE of a partial index is not checked for its entries, because each entry satisfies it. It is checked for the NULL rows of an
/// outer join.
#[test]
fn entries_of_a_partial_index_are_not_checked_again() {
    const TASKS: &str = "
        CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT COLLATE NOCASE, due);
        CREATE INDEX open_task ON task(due) WHERE state = 'open' AND due IS NOT NULL;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
        INSERT INTO task SELECT i, CASE i % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'OPEN' ELSE 'done' END, nullif(i % 20, 7) FROM n;";
    let (lithe, sqlite) = (Connection::open_in_memory().unwrap(), rusqlite::Connection::open_in_memory().unwrap());
    lithe.execute_batch(TASKS).unwrap();
    sqlite.execute_batch(TASKS).unwrap();
    let checked = |sql: &str| {
        check(&lithe, &sqlite, sql);
        let program = ask_lithe(&lithe, &format!("EXPLAIN {sql}"), exactly).unwrap();
        program.iter().filter(|insn| insn[1].contains("Ne'") || insn[1].contains("ColumnNe")).count()
    };
    let by_index = "FROM task INDEXED BY open_task WHERE state = 'open' AND due IS NOT NULL AND due BETWEEN 3 AND 12";
    assert_eq!(checked(&format!("SELECT count(*), max(id) {by_index}")), 0);
    assert_eq!(checked(&format!("SELECT id, state, due {by_index} ORDER BY due, id")), 0);
    // This comparison has another collation; and by it the other comparison is one of constants, made once.
    assert_eq!(checked(&format!("SELECT id {by_index} AND state = 'open' COLLATE BINARY ORDER BY due, id")), 2);
    for join in ["LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "JOIN"] {
        let on = "ON task.due = few.column1 AND state = 'open'";
        let wanted = format!("SELECT column1, id, state FROM (VALUES (3), (100)) few {join} task {on}");
        checked(&format!("{wanted} ORDER BY 1, 2"));
        checked(&format!("{wanted} WHERE state = 'open' ORDER BY 1, 2"));
        checked(&format!("{wanted} WHERE state = 'open' AND due IS NOT NULL ORDER BY 1, 2"));
    }
}
