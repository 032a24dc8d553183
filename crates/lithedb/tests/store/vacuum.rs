//! The forms of VACUUM.

use crate::script::check;

/// A schema with every object that VACUUM must copy, and rows with gaps.
const SCHEMA: &str = "
    a: CREATE TABLE t(a)
    a: CREATE TABLE ip(id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE)
    a: CREATE TABLE wr(a PRIMARY KEY, b) WITHOUT ROWID
    a: CREATE VIEW v AS SELECT * FROM t
    a: CREATE INDEX it ON ip(x, id DESC)
    a: CREATE TABLE u(a)
    a: CREATE INDEX iu ON u(a)
    a: CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE u SET a = a + 1; END
    a: CREATE TABLE w(a UNIQUE)
    a: INSERT INTO u VALUES (1), (2), (3)
    a: INSERT INTO w SELECT a FROM u
    a: INSERT INTO t VALUES (1), (2), (3)
    a: INSERT INTO ip(x) VALUES ('a'), (zeroblob(20000)), ('c')
    a: INSERT INTO wr VALUES ('x', 1), ('y', x''), ('z', zeroblob(9000))
    a: DELETE FROM t WHERE a = 2
    a: DELETE FROM u WHERE rowid = 2
    a: DELETE FROM w WHERE a = 2
    a: DELETE FROM ip WHERE id = 2
    a: PRAGMA user_version = 7
    a: PRAGMA application_id = -9
";

const LOOK: &str = "
    a: SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_schema
    a: SELECT rowid, a FROM t
    a: SELECT rowid, a FROM u
    a: SELECT rowid, a FROM w ORDER BY rowid
    a: SELECT rowid, x FROM ip
    a: SELECT * FROM wr
    a: SELECT * FROM sqlite_sequence
    a: PRAGMA user_version
    a: PRAGMA application_id
    a: PRAGMA schema_version
    a: PRAGMA page_count
    a: PRAGMA freelist_count
    a: PRAGMA page_size
    a: PRAGMA auto_vacuum
    a: PRAGMA journal_mode
    a: PRAGMA integrity_check
    a: INSERT INTO t VALUES (10)
    a: INSERT INTO ip(x) VALUES ('d')
";

#[test]
fn a_database_that_is_still_empty_gets_a_page() {
    for mode in ["delete", "wal", "memory", "off"] {
        check(&format!(
            "a: PRAGMA page_size = 1024
             a: VACUUM
             a: PRAGMA schema_version
             a: PRAGMA page_count
             a: PRAGMA journal_mode = {mode}
             a: VACUUM
             a: PRAGMA schema_version
             a: PRAGMA auto_vacuum = 1
             a: VACUUM
             a: PRAGMA page_count
             a: PRAGMA integrity_check
             a: CREATE TABLE t(a)
             a: PRAGMA page_count"
        ));
    }
}

fn check_vacuum(before: &str, how: &str) {
    check(&format!("{before}\n{SCHEMA}\n{how}\n{LOOK}"));
}

/// In WAL mode the page size stays, and the requested one is dropped.
#[test]
fn a_page_size_asked_for_in_vain() {
    check(
        "a: PRAGMA journal_mode = WAL
         a: CREATE TABLE t(a)
         a: PRAGMA page_size = 8192
         a: VACUUM
         a: PRAGMA page_size
         a: PRAGMA journal_mode = DELETE
         a: VACUUM
         a: PRAGMA page_size
         a: PRAGMA page_size = 8192
         a: VACUUM
         a: PRAGMA page_size",
    );
}

#[test]
fn everything_comes_over() {
    check_vacuum("", "a: VACUUM");
    check_vacuum("", "a: VACUUM\na: VACUUM main");
    check_vacuum("a: PRAGMA journal_mode = WAL", "a: VACUUM");
    check_vacuum("a: PRAGMA journal_mode = OFF", "a: VACUUM");
    check_vacuum("a: PRAGMA journal_mode = MEMORY", "a: VACUUM");
    check_vacuum("a: PRAGMA encoding = 'UTF-16be'", "a: VACUUM");
    check_vacuum("a open :memory:", "a: VACUUM");
    check_vacuum("", "a: PRAGMA cache_size = 5\na: VACUUM");
}

