//! Incremental BLOB access, compared with SQLite's answers to the same calls.

use lithe::Connection;

struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

fn lithe_error(error: &lithe::Error) -> (i32, String) {
    (error.code().0, error.message().to_owned())
}

fn sqlite_error(error: rusqlite::Error) -> (i32, String) {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => (code.extended_code, message.unwrap_or_default()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
        other => panic!("{other}"),
    }
}

const SCHEMA: &str = "
    PRAGMA foreign_keys = OFF;
    CREATE TABLE p(x PRIMARY KEY);
    CREATE TABLE t(a INTEGER PRIMARY KEY, b, c TEXT, d REFERENCES p, e, n);
    CREATE INDEX i ON t(c);
    CREATE TABLE x(a INTEGER PRIMARY KEY, b, c);
    CREATE INDEX j ON x(abs(b));
    CREATE TABLE g(a INTEGER PRIMARY KEY, b, c AS (b));
    CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID;
    CREATE VIEW v AS SELECT * FROM t;
    INSERT INTO t VALUES (1, x'010203', 'hello', NULL, 5, NULL), (2, x'0405', NULL, 'z', 1.5, 'ü');
    INSERT INTO t VALUES (3, zeroblob(100000), 'x', 'z', 1.5, 'n');
    INSERT INTO x VALUES (1, 'b', 'c');
    INSERT INTO g(a, b) VALUES (1, 'b')";

impl Pair {
    fn new() -> Pair {
        let pair = Pair {
            lithe: Connection::open_in_memory().unwrap(),
            sqlite: rusqlite::Connection::open_in_memory().unwrap(),
        };
        pair.run(SCHEMA);
        pair
    }

    fn run(&self, sql: &str) {
        self.lithe.execute_batch(sql).unwrap();
        self.sqlite.execute_batch(sql).unwrap();
    }

    /// Opens a BLOB on both sides: the same length or the same error.
    #[track_caller]
    fn check_open(&self, table: &str, column: &str, rowid: i64, read_only: bool) {
        let lithe = self.lithe.blob_open("main", table, column, rowid, read_only);
        let lithe = lithe.map(|blob| blob.len()).map_err(|e| lithe_error(&e));
        let sqlite = self.sqlite.blob_open("main", table, column, rowid, read_only);
        let sqlite = sqlite.map(|blob| blob.len()).map_err(sqlite_error);
        assert_eq!(lithe, sqlite, "{table}.{column} {rowid}");
    }

    /// Opens column b of t's row `rowid` on both sides, runs a statement, and reads: the same bytes or the same error.
    #[track_caller]
    fn check_after(&self, rowid: i64, sql: &str) {
        let mut lithe = self.lithe.blob_open("main", "t", "b", rowid, true).unwrap();
        let sqlite = self.sqlite.blob_open("main", "t", "b", rowid, true).unwrap();
        self.run(sql);
        let mut bytes = [0; 2];
        let lithe = lithe.read_at(&mut bytes, 0).map(|()| bytes).map_err(|e| lithe_error(&e).0);
        let sqlite = sqlite.read_at_exact(&mut bytes, 0).map(|()| bytes).map_err(|e| sqlite_error(e).0);
        assert_eq!(lithe, sqlite, "{sql}");
    }
}

#[test]
fn what_can_be_opened() {
    let pair = Pair::new();
    for read_only in [true, false] {
        for (table, column, rowid) in [
            ("t", "a", 1),
            ("t", "b", 1),
            ("T", "B", 2),
            ("t", "c", 1),
            ("t", "c", 2),
            ("t", "d", 2),
            ("t", "e", 1),
            ("t", "e", 2),
            ("t", "n", 2),
            ("t", "b", 9),
            ("t", "nope", 1),
            ("t", "rowid", 1),
            ("x", "c", 1),
            ("g", "b", 1),
            ("w", "b", 1),
            ("v", "b", 1),
            ("nope", "b", 1),
        ] {
            pair.check_open(table, column, rowid, read_only);
        }
    }
    pair.run("PRAGMA foreign_keys = ON");
    pair.check_open("t", "d", 2, false);
}

#[test]
fn a_changed_row_ends_the_access_and_no_other() {
    let pair = Pair::new();
    pair.check_after(1, "SELECT 1");
    pair.check_after(1, "UPDATE t SET b = x'0909' WHERE a = 2");
    pair.check_after(1, "UPDATE t SET e = e WHERE a = 1");
    pair.check_after(1, "UPDATE t SET b = b WHERE a = 1");
    pair.check_after(1, "INSERT INTO t(a, b) VALUES (4, x'1111')");
    pair.check_after(1, "DELETE FROM t WHERE a = 4");
    pair.check_after(1, "REPLACE INTO t(a, b) VALUES (1, x'2222')");
    pair.check_after(1, "UPDATE t SET a = 10 WHERE a = 1");
    pair.check_after(10, "CREATE TABLE other(a); INSERT INTO other VALUES (1); DELETE FROM other");
    pair.check_after(10, "UPDATE w SET b = 1; INSERT INTO w VALUES (10, 10)");
    pair.check_after(10, "DELETE FROM t WHERE a = 10");
    pair.check_after(2, "SAVEPOINT s; UPDATE t SET b = x'0707' WHERE a = 3; ROLLBACK TO s; RELEASE s");
    pair.check_after(2, "DELETE FROM t");
}

