//! The memory of a transaction much larger than the cache: the anonymous memory of the process (RssAnon, without pages of mapped files)
//! stays small while the shell writes 200,000 pages, half of them again, and then a sixth at scattered places, in one transaction.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The limit with a cache of 2 MB. A few bytes for each page would exceed it.
const MOST_KIB: u64 = 16_000;

const SCRIPT: &str = "PRAGMA cache_size = -2000; PRAGMA mmap_size = 0; PRAGMA synchronous = OFF;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) INSERT INTO t(b) SELECT zeroblob(400) FROM n;
UPDATE t SET b = zeroblob(401) WHERE a > 100000;
UPDATE t SET b = zeroblob(402) WHERE a IN (SELECT a FROM t WHERE (a * 40503 >> 4) % 6 = 0);
COMMIT;
SELECT count(*), sum(length(b) <> iif((a * 40503 >> 4) % 6 = 0, 402, 400 + (a > 100000))) FROM t;
";

fn check(journal_mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lithe"))
        .arg(folder.path().join("large.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let script = format!("PRAGMA page_size = 512; PRAGMA journal_mode = {journal_mode};\n{SCRIPT}");
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(memory_of(&status).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answer, format!("{journal_mode}\n0\n200000|0\n"));
    assert!(0 < most && most < MOST_KIB, "{journal_mode}: {most} KiB");
}

/// The anonymous memory of the process, in KiB.
fn memory_of(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[test]
fn a_large_transaction_takes_little_memory() {
    check("delete");
    check("wal");
}
