//! A worker process: two threads that transfer, append, read, check, and checkpoint.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineKind, Failure, open};

/// The number of threads in all processes.
pub const WORKERS: usize = 8;
const WORKERS_OF_PROCESS: usize = 2;

pub const ACCOUNTS: u64 = 60;
/// The sum of all accounts.
pub const SUM: u64 = 60_000;

/// The wait after which a writer counts as starved.
const PATIENCE: Duration = Duration::from_secs(30);

/// The task of a process.
pub struct Part {
    pub kind: EngineKind,
    /// The number of the process, or "create" or "check".
    pub what: String,
    pub journal: String,
    pub folder: PathBuf,
}

impl Part {
    pub fn write(&self) -> String {
        format!("{:?};{};{};{}", self.kind, self.what, self.journal, self.folder.display())
    }

    pub fn read(text: &str) -> Part {
        let [kind, what, journal, folder] = text.splitn(4, ';').collect::<Vec<_>>()[..] else { panic!("{text}") };
        let kind = if kind == "Lithe" { EngineKind::Lithe } else { EngineKind::Sqlite };
        Part { kind, what: what.to_owned(), journal: journal.to_owned(), folder: PathBuf::from(folder) }
    }

    fn open(&self) -> Box<dyn Engine> {
        open(self.kind, &self.folder.join("shared.db"), PATIENCE)
    }
}

/// Runs the task; answers the exit code.
pub fn work(part: &Part) -> i32 {
    if part.what == "create" {
        crate::create(&*part.open(), &part.journal);
        return 0;
    }
    if let Some(appended) = part.what.strip_prefix("check ") {
        let appended: Vec<i64> = appended.split(' ').map(|word| word.parse().unwrap()).collect();
        crate::check(&*part.open(), &appended);
        return 0;
    }
    let process: usize = part.what.parse().unwrap();
    let threads: Vec<_> = (0..WORKERS_OF_PROCESS)
        .map(|thread| (process * WORKERS_OF_PROCESS + thread, part.kind, part.journal.clone(), part.folder.clone()))
        .map(|(number, kind, journal, folder)| {
            std::thread::spawn(move || {
                let part = Part { kind, what: String::new(), journal, folder };
                Worker::new(&part, number).run(&part)
            })
        })
        .collect();
    let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    i32::from(failed > 0)
}

/// The settings of one connection.
fn settings(random: &mut fastrand::Rng) -> String {
    let synchronous = ["OFF", "NORMAL", "FULL"][random.usize(..3)];
    let checkpoint = [3, 200, 200][random.usize(..3)];
    let mut pragmas = format!("PRAGMA synchronous={synchronous}; PRAGMA wal_autocheckpoint={checkpoint};");
    let others = [
        (3, "PRAGMA mmap_size=0;"),
        (2, "PRAGMA cache_size=10;"),
        (2, "PRAGMA journal_size_limit=0;"),
        (4, "PRAGMA journal_size_limit=50000;"),
        (4, "PRAGMA secure_delete=ON;"),
    ];
    for (one_in, pragma) in others {
        if random.u8(..one_in) == 0 {
            pragmas.push_str(pragma);
        }
    }
    pragmas
}

struct Worker {
    engine: Box<dyn Engine>,
    kind: EngineKind,
    number: usize,
    random: fastrand::Rng,
    longest_wait: u128,
    /// Whether readers and writers exclude each other in the journal mode.
    takes_turns: bool,
}

impl Worker {
    fn new(part: &Part, number: usize) -> Worker {
        let mut random = fastrand::Rng::new();
        let engine = part.open();
        let pragmas = settings(&mut random);
        let worker =
            Worker { engine, kind: part.kind, number, random, longest_wait: 0, takes_turns: part.journal != "WAL" };
        worker.expect(worker.engine.batch(&pragmas), "pragmas");
        worker
    }

