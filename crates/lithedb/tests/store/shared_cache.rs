//! Locks on tables among connections that share a cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lithe::{Connection, ResultCode, ValueRef};

use crate::script::{Folder, check, differences};

/// Runs the script on files in rollback and in WAL mode, and on a database in memory.
fn check_shared(script: &str) {
    for mode in ["DELETE", "PERSIST", "WAL"] {
        check(&format!(
            "a open file:{{dir}}/test.db?cache=shared
             a: PRAGMA journal_mode = {mode}
             b open file:{{dir}}/test.db?cache=shared
             {script}"
        ));
    }
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    check(&format!(
        "a open file:memory{number}?mode=memory&cache=shared
         b open file:memory{number}?mode=memory&cache=shared
         {script}"
    ));
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

/// A query for the numbers up to `last`.
pub fn numbers(last: u32) -> String {
    format!(
        "WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < {last}) SELECT value FROM c"
    )
}

#[test]
fn what_is_not_committed() {
    check_shared(&format!(
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
fn a_connection_that_is_opened_beside_a_writer() {
    for mode in ["DELETE", "WAL"] {
        check(&format!(
            "a open file:{{dir}}/test.db?cache=shared
             a: PRAGMA journal_mode = {mode}
             a: CREATE TABLE t(x)
             a: BEGIN
             a: INSERT INTO t VALUES (1)
             b open file:{{dir}}/test.db?cache=shared
             b: SELECT * FROM t
             b: PRAGMA read_uncommitted = 1
             b: SELECT * FROM t
             a: ROLLBACK
             b: SELECT * FROM t"
        ));
    }
}

#[test]
fn a_schema_that_is_not_committed() {
    check_shared(&format!(
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
    // More rows than the cache holds: readers also see spilled pages, and those that were changed again since.
    let (few, some, many) = (numbers(500), numbers(1000), numbers(20_000));
    check_shared(&format!(
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
    // But not the changes of a connection with another cache.
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
fn commits_beside_readers_of_other_caches() {
    check(&format!(
        "a open file:{{dir}}/test.db?cache=shared
         b open file:{{dir}}/test.db?cache=shared
         {TABLES}
         b: BEGIN
         b: SELECT * FROM t
         c: SELECT * FROM t
         a: INSERT INTO u VALUES (3)
         c: INSERT INTO u VALUES (4)
         c: BEGIN
         c: SELECT * FROM u
         a: INSERT INTO u VALUES (5)
         a: BEGIN
         a: INSERT INTO u VALUES (6)
         a: COMMIT
         b: SELECT * FROM t
         b: COMMIT
         b: SELECT * FROM t
         c: SELECT * FROM u
         d: SELECT * FROM u
         a: COMMIT
         c: COMMIT
         b: BEGIN
         b: SELECT * FROM t
         a: COMMIT
         b: SELECT * FROM u
         b: INSERT INTO u VALUES (7)
         b: COMMIT
         c: SELECT * FROM u"
    ));
    // Pages move at a commit, which therefore waits for all readers.
    let script = format!(
        "a open file:{{dir}}/test.db?cache=shared
         b open file:{{dir}}/test.db?cache=shared
         a: PRAGMA auto_vacuum = FULL
         {TABLES}
         a: INSERT INTO u VALUES (zeroblob(100000))
         b: BEGIN
         b: SELECT * FROM t
         a: DELETE FROM u
         b: SELECT * FROM t
         b: COMMIT
         a: DELETE FROM u
         b: SELECT count(*) FROM u"
    );
    let found =
        differences(&script, |line, answer| if line == "a: DELETE FROM u" { String::new() } else { answer.to_owned() });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_statement_on_a_row_and_commits() {
    for mode in ["DELETE", "TRUNCATE", "MEMORY", "WAL"] {
        for mapped in [0, 1 << 30] {
            let folder = Folder::new();
            let open = || {
                let uri = format!("file:{}?cache=shared", folder.file("test.db").display());
                let connection = Connection::open(&uri).unwrap();
                connection
                    .execute_batch(&format!("PRAGMA mmap_size = {mapped}; PRAGMA journal_mode = {mode}"))
                    .unwrap();
                connection
            };
            let (a, b) = (open(), open());
            a.execute_batch("CREATE TABLE t(x, y); CREATE TABLE u(x)").unwrap();
            let rows = numbers(200);
            a.execute_batch(&format!("INSERT INTO t SELECT value, hex(zeroblob(100 + value)) FROM ({rows})")).unwrap();
            let mut statement = b.prepare("SELECT x, y FROM t").unwrap();
            let mut reads = statement.query([]).unwrap();
            for n in 1..=200 {
                a.execute_batch(&format!("INSERT INTO u SELECT hex(zeroblob(500)) FROM ({})", numbers(n % 9 + 1)))
                    .unwrap();
                let row = reads.next().unwrap().unwrap();
                let borrowed = row.get_ref(1);
                a.execute_batch("DELETE FROM u WHERE rowid % 3 = 0").unwrap();
                let locked = a.execute_batch("DELETE FROM t").unwrap_err();
                assert_eq!(locked.code(), ResultCode::LOCKED_SHAREDCACHE, "{mode}: {locked}");
                assert!(matches!(borrowed, ValueRef::Text(text) if text.len() == 200 + 2 * n as usize));
                assert_eq!(row.get::<i64>(0).unwrap(), i64::from(n));
            }
            assert!(reads.next().unwrap().is_none());
            drop(reads);
            drop(statement);
            assert_eq!(b.query_row("PRAGMA integrity_check", [], |row| row.get::<String>(0)).unwrap(), "ok");
        }
    }
}

/// Two connections that share the cache of one file.
const SHARED_FILE: &str = "
    a open file:{dir}/x.db?cache=shared
    b open file:{dir}/x.db?cache=shared
    a: CREATE TABLE t(x)
    a: CREATE TABLE u(y)
    a: INSERT INTO t VALUES (1), (2)
    a: INSERT INTO u VALUES (3)
";

#[test]
fn what_a_reader_keeps_others_from() {
    check(&format!(
        "{SHARED_FILE}
         b: BEGIN
         b: SELECT * FROM t
         a: DROP TABLE t
         a: DROP TABLE u
         a: CREATE TABLE v(a)
         a: INSERT INTO t VALUES (9)
         a: INSERT INTO u VALUES (9)
         a: ALTER TABLE u ADD COLUMN z
         a: CREATE INDEX ui ON u(y)
         a: VACUUM
         a: PRAGMA user_version = 5
         b: PRAGMA user_version
         a: PRAGMA journal_mode = wal
         a: PRAGMA journal_mode
         a: REINDEX
         a: ANALYZE
         a: BEGIN EXCLUSIVE
         a: BEGIN IMMEDIATE
         a: ROLLBACK
         a: DELETE FROM t
         b: COMMIT
         a: DROP TABLE u
         b: SELECT * FROM u"
    ));
}

#[test]
fn locks_that_are_taken_at_once() {
    check(&format!(
        "{SHARED_FILE}
         a: BEGIN IMMEDIATE
         b: BEGIN IMMEDIATE
         b: BEGIN
         b: SELECT * FROM t
         b: INSERT INTO t VALUES (1)
         b: PRAGMA user_version = 3
         b: CREATE TEMP TABLE tt(a)
         b: CREATE TABLE w(a)
         b: COMMIT
         b: PRAGMA wal_checkpoint
         b: VACUUM
         b: DROP TABLE t
         a: COMMIT
         a: BEGIN EXCLUSIVE
         b: SELECT 1
         b: SELECT * FROM t
         b: SELECT * FROM tt
         b: PRAGMA user_version
         b: PRAGMA table_info(t)
         b: PRAGMA journal_mode
         b: PRAGMA page_count
         b: BEGIN IMMEDIATE
         a: COMMIT
         b: PRAGMA page_count"
    ));
}

#[test]
fn pragmas_beside_a_transaction_that_writes() {
    check(&format!(
        "{SHARED_FILE}
         a: BEGIN
         a: INSERT INTO t VALUES (1)
         b: PRAGMA user_version
         b: PRAGMA user_version = 4
         b: PRAGMA page_count
         b: PRAGMA integrity_check
         b: PRAGMA quick_check(u)
         b: PRAGMA foreign_key_check
         b: PRAGMA index_list(t)
         b: PRAGMA table_list
         b: PRAGMA freelist_count
         b: PRAGMA schema_version
         b: PRAGMA integrity_check(u)
         b: PRAGMA integrity_check(t)
         b: PRAGMA incremental_vacuum
         b: PRAGMA optimize
         b: ANALYZE
         b: PRAGMA journal_mode = truncate
         b: PRAGMA locking_mode
         b: SELECT * FROM u
         b: SELECT count(*) FROM pragma_table_info('t')
         a: INSERT INTO t VALUES (zeroblob(50000))
         b: PRAGMA page_count
         b: PRAGMA read_uncommitted = 1
         b: PRAGMA page_count
         b: PRAGMA integrity_check
         b: PRAGMA user_version
         a: PRAGMA user_version = 17
         b: PRAGMA user_version
         b: PRAGMA schema_version
         b: PRAGMA freelist_count
         b: PRAGMA foreign_key_check
         b: PRAGMA read_uncommitted = 0
         b: PRAGMA user_version
         b: PRAGMA page_count
         b: PRAGMA freelist_count
         a: DELETE FROM t
         b: PRAGMA freelist_count
         b: PRAGMA journal_mode = wal
         a: COMMIT"
    ));
}

#[test]
fn journal_modes_and_checkpoints() {
    check(&format!(
        "{SHARED_FILE}
         b: BEGIN
         b: SELECT * FROM u
         a: PRAGMA journal_mode = wal
         b: COMMIT
         a: PRAGMA journal_mode = wal
         b: BEGIN
         b: SELECT * FROM u
         a: PRAGMA wal_checkpoint
         b: INSERT INTO u VALUES (8)
         a: PRAGMA wal_checkpoint
         a: PRAGMA journal_mode = delete
         b: PRAGMA wal_checkpoint
         b: COMMIT
         a: PRAGMA wal_checkpoint(TRUNCATE)"
    ));
}

#[test]
fn attached_databases() {
    check(&format!(
        "{SHARED_FILE}
         c open file:{{dir}}/y.db
         c: ATTACH 'file:{{dir}}/x.db?cache=shared' AS x
         c: SELECT count(*) FROM x.t
         a: BEGIN
         a: INSERT INTO t VALUES (2)
         c: SELECT count(*) FROM x.t
         c: PRAGMA x.read_uncommitted
         c: PRAGMA read_uncommitted = 1
         c: SELECT count(*) FROM x.t
         c: CREATE TABLE t(x)
         c: INSERT INTO main.t SELECT * FROM x.t
         c: SELECT count(*) FROM main.t
         a: CREATE TABLE q(x)
         c: SELECT * FROM x.t
         c: SELECT * FROM main.t
         c: DETACH x
         a: ROLLBACK
         c: DETACH x
         c: ATTACH 'file:{{dir}}/x.db?cache=shared' AS x
         c: ATTACH 'file:{{dir}}/x.db?cache=shared' AS x2
         c: SELECT * FROM x2.t
         c: SELECT count(*) FROM x.t
         c: BEGIN
         c: INSERT INTO x.t VALUES (5)
         c: INSERT INTO main.t VALUES (5)
         a: SELECT count(*) FROM t
         a: SELECT count(*) FROM u
         c: COMMIT
         a: SELECT count(*) FROM t"
    ));
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
