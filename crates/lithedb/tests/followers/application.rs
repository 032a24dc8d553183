//! The followed application, which writes until it is killed or its input ends. It has three connections: one for all statements, one that
//! sometimes holds a snapshot, and one in another thread that commits concurrently.
//!
//! Each transaction records in the table `moment` the content of the table `t` after it, so that a copy shows by itself whether it is
//! consistent.

use std::io::Read;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lithe::{Backup, BackupStep, Connection};

const NOTE: &str =
    "INSERT INTO moment SELECT max(n) + 1, (SELECT count(*) FROM t), (SELECT total(length(b) * (a % 97)) FROM t)
                    FROM moment RETURNING n";

/// The last moment, if `t` agrees with it: one row, or none if the database is inconsistent.
pub const HOLDS: &str = "SELECT n FROM (SELECT * FROM moment ORDER BY n DESC LIMIT 1)
                         WHERE rows = (SELECT count(*) FROM t) AND total = (SELECT total(length(b) * (a % 97)) FROM t)";

/// Creates the database. Its pages are small, so that a load of a few megabytes is written past the log.
pub fn create(folder: &Path) {
    let connection = Connection::open(folder.join("app.db")).unwrap();
    let setup = "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL;
                 CREATE TABLE t(a INTEGER PRIMARY KEY, b);
                 CREATE TABLE moment(n INTEGER PRIMARY KEY, rows, total);
                 CREATE TABLE follower(id INTEGER PRIMARY KEY, seq);
                 CREATE VIEW generated AS WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i FROM n;
                 INSERT INTO moment VALUES (1, 0, 0.0)";
    connection.execute_batch(setup).unwrap();
}

/// Begins the report of a panic.
pub const PANICKED: &str = "panicked: ";

pub fn run(folder: &Path, seed: u64) {
    // The test reads this before the process has ended, and may kill it in between.
    std::panic::set_hook(Box::new(|panic| println!("{PANICKED}{}", panic.to_string().replace('\n', " "))));
    let (beside, has_ended) = (Mutex::new(()), AtomicBool::new(false));
    std::thread::scope(|threads| {
        threads.spawn(|| write_beside(folder, seed ^ 1, &beside, &has_ended));
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| write_until_end(folder, seed, &beside)));
        has_ended.store(true, Ordering::Relaxed);
        done.unwrap();
    });
}

fn write_until_end(folder: &Path, seed: u64, beside: &Mutex<()>) {
    let input = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut connection, mut reader) = (open(folder), None);
    while !input.is_finished() {
        match random.u32(..12) {
            0 if reader.is_none() => reader = begin_reading(folder),
            1..6 => reader = None,
            _ => {}
        }
        tolerate(&connection, write(&connection, folder, &mut random, beside));
        if random.u32(..20) == 0 {
            connection = open(folder);
        }
        std::thread::sleep(Duration::from_micros(random.u64(..3000)));
    }
}

/// A connection with a snapshot.
fn begin_reading(folder: &Path) -> Option<Connection> {
    let reader = open(folder);
    tolerate(&reader, reader.execute_batch("BEGIN; SELECT count(*) FROM moment"));
    (!reader.is_autocommit()).then_some(reader)
}

/// Commits in another thread, which share syncs with the first thread. They wait while the first thread writes an older state. Between
/// commits the connection is closed, because otherwise no connection could leave WAL mode.
fn write_beside(folder: &Path, seed: u64, beside: &Mutex<()>, has_ended: &AtomicBool) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut connection = None;
    while !has_ended.load(Ordering::Relaxed) {
        let waits = beside.lock();
        if waits.is_ok() && random.u32(..3) > 0 {
            let len = random.u32(..2000);
            let connection = connection.get_or_insert_with(|| open(folder));
            let done = transaction(connection, &[&format!("INSERT INTO t(b) VALUES (randomblob({len}))")]);
            tolerate(connection, done);
        }
        drop(waits);
        if random.u32(..10) == 0 {
            connection = None;
            std::thread::sleep(Duration::from_millis(random.u64(..100)));
        }
        std::thread::sleep(Duration::from_micros(random.u64(..20_000)));
    }
}

/// Ignores BUSY: the follower has a lock, or reads. The application tries again later.
fn tolerate(connection: &Connection, done: lithe::Result<()>) {
    let Err(error) = done else { return };
    assert_eq!(error.code().0 & 0xff, 5, "{error}");
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK").unwrap();
    }
}