    fn say(&self, what: &str) {
        // One write call for each line, because the process may be killed at any moment.
        use std::io::Write;
        let line = format!("worker {} {what}\n", self.number);
        let _ = std::io::stdout().write_all(line.as_bytes());
    }

    fn run(mut self, part: &Part) {
        let stop = crate::stop_file(&part.folder);
        while !stop.exists() {
            match self.random.u8(..100) {
                0..40 => self.write(Worker::transfer, "transferred"),
                40..65 => self.write(Worker::append, "appended"),
                65..70 => self.write_after_reading(),
                70..93 => self.read(),
                93..97 => self.checkpoint(),
                97 if self.random.bool() => self.check_quickly(),
                97 => self.write(Worker::shrink, "transferred"),
                98 if self.takes_turns => self.write_exclusively(),
                _ => std::thread::sleep(Duration::from_millis(self.random.u64(..5))),
            }
        }
    }

    /// Reports every error except BUSY as a failure.
    fn expect<T>(&self, done: Result<T, Failure>, what: &str) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(failure) if failure.is_busy() => {
                self.say(&format!("busy {}", failure.code));
                if !self.engine.is_autocommit() {
                    let _ = self.engine.batch("ROLLBACK");
                }
                None
            }
            Err(failure) => {
                self.say(&format!("FAILED {what}: {failure:?}"));
                panic!("worker {}: {what}: {failure:?}", self.number);
            }
        }
    }

    /// Runs a transaction that waits for the write lock, and must get it.
    fn write(&mut self, work: fn(&mut Worker) -> Result<u64, Failure>, what: &str) {
        let begun = Instant::now();
        let begin = if self.random.u8(..8) == 0 { "BEGIN EXCLUSIVE" } else { "BEGIN IMMEDIATE" };
        if self.expect(self.engine.batch(begin), begin).is_none() {
            self.say(&format!("FAILED starved for {:?}", begun.elapsed()));
            panic!("worker {} has starved", self.number);
        }
        let done = work(self).and_then(|done| self.engine.batch("COMMIT").map(|()| done));
        if let Some(done) = self.expect(done, what) {
            self.say(&format!("{what} {done}"));
        }
        let waited = begun.elapsed().as_millis();
        if self.takes_turns {
            // A process that waits for a lock sleeps between its tries; a writer without pauses would keep the lock from it.
            std::thread::sleep(Duration::from_millis(self.random.u64(..12)));
        }
        if waited > self.longest_wait {
            self.longest_wait = waited;
            self.say(&format!("waited {waited}"));
        }
    }

    fn transfer(&mut self) -> Result<u64, Failure> {
        let (from, to) = (self.random.u64(1..=ACCOUNTS), self.random.u64(1..=ACCOUNTS));
        let amount = self.random.u64(..100);
        self.engine.batch(&format!("UPDATE account SET balance = balance - {amount} WHERE id = {from}"))?;
        if self.random.u8(..10) == 0 {
            // Change the accounts and roll back.
            let sql = format!("SAVEPOINT s; UPDATE account SET balance = 0 WHERE id <> {from}; ROLLBACK TO s");
            self.engine.batch(&sql)?;
        }
        self.engine.batch(&format!("UPDATE account SET balance = balance + {amount} WHERE id = {to}"))?;
        Ok(0)
    }

    fn append(&mut self) -> Result<u64, Failure> {
        let writer = self.number;
        let last = self.engine.numbers(&format!("SELECT coalesce(max(seq), 0) FROM log WHERE writer={writer}"))?[0];
        let count = if self.random.u8(..8) == 0 { self.random.i64(1..200) } else { 1 };
        let size = if self.random.u8(..8) == 0 { 5000 } else { 50 };
        for seq in last + 1..=last + count {
            self.engine.batch(&format!("INSERT INTO log VALUES ({writer}, {seq}, randomblob({size}))"))?;
        }
        // A text and a box record each append.
        let first = last + 1;
        self.engine
            .batch(&format!("INSERT INTO words VALUES('appended by w{writer} from s{first} to s{}')", last + count))?;
        self.engine.batch(&format!(
            "INSERT INTO boxes SELECT max(rowid), {first} % 1000, {first} % 1000 + {count} FROM words"
        ))?;
        // The table `log` does not grow without limit: old rows lose their bytes.
        let old = last - 300;
        self.engine.batch(&format!(
            "UPDATE log SET filler = NULL WHERE writer={writer} AND seq < {old} AND seq > {old} - 250"
        ))?;
        Ok((last + count).cast_unsigned())
    }

    /// Moves pages into free ones, if the database is one with pointer maps.
    fn shrink(&mut self) -> Result<u64, Failure> {
        let pages = self.random.u32(1..50);
        self.engine.batch(&format!("PRAGMA incremental_vacuum({pages})"))?;
        Ok(0)
    }

    /// Keeps the lock over several transactions, and releases it.
    fn write_exclusively(&mut self) {
        // Only while it has its turn: a worker that holds a read lock and waits for its turn blocks the worker that has the turn.
        let begin = |worker: &mut Worker| {
            worker.engine.batch("PRAGMA locking_mode=EXCLUSIVE")?;
            worker.transfer()
        };
        self.write(begin, "transferred");
        for _ in 0..self.random.u8(..3) {
            self.write(Worker::transfer, "transferred");
        }
        let given_back = self.engine.batch("PRAGMA locking_mode=NORMAL");
        self.expect(given_back.and_then(|()| self.engine.batch("SELECT count(*) FROM account")), "locking_mode");
    }

    /// Reads first and writes then: another worker may have written in between.
    fn write_after_reading(&mut self) {
        let work = |worker: &mut Worker| {
            worker.engine.batch("BEGIN")?;
            crate::check_invariants(&*worker.engine)?;
            worker.transfer()?;
            worker.engine.batch("COMMIT")
        };
        let done = work(self);
        if self.expect(done, "a write after reading").is_some() {
            self.say("transferred");
        }
    }

    fn read(&mut self) {
        let pause = Duration::from_millis(if self.random.u8(..10) == 0 { self.random.u64(..30) } else { 0 });
        let work = |worker: &mut Worker| {
            worker.engine.batch("BEGIN")?;
            crate::check_invariants(&*worker.engine)?;
            std::thread::sleep(pause);
            crate::check_invariants(&*worker.engine)?;
            worker.engine.batch("COMMIT")
        };
        let done = work(self);
        if self.expect(done, "reading").is_some() {
            self.say("read");
        }
    }

    fn checkpoint(&mut self) {
        let mode = ["PASSIVE", "PASSIVE", "FULL", "RESTART", "TRUNCATE"][self.random.usize(..5)];
        let _ = self.engine.batch("PRAGMA busy_timeout=200");
        let done = self.engine.batch(&format!("PRAGMA wal_checkpoint({mode})"));
        let _ = self.engine.batch(&format!("PRAGMA busy_timeout={}", PATIENCE.as_millis()));
        if done.as_ref().is_err_and(|failure| failure.code & 0xff == 6) {
            // SQLITE_LOCKED would mean a running statement of this connection, but there is none.
            self.say("FAILED locked");
        }
        if self.expect(done, "a checkpoint").is_some() {
            self.say("checkpoint");
        }
    }

    fn check_quickly(&mut self) {
        // SQLite checks a full-text table with the index structure of the table's last query, even if another process has written since, so
        // a query in the same transaction comes first.
        let work = |worker: &mut Worker| {
            worker.engine.batch("BEGIN; SELECT count(*) FROM words WHERE words MATCH 'appended'")?;
            let answer = worker.engine.text("PRAGMA quick_check")?;
            worker.engine.batch("COMMIT")?;
            Ok(answer)
        };
        let done = work(self);
        if let Some(answer) = self.expect(done, "quick_check") {
            assert_eq!(answer, "ok", "{:?}", self.kind);
        }
    }
}
