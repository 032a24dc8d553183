//! Transactions over several files, concurrent transactions, and waiting.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lithe::{Connection, ResultCode};

use crate::common::{Failure, Rows, ask_lithe, ask_sqlite, exactly, failure_of_lithe, failure_of_sqlite};
use crate::script::{Folder, check};

#[test]
fn several_files() {
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"] {
        check(&format!(
            "a: ATTACH '{{dir}}/one.db' AS one
             a: ATTACH '{{dir}}/two.db' AS two
             a: PRAGMA journal_mode = {mode}
             a: CREATE TABLE m(a)
             a: CREATE TABLE one.o(a)
             a: CREATE TABLE two.t(a)
             a: BEGIN
             a: INSERT INTO o VALUES (1)
             a: INSERT INTO t VALUES (1)
             a: COMMIT
             a: BEGIN
             a: INSERT INTO m VALUES (2)
             a: INSERT INTO o VALUES (2)
             a: INSERT INTO t VALUES (2)
             b open file:{{dir}}/two.db
             b: BEGIN
             b: SELECT * FROM t
             b: COMMIT
             a: COMMIT
             b: SELECT * FROM t
             a: BEGIN
             a: DELETE FROM m
             a: DELETE FROM t
             a: ROLLBACK
             a: SELECT (SELECT group_concat(a) FROM m), (SELECT group_concat(a) FROM o), (SELECT group_concat(a) FROM t)"
        ));
    }
    // A reader of one file blocks the whole commit, which can be tried again.
    check(
        "a: ATTACH '{dir}/one.db' AS one
         a: CREATE TABLE m(a)
         a: CREATE TABLE one.o(a)
         b open file:{dir}/one.db
         b: BEGIN
         b: SELECT * FROM o
         a: BEGIN
         a: INSERT INTO m VALUES (1)
         a: INSERT INTO o VALUES (1)
         a: COMMIT
         b: COMMIT
         a: COMMIT
         b: SELECT * FROM o
         a: SELECT * FROM m",
    );
}

#[test]
fn no_super_journal_is_left_behind() {
    let folder = Folder::new();
    let dir = folder.sub("files");
    let connection = Connection::open(dir.join("main.db")).unwrap();
    let attach = format!("ATTACH '{}' AS other", dir.join("other.db").display());
    connection.execute_batch(&format!("{attach}; CREATE TABLE m(a); CREATE TABLE other.o(a)")).unwrap();
    connection.execute_batch("BEGIN; INSERT INTO m VALUES (1); INSERT INTO o VALUES (1); COMMIT").unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["main.db", "other.db"]);
}

