//! Bulk loads in WAL mode: a load that makes a database much longer is written past the log, unless a follower may read the log. In both
//! cases, readers, rollbacks, checkpoints, other processes and SQLite see the right state; and a follower of the log notices that the log
//! has restarted.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lithe::Connection;

use crate::script::{Folder, check_files};

/// The environment variable with the database that the child process opens.
const ATTACHED: &str = "LITHE_BULK_ATTACHED";

/// Some 8 MB.
const LOAD: &str = "INSERT INTO t(b) SELECT hex(zeroblob(1000)) FROM generated";

const SUM: &str = "SELECT count(*) || ' ' || coalesce(sum(length(b)), 0) FROM t";

/// Runs in a child process as its only test; in the parent it returns at once.
#[test]
fn attached_process() {
    let Ok(database) = std::env::var(ATTACHED) else { return };
    let connection = rusqlite::Connection::open(database).unwrap();
    let count: i64 = connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    println!("attached {count}");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Starts a process with SQLite that has the database open.
fn attach(database: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["bulk::attached_process", "--exact", "--nocapture"]).env(ATTACHED, database);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("attached")), "the process has not come up");
    child
}

fn detach(mut child: Child) {
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

struct Bulk {
    folder: Folder,
    connection: Connection,
}

impl Bulk {
    fn new(pragmas: &str) -> Bulk {
        let folder = Folder::new();
        let connection = Connection::open(folder.file("test.db")).unwrap();
        let setup = format!(
            "PRAGMA journal_mode = WAL; {pragmas};
             CREATE TABLE t(a INTEGER PRIMARY KEY, b);
             CREATE VIEW generated AS WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT i FROM n;
             INSERT INTO t VALUES (0, 'first');
             PRAGMA wal_checkpoint"
        );
        connection.execute_batch(&setup).unwrap();
        Bulk { folder, connection }
    }

    fn path(&self) -> PathBuf {
        self.folder.file("test.db")
    }

    fn run(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }

    fn log_bytes(&self) -> u64 {
        std::fs::metadata(self.folder.file("test.db-wal")).map_or(0, |file| file.len())
    }

    /// The salts in the header of the log.
    fn salts(&self) -> Vec<u8> {
        std::fs::read(self.folder.file("test.db-wal")).unwrap()[16..24].to_vec()
    }

    fn file_bytes(&self) -> u64 {
        std::fs::metadata(self.path()).unwrap().len()
    }

    #[track_caller]
    fn check(&self, sum: &str) {
        assert_eq!(text(&self.connection, SUM), sum);
        assert_eq!(text(&self.connection, "PRAGMA integrity_check"), "ok");
    }

    /// Closes the database, and checks its content with SQLite.
    #[track_caller]
    fn close(self, sum: &str) {
        self.check(sum);
        let path = self.path();
        drop(self.connection);
        check_files(path.parent().unwrap());
        let sqlite = rusqlite::Connection::open(path).unwrap();
        assert_eq!(sqlite.query_row(SUM, [], |row| row.get::<_, String>(0)).unwrap(), sum);
    }
}

fn text(connection: &Connection, sql: &str) -> String {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

const BEFORE: &str = "1 5";
const AFTER: &str = "4001 8000005";
const MB: u64 = 1_000_000;

#[test]
fn a_bulk_load_goes_past_the_log() {
    for pragmas in ["", "PRAGMA mmap_size = 0", "PRAGMA cache_size = 20", "PRAGMA locking_mode = EXCLUSIVE"] {
        let bulk = Bulk::new(pragmas);
        let other = (!pragmas.contains("EXCLUSIVE")).then(|| Connection::open(bulk.path()).unwrap());
        bulk.run(&format!("BEGIN; {LOAD}"));
        if let Some(other) = &other {
            // Meanwhile another connection sees none of the load, and its checkpoint does not truncate the file.
            assert_eq!(text(other, SUM), BEFORE);
            let busy: i64 = other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(0)).unwrap();
            assert_eq!(busy, 1, "{pragmas}");
        }
        bulk.check(AFTER);
        bulk.run("COMMIT");
        assert!(bulk.file_bytes() > 8 * MB, "{pragmas}: {} bytes", bulk.file_bytes());
        assert!(bulk.log_bytes() < MB, "{pragmas}: {} bytes in the log", bulk.log_bytes());
        if let Some(other) = other {
            assert_eq!(text(&other, SUM), AFTER);
        }
        bulk.run("UPDATE t SET b = b || 'x' WHERE a % 2; DELETE FROM t WHERE a = 0");
        bulk.close("4000 8002000");
    }
}

#[test]
fn one_after_the_other() {
    let bulk = Bulk::new("");
    for loads in 1..=3 {
        bulk.run(LOAD);
        assert!(bulk.log_bytes() < MB, "{} bytes in the log", bulk.log_bytes());
        bulk.check(&format!("{} {}", 4000 * loads + 1, 8_000_000 * loads + 5));
    }
}

#[test]
fn older_snapshots_stay() {
    let bulk = Bulk::new("PRAGMA auto_vacuum = FULL");
    // The snapshot has pages in the log beyond the file's end; the DELETE then cuts these pages off.
    bulk.run("INSERT INTO t(b) SELECT zeroblob(3000) FROM generated LIMIT 100");
    let other = Connection::open(bulk.path()).unwrap();
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(text(&other, SUM), "101 300005");
    bulk.run("DELETE FROM t WHERE a > 0");
    bulk.run(LOAD);
    assert_eq!(text(&other, SUM), "101 300005");
    assert_eq!(text(&other, "PRAGMA integrity_check"), "ok");
    assert!(bulk.log_bytes() > 8 * MB, "the snapshot needs the log, which cannot begin anew");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(text(&other, SUM), AFTER);
    drop(other);
    bulk.close(AFTER);
}

#[test]
fn a_rollback_takes_it_back() {
    let bulk = Bulk::new("");
    bulk.run("PRAGMA wal_checkpoint");
    let before = bulk.file_bytes();
    bulk.run(&format!("BEGIN; {LOAD}"));
    assert!(bulk.file_bytes() > 4 * MB);
    bulk.run("ROLLBACK");
    assert_eq!(bulk.file_bytes(), before);
    bulk.check(BEFORE);
    bulk.run(&format!("BEGIN; {LOAD}; SAVEPOINT s; UPDATE t SET b = 'y'; {LOAD}; ROLLBACK TO s; COMMIT"));
    bulk.close(AFTER);
}

#[test]
fn who_follows_the_log_gets_all() {
    let bulk = Bulk::new("");
    let process = attach(&bulk.path());
    bulk.run(LOAD);
    assert!(bulk.log_bytes() > 8 * MB, "{} bytes in the log", bulk.log_bytes());
    detach(process);
    bulk.close(AFTER);
}

#[test]
fn who_comes_before_the_commit_gets_all() {
    let bulk = Bulk::new("");
    bulk.run(&format!("BEGIN; {LOAD}"));
    assert!(bulk.log_bytes() < MB);
    let process = attach(&bulk.path());
    bulk.run("COMMIT");
    assert!(bulk.log_bytes() > 8 * MB, "{} bytes in the log", bulk.log_bytes());
    detach(process);
    bulk.close(AFTER);
}

#[test]
fn a_log_that_others_check_point_gets_all() {
    let bulk = Bulk::new("PRAGMA wal_autocheckpoint = 0");
    bulk.run(LOAD);
    assert!(bulk.log_bytes() > 8 * MB, "{} bytes in the log", bulk.log_bytes());
    bulk.close(AFTER);
}

#[test]
fn a_log_that_the_database_lacks_gets_all() {
    let bulk = Bulk::new("");
    bulk.run("INSERT INTO t(b) VALUES ('x'); DELETE FROM t WHERE b = 'x'");
    bulk.run(LOAD);
    assert!(bulk.log_bytes() > 8 * MB, "{} bytes in the log", bulk.log_bytes());
    bulk.close(AFTER);
}

/// A load of many statements, as long as [`LOAD`].
fn load_by_statements(connection: &Connection) {
    let mut insert = connection.prepare("INSERT INTO t(b) VALUES (hex(zeroblob(1000)))").unwrap();
    for _ in 0..4000 {
        insert.execute([]).unwrap();
    }
}

/// In the log are the newest version of a page of the file, and pages behind its end.
const IN_THE_LOG: &str = "INSERT INTO t(b) SELECT zeroblob(3000) FROM generated LIMIT 20; UPDATE t SET b = 'last!' WHERE a = 0; \
                          DELETE FROM t WHERE a BETWEEN 1 AND 20";

/// A load of many statements copies the log into the database when a statement begins, and goes past the log from then on.
#[test]
fn a_load_of_many_statements_copies_the_log_first() {
    for pragmas in ["", "PRAGMA mmap_size = 0", "PRAGMA synchronous = OFF", "PRAGMA locking_mode = EXCLUSIVE"] {
        for end in ["COMMIT", "ROLLBACK"] {
            let bulk = Bulk::new(pragmas);
            bulk.run(IN_THE_LOG);
            let salts = bulk.salts();
            bulk.run("BEGIN");
            load_by_statements(&bulk.connection);
            assert_ne!(bulk.salts(), salts, "{pragmas}: the log was restarted");
            assert!(bulk.log_bytes() < MB && bulk.file_bytes() > 4 * MB, "{pragmas}: {} bytes", bulk.log_bytes());
            bulk.check(AFTER);
            if !pragmas.contains("EXCLUSIVE") {
                let other = Connection::open(bulk.path()).unwrap();
                assert_eq!(text(&other, "SELECT count(*) || ' ' || min(b) FROM t"), "1 last!");
            }
            bulk.run(end);
            bulk.run("INSERT INTO t VALUES (5000, 'later')");
            bulk.close(if end == "COMMIT" { "4002 8000010" } else { "2 10" });
        }
    }
}

/// A statement on a row and an open BLOB hold pages of the log, which must not be overwritten; so does another connection's snapshot. A
/// process that has the database open may follow the log.
#[test]
fn a_log_that_is_held_is_not_restarted() {
    for holder in ["statement", "blob", "snapshot", "process"] {
        let bulk = Bulk::new("");
        bulk.run(IN_THE_LOG);
        let salts = bulk.salts();
        let (mut other, mut process) = (None, None);
        {
            let mut statement = bulk.connection.prepare("SELECT a, b FROM t").unwrap();
            let mut rows = None;
            let mut blob = None;
            match holder {
                "statement" => rows = Some(statement.query([]).unwrap()),
                "blob" => blob = Some(bulk.connection.blob_open("main", "t", "b", 0, false).unwrap()),
                "snapshot" => {
                    let connection = Connection::open(bulk.path()).unwrap();
                    connection.execute_batch("BEGIN").unwrap();
                    assert_eq!(text(&connection, SUM), BEFORE);
                    other = Some(connection);
                }
                _ => process = Some(attach(&bulk.path())),
            }
            let row = rows.as_mut().map(|rows| rows.next().unwrap().unwrap());
            bulk.run("BEGIN");
            load_by_statements(&bulk.connection);
            assert_eq!(bulk.salts(), salts, "{holder}: the log was restarted");
            if let Some(row) = row {
                assert_eq!(row.get::<String>(1).unwrap(), "last!");
            }
            if let Some(mut blob) = blob {
                let mut bytes = [0; 5];
                blob.read_exact(&mut bytes).unwrap();
                assert_eq!(&bytes, b"last!");
            }
        }
        bulk.run("COMMIT");
        assert!(bulk.log_bytes() > 8 * MB, "{holder}: {} bytes in the log", bulk.log_bytes());
        if let Some(other) = other {
            assert_eq!(text(&other, SUM), BEFORE);
        }
        if let Some(process) = process {
            detach(process);
        }
        bulk.close(AFTER);
    }
}

/// A follower that has copied frames before the load finds other salts and a shorter log before the first page of the load is written.
#[test]
fn the_log_begins_anew_before_the_first_page() {
    for end in ["COMMIT", "ROLLBACK"] {
        let bulk = Bulk::new("");
        let (salts, length) = (bulk.salts(), bulk.log_bytes());
        bulk.run(&format!("BEGIN; {LOAD}"));
        assert_ne!(bulk.salts(), salts);
        assert!(bulk.log_bytes() < length);
        bulk.run(end);
        bulk.run("UPDATE t SET b = b || 'x' WHERE a = 0");
        assert_ne!(bulk.salts(), salts);
        bulk.close(if end == "COMMIT" { "4001 8000006" } else { "1 6" });
    }
}

/// A snapshot of the same process that is older than the commit could belong to a follower.
#[test]
fn a_snapshot_before_the_commit_keeps_the_load_in_the_log() {
    let bulk = Bulk::new("");
    bulk.run(&format!("BEGIN; {LOAD}"));
    let other = Connection::open(bulk.path()).unwrap();
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(text(&other, SUM), BEFORE);
    bulk.run("COMMIT");
    assert!(bulk.log_bytes() > 8 * MB, "{} bytes in the log", bulk.log_bytes());
    assert_eq!(text(&other, SUM), BEFORE);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(text(&other, SUM), AFTER);
    drop(other);
    bulk.close(AFTER);
}