#[test]
fn statistics_come_over() {
    let analyze = "a close\nsqlite: ANALYZE";
    let look =
        "a: SELECT name, rootpage FROM sqlite_schema\na: SELECT * FROM sqlite_stat1\na: SELECT * FROM sqlite_stat4";
    check(&format!("{SCHEMA}\n{analyze}\na: VACUUM\n{look}\n{LOOK}"));
}

#[test]
fn page_size_and_auto_vacuum_change() {
    // The root pages depend on when the schema table itself needs a page, so they are not compared.
    let check_vacuum = |before: &str, how: &str| {
        let look = LOOK.replace("rootpage, ", "").replace("PRAGMA page_count", "SELECT 1");
        check(&format!("{before}\n{SCHEMA}\n{how}\n{look}"));
    };
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"] {
        for size in [512, 4096, 65536] {
            let before = format!("a: PRAGMA journal_mode = {mode}");
            check_vacuum(&before, &format!("a: PRAGMA page_size = {size}\na: PRAGMA page_size\na: VACUUM"));
        }
    }
    check_vacuum("", "a: PRAGMA auto_vacuum = 1\na: PRAGMA auto_vacuum\na: VACUUM");
    check_vacuum("", "a: PRAGMA auto_vacuum = 2\na: PRAGMA page_size = 1024\na: VACUUM");
    check_vacuum("a: PRAGMA auto_vacuum = FULL", "a: PRAGMA auto_vacuum = 0\na: VACUUM");
    check_vacuum("a open :memory:", "a: PRAGMA page_size = 1024\na: PRAGMA auto_vacuum = 1\na: VACUUM");
}

#[test]
fn a_database_without_pages() {
    let look = "a: PRAGMA aux.page_size\na: PRAGMA aux.page_count\na: PRAGMA aux.auto_vacuum\na: CREATE TABLE aux.q(a)\na: INSERT INTO aux.q VALUES (zeroblob(3000))\na: PRAGMA aux.integrity_check";
    for settings in ["page_size = 512", "page_size = 65536", "auto_vacuum = FULL"] {
        for mode in ["DELETE", "OFF", "MEMORY"] {
            let before = format!(
                "a: CREATE TABLE t(a)\na: PRAGMA {settings}\na: ATTACH '{{dir}}/aux.db' AS aux\na: PRAGMA journal_mode = {mode}"
            );
            check(&format!("{before}\na: VACUUM aux\n{look}"));
            check(&format!("{before}\na: PRAGMA page_size = 1024\na: VACUUM aux\n{look}\na: VACUUM aux\n{look}"));
        }
    }
}

#[test]
fn into_another_file() {
    let look = LOOK.replace("PRAGMA journal_mode", "SELECT 1");
    let copy = "a: VACUUM INTO '{dir}/copy.db'\na: PRAGMA integrity_check\na open file:{dir}/copy.db";
    check(&format!("{SCHEMA}\n{copy}\n{look}"));
    check(&format!("a: PRAGMA journal_mode = WAL\n{SCHEMA}\na: PRAGMA page_size = 1024\n{copy}\n{look}"));
    check(&format!("a open :memory:\n{SCHEMA}\n{copy}\n{look}"));
    check(
        "a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (1)
         a: VACUUM INTO '{dir}/' || 'copy' || '.db'
         a: VACUUM INTO '{dir}/copy.db'
         a: VACUUM INTO '{dir}/test.db'
         a: VACUUM INTO NULL
         a: VACUUM INTO 5
         a: VACUUM INTO x'41'
         b: BEGIN EXCLUSIVE
         a: VACUUM INTO '{dir}/locked.db'
         b: COMMIT
         b open file:{dir}/locked.db?mode=ro
         a: PRAGMA query_only = 1
         a: VACUUM INTO '{dir}/query.db'
         a: PRAGMA query_only = 0
         a: VACUUM INTO 'file:{dir}/uri.db?mode=rwc'
         a: VACUUM INTO '/no/such/folder/x.db'
         a: VACUUM INTO :memory
         a: VACUUM nosuch
         a: VACUUM temp
         a: BEGIN
         a: INSERT INTO t VALUES (2)
         a: VACUUM
         a: VACUUM INTO '{dir}/other.db'
         a: COMMIT
         b open file:{dir}/copy.db
         b: SELECT * FROM t
         c open file:{dir}/uri.db
         c: SELECT * FROM t",
    );
}

