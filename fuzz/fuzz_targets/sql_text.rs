//! Any bytes as SQL, run on a database in memory.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::{run, watch};

fuzz_target!(|sql: &[u8]| {
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    // Files on the disk are out of reach, and so is a value of many megabytes.
    if sql.len() > 4096 || mentions_files(sql) {
        return;
    }
    let watch = watch(&connection);
    run(&connection, b"CREATE TABLE t1(a INTEGER PRIMARY KEY, b TEXT, c); CREATE INDEX i1 ON t1(b); INSERT INTO t1 VALUES(1,'x',2.5),(2,NULL,x'00')");
    run(&connection, sql);
    run(&connection, b"ROLLBACK; PRAGMA integrity_check");
    drop(watch);
});

fn mentions_files(sql: &[u8]) -> bool {
    let has = |word: &[u8]| sql.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    has(b"attach") || has(b"vacuum")
}