fn open(folder: &Path) -> Connection {
    open_at(&folder.join("app.db"))
}

fn open_at(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_millis(200));
    connection
}

fn write(connection: &Connection, folder: &Path, random: &mut fastrand::Rng, beside: &Mutex<()>) -> lithe::Result<()> {
    match random.u32(..100) {
        0..4 => connection.execute_batch("VACUUM"),
        4..8 => transaction(connection, &["DELETE FROM t WHERE a % 3 = 0 OR a > 20000"]),
        8..18 => transaction(connection, &["INSERT INTO t(b) SELECT randomblob(900 + i % 100) FROM generated"]),
        18..22 => {
            let twice = "INSERT INTO t(b) SELECT randomblob(400 + i % 100) FROM generated";
            transaction(connection, &[twice, "UPDATE t SET b = randomblob(50) WHERE a % 50 = 7", twice])
        }
        22..32 => {
            let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][random.usize(..4)];
            connection.execute_batch(&format!("PRAGMA wal_checkpoint = {mode}"))
        }
        32..36 => other_journal(connection, random),
        36..39 => {
            let _waits = beside.lock();
            restore_older(connection, folder, random)
        }
        39..44 => connection.execute_batch(SETTINGS[random.usize(..SETTINGS.len())]),
        44..46 => {
            connection.execute_batch("BEGIN")?;
            connection.execute_batch("INSERT INTO t(b) SELECT randomblob(900 + i % 100) FROM generated")?;
            connection.execute_batch("ROLLBACK")
        }
        46..48 => {
            let mode = ["NONE", "FULL", "INCREMENTAL"][random.usize(..3)];
            connection.execute_batch(&format!("PRAGMA auto_vacuum = {mode}; VACUUM"))
        }
        48..51 => connection.execute_batch(&format!("PRAGMA incremental_vacuum({})", random.u32(..2000))),
        _ => {
            let len = random.u32(..3000);
            transaction(connection, &[&format!("INSERT INTO t(b) VALUES (randomblob({len}))")])
        }
    }
}

const SETTINGS: &[&str] = &[
    "PRAGMA wal_autocheckpoint = 1000",
    "PRAGMA wal_autocheckpoint = 20",
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA synchronous = OFF",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_size_limit = 50000",
    "PRAGMA mmap_size = 0",
];

fn transaction(connection: &Connection, statements: &[&str]) -> lithe::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for statement in statements {
        connection.execute_batch(statement)?;
    }
    let moment: i64 = connection.query_row(NOTE, [], |row| row.get(0))?;
    connection.execute_batch("COMMIT")?;
    println!("moment {moment}");
    Ok(())
}

/// Leaves WAL mode, writes, sometimes changes the page size, and enters WAL mode again.
fn other_journal(connection: &Connection, random: &mut fastrand::Rng) -> lithe::Result<()> {
    let mode = ["DELETE", "TRUNCATE", "PERSIST"][random.usize(..3)];
    connection.execute_batch(&format!("PRAGMA journal_mode = {mode}"))?;
    for _ in 0..random.u32(..3) {
        transaction(connection, &["INSERT INTO t(b) SELECT randomblob(i % 100) FROM generated LIMIT 300"])?;
    }
    if random.u32(..3) == 0 {
        let size = [512, 1024, 2048, 4096][random.usize(..4)];
        connection.execute_batch(&format!("PRAGMA page_size = {size}; VACUUM"))?;
    }
    connection.execute_batch("PRAGMA journal_mode = WAL")
}

/// A backup into the live database, from a copy that has been changed since. Sometimes it is abandoned halfway.
fn restore_older(connection: &Connection, folder: &Path, random: &mut fastrand::Rng) -> lithe::Result<()> {
    let path = folder.join("other.db");
    let _ = std::fs::remove_file(&path);
    connection.execute_batch(&format!("VACUUM INTO '{}'", path.display()))?;
    let other = open_at(&path);
    other.execute_batch("INSERT INTO t(b) SELECT randomblob(900) FROM generated")?;
    let moment: i64 = other.query_row(NOTE, [], |row| row.get(0))?;
    let mut backup = Backup::new(connection, "main", &other, "main")?;
    let (pages, steps) = ([-1, 100, 700][random.usize(..3)], [1000, 1000, 3][random.usize(..3)]);
    for _ in 0..steps {
        if backup.step(pages)? == BackupStep::Done {
            drop(backup);
            println!("moment {moment}");
            return Ok(());
        }
    }
    Ok(())
}
