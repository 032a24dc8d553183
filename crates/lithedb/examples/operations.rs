//! The cost of single operations, Lithe and SQLite side by side: point reads, BLOBs, inserts, updates, commits.
//!
//! ```sh
//! cargo run --release -p lithedb --example operations              # all, CPU time, medians of interleaved rounds
//! cargo run --release -p lithedb --example operations -- lookup    # those whose name contains "lookup"
//! valgrind --tool=callgrind --toggle-collect='*measured*' target/release/examples/operations lookup lithe
//! ```
//!
//! Of all times, the CPU time of the measuring thread (system calls included) is disturbed least by a busy machine;
//! instruction counts are not disturbed at all. `lithe-bench` measures elapsed time, with all options of the published
//! experiments.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef as SqliteValue;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// An operation and its data.
struct Operation {
    name: &'static str,
    /// Executed when the connection is open.
    pragmas: &'static str,
    fill: Fill,
    run: Run,
    /// How many operations a round times.
    count: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Fill {
    /// The empty table `user`.
    Empty,
    /// 10,000 users.
    Users,
    /// 2,000 BLOBs of 8,000 to 12,000 bytes.
    Blobs,
    /// 2,000 BLOBs of 10,000 bytes.
    EvenBlobs,
    /// 200 BLOBs of 200,000 bytes.
    LargeBlobs,
}

#[derive(Clone, Copy)]
enum Run {
    /// A statement with a random key as its parameter; `transaction`: all in one transaction.
    Keyed { sql: &'static str, transaction: bool },
    /// A statement without parameters.
    Plain { sql: &'static str },
    /// The BLOB interface.
    Blob,
    /// Rows through a prepared INSERT, `each` per transaction.
    Insert { each: usize },
    /// Rows as SQL text, all in one transaction.
    InsertText,
    /// A statement with a random key, `each` per transaction.
    Change { sql: &'static str, each: usize },
    /// BLOBs of new content, all in one transaction.
    Overwrite,
}

const USER: &str =
    "CREATE TABLE user(id INTEGER PRIMARY KEY AUTOINCREMENT, c1 INT, c2 VARCHAR(1000), c3 VARCHAR(1000))";
const USERS: usize = 10_000;
const BLOBS: usize = 2_000;
const LARGE_BLOBS: usize = 200;
const ROUNDS: usize = 7;

const WAL: &str = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0;";
const OFF: &str = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;";
const DELETE: &str = "PRAGMA synchronous=OFF;";
const SELECT_USER: &str = "SELECT * FROM user WHERE id=?1";
const UPDATE_USER: &str = "UPDATE user SET c1=c1+1 WHERE id=?1";

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation { name: "lookup-in-transaction", pragmas: "", fill: Fill::Users, count: 50_000, run: Run::Keyed { sql: "SELECT c1 FROM user WHERE id=?1", transaction: true } },
    Operation { name: "point-wal", pragmas: WAL, fill: Fill::Users, count: 20_000, run: Run::Keyed { sql: SELECT_USER, transaction: false } },
    Operation { name: "point-rollback", pragmas: DELETE, fill: Fill::Users, count: 20_000, run: Run::Keyed { sql: SELECT_USER, transaction: false } },
    Operation { name: "scan-count", pragmas: "", fill: Fill::Users, count: 20, run: Run::Plain { sql: "SELECT count(*) FROM user WHERE c1 > 500" } },
    Operation { name: "scan-sum", pragmas: "", fill: Fill::Users, count: 20, run: Run::Plain { sql: "SELECT sum(c1), max(length(c2)) FROM user" } },
    Operation { name: "blob-sql", pragmas: "", fill: Fill::Blobs, count: 4_000, run: Run::Keyed { sql: "SELECT v FROM kv WHERE k=?1", transaction: true } },
    Operation { name: "blob-sql-each", pragmas: "", fill: Fill::Blobs, count: 4_000, run: Run::Keyed { sql: "SELECT v FROM kv WHERE k=?1", transaction: false } },
    Operation { name: "blob-sql-wal-each", pragmas: WAL, fill: Fill::Blobs, count: 4_000, run: Run::Keyed { sql: "SELECT v FROM kv WHERE k=?1", transaction: false } },
    Operation { name: "blob-sql-unmapped", pragmas: "PRAGMA mmap_size=0;", fill: Fill::Blobs, count: 4_000, run: Run::Keyed { sql: "SELECT v FROM kv WHERE k=?1", transaction: true } },
    Operation { name: "blob-handle", pragmas: "", fill: Fill::Blobs, count: 4_000, run: Run::Blob },
    Operation { name: "blob-handle-unmapped", pragmas: "PRAGMA mmap_size=0;", fill: Fill::Blobs, count: 4_000, run: Run::Blob },
    Operation { name: "large-blob-handle", pragmas: "", fill: Fill::LargeBlobs, count: 400, run: Run::Blob },
    Operation { name: "large-blob-handle-unmapped", pragmas: "PRAGMA mmap_size=0;", fill: Fill::LargeBlobs, count: 400, run: Run::Blob },
    Operation { name: "overwrite-wal", pragmas: WAL, fill: Fill::EvenBlobs, count: 1_000, run: Run::Overwrite },
    Operation { name: "overwrite-off", pragmas: OFF, fill: Fill::EvenBlobs, count: 1_000, run: Run::Overwrite },
    Operation { name: "overwrite-random-wal", pragmas: WAL, fill: Fill::EvenBlobs, count: 1_000, run: Run::Change { sql: "UPDATE kv SET v=randomblob(10000) WHERE k=?1", each: 1_000 } },
    Operation { name: "overwrite-random-off", pragmas: OFF, fill: Fill::EvenBlobs, count: 1_000, run: Run::Change { sql: "UPDATE kv SET v=randomblob(10000) WHERE k=?1", each: 1_000 } },
    Operation { name: "insert-rollback", pragmas: DELETE, fill: Fill::Empty, count: 10_000, run: Run::Insert { each: 10_000 } },
    Operation { name: "insert-wal", pragmas: WAL, fill: Fill::Empty, count: 10_000, run: Run::Insert { each: 10_000 } },
    Operation { name: "insert-text", pragmas: DELETE, fill: Fill::Empty, count: 10_000, run: Run::InsertText },
    Operation { name: "insert-one-wal", pragmas: WAL, fill: Fill::Empty, count: 2_000, run: Run::Insert { each: 1 } },
    Operation { name: "insert-one-rollback", pragmas: DELETE, fill: Fill::Empty, count: 1_000, run: Run::Insert { each: 1 } },
    Operation { name: "update-1000-rollback", pragmas: DELETE, fill: Fill::Users, count: 4_000, run: Run::Change { sql: UPDATE_USER, each: 1_000 } },
    Operation { name: "update-1000-wal", pragmas: WAL, fill: Fill::Users, count: 4_000, run: Run::Change { sql: UPDATE_USER, each: 1_000 } },
    Operation { name: "update-10000-wal", pragmas: WAL, fill: Fill::Users, count: 10_000, run: Run::Change { sql: UPDATE_USER, each: 10_000 } },
    Operation { name: "update-one-wal", pragmas: WAL, fill: Fill::Users, count: 2_000, run: Run::Change { sql: UPDATE_USER, each: 1 } },
    Operation { name: "update-one-rollback", pragmas: DELETE, fill: Fill::Users, count: 1_000, run: Run::Change { sql: UPDATE_USER, each: 1 } },
];

fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let only = wanted.iter().find(|word| matches!(word.as_str(), "lithe" | "sqlite")).cloned();
    let names: Vec<&String> = wanted.iter().filter(|word| Some(*word) != only.as_ref()).collect();
    // "x10": ten times as many operations per round, for profiles in which the filling should not show.
    let times = wanted.iter().find_map(|word| word.strip_prefix('x')?.parse().ok()).unwrap_or(1);
    let names: Vec<&String> = names.into_iter().filter(|word| !word.starts_with('x')).collect();
    let folder = std::env::temp_dir().join(format!("lithe-operations-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    println!("{:28} {:>12} {:>12} {:>8}", "ns of CPU an operation", "Lithe", "SQLite", "times");
    for operation in OPERATIONS {
        let operation = &Operation { count: operation.count * times, ..*operation };
        if !names.is_empty() && !names.iter().any(|name| operation.name.contains(name.as_str())) {
            continue;
        }
        let (mut lithe, mut sqlite) = (Vec::new(), Vec::new());
        // One round is enough to count instructions.
        for round in 0..if only.is_some() { 1 } else { ROUNDS } {
            if only.as_deref() != Some("sqlite") {
                lithe.push(turn(operation, &folder.join("lithe"), round, open_lithe)?);
            }
            if only.as_deref() != Some("lithe") {
                sqlite.push(turn(operation, &folder.join("sqlite"), round, open_sqlite)?);
            }
        }
        let (lithe, sqlite) = (median(lithe), median(sqlite));
        println!("{:28} {lithe:12.0} {sqlite:12.0} {:8.2}", operation.name, sqlite / lithe);
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Fills a new database, opens it again, and measures.
fn turn<D: Database>(operation: &Operation, stem: &Path, round: usize, open: fn(&Path) -> Result<D>) -> Result<f64> {
    let path = stem.with_extension("db");
    for ending in ["db", "db-wal", "db-shm", "db-journal"] {
        let _ = fs::remove_file(stem.with_extension(ending));
    }
    let mut random = fastrand::Rng::with_seed(round as u64);
    fill(operation.fill, &open(&path)?, &mut random)?;
    let database = open(&path)?;
    database.batch(operation.pragmas)?;
    let keys = match operation.fill {
        Fill::Empty | Fill::Users => USERS,
        Fill::Blobs | Fill::EvenBlobs => BLOBS,
        Fill::LargeBlobs => LARGE_BLOBS,
    };
    let work = Work {
        keys: (0..operation.count).map(|_| random.i64(1..=keys as i64)).collect(),
        strings: (0..100).map(|_| string(&mut random)).collect(),
        bytes: (0..50).map(|_| blob(operation.fill, &mut random)).collect(),
    };
    // As in the middle of a long run, the pages are in the system's cache and mapped.
    database.warm_up(operation, &work)?;
    let start = cpu_nanos()?;
    measured(operation, &database, &work)?;
    Ok((cpu_nanos()? - start) as f64 / operation.count as f64)
}

struct Work {
    keys: Vec<i64>,
    strings: Vec<String>,
    bytes: Vec<Vec<u8>>,
}

fn fill<D: Database>(fill: Fill, database: &D, random: &mut fastrand::Rng) -> Result<()> {
    database.batch(USER)?;
    database.batch("CREATE TABLE kv(k INTEGER PRIMARY KEY, v BLOB); BEGIN")?;
    match fill {
        Fill::Empty => {}
        Fill::Users => {
            for _ in 0..USERS {
                database.insert_user(&string(random), &string(random))?;
            }
        }
        Fill::Blobs | Fill::EvenBlobs => {
            (1..=BLOBS).try_for_each(|key| database.insert_blob(key as i64, &blob(fill, random)))?
        }
        Fill::LargeBlobs => {
            (1..=LARGE_BLOBS).try_for_each(|key| database.insert_blob(key as i64, &vec![random.u8(..); 200_000]))?;
        }
    }
    database.batch("COMMIT")
}

fn string(random: &mut fastrand::Rng) -> String {
    (0..1000).map(|_| random.alphanumeric()).collect()
}

fn blob(fill: Fill, random: &mut fastrand::Rng) -> Vec<u8> {
    let len = if fill == Fill::EvenBlobs { 10_000 } else { random.usize(8_000..12_000) };
    let mut bytes = vec![0; len];
    random.fill(&mut bytes);
    bytes
}

/// Nanoseconds of CPU time of this thread.
fn cpu_nanos() -> Result<u64> {
    let line = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split(' ').next().unwrap_or_default().parse()?)
}

/// The function name for `--toggle-collect`.
#[inline(never)]
fn measured<D: Database>(operation: &Operation, database: &D, work: &Work) -> Result<()> {
    database.run(operation, work)
}

/// A library's database, with the calls that the operations need.
trait Database {
    fn batch(&self, sql: &str) -> Result<()>;
    fn insert_user(&self, c2: &str, c3: &str) -> Result<()>;
    fn insert_blob(&self, key: i64, bytes: &[u8]) -> Result<()>;
    fn run(&self, operation: &Operation, work: &Work) -> Result<()>;

    fn warm_up(&self, operation: &Operation, work: &Work) -> Result<()> {
        self.batch("SELECT max(c1) FROM user; SELECT max(k) FROM kv")?;
        match operation.run {
            Run::Keyed { .. } | Run::Plain { .. } | Run::Blob => self.run(operation, work),
            _ => Ok(()),
        }
    }
}

fn open_lithe(path: &Path) -> Result<lithe::Connection> {
    Ok(lithe::Connection::open(PathBuf::from(path))?)
}

fn open_sqlite(path: &Path) -> Result<rusqlite::Connection> {
    Ok(rusqlite::Connection::open(path)?)
}

/// One macro for both libraries, which have the same methods with different types.
macro_rules! database {
    ($connection:ty, $select:ident) => {
        impl Database for $connection {
            fn batch(&self, sql: &str) -> Result<()> {
                Ok(self.execute_batch(sql)?)
            }

            fn insert_user(&self, c2: &str, c3: &str) -> Result<()> {
                self.prepare_cached("INSERT INTO user(c1, c2, c3) VALUES (abs(random()) % 1000, ?1, ?2)")?
                    .execute([c2, c3])?;
                Ok(())
            }

            fn insert_blob(&self, key: i64, bytes: &[u8]) -> Result<()> {
                let mut insert = self.prepare_cached("INSERT INTO kv VALUES (?1, ?2)")?;
                $select::insert_blob(&mut insert, key, bytes)
            }

            fn run(&self, operation: &Operation, work: &Work) -> Result<()> {
                match operation.run {
                    Run::Keyed { sql, transaction } => {
                        let mut select = self.prepare(sql)?;
                        if transaction {
                            self.batch("BEGIN")?;
                        }
                        for &key in &work.keys {
                            $select::one(&mut select, key)?;
                        }
                        if transaction {
                            self.batch("COMMIT")?;
                        }
                    }
                    Run::Plain { sql } => {
                        let mut select = self.prepare(sql)?;
                        for _ in 0..operation.count {
                            $select::all(&mut select)?;
                        }
                    }
                    Run::Blob => {
                        let mut handle = self.blob_open("main", "kv", "v", 1, true)?;
                        let mut buffer = vec![0; 300_000];
                        for &key in &work.keys {
                            handle.reopen(key)?;
                            let len = handle.len();
                            handle.read_at(&mut buffer[..len], 0)?;
                            black_box(&buffer);
                        }
                    }
                    Run::Insert { each } => {
                        let mut insert = self.prepare("INSERT INTO user(c1, c2, c3) VALUES (?1, ?2, ?3)")?;
                        for (index, _) in work.keys.iter().enumerate() {
                            if each > 1 && index % each == 0 {
                                self.batch("BEGIN")?;
                            }
                            let string = |n: usize| work.strings[n % work.strings.len()].as_str();
                            $select::insert_user(&mut insert, index as i64, string(index), string(index + 1))?;
                            if each > 1 && (index + 1) % each == 0 {
                                self.batch("COMMIT")?;
                            }
                        }
                    }
                    Run::InsertText => {
                        self.batch("BEGIN")?;
                        let string = |n: usize| work.strings[n % work.strings.len()].as_str();
                        for index in 0..operation.count {
                            self.batch(&format!(
                                "INSERT INTO user(c1, c2, c3) VALUES ({index}, '{}', '{}')",
                                string(index),
                                string(index + 1)
                            ))?;
                        }
                        self.batch("COMMIT")?;
                    }
                    Run::Change { sql, each } => {
                        let mut change = self.prepare(sql)?;
                        for (index, &key) in work.keys.iter().enumerate() {
                            if each > 1 && index % each == 0 {
                                self.batch("BEGIN")?;
                            }
                            change.execute([key])?;
                            if each > 1 && (index + 1) % each == 0 {
                                self.batch("COMMIT")?;
                            }
                        }
                    }
                    Run::Overwrite => {
                        let mut change = self.prepare("UPDATE kv SET v=?2 WHERE k=?1")?;
                        self.batch("BEGIN")?;
                        for (index, &key) in work.keys.iter().enumerate() {
                            $select::insert_blob(&mut change, key, &work.bytes[index % work.bytes.len()])?;
                        }
                        self.batch("COMMIT")?;
                    }
                }
                Ok(())
            }
        }
    };
}

database!(lithe::Connection, with_lithe);
database!(rusqlite::Connection, with_sqlite);

mod with_lithe {
    use super::{Result, black_box};

    pub fn one(select: &mut lithe::Statement<'_>, key: i64) -> Result<()> {
        select.bind(1, key)?;
        all(select)
    }

    pub fn all(select: &mut lithe::Statement<'_>) -> Result<()> {
        while let Some(row) = select.step()? {
            for column in 0..row.column_count() {
                black_box(row.get_ref(column));
            }
        }
        select.reset().unwrap();
        Ok(())
    }

    pub fn insert_blob(insert: &mut lithe::Statement<'_>, key: i64, bytes: &[u8]) -> Result<()> {
        insert.bind(1, key)?;
        insert.bind(2, lithe::ValueRef::Blob(bytes))?;
        all(insert)
    }

    pub fn insert_user(insert: &mut lithe::Statement<'_>, c1: i64, c2: &str, c3: &str) -> Result<()> {
        insert.bind(1, c1)?;
        insert.bind(2, c2)?;
        insert.bind(3, c3)?;
        all(insert)
    }
}

mod with_sqlite {
    use super::{Result, SqliteValue, black_box};

    pub fn one(select: &mut rusqlite::Statement<'_>, key: i64) -> Result<()> {
        select.raw_bind_parameter(1, key)?;
        all(select)
    }

    pub fn all(select: &mut rusqlite::Statement<'_>) -> Result<()> {
        let columns = select.column_count();
        let mut rows = select.raw_query();
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                let value: SqliteValue<'_> = row.get_ref(column)?;
                black_box(value);
            }
        }
        Ok(())
    }

    pub fn insert_blob(insert: &mut rusqlite::Statement<'_>, key: i64, bytes: &[u8]) -> Result<()> {
        insert.raw_bind_parameter(1, key)?;
        insert.raw_bind_parameter(2, bytes)?;
        insert.raw_execute()?;
        Ok(())
    }

    pub fn insert_user(insert: &mut rusqlite::Statement<'_>, c1: i64, c2: &str, c3: &str) -> Result<()> {
        insert.raw_bind_parameter(1, c1)?;
        insert.raw_bind_parameter(2, c2)?;
        insert.raw_bind_parameter(3, c3)?;
        insert.raw_execute()?;
        Ok(())
    }
}
