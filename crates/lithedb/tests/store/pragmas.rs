//! The answers of pragmas.

use crate::script::check;

/// Sets and queries each pragma, in a database of its own.
fn check_pragmas(before: &str, pragmas: &[&str]) {
    let lines: Vec<String> = pragmas
        .iter()
        .map(|pragma| {
            let name = pragma.split(['=', '(']).next().unwrap_or_default();
            format!("a: PRAGMA {pragma}\na: PRAGMA {name}")
        })
        .collect();
    check(&format!("{before}\n{}", lines.join("\n")));
}

const FILE: &str = "a: CREATE TABLE t(a, b)\na: INSERT INTO t VALUES (1, 2)";

#[test]
fn settings_of_the_connection() {
    let pragmas = [
        "analysis_limit",
        "analysis_limit=100",
        "analysis_limit=-5",
        "busy_timeout=100",
        "busy_timeout=-1",
        "cell_size_check=1",
        "checkpoint_fullfsync=1",
        "empty_result_callbacks=1",
        "fullfsync=1",
        "read_uncommitted=1",
        "threads",
        "threads=4",
        "threads=100",
        "threads=-1",
        "soft_heap_limit",
        "shrink_memory=3",
        "hard_heap_limit",
        "temp_store=1",
        "temp_store='memory'",
        "temp_store=0",
        "temp_store_directory",
        "incremental_vacuum=3",
        "wal_autocheckpoint",
        "wal_autocheckpoint=10",
        "wal_autocheckpoint=0",
        "wal_autocheckpoint=-4",
    ];
    check_pragmas(FILE, &pragmas);
    check_pragmas("a open :memory:", &pragmas);
}

/// The same settings on a file and in memory.
fn check_settings(pragmas: &[&str]) {
    check_pragmas(FILE, pragmas);
    check_pragmas("a open :memory:", pragmas);
}

const WAL: &str = "a: PRAGMA journal_mode = WAL";

#[test]
fn sizes_of_the_cache() {
    let pragmas = [
        "cache_size",
        "cache_size=100",
        "cache_spill",
        "cache_size=-500",
        "cache_spill",
        "cache_spill=off",
        "cache_spill=1",
        "cache_spill=3000",
        "cache_spill=5",
        "cache_spill=-5000",
        "cache_spill=-1",
        "cache_spill='7x'",
        "cache_spill=1.5",
        "cache_spill=yes",
        "cache_spill=0",
    ];
    check_settings(&pragmas);
    check_pragmas(WAL, &pragmas);
}

#[test]
fn counters_of_pages_and_changes() {
    let of_pages = ["freelist_count=4", "page_count=3"];
    check_settings(&["data_version", "data_version=4"]);
    check_settings(&of_pages);
    // The first value of data_version is not documented.
    check_pragmas(WAL, &of_pages);
}

#[test]
fn limits_of_the_journal() {
    check_settings(&[
        "journal_size_limit",
        "journal_size_limit=1000",
        "journal_size_limit=-7",
        "journal_size_limit=99999999999999999999",
        "journal_size_limit=-99999999999999999999",
        "journal_size_limit=7x",
    ]);
    check_pragmas(WAL, &["journal_size_limit"]);
}

#[test]
fn locking_modes() {
    check_settings(&["locking_mode", "locking_mode=foo", "locking_mode=exclusive", "locking_mode=normal"]);
    check_pragmas("a open file:", &["locking_mode", "locking_mode=normal", "locking_mode=exclusive"]);
}

#[test]
fn limits_of_pages() {
    check_settings(&[
        "max_page_count",
        "max_page_count=10",
        "max_page_count=1",
        "max_page_count=0",
        "max_page_count=-3",
        "max_page_count=500",
        "max_page_count=1e3",
        "max_page_count=7.5",
        "max_page_count='400'",
        "max_page_count=0x100",
    ]);
}

