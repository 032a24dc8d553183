//! Databases exchanged between Lithe and SQLite: each engine opens, checks, reads and changes the files that the other has written.
//!
//! A *world* is a seed: settings of a file (page size, encoding, auto-vacuum, journal mode, reserved bytes), a schema and four rounds of
//! statements. Two files go through the rounds, with the engines in turn, so that each engine creates one database of each world:
//!
//! ```text
//!             round 1   round 2   round 3   round 4
//!   file a    Lithe     SQLite    Lithe     SQLite
//!   file b    SQLite    Lithe     SQLite    Lithe
//! ```
//!
//! After each round both files must pass both integrity checks and have the same rows, to the last bit and storage class. In some rounds
//! the writer does not close its file: the other engine gets a copy with an open WAL, or with the hot journal of an unfinished transaction.
//! Both engines never have the same file open at once.
//!
//! By default there are 50 worlds: 200 databases of each engine that the other opens, checks, reads and changes. `EXCHANGE_WORLDS` sets the
//! number of worlds, `EXCHANGE_SEED` runs a single one and prints its statements.

#[path = "../common/mod.rs"]
mod common;
mod damaged;
mod engine;
mod integrity;
mod statements;
mod world;

use engine::{Connection, Which};
use world::World;

#[test]
fn databases_go_back_and_forth() {
    if let Some(seed) = number("EXCHANGE_SEED") {
        return world::run(&World::new(seed), true).unwrap_or_else(|report| panic!("world {seed}: {report}"));
    }
    let worlds = number("EXCHANGE_WORLDS").unwrap_or(30);
    let first = number("EXCHANGE_FIRST").unwrap_or(0);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let reports: Vec<String> = std::thread::scope(|scope| {
        let check = |seed| world::run(&World::new(seed), false).err().map(|report| format!("world {seed}: {report}"));
        let run = |worker| {
            move || (first + worker..first + worlds).step_by(workers as usize).filter_map(check).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(run(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let failed = reports.len();
    assert!(reports.is_empty(), "{failed} of {worlds} worlds:\n{}", reports.join("\n\n"));
}

/// A load that was killed has left pages behind those that the header counts. SQLite counts them in the log that it begins, and goes on
/// by the header; so must Lithe, or it takes pages of zeros for pages of the database.
#[test]
fn pages_that_the_header_does_not_count_stay_free() {
    let folder = world::Folder::new(u64::MAX);
    let [file, copied] = ["a.db", "copied.db"].map(|name| folder.0.join(name));
    let connection = Connection::open(Which::Sqlite, &file);
    for sql in ["PRAGMA page_size = 512", "PRAGMA auto_vacuum = FULL", "PRAGMA journal_mode = WAL"] {
        connection.must(sql);
    }
    connection.must("CREATE TABLE t(a)");
    connection.must("INSERT INTO t VALUES (1)");
    connection.close();
    world::lengthen(&file, 300 * 512);
    let connection = Connection::open(Which::Sqlite, &file);
    connection.must("UPDATE t SET a = 2");
    world::copy(&file, &copied);
    connection.close();
    for (writer, count) in [(Which::Lithe, "4"), (Which::Sqlite, "5")] {
        let connection = Connection::open(writer, &copied);
        connection.must("INSERT INTO t VALUES (zeroblob(500))");
        assert_eq!(connection.must("PRAGMA integrity_check"), [["'ok'"]]);
        assert_eq!(connection.must("PRAGMA page_count"), [[count]]);
        connection.close();
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
