//! Sizes: files of more than 4 GB with holes, and content that exceeds the cache.

use std::io::{Read, Seek, SeekFrom, Write};

use lithe::Connection;

use crate::script::Folder;

/// Extends the file to `pages` pages with a hole, also in its header: all new pages are after the hole.
fn stretch(path: &std::path::Path, page_size: u64, pages: u64) {
    let mut file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    file.set_len(page_size * pages).unwrap();
    let pages = u32::try_from(pages).unwrap().to_be_bytes();
    file.seek(SeekFrom::Start(28)).unwrap();
    file.write_all(&pages).unwrap();
}

fn check_stretched(page_size: u64, pages: u64, mode: &str) {
    let folder = Folder::new();
    let path = folder.file("large.db");
    let connection = Connection::open(&path).unwrap();
    let setup = format!(
        "PRAGMA page_size = {page_size}; CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'first')"
    );
    connection.execute_batch(&setup).unwrap();
    drop(connection);
    stretch(&path, page_size, pages);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(&format!("PRAGMA journal_mode = {mode}")).unwrap();
    let fill = "INSERT INTO t VALUES (2, zeroblob(300000)), (3, hex(zeroblob(50000)))";
    connection.execute_batch(&format!("BEGIN; {fill}; COMMIT")).unwrap();
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    connection.execute_batch("BEGIN; UPDATE t SET b = 'gone' WHERE a = 2; ROLLBACK").unwrap();
    let sums = "SELECT sum(length(b)) FROM t";
    let sum: i64 = connection.query_row(sums, [], |row| row.get(0)).unwrap();
    assert_eq!(sum, 5 + 300_000 + 100_000, "{mode}");
    let count: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    assert!(count as u64 > pages);
    connection.execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    drop(connection);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    let found: i64 = sqlite.query_row(sums, [], |row| row.get(0)).unwrap();
    assert_eq!(found, sum);
    let mut last = [0; 4];
    let mut file = std::fs::File::open(&path).unwrap();
    file.seek(SeekFrom::Start(28)).unwrap();
    file.read_exact(&mut last).unwrap();
    assert_eq!(i64::from(u32::from_be_bytes(last)), count);
}

#[test]
fn files_beyond_four_gigabytes() {
    // The second file reaches beyond the page of the lock bytes, at 1 GB.
    check_stretched(4096, (4 << 30) / 4096 + 100, "DELETE");
    check_stretched(4096, (1 << 30) / 4096 - 3, "DELETE");
    check_stretched(4096, (1 << 30) / 4096 - 3, "WAL");
    check_stretched(4096, (5 << 30) / 4096, "WAL");
}

#[test]
fn files_of_terabytes() {
    for mode in ["DELETE", "WAL"] {
        check_stretched(65536, (3 << 40) / 65536, mode);
        check_stretched(4096, (6 << 40) / 4096, mode);
    }
}

#[test]
fn temporary_tables_and_sorts_spill() {
    for store in [0, 1, 2] {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&format!("PRAGMA temp_store = {store}; PRAGMA temp.cache_size = 10")).unwrap();
        let fill = "CREATE TEMP TABLE t(a, b);
             WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
             INSERT INTO t SELECT i * 7919 % 30000, hex(zeroblob(60)) FROM n;
             CREATE INDEX temp.i ON t(a);";
        connection.execute_batch(fill).unwrap();
        let sql =
            "SELECT count(*) || ' ' || sum(a) || ' ' || max(a) FROM (SELECT DISTINCT a FROM t ORDER BY b, a DESC)";
        let text: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(text, "30000 449985000 29999");
        connection
            .execute_batch("BEGIN; DELETE FROM t WHERE a % 2; SAVEPOINT s; UPDATE t SET b = a; ROLLBACK TO s; COMMIT")
            .unwrap();
        let text: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(text, "15000 224985000 29998");
    }
}
