//! Long values overwritten by others of the same length, in large transactions, which may write them directly in place. Both engines run
//! the same statements, each on a file of its own, and SQLite checks Lithe's file.

use crate::script::Folder;

/// Long values in fragments all over the file: some were deleted, and others have reused their pages.
const FILL: &str = "
    CREATE TABLE t(k INTEGER PRIMARY KEY, a, v, z);
    CREATE VIEW n AS WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i FROM n;
    INSERT INTO t SELECT i, 'a' || i, hex(zeroblob(i * 7919 % 3000)), 'z' FROM n;
    DELETE FROM t WHERE k % 5 = 0;
    INSERT INTO t SELECT i, 'b' || i, zeroblob(i * 104729 % 20000), 'z' FROM n WHERE i % 5 = 0;
    DELETE FROM t WHERE k % 7 = 0;
    INSERT INTO t SELECT i, 'c' || i, zeroblob(i * 611953 % 30000), 'z' FROM n WHERE i % 7 = 0";

const ALL: &str = "SELECT k || a || hex(v) || z FROM t ORDER BY k";

/// A deterministic sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The statements of a transaction: `KEY` and `#` are numbers. SAVEPOINT and RELEASE are handled separately.
const STATEMENTS: [&str; 8] = [
    "SAVEPOINT s",
    "RELEASE s",
    "UPDATE t SET v = zeroblob(length(v)) WHERE k = KEY",
    "UPDATE t SET a = a || # WHERE k = KEY",
    "UPDATE t SET v = (SELECT v FROM t AS u WHERE length(u.v) = length(t.v) AND u.k > #) WHERE k BETWEEN KEY AND KEY + 2",
    "INSERT OR REPLACE INTO t VALUES (KEY, 'new', hex(zeroblob(# * 90)), 'z')",
    "DELETE FROM t WHERE k = KEY",
    "UPDATE t SET z = # % 10 WHERE k BETWEEN KEY AND KEY + 10",
];

/// The most frequent statement.
const OVERWRITE: &str =
    "UPDATE t SET v = substr(replace(hex(zeroblob(length(v))), '0', #), 1, length(v)) WHERE k = KEY";

fn check_overwrites(pragmas: &str) {
    let folder = Folder::new();
    let (path, other) = (folder.file("lithe.db"), folder.file("sqlite.db"));
    let lithe = lithe::Connection::open(&path).unwrap();
    let sqlite = rusqlite::Connection::open(&other).unwrap();
    let both = |sql: &str| {
        lithe.execute_batch(sql).unwrap_or_else(|e| panic!("{pragmas}: {sql}: {}", e.message()));
        sqlite.execute_batch(sql).unwrap();
    };
    both(pragmas);
    both(FILL);
    let mut numbers = Numbers(7);
    for _ in 0..2 {
        both("BEGIN IMMEDIATE");
        let mut savepoints = 0;
        for _ in 0..150 {
            let (key, n) = (1 + numbers.below(150), 10 + numbers.below(90));
            let sql = STATEMENTS.get(numbers.below(24) as usize).unwrap_or(&OVERWRITE);
            match *sql {
                "SAVEPOINT s" => savepoints += 1,
                "RELEASE s" if savepoints == 0 => continue,
                "RELEASE s" => savepoints -= 1,
                _ => {}
            }
            let sql = sql.replace("KEY", &key.to_string()).replace('#', &n.to_string());
            both(&sql);
            let some = format!("SELECT group_concat(hex(v) || z) FROM t WHERE k BETWEEN {key} AND {key} + 1");
            let found: Option<String> = lithe.query_row(&some, [], |row| row.get(0)).unwrap();
            let expected: Option<String> = sqlite.query_row(&some, [], |row| row.get(0)).unwrap();
            assert!(found == expected, "{pragmas}: {sql}");
        }
        both("COMMIT");
    }
    drop(lithe);
    let found = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(texts(&found, "PRAGMA integrity_check"), ["ok"], "{pragmas}");
    assert!(texts(&found, ALL) == texts(&sqlite, ALL), "{pragmas}");
}

fn texts(connection: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn long_values_of_the_same_length() {
    for pragmas in [
        "PRAGMA journal_mode = OFF; PRAGMA cache_size = 10",
        "PRAGMA journal_mode = OFF; PRAGMA cache_size = 10; PRAGMA mmap_size = 0",
        "PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA cache_size = 40",
        "PRAGMA page_size = 65536; PRAGMA journal_mode = OFF; PRAGMA cache_size = 6",
        "PRAGMA auto_vacuum = 1; PRAGMA journal_mode = OFF; PRAGMA cache_size = 30",
        "PRAGMA journal_mode = OFF",
        "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 10",
        "PRAGMA journal_mode = WAL; PRAGMA cache_size = 10",
    ] {
        check_overwrites(pragmas);
    }
}
