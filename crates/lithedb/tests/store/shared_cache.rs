//! Locks on tables among connections that share a cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lithe::{Connection, ResultCode};

use crate::script::{Folder, check};

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

/// As [`check_shared`], and for a file in rollback mode.
fn check_everywhere(script: &str) {
    check(&format!(
        "a open file:{{dir}}/test.db?cache=shared
         b open file:{{dir}}/test.db?cache=shared
         {script}"
    ));
    check_shared(script);
}

/// A query for the numbers up to `last`.
fn numbers(last: u32) -> String {
    format!(
        "WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < {last}) SELECT value FROM c"
    )
}

#[test]
fn what_is_not_committed() {
    check_everywhere(&format!(
        "{TABLES}
         b: PRAGMA read_uncommitted = 1
         a: BEGIN
         a: INSERT INTO t VALUES (3)
         b: SELECT * FROM t
         b: BEGIN
         b: SELECT * FROM t
         a: INSERT INTO t VALUES (4)
         b: SELECT * FROM t
         b: SELECT count(*) FROM sqlite_schema
         b: INSERT INTO u VALUES (1)
         a: SAVEPOINT s
         a: INSERT INTO t VALUES (5)
         a: DELETE FROM u
         b: SELECT (SELECT group_concat(x) FROM t), (SELECT count(*) FROM u)
         a: ROLLBACK TO s
         b: SELECT (SELECT group_concat(x) FROM t), (SELECT count(*) FROM u)
         a: INSERT INTO t VALUES (6)
         a: RELEASE s
         b: SELECT * FROM t
         a: ROLLBACK
         b: SELECT * FROM t
         b: INSERT INTO t VALUES (7)
         a: SELECT * FROM u
         a: SELECT * FROM t
         a: PRAGMA read_uncommitted = 1
         a: SELECT * FROM t
         a: INSERT INTO u VALUES (8)
         b: COMMIT
         a: SELECT * FROM t
         b: PRAGMA read_uncommitted = 0
         a: BEGIN
         a: INSERT INTO t VALUES (9)
         b: SELECT * FROM t
         b: PRAGMA read_uncommitted = 1
         b: SELECT * FROM t
         b: PRAGMA read_uncommitted = 0
         b: SELECT * FROM t
         a: COMMIT
         b: SELECT * FROM t"
    ));
}

#[test]
fn a_schema_that_is_not_committed() {
    check_everywhere(&format!(
        "{TABLES}
         b: PRAGMA read_uncommitted = 1
         a: BEGIN
         a: INSERT INTO t VALUES (3)
         b: SELECT * FROM t
         a: CREATE TABLE z(a)
         b: SELECT * FROM t
         b: SELECT * FROM sqlite_schema
         a: COMMIT
         b: SELECT * FROM t
         b: SELECT * FROM z
         a: BEGIN
         a: DROP TABLE z
         a: ROLLBACK
         b: SELECT * FROM z
         b: BEGIN
         b: SELECT * FROM t
         a: CREATE TABLE y(a)
         b: COMMIT
         a: CREATE TABLE y(a)
         b: SELECT * FROM y"
    ));
}

#[test]
fn much_that_is_not_committed() {
    // More than the cache holds: pages that were spilled are seen, too, also those that were written again since.
    let (few, some, many) = (numbers(500), numbers(1000), numbers(20_000));
    check_everywhere(&format!(
        "{TABLES}
         a: CREATE INDEX i ON t(x)
         a: PRAGMA cache_size = 10
         a: INSERT INTO t SELECT value % 7 || hex(zeroblob(200)) FROM ({few})
         a: BEGIN
         a: INSERT INTO t SELECT value || hex(zeroblob(500)) FROM ({some})
         b: PRAGMA read_uncommitted = 1
         b: SELECT count(*), sum(length(x)) FROM t
         b: SELECT count(*) FROM t WHERE x > '9'
         a: UPDATE t SET x = x || 'y' WHERE rowid % 3 = 0
         b: SELECT count(*), sum(length(x)) FROM t
         b: SELECT count(*) FROM t WHERE x > '9'
         a: SAVEPOINT s
         a: DELETE FROM t WHERE rowid % 5 > 0
         a: INSERT INTO u SELECT value FROM ({many})
         b: SELECT count(*), sum(length(x)), (SELECT sum(x) FROM u) FROM t
         a: ROLLBACK TO s
         b: SELECT count(*), sum(length(x)), (SELECT sum(x) FROM u) FROM t
         a: UPDATE t SET x = 'z' || x WHERE rowid % 2 = 0
         b: SELECT count(*), sum(length(x)), (SELECT sum(x) FROM u) FROM t
         b: SELECT count(*) FROM t WHERE x > 'y'
         b: PRAGMA integrity_check
         a: COMMIT
         b: SELECT count(*), sum(length(x)), (SELECT sum(x) FROM u) FROM t
         b: SELECT count(*) FROM t WHERE x > 'y'"
    ));
}