fn open(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

#[test]
fn concurrent_writers() {
    let folder = Folder::new();
    let path = folder.file("test.db");
    let (a, b, c) = (open(&path), open(&path), open(&path));
    a.execute_batch(
        "PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(a INTEGER PRIMARY KEY, b)",
    )
    .unwrap();
    a.execute_batch("INSERT INTO t VALUES (1, 'x'); INSERT INTO u VALUES (1, 'y')").unwrap();
    let text = |connection: &Connection, sql: &str| connection.query_row(sql, [], |row| row.get::<String>(0)).unwrap();
    // Transactions on different pages both commit, and a reader never blocks them.
    a.execute_batch("BEGIN CONCURRENT; UPDATE t SET b = 'a'").unwrap();
    b.execute_batch("BEGIN CONCURRENT; UPDATE u SET b = 'b'").unwrap();
    c.execute_batch("BEGIN").unwrap();
    assert_eq!(text(&c, "SELECT b FROM t"), "x");
    a.execute_batch("COMMIT").unwrap();
    b.execute_batch("COMMIT").unwrap();
    assert_eq!(text(&c, "SELECT b FROM u"), "y");
    c.execute_batch("COMMIT").unwrap();
    assert_eq!(text(&c, "SELECT t.b || u.b FROM t, u"), "ab");
    // On the same page the second transaction fails, and must be rolled back.
    a.execute_batch("BEGIN CONCURRENT; UPDATE t SET b = b || '1'").unwrap();
    b.execute_batch("BEGIN CONCURRENT; UPDATE t SET b = b || '2'").unwrap();
    a.execute_batch("COMMIT").unwrap();
    assert_eq!(b.execute_batch("COMMIT").unwrap_err().code(), ResultCode::BUSY_SNAPSHOT);
    assert!(!b.is_autocommit());
    b.execute_batch("ROLLBACK").unwrap();
    assert_eq!(text(&b, "SELECT b FROM t"), "a1");
    // Pages read count, too.
    a.execute_batch("BEGIN CONCURRENT").unwrap();
    assert_eq!(text(&a, "SELECT b FROM t"), "a1");
    b.execute_batch("UPDATE t SET b = 'new'").unwrap();
    a.execute_batch("UPDATE u SET b = 'seen'").unwrap();
    assert_eq!(a.execute_batch("COMMIT").unwrap_err().code(), ResultCode::BUSY_SNAPSHOT);
    a.execute_batch("ROLLBACK").unwrap();
    // Savepoints and failing statements within.
    a.execute_batch("BEGIN CONCURRENT; SAVEPOINT s; UPDATE u SET b = 'gone'; ROLLBACK TO s").unwrap();
    assert!(a.execute_batch("INSERT INTO u VALUES (2, 'kept'), (1, 'twice')").is_err());
    a.execute_batch("INSERT INTO u VALUES (3, 'kept'); RELEASE s; COMMIT").unwrap();
    assert_eq!(text(&b, "SELECT group_concat(b) FROM u"), "b,kept");
    assert_eq!(text(&b, "PRAGMA integrity_check"), "ok");
}

#[test]
fn concurrent_transactions_without_a_log_are_ordinary() {
    let folder = Folder::new();
    let path = folder.file("test.db");
    let (a, b) = (open(&path), open(&path));
    a.execute_batch("CREATE TABLE t(a)").unwrap();
    a.execute_batch("BEGIN CONCURRENT; INSERT INTO t VALUES (1)").unwrap();
    b.execute_batch("BEGIN CONCURRENT; SELECT * FROM t").unwrap();
    assert_eq!(b.execute_batch("INSERT INTO t VALUES (2)").unwrap_err().code(), ResultCode::BUSY);
    b.execute_batch("COMMIT").unwrap();
    a.execute_batch("COMMIT").unwrap();
    let read_only = Connection::open(format!("file:{}?mode=ro", path.display())).unwrap();
    read_only.execute_batch("BEGIN CONCURRENT; SELECT * FROM t; COMMIT").unwrap();
}

#[test]
fn many_concurrent_writers() {
    const WRITERS: i64 = 6;
    let folder = Folder::new();
    let path = folder.file("test.db");
    let setup = open(&path);
    setup.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF").unwrap();
    for writer in 0..WRITERS {
        setup.execute_batch(&format!("CREATE TABLE t{writer}(a INTEGER PRIMARY KEY, b)")).unwrap();
        setup.execute_batch(&format!("INSERT INTO t{writer} VALUES (1, 0)")).unwrap();
    }
    let work = |writer: i64| {
        let connection = open(&path);
        connection.busy_timeout(Duration::from_secs(30));
        connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        for _ in 0..50 {
            let sql = format!("BEGIN CONCURRENT; UPDATE t{writer} SET b = b + 1; COMMIT");
            if let Err(error) = connection.execute_batch(&sql) {
                assert_eq!(error.code(), ResultCode::BUSY_SNAPSHOT, "{error}");
                connection.execute_batch("ROLLBACK").unwrap();
            }
        }
    };
    std::thread::scope(|scope| (0..WRITERS).for_each(|writer| drop(scope.spawn(move || work(writer)))));
    // Each writer writes a different page: the writers do not conflict.
    for writer in 0..WRITERS {
        let sql = format!("SELECT b FROM t{writer}");
        assert_eq!(setup.query_row(&sql, [], |row| row.get::<i64>(0)).unwrap(), 50);
    }
}

#[test]
fn writers_wait_as_long_as_they_are_told() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let path = folder.file("test.db");
        let (a, b) = (open(&path), open(&path));
        a.execute_batch(&format!("PRAGMA journal_mode = {mode}; CREATE TABLE t(a)")).unwrap();
        b.execute_batch("SELECT * FROM t").unwrap();
        a.execute_batch("BEGIN IMMEDIATE").unwrap();
        let begun = Instant::now();
        b.busy_timeout(Duration::from_millis(150));
        assert_eq!(b.execute_batch("INSERT INTO t VALUES (1)").unwrap_err().code(), ResultCode::BUSY);
        assert!(begun.elapsed() >= Duration::from_millis(150), "{mode}: {:?}", begun.elapsed());
        // A transaction that has read can never get the lock with an old snapshot: SQLITE_BUSY at once.
        b.busy_timeout(Duration::from_secs(60));
        b.execute_batch("BEGIN; SELECT * FROM t").unwrap();
        assert_eq!(b.execute_batch("INSERT INTO t VALUES (1)").unwrap_err().code(), ResultCode::BUSY);
        b.execute_batch("COMMIT").unwrap();
        // The lock is released while another thread waits for it.
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let waiting = open(&path);
                waiting.busy_timeout(Duration::from_secs(60));
                waiting.execute_batch("INSERT INTO t VALUES (2)").unwrap();
                done.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(50));
            assert!(!done.load(Ordering::SeqCst));
            a.execute_batch("COMMIT").unwrap();
        });
        assert_eq!(a.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap(), 1);
    }
}

