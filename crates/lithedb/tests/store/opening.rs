//! The interpretation of file names, and read-only files.

use lithe::Connection;

use crate::script::{Folder, check};

#[test]
fn uris() {
    check(
        "a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (1)
         b open file:{dir}/test.db?mode=ro
         b: SELECT * FROM t
         b: INSERT INTO t VALUES (2)
         b: CREATE TABLE u(a)
         b: PRAGMA user_version = 3
         b: PRAGMA journal_mode = WAL
         b: PRAGMA journal_mode
         b: PRAGMA journal_mode = PERSIST
         b open file:{dir}/none.db?mode=rw
         b open file:{dir}/none.db?mode=ro
         b open file:{dir}/new.db?mode=rwc
         b: CREATE TABLE t(a)
         b open file:{dir}/test.db?mode=nosuch
         b open file:{dir}/test.db?cache=nosuch
         b open file:{dir}/test.db?vfs=nosuch
         b open file:{dir}/test.db?cache=private
         b: SELECT * FROM t
         b open file:{dir}/test.db?immutable=1
         b: SELECT * FROM t
         b: PRAGMA journal_mode = WAL
         b: INSERT INTO t VALUES (2)
         b open file:{dir}/test.db?nolock=1
         b: INSERT INTO t VALUES (2)
         b open file:{dir}/test.db?psow=0
         b: INSERT INTO t VALUES (3)
         b open file:{dir}/test.db?vfs=unix
         b: SELECT * FROM t
         b open file:{dir}/test.db?vfs=unix-none
         b: SELECT * FROM t
         b: ATTACH 'file:{dir}/none.db?mode=ro' AS x
         b: ATTACH 'file:{dir}/none.db?vfs=nosuch' AS x
         b: ATTACH 'file:{dir}/none.db?mode=ro&mode=rw' AS x
         b: ATTACH 'file:{dir}/test.db?mode=ro' AS x
         b: INSERT INTO x.t VALUES (9)
         b open file://localhost{dir}/test.db
         b: SELECT count(*) FROM t
         b open file://elsewhere{dir}/test.db
         b open file:{dir}/%74est.db
         b: SELECT count(*) FROM t",
    );
}

#[test]
fn databases_in_memory() {
    check(
        "a open file::memory:
         a: CREATE TABLE t(a)
         b open file::memory:
         b: SELECT * FROM t
         a open file::memory:?cache=shared
         a: CREATE TABLE t(a)
         b open file::memory:?cache=shared
         b: SELECT * FROM t
         c open file:one?mode=memory
         c: CREATE TABLE x(a)
         d open file:one?mode=memory
         d: SELECT * FROM x
         c open file:opening1?mode=memory&cache=shared
         c: PRAGMA page_size = 1024
         c: CREATE TABLE x(a)
         c: INSERT INTO x VALUES (7)
         d open file:opening1?mode=memory&cache=shared
         d: SELECT * FROM x
         d: PRAGMA page_size
         d: PRAGMA journal_mode
         d: PRAGMA journal_mode = wal
         d: PRAGMA database_list
         d: ATTACH 'file:opening2?mode=memory&cache=shared' AS y
         d: CREATE TABLE y.z(a)
         d: VACUUM
         c: SELECT * FROM x
         e open file:opening2?mode=memory&cache=shared
         e: SELECT count(*) FROM z
         c close
         d: SELECT * FROM x
         d close
         c open file:opening1?mode=memory&cache=shared
         c: SELECT * FROM x
         f open file:/opening3?vfs=memdb
         f: CREATE TABLE t(a)
         f: INSERT INTO t VALUES (1)
         g open file:/opening3?vfs=memdb
         g: SELECT * FROM t
         g: BEGIN
         g: INSERT INTO t VALUES (2)
         g: COMMIT
         f: SELECT * FROM t
         h open file:opening3?vfs=memdb
         h: SELECT * FROM t
         i open file:/opening4?vfs=memdb&mode=rw
         i: CREATE TABLE t(a)
         i: SELECT * FROM t
         j open file:/opening5?vfs=memdb&mode=ro
         j: SELECT count(*) FROM sqlite_schema
         j: CREATE TABLE t(a)",
    );
}

/// Sets permissions; answers whether they have an effect, which they do not for root.
fn make_read_only(path: &std::path::Path, mode: u32) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let probe = if path.is_dir() { path.join("probe") } else { path.to_path_buf() };
    let written = std::fs::OpenOptions::new().append(true).create(path.is_dir()).open(&probe).is_ok();
    if written && path.is_dir() {
        std::fs::remove_file(probe).unwrap();
    }
    !written
}

#[test]
fn files_and_folders_that_cannot_be_written() {
    let folder = Folder::new();
    let dir = folder.sub("fixed");
    let path = dir.join("test.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    let outcome = |connection: &Connection| {
        let rows = connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).map_err(|e| e.code());
        let write = connection.execute("INSERT INTO t VALUES (2)", []).map_err(|e| e.code());
        format!("{rows:?} {write:?}")
    };
    let of_sqlite = || {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let code = |error: rusqlite::Error| match error {
            rusqlite::Error::SqliteFailure(error, _) => lithe::ResultCode(error.extended_code),
            other => panic!("{other}"),
        };
        let rows = connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).map_err(code);
        let write = connection.execute("INSERT INTO t VALUES (2)", []).map_err(code);
        format!("{rows:?} {write:?}")
    };
    if make_read_only(&dir, 0o555) {
        assert_eq!(outcome(&Connection::open(&path).unwrap()), of_sqlite());
    }
    if make_read_only(&path, 0o444) {
        assert_eq!(outcome(&Connection::open(&path).unwrap()), of_sqlite());
    }
    make_read_only(&path, 0o644);
    make_read_only(&dir, 0o755);
}

/// A read-only connection can run the parts of a checkpoint that do not write to the database.
#[test]
fn checkpoints_read_only() {
    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE", "NOOP"] {
        for before in ["", "a: PRAGMA wal_checkpoint", "a: PRAGMA wal_checkpoint(TRUNCATE)", "a close"] {
            for others in [
                "",
                "a: INSERT INTO t VALUES (2)",
                "c: BEGIN IMMEDIATE",
                "c: BEGIN\nc: SELECT * FROM t\na: PRAGMA user_version = 5",
            ] {
                check(&format!(
                    "a: PRAGMA journal_mode = WAL
                     a: CREATE TABLE t(a)
                     a: INSERT INTO t VALUES (1)
                     {before}
                     {others}
                     b open file:{{dir}}/test.db?mode=ro
                     b: PRAGMA wal_checkpoint({mode})
                     b: SELECT * FROM t
                     b: PRAGMA wal_checkpoint({mode})
                     b: BEGIN
                     b: SELECT * FROM t
                     b: PRAGMA wal_checkpoint({mode})
                     b: COMMIT
                     d: PRAGMA query_only = 1
                     d: PRAGMA wal_checkpoint({mode})"
                ));
            }
        }
    }
}

#[test]
fn logs_read_only() {
    check(
        "a: PRAGMA journal_mode = WAL
         a: CREATE TABLE t(a)
         a: INSERT INTO t VALUES (1)
         b open file:{dir}/test.db?mode=ro
         b: SELECT * FROM t
         a: INSERT INTO t VALUES (2)
         b: SELECT * FROM t
         b: INSERT INTO t VALUES (3)
         b: PRAGMA journal_mode
         a close
         b: SELECT * FROM t
         b close
         b open file:{dir}/test.db?mode=ro
         b: SELECT * FROM t
         b open file:{dir}/test.db?immutable=1
         b: SELECT * FROM t",
    );
}
