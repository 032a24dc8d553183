//! Processes with SQLite and processes with this crate on one live database: money moves between
//! accounts, readers add it up all the time, and processes are killed at any moment.
//!
//! `PAGER_SECONDS=…` makes it last longer.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::{Folder, Rows, SELECT_VALUES, make_rows, open_with, sqlite};
use lithe_pager::{BeginKind, CacheSize, CheckpointMode, Error, JournalMode, OpenOptions, Pager, Synchronous};
use lithe_vfs::Random;

const ROWS: u32 = 12;
const WORKER: &str = "LITHE_WORKER";

#[test]
fn sqlite_process() {
    common::serve();
}

/// Runs as a worker when the test program is started as one.
#[test]
fn worker_process() {
    let Ok(job) = std::env::var(WORKER) else { return };
    let mut parts = job.splitn(3, ' ');
    let (kind, seed) = (parts.next().unwrap(), parts.next().unwrap().parse().unwrap());
    let path = PathBuf::from(parts.next().unwrap());
    match kind {
        "sqlite" => work_with_sqlite(&path, seed),
        _ => work_with_lithe(&path, seed),
    }
}

fn start_worker(kind: &str, seed: u64, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["worker_process", "--exact", "--nocapture", "--test-threads=1"])
        .env(WORKER, format!("{kind} {seed} {}", path.display()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

fn work_with_sqlite(path: &Path, seed: u64) {
    let mut random = Random::new(seed);
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(20)).unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    loop {
        match random.below(12) {
            0 => {
                let mode = if random.one_in(2) { "PASSIVE" } else { "TRUNCATE" };
                let _ = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
            }
            1..=6 => {
                let sum = format!("SELECT sum(x) FROM ({})", SELECT_VALUES.replace("INTEGER)", "INTEGER) AS x"));
                let sum: i64 = connection.query_row(&sum, [], |row| row.get(0)).unwrap();
                assert_eq!(sum, 0, "SQLite sees money vanish");
            }
            _ => {
                let (from, to) = two_rows(&mut random);
                let add = |row: u32, amount: i32| {
                    format!(
                        "UPDATE t SET v = CAST(printf('MARK%04d%08d', id, CAST(substr(CAST(v AS BLOB),9,8) AS INTEGER){amount:+}) \
                         AS BLOB)||zeroblob(800) WHERE id={row};"
                    )
                };
                let moved =
                    connection.execute_batch(&format!("BEGIN IMMEDIATE; {} {} COMMIT;", add(from, -1), add(to, 1)));
                moved.unwrap();
            }
        }
    }
}

fn two_rows(random: &mut Random) -> (u32, u32) {
    let from = 1 + random.below(u64::from(ROWS)) as u32;
    let to = 1 + (from + random.below(u64::from(ROWS) - 1) as u32) % ROWS;
    (from, to)
}

fn work_with_lithe(path: &Path, seed: u64) {
    let mut random = Random::new(seed);
    let mmap_size = if random.one_in(2) { u64::MAX } else { 0 };
    let cache_size = CacheSize::Pages(if random.one_in(2) { 4 } else { 500 });
    let pagers: Vec<Pager> = (0..2)
        .map(|_| {
            let pager = open_with(path, &OpenOptions { mmap_size, cache_size, ..OpenOptions::default() });
            pager.set_busy_timeout(Duration::from_secs(20));
            pager.set_synchronous(Synchronous::Normal);
            pager
        })
        .collect();
    pagers[0].begin_read().unwrap();
    let rows = Rows::find(&pagers[0], ROWS);
    pagers[0].end_read().unwrap();
    loop {
        let pager = &pagers[random.below(2) as usize];
        match random.below(12) {
            0 => {
                let mode = if random.one_in(2) { CheckpointMode::Passive } else { CheckpointMode::Truncate };
                match pager.checkpoint(mode) {
                    Ok(_) | Err(Error::Busy | Error::BusyRecovery) => {}
                    Err(error) => panic!("checkpoint: {error}"),
                }
            }
            1..=6 => {
                pager.begin_read().unwrap();
                let sum: i64 = (1..=ROWS).map(|row| i64::from(value(&rows, pager, row))).sum();
                assert_eq!(sum, 0, "we see money vanish");
                pager.end_read().unwrap();
            }
            _ => {
                let (from, to) = two_rows(&mut random);
                pager.begin_write(BeginKind::Immediate).unwrap();
                if random.one_in(3) {
                    pager.savepoint().unwrap();
                    add(&rows, pager, from, 5);
                    pager.rollback_to(0).unwrap();
                    pager.release(0).unwrap();
                }
                add(&rows, pager, from, -1);
                add(&rows, pager, to, 1);
                if random.one_in(5) {
                    pager.rollback().unwrap();
                } else {
                    pager.commit().unwrap();
                }
                pager.end_read().unwrap();
            }
        }
    }
}

fn value(rows: &Rows, pager: &Pager, row: u32) -> i32 {
    rows.text(pager, row).parse().unwrap()
}

fn add(rows: &Rows, pager: &Pager, row: u32, amount: i32) {
    let new = value(rows, pager, row) + amount;
    rows.set_text(pager, row, &format!("{new:08}"));
}

fn share(pragmas: &str, journal: JournalMode) {
    let folder = Folder::new();
    let path = folder.file("bank.db");
    make_rows(&path, ROWS, pragmas);
    let seconds = std::env::var("PAGER_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = Random::new(seconds ^ u64::from(std::process::id()));
    let kinds = ["sqlite", "lithe", "sqlite", "lithe"];
    let mut workers: Vec<Child> = kinds.iter().map(|kind| start_worker(kind, random.number(), &path)).collect();
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50 + random.below(300)));
        for worker in &mut workers {
            let exited = worker.try_wait().unwrap();
            assert!(exited.is_none(), "a worker failed: {exited:?}");
        }
        let victim = random.below(kinds.len() as u64) as usize;
        workers[victim].kill().unwrap();
        workers[victim].wait().unwrap();
        workers[victim] = start_worker(kinds[victim], random.number(), &path);
    }
    for mut worker in workers {
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    let pager = open_with(&path, &OpenOptions::default());
    pager.begin_read().unwrap();
    assert_eq!(pager.journal_mode() == JournalMode::Wal, journal == JournalMode::Wal);
    let rows = Rows::find(&pager, ROWS);
    let values: Vec<i32> = (1..=ROWS).map(|row| value(&rows, &pager, row)).collect();
    assert_eq!(values.iter().sum::<i32>(), 0);
    assert!(values.iter().any(|&value| value != 0), "nothing happened");
    drop(pager);
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
}

#[test]
fn rollback_journal() {
    share("", JournalMode::Delete);
}

#[test]
fn write_ahead_log() {
    share("PRAGMA journal_mode=WAL", JournalMode::Wal);
}
