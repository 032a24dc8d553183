//! Live sharing: processes with SQLite and processes with Lithe read and write one database at the same time, are killed at random moments,
//! and continue from the files that the other processes have left.
//!
//! `STRESS_SECONDS=600` sets the duration (20 by default, shared among the journal modes), `STRESS_ENGINE=sqlite` or `lithe` the engine of
//! all processes: this shows errors of SQLite itself.
//!
//! ```text
//!   this process:  starts, kills and restarts them          checks at the end, with both engines
//!                    |        |        |        |
//!                  SQLite   SQLite   Lithe    Lithe          two workers (threads) each:
//!                  0 1      2 3      4 5      6 7            transfers, appends, readers, checkpoints
//! ```
//!
//! Each process is this test program again, with its task in an environment variable.

mod engine;
mod worker;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::{Engine, EngineKind};
use worker::{ACCOUNTS, Part, SUM, WORKERS};

const PROCESSES: usize = 4;

/// The environment variable for a child process: see [`Part::read`].
const PART: &str = "LITHE_STRESS_PART";

/// Runs in a child process as its only test; in the parent it returns at once.
#[test]
fn process() {
    let Ok(part) = std::env::var(PART) else { return };
    let code = worker::work(&Part::read(&part));
    std::process::exit(code);
}

