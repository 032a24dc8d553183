//! Locks on tables among connections that share a cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lithe::{Connection, ResultCode};

use crate::script::check;

/// The same for a file in WAL mode and for a database in memory. (In rollback mode a commit waits for all readers of the file,
/// shared or not.)
fn check_shared(script: &str) {
    let file = "a open file:{dir}/test.db
        a: PRAGMA journal_mode = WAL
        a open file:{dir}/test.db?cache=shared
        b open file:{dir}/test.db?cache=shared";
    check(&format!("{file}\n{script}"));
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let memory = format!(
        "a open file:memory{number}?mode=memory&cache=shared
         b open file:memory{number}?mode=memory&cache=shared"
    );
    check(&format!("{memory}\n{script}"));
}

const TABLES: &str = "
    a: CREATE TABLE t(x)
    a: CREATE TABLE u(x)
    a: INSERT INTO t VALUES (1)
    a: INSERT INTO u VALUES (2)
    b: SELECT * FROM t
";

#[test]
fn readers_and_writers() {
    check_shared(&format!(
        "{TABLES}
         a: BEGIN
         a: INSERT INTO t VALUES (3)
         b: SELECT * FROM t
         b: SELECT * FROM u
         b: INSERT INTO u VALUES (5)
         b: INSERT INTO t VALUES (5)
         b: BEGIN IMMEDIATE
         a: COMMIT
         b: SELECT count(*) FROM t
         b: BEGIN
         b: SELECT * FROM t
         a: INSERT INTO t VALUES (9)
         a: INSERT INTO u VALUES (9)
         a: DELETE FROM u
         b: SELECT * FROM t
         b: COMMIT
         a: INSERT INTO t VALUES (9)
         b: SELECT * FROM t"
    ));
}

#[test]
fn the_schema() {
    check_shared(&format!(
        "{TABLES}
         b: BEGIN
         b: SELECT * FROM t
         a: CREATE TABLE w(a)
         a: DROP TABLE u
         b: COMMIT
         a: BEGIN
         a: CREATE TABLE z(a)
         b: SELECT * FROM t
         b: SELECT * FROM z
         b: CREATE TABLE y(a)
         a: COMMIT
         b: SELECT count(*) FROM z
         a: BEGIN EXCLUSIVE
         b: SELECT count(*) FROM t
         a: COMMIT
         b: BEGIN
         b: SELECT count(*) FROM t
         a: BEGIN EXCLUSIVE
         b: COMMIT
         a: BEGIN EXCLUSIVE
         a: ROLLBACK
         b: SELECT count(*) FROM t"
    ));
}

#[test]
fn what_is_not_committed_is_seen_by_nobody() {
    // SQLite would show the row that is not committed yet.
    let open = || Connection::open("file:uncommitted?mode=memory&cache=shared").unwrap();
    let (a, b) = (open(), open());
    a.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)").unwrap();
    let count = || b.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0));
    assert_eq!(count().unwrap_err().code(), ResultCode::LOCKED_SHAREDCACHE);
    b.execute_batch("PRAGMA read_uncommitted = 1").unwrap();
    assert_eq!(count().unwrap(), 1);
}

#[test]
fn unlock_notify() {
    let open = || Connection::open("file:notify?mode=memory&cache=shared").unwrap();
    let (a, b) = (open(), open());
    a.execute_batch("CREATE TABLE t(x); BEGIN; INSERT INTO t VALUES (2)").unwrap();
    assert!(b.execute_batch("SELECT * FROM t").is_err());
    let called = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&called);
    b.unlock_notify(move || {
        count.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(called.load(Ordering::Relaxed), 0);
    a.execute_batch("COMMIT").unwrap();
    assert_eq!(called.load(Ordering::Relaxed), 1);
    b.execute_batch("SELECT * FROM t").unwrap();
}

#[test]
fn threads_on_one_database_in_memory() {
    let open = || {
        let connection = Connection::open("file:threads?mode=memory&cache=shared").unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(20));
        connection
    };
    let keeper = open();
    keeper.execute_batch("CREATE TABLE t(x)").unwrap();
    let work = |thread: i64| {
        let connection = open();
        let mut done = 0;
        while done < 50 {
            match connection.execute("INSERT INTO t VALUES (?1)", [thread]) {
                Ok(_) => done += 1,
                Err(error) => {
                    assert_eq!(error.code().primary(), ResultCode::LOCKED, "{error}");
                    std::thread::yield_now();
                }
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    assert_eq!(keeper.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap(), 200);
}