#[test]
fn rows_that_come_and_go_while_they_are_read() {
    let open = || Connection::open("file:come_and_go?mode=memory&cache=shared").unwrap();
    let (a, b) = (open(), open());
    a.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2); BEGIN; INSERT INTO t VALUES (3)").unwrap();
    b.execute_batch("PRAGMA read_uncommitted = 1").unwrap();
    let mut statement = b.prepare("SELECT x FROM t").unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut next = || rows.next().unwrap().map(|row| row.get::<i64>(0).unwrap());
    assert_eq!((next(), next()), (Some(1), Some(2)));
    a.execute_batch("INSERT INTO t VALUES (4); DELETE FROM t WHERE x = 3").unwrap();
    assert_eq!(next(), Some(4));
    a.execute_batch("INSERT INTO t VALUES (5)").unwrap();
    a.execute_batch("ROLLBACK").unwrap();
    assert_eq!(next(), None);
}

#[test]
fn what_others_of_the_cache_commit_is_seen_within_a_transaction() {
    check_shared(&format!(
        "{TABLES}
         b: BEGIN
         b: SELECT * FROM t
         a: INSERT INTO u VALUES (6)
         b: SELECT * FROM u
         b: INSERT INTO u VALUES (7)
         b: COMMIT
         a: SELECT * FROM u
         b: BEGIN
         b: SELECT * FROM t
         a: INSERT INTO u VALUES (8)
         a: INSERT INTO u VALUES (9)
         b: INSERT INTO t VALUES (10)
         b: SELECT * FROM u
         b: ROLLBACK
         a: SELECT * FROM t"
    ));
    // Not what anybody else does.
    check(&format!(
        "a open file:{{dir}}/test.db?cache=shared
         b open file:{{dir}}/test.db?cache=shared
         a: PRAGMA journal_mode = WAL
         {TABLES}
         c: SELECT * FROM t
         b: BEGIN
         b: SELECT * FROM t
         c: INSERT INTO u VALUES (6)
         b: SELECT * FROM u
         b: INSERT INTO u VALUES (6)
         b: COMMIT
         b: SELECT * FROM u"
    ));
}

#[test]
fn readers_of_what_is_not_committed_in_threads() {
    // Rows come in pairs, one statement each: who reads finds all pairs whole.
    for kind in ["memory", "wal", "delete"] {
        let folder = Folder::new();
        let uri = match kind {
            "memory" => "file:pairs?mode=memory&cache=shared".to_owned(),
            kind => format!("file:{}?cache=shared", folder.file(&format!("{kind}.db")).display()),
        };
        let open = || {
            let connection = Connection::open(&uri).unwrap();
            connection.busy_timeout(std::time::Duration::from_secs(20));
            connection
        };
        let writer = open();
        if kind != "memory" {
            writer.execute_batch(&format!("PRAGMA journal_mode = {kind}; PRAGMA synchronous = off")).unwrap();
        }
        writer.execute_batch("PRAGMA cache_size = 20; CREATE TABLE t(x, y); CREATE INDEX i ON t(x)").unwrap();
        let is_done = AtomicBool::new(false);
        let read = || {
            let reader = open();
            reader.execute_batch("PRAGMA read_uncommitted = 1").unwrap();
            while !is_done.load(Ordering::Relaxed) {
                let odd = "SELECT count(*) FROM (SELECT x FROM t GROUP BY x HAVING count(*) % 2 OR sum(length(y)) % 2)";
                assert_eq!(reader.query_row(odd, [], |row| row.get::<i64>(0)).unwrap(), 0);
            }
        };
        let pair = format!("INSERT INTO t SELECT ?1, hex(zeroblob(30 * value)) || 'z' FROM ({})", numbers(2));
        let write = || -> lithe::Result<()> {
            for round in 0..30 {
                writer.execute_batch("BEGIN")?;
                for at in 0..20 {
                    let x = (round * 20 + at) * 7919 % 600;
                    writer.execute(&pair, [x])?;
                    if at % 5 == 4 {
                        writer.execute_batch("SAVEPOINT s; DELETE FROM t WHERE x % 2; ROLLBACK TO s; RELEASE s")?;
                    }
                }
                writer.execute_batch(if round % 3 == 0 { "ROLLBACK" } else { "COMMIT" })?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            (0..2).for_each(|_| drop(scope.spawn(read)));
            let written = write();
            is_done.store(true, Ordering::Relaxed);
            written.unwrap_or_else(|error| panic!("{kind}: {error}"));
        });
    }
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
