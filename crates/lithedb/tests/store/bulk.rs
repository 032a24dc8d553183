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