#[test]
fn attached_and_temporary() {
    check(
        "a: ATTACH '{dir}/other.db' AS other
         a: CREATE TABLE other.t(a, b UNIQUE)
         a: CREATE TEMP TABLE tt(a)
         a: INSERT INTO tt VALUES (5)
         a: WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT i, i FROM n
         a: DELETE FROM t WHERE a % 3
         a: PRAGMA other.freelist_count
         a: VACUUM other
         a: PRAGMA other.freelist_count
         a: PRAGMA other.page_count
         a: SELECT count(*), sum(a), sum(rowid) FROM t
         a: SELECT * FROM tt
         a: PRAGMA integrity_check",
    );
}

#[test]
fn others_in_the_way() {
    check(
        "a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (1)
         b: BEGIN
         b: SELECT * FROM t
         a: VACUUM
         b: COMMIT
         b: BEGIN IMMEDIATE
         a: VACUUM
         a: VACUUM INTO '{dir}/copy.db'
         b: ROLLBACK
         a: VACUUM
         b: SELECT * FROM t
         b: INSERT INTO t VALUES (2)
         a: SELECT * FROM t",
    );
}

#[test]
fn auto_vacuum_shrinks_the_file() {
    check(
        "a: PRAGMA auto_vacuum = FULL
         a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (zeroblob(50000))
         a: PRAGMA page_count
         a: DELETE FROM t
         a: PRAGMA page_count
         a: PRAGMA freelist_count
         a: PRAGMA auto_vacuum = INCREMENTAL
         a: PRAGMA auto_vacuum
         a: INSERT INTO t VALUES (zeroblob(50000))
         a: DELETE FROM t
         a: PRAGMA page_count
         a: PRAGMA freelist_count
         a: PRAGMA incremental_vacuum(3)
         a: PRAGMA page_count
         a: PRAGMA incremental_vacuum(0)
         a: PRAGMA page_count
         a: PRAGMA freelist_count
         a: BEGIN
         a: INSERT INTO t VALUES (zeroblob(50000))
         a: DELETE FROM t
         a: PRAGMA incremental_vacuum(2)
         a: ROLLBACK
         a: PRAGMA page_count
         a: PRAGMA auto_vacuum = 0
         a: PRAGMA auto_vacuum
         a: PRAGMA incremental_vacuum
         a: PRAGMA integrity_check",
    );
}

/// Pages are spilled while trees are copied: the entries of an index, although they overflow, are appended without a search.
#[test]
fn trees_larger_than_the_cache() {
    for mode in ["DELETE", "MEMORY", "WAL"] {
        check(&format!(
            "
            a: PRAGMA page_size = 512
            a: PRAGMA journal_mode = {mode}
            a: CREATE TABLE t(id INTEGER PRIMARY KEY, v)
            a: CREATE INDEX tv ON t(v)
            a: CREATE TABLE u(k PRIMARY KEY, n UNIQUE, v) WITHOUT ROWID
            a: WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100) INSERT INTO t(v) SELECT printf('%03d', i * 37 % 100) || hex(zeroblob(250)) FROM c
            a: INSERT INTO u SELECT substr(v, 1, 3 + id), id, v FROM t
            a: PRAGMA cache_size = 4
            a: VACUUM
            a: PRAGMA integrity_check
            a: SELECT id, v FROM t ORDER BY v
            a: SELECT k, n, v FROM u
            "
        ));
    }
}