#[test]
fn live_sharing() {
    let seconds = std::env::var("STRESS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20.0);
    let shares = [("WAL", 0.5), ("DELETE", 0.2), ("PERSIST", 0.15), ("TRUNCATE", 0.15)];
    let mut written = [0; WORKERS];
    for (round, (journal, share)) in shares.into_iter().enumerate() {
        let stress = Stress::new(journal, fastrand::Rng::with_seed(round as u64));
        let reports = stress.run(Duration::from_secs_f64(seconds * share));
        for (worker, written) in written.iter_mut().enumerate() {
            *written += reports.appended[worker] + reports.transfers[worker];
        }
    }
    assert!(written.iter().all(|&written| written > 0), "a worker has starved: {written:?}");
}

/// The reports of the workers.
#[derive(Debug, Default, Clone)]
struct Reports {
    /// For each worker the last number that it has appended and committed.
    appended: [u64; WORKERS],
    transfers: [u64; WORKERS],
    reads: [u64; WORKERS],
    checkpoints: u64,
    /// For each worker its longest wait for a write, in milliseconds.
    longest_wait: [u64; WORKERS],
    busy_snapshots: u64,
    busy: u64,
    failures: Vec<String>,
}

struct Stress {
    journal: &'static str,
    folder: PathBuf,
    random: fastrand::Rng,
    reports: Arc<Mutex<Reports>>,
    kills: u32,
}

struct Process {
    child: Child,
    reader: JoinHandle<()>,
}

impl Stress {
    fn new(journal: &'static str, random: fastrand::Rng) -> Stress {
        let folder = std::env::temp_dir().join(format!("lithe-stress-{}-{journal}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        Stress { journal, folder, random, reports: Arc::default(), kills: 0 }
    }

    fn run(mut self, length: Duration) -> Reports {
        self.create();
        let end = Instant::now() + length;
        let mut processes: Vec<Process> = (0..PROCESSES).map(|number| self.start(number)).collect();
        while Instant::now() < end {
            std::thread::sleep(Duration::from_millis(self.random.u64(100..1500)));
            let victim = self.random.usize(..PROCESSES);
            processes[victim].child.kill().unwrap();
            processes[victim].child.wait().unwrap();
            self.kills += 1;
            let started = self.start(victim);
            let killed = std::mem::replace(&mut processes[victim], started);
            killed.reader.join().unwrap();
        }
        std::fs::write(self.folder.join("stop"), "").unwrap();
        for mut process in processes {
            let status = process.child.wait().unwrap();
            process.reader.join().unwrap();
            assert!(status.success(), "a worker failed: {:?}", self.reports.lock().unwrap().failures);
        }
        let reports = self.check();
        let _ = std::fs::remove_dir_all(&self.folder);
        reports
    }

    /// Creates the database, in half of the runs with SQLite, in half with Lithe.
    fn create(&mut self) {
        let kind = if self.random.bool() { EngineKind::Sqlite } else { EngineKind::Lithe };
        self.in_process_of_its_own(kind, "create");
    }

    fn start(&self, number: usize) -> Process {
        let kind = match std::env::var("STRESS_ENGINE").as_deref() {
            Ok("sqlite") => EngineKind::Sqlite,
            Ok("lithe") => EngineKind::Lithe,
            _ if number < PROCESSES / 2 => EngineKind::Sqlite,
            _ => EngineKind::Lithe,
        };
        let mut child = self.spawn(kind, &number.to_string());
        let out = BufReader::new(child.stdout.take().unwrap());
        let reports = self.reports.clone();
        let reader = std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                reports.lock().unwrap().add(&line);
            }
        });
        Process { child, reader }
    }

    fn spawn(&self, kind: EngineKind, what: &str) -> Child {
        let part = Part { kind, what: what.to_owned(), journal: self.journal.to_owned(), folder: self.folder.clone() };
        Command::new(std::env::current_exe().unwrap())
            .args(["process", "--exact", "--nocapture", "--test-threads=1"])
            .env(PART, part.write())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn in_process_of_its_own(&self, kind: EngineKind, what: &str) {
        let output = self.spawn(kind, what).wait_with_output().unwrap();
        assert!(output.status.success(), "{kind:?} {what}: {}", String::from_utf8_lossy(&output.stdout));
    }

    /// Both engines check the remaining database, one after the other, each in its own process.
    fn check(&self) -> Reports {
        let reports = self.reports.lock().unwrap().clone();
        assert!(reports.failures.is_empty(), "{:?}", reports.failures);
        let appended: Vec<String> = reports.appended.iter().map(u64::to_string).collect();
        let what = format!("check {}", appended.join(" "));
        for kind in [EngineKind::Lithe, EngineKind::Sqlite, EngineKind::Lithe] {
            self.in_process_of_its_own(kind, &what);
        }
        println!("{}: {} kills, {reports:?}", self.journal, self.kills);
        reports
    }
}

impl Reports {
    /// Adds a line of a worker; the test harness prints a few lines of its own.
    fn add(&mut self, line: &str) {
        let mut words = line.split(' ');
        let Some("worker") = words.next() else {
            if line.contains("panicked") {
                self.failures.push(line.to_owned());
            }
            return;
        };
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let Some(worker) = number().map(|worker| worker as usize) else { return };
        let what = line.split(' ').nth(2).unwrap_or_default();
        let value = line.split(' ').nth(3).and_then(|word| word.parse().ok()).unwrap_or(0);
        match what {
            "appended" => self.appended[worker] = self.appended[worker].max(value),
            "transferred" => self.transfers[worker] += 1,
            "read" => self.reads[worker] += 1,
            "checkpoint" => self.checkpoints += 1,
            "waited" => self.longest_wait[worker] = self.longest_wait[worker].max(value),
            "busy" if value == 517 => self.busy_snapshots += 1,
            "busy" => self.busy += 1,
            _ => self.failures.push(line.to_owned()),
        }
    }
}

/// Creates the database.
fn create(engine: &dyn Engine, journal: &str) {
    let mut random = fastrand::Rng::new();
    let (size, vacuum) = ([1024, 4096][random.usize(..2)], ["NONE", "FULL", "INCREMENTAL"][random.usize(..3)]);
    engine.batch(&format!("PRAGMA page_size={size}; PRAGMA auto_vacuum={vacuum}")).unwrap();
    engine.batch(&format!("PRAGMA journal_mode={journal}")).unwrap();
    engine
        .batch(&format!(
            "BEGIN; CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER NOT NULL); \
             CREATE TABLE log(writer INTEGER, seq INTEGER, filler BLOB, PRIMARY KEY(writer, seq)); \
             CREATE INDEX log_filler ON log(filler, writer); \
             CREATE VIRTUAL TABLE words USING fts5(body); CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); \
             WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<{ACCOUNTS}) \
             INSERT INTO account SELECT i, {} FROM c; COMMIT",
            SUM / ACCOUNTS
        ))
        .unwrap();
}

/// Checks the invariants, in a transaction of the reader.
fn check_invariants(engine: &dyn Engine) -> Result<(), engine::Failure> {
    let sum = engine.numbers("SELECT sum(balance), count(*) FROM account")?;
    assert_eq!(sum, [SUM as i64, ACCOUNTS as i64], "money is made or lost");
    let gaps =
        engine.numbers("SELECT count(*) FROM (SELECT writer FROM log GROUP BY writer HAVING count(*) <> max(seq))")?;
    assert_eq!(gaps, [0], "a writer's log has gaps");
    let found = engine.numbers(
        "SELECT count(*), (SELECT count(*) FROM words WHERE words MATCH 'appended'), (SELECT count(*) FROM boxes) FROM words",
    )?;
    assert!(found.iter().all(|count| *count == found[0]), "texts, their index and boxes: {found:?}");
    let again = engine.numbers("SELECT sum(balance), count(*) FROM account")?;
    assert_eq!(again, sum, "a snapshot changes");
    Ok(())
}

fn check(engine: &dyn Engine, appended: &[i64]) {
    assert_eq!(engine.text("PRAGMA integrity_check").unwrap(), "ok");
    engine.batch("INSERT INTO words(words) VALUES('integrity-check')").unwrap();
    check_invariants(engine).unwrap();
    for (writer, &last) in appended.iter().enumerate() {
        let found = engine.numbers(&format!("SELECT coalesce(max(seq), 0) FROM log WHERE writer={writer}")).unwrap();
        assert!(found[0] >= last, "writer {writer} had committed {last}, and {} is there", found[0]);
    }
}

/// The file whose existence stops the workers.
fn stop_file(folder: &Path) -> PathBuf {
    folder.join("stop")
}
