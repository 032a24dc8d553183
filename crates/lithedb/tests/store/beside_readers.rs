//! Writes while statements of the same connection are on a row: through both page sources, in every journal mode, with the same results and
//! rows as in SQLite.

use std::path::Path;

use lithe::Connection;

use crate::common::{borrowed, exactly};
use crate::script::Folder;

/// Readers, each with the statement that runs at every row: SQL with `?1` for the row's first column.
const WRITES: &[(&str, &str)] = &[
    ("SELECT a FROM t", "DELETE FROM t WHERE a = ?1"),
    ("SELECT a FROM t ORDER BY a DESC", "DELETE FROM t WHERE a = ?1"),
    ("SELECT a, b FROM t INDEXED BY tb WHERE b >= 0", "DELETE FROM t WHERE a = ?1"),
    ("SELECT a, b FROM t INDEXED BY tb WHERE b >= 0 ORDER BY b DESC", "DELETE FROM t WHERE a = ?1"),
    ("SELECT a FROM t", "DELETE FROM t WHERE a <= ?1 AND a > ?1 - 10"),
    ("SELECT a FROM t", "INSERT OR IGNORE INTO t VALUES (-(?1), 5000, hex(zeroblob(20)))"),
    ("SELECT a, b FROM t INDEXED BY tb WHERE b >= 0", "INSERT INTO t VALUES (10000 + ?1, -(?1), hex(zeroblob(20)))"),
    ("SELECT a, c FROM t", "UPDATE t SET c = hex(zeroblob(?1 * 13 % 200)) WHERE a = ?1"),
    ("SELECT a, c FROM t", "UPDATE t SET c = hex(zeroblob(?1 * 13 % 200)) WHERE a BETWEEN ?1 - 3 AND ?1 + 3"),
    ("SELECT a, b FROM t INDEXED BY tb WHERE b >= 0", "UPDATE t SET b = -(?1) - 1 WHERE a = ?1"),
    ("SELECT k, v FROM w", "DELETE FROM w WHERE k = ?1"),
    ("SELECT k, v FROM w ORDER BY k DESC", "DELETE FROM w WHERE k = ?1"),
    ("SELECT k, v FROM w", "INSERT OR IGNORE INTO w VALUES ('a' || ?1, hex(zeroblob(30)))"),
    // The entry keeps its length: if an entry grows, SQLite visits the row again, because it searches for the whole previous entry.
    ("SELECT k, v FROM w", "UPDATE w SET v = v WHERE k = ?1"),
    ("SELECT k, v FROM w", "DELETE FROM w WHERE k < ?1"),
    ("SELECT a, c, v FROM t JOIN w ON k = printf('k%05d', a)", "DELETE FROM w WHERE k > printf('k%05d', ?1 + 1)"),
    ("SELECT b, count(*), max(c) FROM t GROUP BY b", "DELETE FROM t WHERE b = ?1"),
    ("SELECT a FROM t ORDER BY c, a", "DELETE FROM t WHERE a = ?1"),
    ("SELECT DISTINCT c FROM t", "DELETE FROM t WHERE c = ?1"),
    (
        "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 40) SELECT a FROM r, t WHERE a = n",
        "DELETE FROM t WHERE a = ?1",
    ),
];

const SCHEMA: &str = "
    CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
    CREATE INDEX tb ON t(b);
    CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
    WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 300)
    INSERT INTO t SELECT n, n * 7919 % 1000, hex(zeroblob(n % 25)) FROM r;
    INSERT INTO w SELECT printf('k%05d', a), c FROM t;
";

/// More rows than any reader returns, unless it loses its place.
const ROWS_MAX: usize = 2000;

#[test]
fn each_row_once() {
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"] {
        for mmap_size in [1 << 30, 0] {
            for locking in ["NORMAL", "EXCLUSIVE"] {
                let setup = format!(
                    "PRAGMA page_size = 1024; PRAGMA locking_mode = {locking}; PRAGMA journal_mode = {mode};
                     PRAGMA synchronous = OFF; PRAGMA mmap_size = {mmap_size}; {SCHEMA}"
                );
                for (read, write) in WRITES {
                    let folder = Folder::new();
                    let (lithe, sqlite) = (folder.sub("lithe").join("a.db"), folder.sub("sqlite").join("a.db"));
                    let ours = rows_of_lithe(&lithe, &setup, read, write);
                    let theirs = rows_of_sqlite(&sqlite, &setup, read, write);
                    assert!(ours == theirs, "{mode} {mmap_size} {locking}: {read}: {write}: {ours:?}\n{theirs:?}");
                }
            }
        }
    }
}

