//! Group commit: threads that commit at the same time share syncs; no commit returns before it is durable.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use lithe::vfs::{Done, Loss, Random, Recording, Sim};
use lithe::{Connection, OpenFlags, params};

const LOG: &str = "/db-wal";
const COMMITS: i64 = 40;

/// An acknowledged commit: at this moment of the recording, the writer's commit of this number had returned.
struct Acknowledged {
    at: usize,
    writer: i64,
    number: i64,
}

fn open(sim: &Sim) -> Connection {
    let connection = Connection::open_with_vfs(Path::new("/db"), OpenFlags::DEFAULT, sim.vfs()).unwrap();
    connection.execute_batch("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0").unwrap();
    // The simulated clock advances only while a thread sleeps.
    connection.busy_timeout(Duration::from_secs(100_000));
    connection
}

/// Runs that many threads, each of which commits one row in each transaction, on its own connection.
fn commit_with(writers: i64) -> (Recording, Vec<Acknowledged>) {
    let sim = Sim::new(1);
    let first = open(&sim);
    first.execute_batch("CREATE TABLE t(writer INT, number INT, PRIMARY KEY(writer, number))").unwrap();
    sim.set_sync_time(Duration::from_millis(3));
    sim.record();
    let start = Arc::new(Barrier::new(writers as usize));
    let work = |writer: i64| {
        let (sim, start) = (sim.clone(), start.clone());
        std::thread::spawn(move || {
            let connection = open(&sim);
            start.wait();
            let commit = |number| {
                connection.execute("INSERT INTO t VALUES (?1, ?2)", params![writer, number]).unwrap();
                Acknowledged { at: sim.recorded(), writer, number }
            };
            (1..=COMMITS).map(commit).collect::<Vec<_>>()
        })
    };
    let threads: Vec<_> = (0..writers).map(work).collect();
    let acknowledged = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    (sim.stop_recording(), acknowledged)
}

fn syncs(recording: &Recording) -> i64 {
    let mut replay = recording.replay();
    let mut syncs = 0;
    while let Some(is_sync) = replay.advance(|done| done == Done::Synced(Some(Path::new(LOG)))) {
        syncs += i64::from(is_sync);
    }
    syncs
}

/// At every moment of an acknowledged commit, a power loss that drops all unsynced writes keeps the acknowledged commits.
fn check_acknowledged(recording: &Recording, acknowledged: &[Acknowledged]) {
    let mut random = Random::new(1);
    let mut replay = recording.replay();
    let mut promised: HashMap<i64, i64> = HashMap::new();
    for at in 0..=recording.len() {
        let news: Vec<&Acknowledged> = acknowledged.iter().filter(|ack| ack.at == at).collect();
        for ack in &news {
            let last = promised.entry(ack.writer).or_default();
            *last = ack.number.max(*last);
        }
        if !news.is_empty() {
            let files = replay.lose_power(Loss::DropAll, &mut random);
            let after = open(&Sim::with_files(1, files));
            for (writer, last) in &promised {
                let sql = "SELECT count(*) FROM t WHERE writer = ?1 AND number <= ?2";
                let found: i64 = after.query_row(sql, [*writer, *last], |row| row.get(0)).unwrap();
                assert_eq!(found, *last, "writer {writer} at {at}");
            }
        }
        replay.advance(|_| ());
    }
}

#[test]
fn one_sync_serves_several_commits() {
    let (recording, acknowledged) = commit_with(8);
    let (commits, syncs) = (8 * COMMITS, syncs(&recording));
    println!("{commits} commits of 8 threads took {syncs} syncs");
    assert!(syncs * 2 <= commits, "{syncs} syncs for {commits} commits");
    check_acknowledged(&recording, &acknowledged);
}

#[test]
fn one_thread_alone_syncs_each_commit() {
    let (recording, acknowledged) = commit_with(1);
    assert_eq!(syncs(&recording), COMMITS);
    check_acknowledged(&recording, &acknowledged);
}
