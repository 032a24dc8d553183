//! SQLITE_BUSY_RECOVERY: while one process recovers the index of a log, other connections cannot read. They get the error, or wait within
//! their busy timeouts.
//!
//! A recovery is too short to be hit. A separate process takes the locks of a recovery instead, before any connection has an index, and
//! holds them as long as its standard input is open.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use lithe::vfs::{OpenFlags, ShmLock, UnixVfs, Vfs};
use lithe::{Connection, ResultCode};

use crate::script::Folder;

/// The environment variable for the child process: its task and database.
const PART: &str = "LITHE_RECOVERY_PART";

const COUNT: &str = "SELECT count(*) FROM t";

/// The statements that are tried during a recovery.
const TRIED: [&str; 4] = [COUNT, "INSERT INTO t VALUES (4)", "BEGIN IMMEDIATE", "PRAGMA wal_checkpoint"];

/// Runs in a child process as its only test; in the parent it returns at once.
#[test]
fn recovering_process() {
    let Ok(part) = std::env::var(PART) else { return };
    match part.split_once(' ').unwrap() {
        ("recovers", database) => recover_until_end_of_input(Path::new(database)),
        ("asks", database) => println!("codes {:?}", ask_sqlite(Path::new(database))),
        (other, _) => panic!("no such part: {other}"),
    }
}

/// Holds the locks of a recovery: those for writing, checkpointing and recovering.
fn recover_until_end_of_input(database: &Path) {
    let file = UnixVfs.open(Some(database), OpenFlags::MAIN_DB | OpenFlags::READWRITE).unwrap().file;
    file.shm_map(0, true).unwrap();
    assert!(file.shm_lock(0..3, ShmLock::Exclusive).unwrap());
    println!("locked");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn ask_sqlite(database: &Path) -> [i32; TRIED.len()] {
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    TRIED.map(|sql| match connection.execute_batch(sql) {
        Ok(()) => 0,
        Err(error) => error.sqlite_error().unwrap().extended_code,
    })
}

fn process(part: &str, database: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["recovery::recovering_process", "--exact", "--nocapture"]);
    command.env(PART, format!("{part} {}", database.display()));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// The rest of the line that begins with `word`.
fn line_of(child: &mut Child, word: &str) -> String {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut rest = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix(word).map(str::to_owned));
    rest.next().unwrap_or_else(|| panic!("the process has said nothing about {word}"))
}

/// A database and its log after a process was killed: without an index.
fn crashed(folder: &Path) -> PathBuf {
    let (whole, left) = (folder.join("whole"), folder.join("left"));
    let connection = Connection::open(&whole).unwrap();
    connection.execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)").unwrap();
    for end in ["", "-wal"] {
        let copy = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        std::fs::copy(copy(&whole), copy(&left)).unwrap();
    }
    left
}

struct Recovery {
    child: Child,
    /// Closed to end the recovery.
    input: Option<ChildStdin>,
}

impl Recovery {
    fn begin(database: &Path) -> Recovery {
        let mut child = process("recovers", database);
        line_of(&mut child, "locked");
        let input = child.stdin.take();
        Recovery { child, input }
    }

    fn end(mut self) {
        drop(self.input.take());
        self.child.wait().unwrap();
    }
}

#[test]
fn who_comes_during_a_recovery_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let database = crashed(folder.path());
    let recovery = Recovery::begin(&database);
    let connection = Connection::open(&database).unwrap();
    let codes = TRIED.map(|sql| connection.execute_batch(sql).map_or_else(|error| error.code().0, |()| 0));
    assert_eq!(codes[0], ResultCode::BUSY_RECOVERY.0);
    assert_eq!(format!("{codes:?}"), line_of(&mut process("asks", &database), "codes "), "Lithe, SQLite");
    recovery.end();
    assert_eq!(connection.query_row(COUNT, [], |row| row.get::<i64>(0)).unwrap(), 3);
}

#[test]
fn who_has_time_waits_for_a_recovery() {
    let folder = tempfile::tempdir().unwrap();
    let database = crashed(folder.path());
    let recovery = Recovery::begin(&database);
    let connection = Connection::open(&database).unwrap();
    connection.busy_timeout(Duration::from_secs(60));
    let ends = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        recovery.end();
    });
    assert_eq!(connection.query_row(COUNT, [], |row| row.get::<i64>(0)).unwrap(), 3);
    ends.join().unwrap();
}

/// A connection may be killed during its recovery: the next connection recovers.
#[test]
fn a_recovery_that_is_killed_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let database = crashed(folder.path());
    let mut recovery = Recovery::begin(&database);
    recovery.child.kill().unwrap();
    recovery.child.wait().unwrap();
    let connection = Connection::open(&database).unwrap();
    assert_eq!(connection.query_row(COUNT, [], |row| row.get::<i64>(0)).unwrap(), 3);
}

/// The first writer finds a torn header of the index, and recovers.
#[test]
fn a_torn_header_of_the_index() {
    let tears: [(u64, &[u8]); 5] =
        [(0, b"blahblahblahblah"), (48, b"blahblahblahblah"), (0, &[b'x'; 96]), (0, &[0; 48]), (8, b"\x77\x77\0\0")];
    for (at, bytes) in tears {
        for insert in [true, false] {
            let folder = Folder::new();
            let path = folder.file("torn.db");
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
            let other = Connection::open(&path).unwrap();
            let count = |connection: &Connection| connection.query_row(COUNT, [], |row| row.get::<i64>(0)).unwrap();
            assert_eq!(count(&other), 1);
            let index = std::fs::OpenOptions::new().write(true).open(folder.file("torn.db-shm")).unwrap();
            std::os::unix::fs::FileExt::write_all_at(&index, bytes, at).unwrap();
            let begun = std::time::Instant::now();
            if insert {
                connection.execute_batch("INSERT INTO t VALUES (2)").unwrap();
            }
            assert_eq!((count(&connection), count(&other)), (1 + i64::from(insert), 1 + i64::from(insert)));
            // The error "locking protocol" would take ten seconds.
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
    }
}