#[test]
fn what_is_erased_and_synced() {
    check_settings(&[
        "secure_delete",
        "secure_delete=1",
        "secure_delete=fast",
        "secure_delete=0",
        "synchronous",
        "synchronous=extra",
        "synchronous=0",
        "synchronous=7",
        "synchronous=8",
        "synchronous=10",
    ]);
}

#[test]
fn what_the_header_of_the_file_says() {
    check_settings(&[
        "page_size=5",
        "user_version=-3",
        "default_cache_size",
        "default_cache_size=77",
        "cache_size",
        "encoding",
        "auto_vacuum",
        "wal_checkpoint",
    ]);
}

#[test]
fn settings_of_the_temporary_database() {
    let temp: Vec<String> = [
        "cache_size",
        "journal_mode",
        "journal_mode=wal",
        "journal_mode=memory",
        "locking_mode",
        "synchronous",
        "page_size",
        "secure_delete",
        "auto_vacuum",
        "page_count",
        "max_page_count",
        "data_version",
        "wal_checkpoint",
        "freelist_count",
        "cache_size=7",
    ]
    .iter()
    .map(|name| format!("temp.{name}"))
    .collect();
    check_pragmas("", &temp.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn journal_modes() {
    for size in [512, 4096] {
        let mut script = format!("a: PRAGMA page_size = {size}\na: CREATE TABLE t(a)\n");
        let modes = ["delete", "truncate", "persist", "memory", "off", "wal"];
        for (at, first) in modes.iter().enumerate() {
            for second in modes.iter().cycle().skip(at).take(modes.len()) {
                script += &format!("a: PRAGMA journal_mode = {first}\na: INSERT INTO t VALUES ({at})\n");
                script += &format!("a: PRAGMA journal_mode = {second}\na: BEGIN\na: DELETE FROM t\n");
                script += "a: PRAGMA journal_mode\na: COMMIT\na: SELECT count(*) FROM t\na: PRAGMA journal_mode\n";
            }
        }
        check(&script);
    }
    check(
        "a: PRAGMA journal_mode
         a: PRAGMA journal_mode = nosuch
         a: CREATE TABLE t(a)
         a: BEGIN
         a: PRAGMA journal_mode = wal
         a: PRAGMA journal_mode = persist
         a: INSERT INTO t VALUES (1)
         a: PRAGMA journal_mode = delete
         a: ROLLBACK
         a: PRAGMA journal_mode
         a: PRAGMA journal_mode = wal
         b: PRAGMA journal_mode
         b: SELECT * FROM t
         a: PRAGMA journal_mode = delete
         b close
         a: BEGIN
         a: SELECT * FROM t
         a: PRAGMA journal_mode = delete
         a: PRAGMA wal_checkpoint
         a: COMMIT
         a: PRAGMA journal_mode = delete
         m open :memory:
         m: PRAGMA journal_mode
         m: PRAGMA journal_mode = wal
         m: PRAGMA journal_mode = off
         m: PRAGMA journal_mode = delete",
    );
}

#[test]
fn several_databases() {
    check(
        "a: ATTACH '{dir}/b.db' AS b
         a: CREATE TABLE b.x(a)
         a: CREATE TABLE y(a)
         a: PRAGMA journal_mode = persist
         a: PRAGMA b.journal_mode
         a: PRAGMA b.journal_mode = wal
         a: PRAGMA journal_mode
         a: PRAGMA b.journal_mode
         a: PRAGMA b.synchronous = 1
         a: PRAGMA b.synchronous
         a: PRAGMA synchronous
         a: PRAGMA b.journal_size_limit = 5
         a: PRAGMA journal_size_limit
         a: PRAGMA b.secure_delete = 1
         a: PRAGMA secure_delete
         a: PRAGMA secure_delete = 1
         a: PRAGMA b.secure_delete
         a: PRAGMA b.cache_size = 9
         a: PRAGMA cache_size
         a: PRAGMA wal_checkpoint
         a: PRAGMA b.wal_checkpoint(truncate)
         a: PRAGMA main.wal_checkpoint
         a: PRAGMA locking_mode = exclusive
         a: PRAGMA main.locking_mode
         a: PRAGMA b.locking_mode
         a: ATTACH '{dir}/c.db' AS c
         a: PRAGMA c.locking_mode
         a: PRAGMA temp.locking_mode = normal
         a: PRAGMA b.locking_mode = normal
         a: PRAGMA locking_mode
         a: PRAGMA main.locking_mode = normal
         a: PRAGMA locking_mode
         a: PRAGMA b.cache_spill = off
         a: PRAGMA cache_spill",
    );
}

#[test]
fn checkpoints() {
    check(
        "a: PRAGMA journal_mode = wal
         a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (1)
         a: PRAGMA wal_checkpoint(noop)
         a: PRAGMA wal_checkpoint
         a: PRAGMA wal_checkpoint(full)
         a: INSERT INTO t VALUES (2)
         a: PRAGMA wal_checkpoint(noop)
         b: BEGIN
         b: SELECT * FROM t
         a: INSERT INTO t VALUES (3)
         a: PRAGMA wal_checkpoint
         a: PRAGMA wal_checkpoint(full)
         a: PRAGMA wal_checkpoint(restart)
         a: PRAGMA wal_checkpoint(truncate)
         b: SELECT * FROM t
         b: PRAGMA wal_checkpoint
         b: COMMIT
         a: PRAGMA wal_checkpoint(truncate)
         a: PRAGMA wal_checkpoint
         a: PRAGMA main.wal_checkpoint(nosuch)
         a: PRAGMA wal_autocheckpoint = 5
         a: CREATE TABLE u(a, b)
         a: INSERT INTO u VALUES (1, zeroblob(20000))
         a: INSERT INTO u VALUES (2, 3)
         a: INSERT INTO u VALUES (3, 3)
         b: SELECT count(*) FROM u
         a: PRAGMA wal_checkpoint",
    );
}

#[test]
fn levels_that_are_none_are_durable() {
    let connection = lithe::Connection::open(":memory:").unwrap();
    for level in 3..=6 {
        connection.execute_batch(&format!("PRAGMA synchronous = {level}")).unwrap();
        let text = connection.query_row("PRAGMA synchronous", [], |row| row.get::<i64>(0)).unwrap();
        assert_eq!(text, 3, "{level}");
    }
}

#[test]
fn mapping_of_all_databases() {
    // SQLite maps nothing by default, so the sizes are set before they are queried.
    check(
        "a: PRAGMA mmap_size = 1000000
         a: ATTACH '{dir}/b.db' AS b
         a: PRAGMA b.mmap_size
         a: PRAGMA mmap_size = 5000
         a: PRAGMA b.mmap_size
         a: PRAGMA main.mmap_size = 7000
         a: PRAGMA b.mmap_size
         a: PRAGMA main.mmap_size
         a: ATTACH '{dir}/c.db' AS c
         a: PRAGMA c.mmap_size",
    );
}

#[test]
fn what_cannot_be_read_has_a_page_size() {
    check(
        "a: CREATE TABLE t(a)
         a: BEGIN EXCLUSIVE
         b: PRAGMA page_size
         b: PRAGMA page_count
         a: COMMIT
         b: PRAGMA page_count",
    );
}

#[test]
fn where_foreign_key_check_looks() {
    check(
        "a: PRAGMA foreign_keys = 0
         a: CREATE TABLE p(a INTEGER PRIMARY KEY)
         a: ATTACH '{dir}/b.db' AS b
         a: CREATE TABLE b.k(x REFERENCES p)
         a: INSERT INTO b.k VALUES (1)
         a: CREATE TABLE b.p(a INTEGER PRIMARY KEY)
         a: PRAGMA foreign_key_check
         a: PRAGMA b.foreign_key_check
         a: PRAGMA foreign_key_check(k)
         a: PRAGMA main.foreign_key_check(k)
         a: SELECT * FROM pragma_foreign_key_check
         a: SELECT * FROM pragma_foreign_key_check(NULL, 'b')
         a: SELECT * FROM pragma_table_info(NULL)",
    );
}

#[test]
fn auto_vacuum_of_an_empty_database() {
    for mode in ["0", "1", "2", "incremental"] {
        check(&format!(
            "a: PRAGMA auto_vacuum = {mode}
             a: PRAGMA page_count
             b: PRAGMA auto_vacuum
             a: PRAGMA auto_vacuum = 0
             a: PRAGMA page_size = 512
             a: CREATE TABLE t(a)
             b: PRAGMA auto_vacuum
             b: PRAGMA page_count"
        ));
    }
}

#[test]
fn a_limit_of_pages_that_others_exceed() {
    check(
        "a: CREATE TABLE t(a)
         a: PRAGMA max_page_count = 3
         b: INSERT INTO t VALUES (zeroblob(30000))
         a: PRAGMA max_page_count
         a: INSERT INTO t VALUES (1)
         a: INSERT INTO t VALUES (zeroblob(9000))
         a: PRAGMA max_page_count",
    );
}

#[test]
fn what_integrity_check_is_asked() {
    let asked = ["(t)", "('t')", "('3')", "(\"2\")", "([2])", "(-1)", "(+1)", "(0)", "(sqlite_schema)", "(1.5)", "(u)"];
    let lines = asked.iter().map(|asked| format!("a: PRAGMA integrity_check{asked}\na: PRAGMA quick_check{asked}\n"));
    check(&format!(
        "a: CREATE TABLE t(a CHECK (a > 0), b NOT NULL)
         a: CREATE TABLE \"2\"(a)
         a: PRAGMA ignore_check_constraints = 1
         a: INSERT INTO t VALUES (-1, 1), (-2, 2), (-3, 3)
         a: SELECT * FROM pragma_integrity_check('t')
         a: SELECT * FROM pragma_quick_check(2)
         a: SELECT * FROM pragma_quick_check(5)
         {}
         a: DELETE FROM t",
        lines.collect::<String>()
    ));
}

#[test]
fn limits_and_locks() {
    check(
        "a: PRAGMA max_page_count = 5
         a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (zeroblob(100000))
         a: SELECT count(*) FROM t
         a: INSERT INTO t VALUES (1)
         a: BEGIN
         a: INSERT INTO t VALUES (2)
         a: INSERT INTO t VALUES (zeroblob(100000))
         a: SELECT count(*) FROM t
         a: COMMIT
         a: SELECT count(*) FROM t
         a: PRAGMA max_page_count = 0
         a: PRAGMA data_version
         b: INSERT INTO t VALUES (3)
         a: PRAGMA data_version
         a: INSERT INTO t VALUES (4)
         a: PRAGMA data_version
         a: PRAGMA locking_mode = exclusive
         a: SELECT count(*) FROM t
         b: SELECT count(*) FROM t
         b: INSERT INTO t VALUES (5)
         a: INSERT INTO t VALUES (5)
         b: SELECT count(*) FROM t
         a: PRAGMA locking_mode = normal
         b: SELECT count(*) FROM t
         a: SELECT count(*) FROM t
         b: SELECT count(*) FROM t
         b: PRAGMA data_version
         a: BEGIN IMMEDIATE
         b: INSERT INTO t VALUES (6)
         b: BEGIN IMMEDIATE
         b: BEGIN EXCLUSIVE
         b: SELECT count(*) FROM t
         a: COMMIT
         a: BEGIN EXCLUSIVE
         b: SELECT count(*) FROM t
         a: COMMIT
         a: PRAGMA temp_store = 1
         a: CREATE TEMP TABLE q(a)
         a: BEGIN
         a: INSERT INTO q VALUES (1)
         a: PRAGMA temp_store = 2
         a: COMMIT
         a: PRAGMA temp_store = 2
         a: SELECT * FROM q
         a: CREATE TEMP TABLE q(a)",
    );
}