/// The result of DROP while another statement is on its first row, the number of rows that this statement then returns, and the schema
/// after it.
type Dropped = (Result<(), Failure>, usize, Rows);

const DROP_SCHEMA: &str = "
    CREATE TABLE t(a, b); CREATE INDEX ta ON t(a); INSERT INTO t VALUES (1, 2), (3, 4), (5, 6);
    CREATE TABLE u(a); INSERT INTO u VALUES (1), (2);
    CREATE VIEW v AS SELECT * FROM t; CREATE TRIGGER r AFTER INSERT ON u BEGIN SELECT 1; END;
    CREATE TEMP TABLE own(a); INSERT INTO own VALUES (1), (2);
    ATTACH ':memory:' AS other; CREATE TABLE other.o(a);";
const SCHEMA: &str = "SELECT name FROM sqlite_schema UNION ALL SELECT name FROM temp.sqlite_schema
    UNION ALL SELECT name FROM other.sqlite_schema";

fn drop_on_lithe(before: &str, reader: &str, drop: &str) -> Dropped {
    let connection = Connection::open(":memory:").unwrap();
    connection.execute_batch(&format!("{DROP_SCHEMA}{before}")).unwrap();
    let mut statement = connection.prepare(reader).unwrap();
    assert!(statement.step().unwrap().is_some(), "{reader}");
    let answer = connection.execute_batch(drop).map_err(failure_of_lithe);
    let mut count = 0;
    while statement.step().unwrap().is_some() {
        count += 1;
    }
    (answer, count, ask_lithe(&connection, SCHEMA, exactly).unwrap())
}

fn drop_on_sqlite(before: &str, reader: &str, drop: &str) -> Dropped {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&format!("{DROP_SCHEMA}{before}")).unwrap();
    let mut statement = connection.prepare(reader).unwrap();
    let mut rows = statement.raw_query();
    assert!(rows.next().unwrap().is_some(), "{reader}");
    let answer = connection.execute_batch(drop).map_err(failure_of_sqlite);
    let mut count = 0;
    while rows.next().unwrap().is_some() {
        count += 1;
    }
    (answer, count, ask_sqlite(&connection, SCHEMA, exactly).unwrap())
}

#[test]
fn no_tree_is_dropped_while_a_statement_reads() {
    let readers = [
        "SELECT * FROM t",
        "SELECT * FROM u",
        "SELECT * FROM own",
        "VALUES (1), (2)",
        "INSERT INTO u VALUES (3), (4) RETURNING a",
    ];
    let drops = ["TABLE t", "INDEX ta", "VIEW v", "TRIGGER r", "TABLE own", "TABLE other.o", "TABLE IF EXISTS nothing"];
    for before in ["", "BEGIN"] {
        for reader in readers {
            for drop in drops.map(|what| format!("DROP {what}")) {
                let (lithe, sqlite) = (drop_on_lithe(before, reader, &drop), drop_on_sqlite(before, reader, &drop));
                assert_eq!(lithe, sqlite, "{before} {reader}: {drop}");
            }
        }
    }
}
