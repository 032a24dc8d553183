//! Writers that wait for each other's locks within their busy timeouts.

use std::path::Path;
use std::thread;
use std::time::Duration;

use lithe::{Connection, OpenFlags};

const WRITERS: usize = 4;
const ROWS: usize = 25;

/// Every writer inserts with autocommit statements, and with BEGIN IMMEDIATE.
fn check(mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let connection = open(&path);
    connection.execute_batch(&format!("PRAGMA journal_mode={mode}; CREATE TABLE t(a INTEGER PRIMARY KEY)")).unwrap();
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let connection = open(&path);
                for _ in 0..ROWS {
                    connection.execute("INSERT INTO t DEFAULT VALUES", []).unwrap();
                    connection.execute_batch("BEGIN IMMEDIATE; INSERT INTO t DEFAULT VALUES; COMMIT").unwrap();
                }
            });
        }
    });
    let count: i64 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(count, (2 * WRITERS * ROWS) as i64, "{mode}");
}

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(60));
    connection
}

#[test]
fn writers_wait_for_each_other() {
    check("delete");
    check("wal");
}

#[test]
fn begin_immediate_reads_a_database_that_can_only_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (7)").unwrap();
    let connection = Connection::open_with_flags(&path, OpenFlags::READONLY).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let value: i64 = connection.query_row("SELECT a FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(value, 7);
    assert!(connection.execute("INSERT INTO t VALUES (8)", []).is_err());
    connection.execute_batch("COMMIT").unwrap();
}

/// A statement with RETURNING that is not read to its end commits when it is reset: an error of this commit is told, because the rows are
/// taken back.
#[test]
fn a_commit_that_fails_at_the_reset_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)").unwrap();
    let reader = Connection::open(&path).unwrap();
    let mut reading = reader.prepare("SELECT a FROM t").unwrap();
    reading.step().unwrap();

    let mut insert = writer.prepare("INSERT INTO t VALUES (3) RETURNING a").unwrap();
    assert!(insert.step().unwrap().is_some());
    assert_eq!(insert.reset().unwrap_err().code(), lithe::ResultCode::BUSY);
    assert!(insert.step().unwrap().is_some());
    drop(insert); // cannot tell
    let answer = writer.query_row("INSERT INTO t VALUES (4) RETURNING a", [], |row| row.get::<i64>(0));
    assert_eq!(answer.unwrap_err().code(), lithe::ResultCode::BUSY);

    reading.reset().unwrap();
    assert_eq!(writer.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap(), 2);
    writer.query_row("INSERT INTO t VALUES (5) RETURNING a", [], |row| row.get::<i64>(0)).unwrap();
    assert_eq!(reader.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap(), 3);
}
