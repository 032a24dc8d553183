//! Three connections that conflict: each gets BUSY exactly where SQLite returns it, with the same code and message, and can then run the
//! same statements.
//!
//! `STORE_SEED=7` runs one script, `STORE_WORLDS=10000` more of them.

use lithe::vfs::Random;

use crate::script::{check, differences};

const STATEMENTS: [&str; 30] = [
    "BEGIN",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "COMMIT",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "ROLLBACK TO s",
    "SELECT count(*), sum(b) FROM t",
    "SELECT count(*), sum(b) FROM t",
    "SELECT count(*), sum(b) FROM t",
    "SELECT * FROM u",
    "INSERT INTO t(b) VALUES (1)",
    "INSERT INTO t(b) VALUES (2)",
    "UPDATE t SET b = b + 1",
    "UPDATE t SET b = b + 1 WHERE a = 3",
    "DELETE FROM t WHERE a % 5 = 0",
    "INSERT INTO u VALUES (1)",
    "CREATE TABLE IF NOT EXISTS u(a)",
    "DROP TABLE u",
    "PRAGMA user_version = 3",
    "PRAGMA user_version",
    "PRAGMA wal_checkpoint",
    "PRAGMA wal_checkpoint(FULL)",
    "PRAGMA wal_checkpoint(RESTART)",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "VACUUM",
];

/// Statements that change the journal mode or the file's format.
const MODES: [&str; 6] = [
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA journal_mode = PERSIST",
    "PRAGMA journal_mode = TRUNCATE",
    "PRAGMA journal_mode = MEMORY",
];

/// Statements that change the locking mode.
const LOCKING: [&str; 2] = ["PRAGMA locking_mode = EXCLUSIVE", "PRAGMA locking_mode = NORMAL"];

const OPENS_LOG: &str = "SELECT count(*) FROM t";

/// The number of lines at the start of a script that create the database.
const FIRST_LINES: usize = 4;

fn pick<'s>(random: &mut Random, from: &[&'s str]) -> &'s str {
    from[random.below(from.len() as u64) as usize]
}

fn script(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let changes_locking = random.one_in(3);
    let mode = pick(&mut random, &["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL", "WAL", "WAL"]);
    let mut lines = vec![
        format!("a: PRAGMA journal_mode = {mode}"),
        "a: PRAGMA synchronous = OFF".to_owned(),
        "a: CREATE TABLE t(a INTEGER PRIMARY KEY, b)".to_owned(),
        "a: INSERT INTO t(b) VALUES (1), (2), (3), (4), (5)".to_owned(),
    ];
    let mut changed = Vec::new();
    for _ in 0..40 {
        let statements = match random.below(30) {
            0 => &MODES[..],
            1 if changes_locking => &LOCKING[..],
            _ => &STATEMENTS[..],
        };
        let (name, statement) = (pick(&mut random, &["a", "b", "c"]), pick(&mut random, statements));
        if changes_locking && statement.split([' ', '(']).any(|word| word == "u") {
            // A connection with the schema in memory does not need the lock, and the engines drop the schema at different times.
            continue;
        }
        let changes_mode = statement.contains("journal_mode");
        if changes_mode || statement.starts_with("BEGIN ") {
            // Not within a transaction: see the test below.
            lines.push(format!("{name}: ROLLBACK"));
        }
        if changes_mode {
            // SQLite does not check first whether another connection has changed the mode.
            lines.push(format!("{name}: {OPENS_LOG}"));
        }
        if changed.contains(&name) && (statement.contains("RESTART") || statement.contains("TRUNCATE")) {
            // SQLite's checkpoint blocks itself if the connection opens the log for it.
            lines.push(format!("{name}: {OPENS_LOG}"));
        }
        lines.push(format!("{name}: {statement}"));
        if changes_mode {
            changed.push(name);
        }
    }
    lines
}

/// The differences between the engines, except for the numbers of frames in the log.
fn differ(lines: &[String]) -> Vec<String> {
    differences(&lines.join("\n"), |line, answer| match line.contains("wal_checkpoint") {
        true => answer.split(',').next().unwrap_or_default().to_owned(),
        false => answer.to_owned(),
    })
}

/// Removes the lines of a script that do not contribute to the difference.
fn shrink(mut lines: Vec<String>) -> Vec<String> {
    let mut at = lines.len();
    while at > FIRST_LINES {
        at -= 1;
        if lines[at].ends_with(OPENS_LOG) {
            continue;
        }
        let mut fewer = lines.clone();
        fewer.remove(at);
        if !differ(&fewer).is_empty() {
            lines = fewer;
            at = at.min(lines.len());
        }
    }
    lines
}

/// A BEGIN that fails within a transaction takes its locks nevertheless. The journal mode does not change in a transaction; PRAGMA
/// journal_mode then fails if the transaction has written nothing yet.
#[test]
fn within_a_transaction() {
    check(
        "a: CREATE TABLE t(a)
         a: BEGIN
         a: PRAGMA journal_mode = WAL
         a: PRAGMA journal_mode = PERSIST
         a: INSERT INTO t VALUES (1)
         a: PRAGMA journal_mode = WAL
         a: PRAGMA journal_mode = MEMORY
         a: COMMIT
         b: BEGIN EXCLUSIVE
         a: PRAGMA journal_mode = WAL
         a: PRAGMA journal_mode = TRUNCATE
         a: PRAGMA journal_mode = DELETE
         a: BEGIN
         a: PRAGMA journal_mode = WAL
         a: VACUUM
         a: COMMIT
         a: VACUUM
         a: SELECT * FROM t",
    );
    check(
        "a: CREATE TABLE t(a)
         b: SELECT * FROM t
         a: BEGIN
         a: BEGIN IMMEDIATE
         b: PRAGMA user_version = 3
         a: BEGIN EXCLUSIVE
         b: SELECT * FROM t
         a: COMMIT
         b: PRAGMA user_version = 3
         b: PRAGMA user_version",
    );
}

#[test]
fn everybody_is_turned_away_where_sqlite_does() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("STORE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("STORE_WORLDS").unwrap_or(250),
    };
    for seed in seeds {
        let lines = script(seed);
        let found = differ(&lines);
        if !found.is_empty() {
            let fewer = shrink(lines);
            // If the second run gives other answers, only those of the first are known.
            let (found, again) = (found.join("\n"), differ(&fewer).join("\n"));
            panic!("STORE_SEED={seed}\n{found}\n\nshortened:\n{}\n\n{again}", fewer.join("\n"));
        }
    }
}