/// The rows, each before and after the write beside it.
fn rows_of_lithe(path: &Path, setup: &str, read: &str, write: &str) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(setup).unwrap();
    let mut reader = connection.prepare(read).unwrap();
    let mut rows = Vec::new();
    while let Some(row) = reader.step().unwrap() {
        let shown = || (0..row.column_count()).map(|index| exactly(row.get_ref(index))).collect::<Vec<_>>();
        let before = shown();
        connection.execute_batch(&write.replace("?1", &before[0])).unwrap();
        assert_eq!(shown(), before, "{read}: {write}");
        rows.push(before.join("|"));
        assert!(rows.len() < ROWS_MAX, "{read}: {write}");
    }
    drop(reader);
    rows.push(connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap());
    rows
}

fn rows_of_sqlite(path: &Path, setup: &str, read: &str, write: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch(setup).unwrap();
    let mut reader = connection.prepare(read).unwrap();
    let count = reader.column_count();
    let mut found = reader.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next().unwrap() {
        let shown: Vec<_> = (0..count).map(|index| exactly(borrowed(row.get_ref(index).unwrap()))).collect();
        connection.execute_batch(&write.replace("?1", &shown[0])).unwrap();
        rows.push(shown.join("|"));
    }
    drop(found);
    drop(reader);
    rows.push(connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap());
    rows
}

/// A file that becomes shorter while a statement is on a row, by a commit of an auto-vacuum database or an incremental vacuum, does not
/// take a page away from the statement.
#[test]
fn the_file_becomes_shorter() {
    for (auto_vacuum, write) in [
        (1, "DELETE FROM gone"),
        (2, "DELETE FROM gone; PRAGMA incremental_vacuum"),
        (2, "PRAGMA incremental_vacuum(3)"),
    ] {
        let folder = Folder::new();
        let connection = Connection::open(folder.sub("lithe").join("a.db")).unwrap();
        let setup = format!(
            "PRAGMA page_size = 1024; PRAGMA auto_vacuum = {auto_vacuum}; CREATE TABLE gone(a); CREATE TABLE t(a, b);
             INSERT INTO gone SELECT zeroblob(200) FROM (WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 500) SELECT n FROM r);
             INSERT INTO t SELECT rowid, printf('%0.200d', rowid) FROM gone"
        );
        connection.execute_batch(&setup).unwrap();
        connection.execute_batch("DELETE FROM gone WHERE rowid > 250").unwrap();
        let mut blob = connection.blob_open("main", "t", "b", 499, false).unwrap();
        let mut reader = connection.prepare("SELECT a, b FROM t ORDER BY a DESC").unwrap();
        let mut expected = 500;
        while let Some(row) = reader.step().unwrap() {
            if expected % 100 == 7 {
                connection.execute_batch(write).unwrap();
            }
            assert_eq!(row.get::<i64>(0).unwrap(), expected);
            assert_eq!(row.get::<String>(1).unwrap(), format!("{expected:0200}"));
            expected -= 1;
        }
        let mut bytes = [0; 200];
        blob.read_at(&mut bytes, 0).unwrap();
        assert_eq!(bytes[..], format!("{:0200}", 499).as_bytes()[..]);
        assert_eq!(expected, 0, "{auto_vacuum} {write}");
    }
}

/// A statement beside a reader leaves behind neither a savepoint, with which the next transaction would be undone, nor the lock.
#[test]
fn a_statement_beside_a_reader_leaves_nothing_behind() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let path = folder.sub("lithe").join("a.db");
        let connection = Connection::open(&path).unwrap();
        let setup = "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (2); CREATE TABLE u(b)";
        connection.execute_batch(&format!("PRAGMA journal_mode = {mode}; {setup}")).unwrap();
        let mut expected = 0;
        for first in [
            "INSERT INTO t VALUES (?1), (?1 + 1)",
            "INSERT INTO t VALUES (?1), (1)",
            "INSERT OR FAIL INTO t VALUES (?1), (1)",
        ] {
            let mut reader = connection.prepare("SELECT a FROM t").unwrap();
            assert!(reader.step().unwrap().is_some());
            let _ = connection.execute_batch(&first.replace("?1", &(expected * 10 + 100).to_string()));
            let other = Connection::open(&path).unwrap();
            other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
            connection.execute_batch("BEGIN; INSERT INTO u VALUES (3); SAVEPOINT s; ROLLBACK TO s; COMMIT").unwrap();
            expected += 1;
            let count: i64 = connection.query_row("SELECT count(*) FROM u", [], |row| row.get(0)).unwrap();
            assert_eq!(count, expected, "{mode}: {first}");
        }
    }
}