#[test]
fn a_rollback_ends_the_access() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(b); BEGIN; INSERT INTO t VALUES (x'0102')").unwrap();
    let mut blob = connection.blob_open("main", "t", "b", 1, true).unwrap();
    connection.execute_batch("ROLLBACK").unwrap();
    let error = blob.read_at(&mut [0], 0).unwrap_err();
    assert_eq!(error.code().primary(), lithe::ResultCode::ABORT);
}

#[test]
fn bytes_are_written_in_place() {
    let connection = Connection::open_in_memory().unwrap();
    let mut expected: Vec<u8> = (0..60_000_u32).map(|i| (i % 251) as u8).collect();
    connection.execute_batch("CREATE TABLE t(a, b BLOB, c)").unwrap();
    connection.execute("INSERT INTO t VALUES ('before', ?1, 'after')", lithe::params![expected.clone()]).unwrap();
    let mut blob = connection.blob_open("main", "t", "b", 1, false).unwrap();
    for (offset, len) in [(0, 10), (4000, 200), (59_990, 10), (100, 50_000), (30_000, 1), (60_000, 0)] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + offset) as u8).collect();
        blob.write_at(&bytes, offset).unwrap();
        expected[offset..offset + len].copy_from_slice(&bytes);
        let mut read = vec![0; expected.len()];
        blob.read_at(&mut read, 0).unwrap();
        assert!(read == expected, "after writing {len} bytes at {offset}");
    }
    assert_eq!(blob.write_at(&[0], 60_000).unwrap_err().code(), lithe::ResultCode::ERROR);
    blob.close().unwrap();
    let row = |row: &lithe::Row<'_>| Ok((row.get::<String>(0)?, row.get::<Vec<u8>>(1)?, row.get::<String>(2)?));
    let found = connection.query_row("SELECT * FROM t", [], row).unwrap();
    assert!(found == ("before".to_owned(), expected, "after".to_owned()));
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[test]
fn reopening_goes_to_another_row() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(b); INSERT INTO t VALUES (x'0102'), ('text'), (NULL), (7)").unwrap();
    let open = || connection.blob_open("main", "t", "b", 1, true).unwrap();
    let refused =
        [(3, "cannot open value of type null"), (4, "cannot open value of type integer"), (5, "no such rowid: 5")];
    for (rowid, message) in refused {
        let mut blob = open();
        assert_eq!(blob.reopen(rowid).unwrap_err().message(), message);
        // The handle is aborted: it can only be closed.
        assert_eq!(blob.read_at(&mut [0], 0).unwrap_err().code(), lithe::ResultCode::ABORT);
        assert_eq!(blob.reopen(1).unwrap_err().code(), lithe::ResultCode::ABORT);
    }
    let mut blob = open();
    blob.reopen(2).unwrap();
    assert_eq!(blob.len(), 4);
    // The handle is no longer on that row, so a change of the row does not abort it.
    blob.reopen(1).unwrap();
    connection.execute_batch("UPDATE t SET b = 'other' WHERE rowid = 2").unwrap();
    let mut bytes = [0; 2];
    blob.read_at(&mut bytes, 0).unwrap();
    assert_eq!(bytes, [1, 2]);
}

/// After another connection has changed the schema, another table may have the root page that the old schema names.
#[test]
fn a_schema_that_another_connection_has_changed_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("main.db");
    let (own, other) = (Connection::open(&path).unwrap(), Connection::open(&path).unwrap());
    own.execute_batch("CREATE TABLE t(b); INSERT INTO t VALUES ('mine'); SELECT * FROM t").unwrap();
    let changes = "DROP TABLE t; CREATE TABLE u(b); INSERT INTO u VALUES ('other'); CREATE TABLE t(a, b);
        INSERT INTO t VALUES (1, 'hers')";
    other.execute_batch(changes).unwrap();
    let mut blob = own.blob_open("main", "t", "b", 1, false).unwrap();
    blob.write_at(b"H", 0).unwrap();
    blob.close().unwrap();
    let text = |sql: &str| other.query_row(sql, [], |row| row.get::<String>(0)).unwrap();
    assert_eq!((text("SELECT b FROM t"), text("SELECT b FROM u")), ("Hers".to_owned(), "other".to_owned()));
    other.execute_batch("DROP TABLE t").unwrap();
    let refused = own.blob_open("main", "t", "b", 1, false).err().unwrap();
    assert_eq!(refused.message(), "no such table: main.t");
}
