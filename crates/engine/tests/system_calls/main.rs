//! The system calls of operations: a warm read makes none inside a transaction, and outside one those that the locking
//! protocol requires; a BLOB that is not mapped takes one read; a commit the calls of its journal mode.
//!
//! `UPDATE=1` prints the present calls.

mod counting;

use std::path::PathBuf;
use std::sync::Arc;

use counting::{Calls, CountingVfs};
use lithe_engine::value::ValueRef;
use lithe_engine::{Connection, OpenFlags, Statement, Step};

struct Database {
    connection: Connection,
    calls: Calls,
    folder: PathBuf,
}

impl Database {
    /// 1,000 small rows, 50 of 10,000 bytes, and the pragmas, all executed.
    fn new(name: &str, pragmas: &[&str]) -> Database {
        let folder = std::env::temp_dir().join(format!("lithe-calls-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let calls = Calls::default();
        let vfs = Arc::new(CountingVfs(calls.clone()));
        let path = folder.join("a.db").into_os_string().into_encoded_bytes();
        let connection = Connection::open_with_vfs(&path, OpenFlags::DEFAULT, Some(vfs)).unwrap();
        let database = Database { connection, calls, folder };
        for sql in [
            "CREATE TABLE small(a INTEGER PRIMARY KEY, b)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO small SELECT i, i FROM n",
            "CREATE TABLE large(a INTEGER PRIMARY KEY, b)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) \
             INSERT INTO large SELECT i, zeroblob(10000) FROM n",
        ]
        .iter()
        .chain(pragmas)
        {
            database.run(sql);
        }
        database
    }

    fn prepare(&self, sql: &str) -> Statement {
        self.connection.prepare(sql.as_bytes()).unwrap().statement.unwrap()
    }

    fn run(&self, sql: &str) {
        self.step(&mut self.prepare(sql));
    }

    /// Runs a statement to its end and reads every value.
    fn step(&self, statement: &mut Statement) {
        while let Step::Row = statement.step(&self.connection).unwrap() {
            for column in 0..statement.column_count() {
                if let ValueRef::Blob(bytes) = statement.value(column) {
                    assert!(bytes.iter().all(|byte| *byte == 0));
                }
            }
        }
        statement.reset(&self.connection).unwrap();
    }

    /// Compares the calls of the third run of a statement: the runs before it fill caches.
    fn check(&self, sql: &str, expected: &str) {
        let mut statement = self.prepare(sql);
        self.step(&mut statement);
        self.step(&mut statement);
        self.calls.take();
        self.step(&mut statement);
        let asked = self.calls.take();
        if std::env::var_os("UPDATE").is_some() {
            println!("{sql}\n    {asked}");
        } else {
            assert_eq!(asked, expected, "{sql}");
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const POINT: &str = "SELECT b FROM small WHERE a = 500";
const NO_ROW: &str = "SELECT b FROM small WHERE a = 5000";
const BLOB: &str = "SELECT b FROM large WHERE a = 25";
const UPDATE: &str = "UPDATE small SET b = b + 1 WHERE a = 500";

/// Inside a transaction there are no system calls.
#[test]
fn reads_inside_a_transaction() {
    for (name, mode) in [("read-delete", "PRAGMA journal_mode=DELETE"), ("read-wal", "PRAGMA journal_mode=WAL")] {
        let database = Database::new(name, &[mode]);
        database.run("BEGIN");
        for sql in [POINT, NO_ROW, BLOB] {
            database.check(sql, "");
        }
    }
}

#[test]
fn reads_outside_a_transaction() {
    const OWED: &str = "lock Shared db, access journal, size db, unlock to None db";
    let database = Database::new("each-delete", &[]);
    for sql in [POINT, NO_ROW, BLOB] {
        database.check(sql, OWED);
    }
}

/// The cache holds the pages above the leaves. A BLOB takes one read for its leaf, and one for the rest of it.
#[test]
fn reads_without_a_mapping() {
    let database = Database::new("unmapped", &["PRAGMA mmap_size=0", "PRAGMA cache_size=2000"]);
    database.run("BEGIN");
    database.check(POINT, "");
    database.check(BLOB, "readv db");
}

/// One write call for each contiguous range, and the syncs of the mode.
#[test]
fn commits() {
    const BEGIN: &str = "lock Shared db, access journal, size db, lock Reserved db";
    const JOURNAL: &str = "stat db, open journal, writev journal, size journal, sync journal, \
                           write journal, sync journal";
    // Page 1, which has the change counter, and the leaf.
    const PAGES: &str = "lock Exclusive db, 2 * write db, sync db";
    const END: &str = "unlock to Shared db, size db, unlock to None db";
    // An existing journal is checked, because it may be hot.
    const BEGIN_BESIDE_JOURNAL: &str = "lock Shared db, access journal, check reserved db, size db, open journal, \
                                        read journal, size db, lock Reserved db";
    for (mode, expected) in [
        ("DELETE", [BEGIN, JOURNAL, PAGES, "delete journal", END].join(", ")),
        (
            "TRUNCATE",
            [BEGIN, JOURNAL, PAGES, "write journal, sync journal, size journal, truncate journal", END].join(", "),
        ),
        ("PERSIST", [BEGIN_BESIDE_JOURNAL, JOURNAL, PAGES, "write journal, sync journal", END].join(", ")),
        ("MEMORY", [BEGIN, PAGES, END].join(", ")),
        ("OFF", [BEGIN, PAGES, END].join(", ")),
        (
            "WAL",
            // The shared memory is already mapped.
            "map shm db, lock shm write exclusive db, lock shm read exclusive db, unlock shm read exclusive db, \
             lock shm read shared db, size wal, size db, writev wal, sync wal, unlock shm write exclusive db, \
             unlock shm read shared db"
                .to_owned(),
        ),
    ] {
        let database = Database::new(&format!("commit-{mode}"), &[&format!("PRAGMA journal_mode={mode}")]);
        database.check(UPDATE, &expected);
    }
}
