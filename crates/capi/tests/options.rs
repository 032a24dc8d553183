//! Features that SQLite has only with build options, on this library and on SQLite's: snapshots, normalized SQL.
//!
//! `options_record.c` runs scripts and prints the results. It runs on both libraries. OPTIONS_FIRST and OPTIONS_WORLDS
//! choose the random scripts.

mod common;

use common::worlds::range;

const OPTIONS: &[&str] = &["-DSQLITE_ENABLE_SNAPSHOT", "-DSQLITE_ENABLE_NORMALIZE"];

fn compare(name: &str, scripts: impl Iterator<Item = (String, Vec<String>)>) {
    common::recording::compare(name, "options_record.c", OPTIONS, scripts);
}

#[test]
fn options_answer_alike() {
    let lines = include_str!("options.sql").lines().map(str::to_owned).collect();
    compare("options", [("options.sql".to_owned(), lines)].into_iter());
}

/// Three connections write, record snapshots, open them, and run checkpoints.
#[test]
fn random_snapshots_show_the_same() {
    let seeds = range("OPTIONS_FIRST", "OPTIONS_WORLDS", 40);
    compare("options-random", seeds.map(|seed| (format!("script {seed}"), script(seed))));
}

fn script(seed: u64) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut lines: Vec<String> = [
        "A PRAGMA page_size = 512",
        "A PRAGMA journal_mode = WAL",
        "A CREATE TABLE t(a INTEGER PRIMARY KEY, b)",
        "A CREATE INDEX i ON t(b)",
        // As long as a connection of SQLite has not read the log, sqlite3_snapshot_get does not prevent other
        // connections from restarting the log.
        "B SELECT count(*) FROM t",
        "C SELECT count(*) FROM t",
    ]
    .map(str::to_owned)
    .to_vec();
    for _ in 0..120 {
        let line = line(&mut random);
        let connection = ["A", "B", "C"][random.usize(..3)];
        lines.extend(line.split("; ").map(|line| format!("{connection} {line}")));
    }
    lines
}

fn line(random: &mut fastrand::Rng) -> String {
    let (key, snapshot) = (random.u8(..40), random.u8(..6));
    match random.u8(..24) {
        0..=2 => format!("INSERT OR REPLACE INTO t VALUES ({key}, {})", random.u8(..200)),
        3 => format!("INSERT OR REPLACE INTO t SELECT a + 40, zeroblob(300) FROM t WHERE a < {key}"),
        4 => format!("DELETE FROM t WHERE a > {key}"),
        5 => format!("UPDATE t SET b = b + 1 WHERE a < {key}"),
        6 => format!("CREATE TABLE IF NOT EXISTS u{}(x)", random.u8(..3)),
        7 => format!("DROP TABLE IF EXISTS u{}", random.u8(..3)),
        8 => "BEGIN".to_owned(),
        9 | 10 => "COMMIT".to_owned(),
        11 => "ROLLBACK".to_owned(),
        12..=14 => format!("BEGIN; .get {snapshot}"),
        15..=17 => {
            format!("BEGIN; .open {snapshot}; SELECT count(*), sum(a), total(b) FROM t; SELECT name FROM sqlite_schema")
        }
        18 => format!(".compare {snapshot} {}", random.u8(..6)),
        19 => ".checkpoint 0".to_owned(),
        20 => format!(".checkpoint {}", random.u8(1..4)),
        21 => ["PRAGMA integrity_check", "VACUUM", ".recover"][random.usize(..3)].to_owned(),
        _ => "SELECT count(*), sum(a), group_concat(b) FROM (SELECT a, b FROM t ORDER BY b, a LIMIT 20)".to_owned(),
    }
}
