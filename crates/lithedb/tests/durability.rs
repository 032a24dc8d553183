//! Errors that simulation and stress tests have found, each as a small test.

use std::path::Path;
use std::time::Duration;

use lithe::vfs::{DeviceCharacteristics, Loss, Random, Recording, Sim};
use lithe::{Connection, OpenFlags, ResultCode};

fn open(sim: &Sim, name: &str) -> Connection {
    Connection::open_with_vfs(Path::new(name), OpenFlags::DEFAULT, sim.vfs()).unwrap()
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn code(result: lithe::Result<()>) -> ResultCode {
    result.unwrap_err().code()
}

/// Calls `check` on the state after a crash at every moment of a recording, with different losses of unsynced writes.
fn at_every_moment(recording: &Recording, check: impl Fn(&Sim, usize)) {
    let mut random = Random::new(7);
    let mut replay = recording.replay();
    for at in 0..=recording.len() {
        for loss in [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn, Loss::Torn] {
            check(&Sim::with_files(1, replay.lose_power(loss, &mut random)), at);
        }
        replay.advance(|_| ());
    }
}

#[test]
fn writers_wait_for_each_other() {
    let path = std::env::temp_dir().join(format!("lithe-durability-{}", std::process::id()));
    for (journal, sql) in [
        ("DELETE", "BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT"),
        ("WAL", "BEGIN EXCLUSIVE; INSERT INTO t VALUES (2); COMMIT"),
        ("DELETE", "INSERT INTO t VALUES (2)"),
        ("WAL", "INSERT INTO t VALUES (2)"),
    ] {
        let _ = std::fs::remove_file(&path);
        let one = Connection::open(&path).unwrap();
        one.execute_batch(&format!("PRAGMA journal_mode={journal}; CREATE TABLE t(a)")).unwrap();
        one.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)").unwrap();
        let two = Connection::open(&path).unwrap();
        assert_eq!(code(two.execute_batch(sql)).primary(), ResultCode::BUSY);
        two.busy_timeout(Duration::from_secs(60));
        let writer = std::thread::spawn(move || two.execute_batch(sql));
        std::thread::sleep(Duration::from_millis(30));
        one.execute_batch("COMMIT").unwrap();
        assert_eq!(writer.join().unwrap().err().map(|error| error.code()), None, "{journal}: {sql}");
        assert_eq!(number(&one, "SELECT sum(a) FROM t"), 3);
    }
    let _ = std::fs::remove_file(&path);
}

#[test]
fn tables_that_others_create_are_seen() {
    let sim = Sim::new(1);
    let (one, two) = (open(&sim, "/db"), open(&sim, "/db"));
    one.execute_batch("CREATE TABLE a(x)").unwrap();
    assert_eq!(number(&two, "SELECT count(*) FROM a"), 0);
    one.execute_batch("CREATE TABLE b(x); INSERT INTO b VALUES (1); ALTER TABLE a ADD COLUMN y").unwrap();
    assert_eq!(number(&two, "SELECT count(*) FROM b"), 1);
    assert_eq!(number(&two, "SELECT count(y) FROM a"), 0);
    assert_eq!(code(two.execute_batch("SELECT * FROM c")), ResultCode::ERROR);
}

/// A reader of the second file blocks the first try of the commit. After a crash, both files have the changes, or neither.
#[test]
fn a_commit_over_two_files_is_tried_again() {
    for journal in ["DELETE", "TRUNCATE", "PERSIST"] {
        let sim = Sim::new(1);
        let set_up = |name| {
            let connection = open(&sim, name);
            connection.execute_batch(&format!("PRAGMA journal_mode={journal}")).unwrap();
            connection
        };
        set_up("/one").execute_batch("CREATE TABLE a(x); INSERT INTO a VALUES (1)").unwrap();
        set_up("/two").execute_batch("CREATE TABLE b(x); INSERT INTO b VALUES (1)").unwrap();
        // All changes up to here are durable.
        sim.restart(Loss::KeepAll);
        let (writer, reader) = (set_up("/one"), set_up("/two"));
        writer.execute_batch(&format!("ATTACH '/two' AS two; PRAGMA two.journal_mode={journal}")).unwrap();
        sim.record();
        reader.execute_batch("BEGIN; SELECT * FROM b").unwrap();
        writer.execute_batch("BEGIN; UPDATE a SET x = 2; UPDATE b SET x = 2").unwrap();
        assert_eq!(code(writer.execute_batch("COMMIT")), ResultCode::BUSY);
        let refused = sim.recorded();
        reader.execute_batch("COMMIT").unwrap();
        writer.execute_batch("COMMIT").unwrap();
        let recording = sim.stop_recording();
        at_every_moment(&recording, |sim, at| {
            let after = open(sim, "/one");
            after.execute_batch("ATTACH '/two' AS two").unwrap();
            let found = [number(&after, "SELECT x FROM a"), number(&after, "SELECT x FROM b")];
            assert_eq!(found[0], found[1], "{journal} at {at}");
            assert!(found[0] == 1 || at > refused, "{journal} at {at}");
            assert!(found[0] == 2 || at < recording.len(), "{journal} at {at}");
        });
    }
}

/// A transaction that is committed without a journal file must not be undone by an older journal.
#[test]
fn a_recovered_journal_stays_away() {
    let sim = Sim::new(1);
    let connection = open(&sim, "/db");
    connection.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
    sim.record();
    connection.execute_batch("UPDATE t SET x = 2").unwrap();
    let recording = sim.stop_recording();
    let mut replay = recording.replay();
    for at in 0..recording.len() {
        let sim = Sim::with_files(1, replay.lose_power(Loss::KeepAll, &mut Random::new(1)));
        let connection = open(&sim, "/db");
        connection.execute_batch("PRAGMA journal_mode=MEMORY").unwrap();
        connection.execute_batch("UPDATE t SET x = 3; CREATE TABLE u(x)").unwrap();
        sim.restart(Loss::DropAll);
        let after = open(&sim, "/db");
        assert_eq!(number(&after, "SELECT x FROM t"), 3, "at {at}");
        assert_eq!(number(&after, "SELECT count(*) FROM u"), 0, "at {at}");
        replay.advance(|_| ());
    }
}

/// Where a write can damage other bytes of its sector, a commit also has the neighbours of its pages, and is padded to the end of its
/// sector, no further.
#[test]
fn padding_of_the_log_is_short() {
    for page_size in [512, 1024, 4096] {
        let sim = Sim::new(1);
        sim.set_device(DeviceCharacteristics::default(), 2048);
        let connection = open(&sim, "/db");
        let pragmas = format!("PRAGMA page_size={page_size}; PRAGMA journal_mode=WAL; CREATE TABLE t(x)");
        connection.execute_batch(&pragmas).unwrap();
        let before = sim.read_file(Path::new("/db-wal")).unwrap().len();
        connection.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        let after = sim.read_file(Path::new("/db-wal")).unwrap().len();
        assert!(after - before <= 2048 + 3 * (page_size + 24), "{page_size}: {}", after - before);
        assert!(after / 2048 > before / 2048, "{page_size}: the sector is full");
    }
}

/// OR FAIL keeps the changes before the failure; if a reader blocks their commit, the error is BUSY.
#[test]
fn changes_before_a_failure_are_committed_or_busy() {
    let sim = Sim::new(1);
    let (one, two) = (open(&sim, "/db"), open(&sim, "/db"));
    one.execute_batch("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES (3)").unwrap();
    two.execute_batch("BEGIN; SELECT * FROM t").unwrap();
    let insert = "INSERT OR FAIL INTO t VALUES (1), (2), (3), (4)";
    assert_eq!(code(one.execute_batch(insert)), ResultCode::BUSY);
    two.execute_batch("COMMIT").unwrap();
    assert_eq!(number(&two, "SELECT count(*) FROM t"), 1);
    assert_eq!(code(one.execute_batch(insert)), ResultCode::CONSTRAINT_UNIQUE);
    assert_eq!(number(&two, "SELECT count(*) FROM t"), 3);
}

/// The journal and the log of a database lie beside its file, also where it was created through a link to a missing file.
#[test]
fn a_link_to_a_missing_file_leads_to_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let (link, real) = (folder.path().join("l.db"), folder.path().join("real"));
    std::fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink("real/a.db", &link).unwrap();
    let first = Connection::open(&link).unwrap();
    first.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    assert!(real.join("a.db-wal").exists() && !folder.path().join("l.db-wal").exists());
    let second = Connection::open(real.join("a.db")).unwrap();
    second.execute("INSERT INTO t SELECT a + 1 FROM t", []).unwrap();
    let count = |connection: &Connection| connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0));
    assert_eq!((count(&first).unwrap(), count(&second).unwrap()), (2, 2));
    let circle = folder.path().join("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    assert_eq!(Connection::open(&circle).map(drop).unwrap_err().code(), ResultCode::CANTOPEN);
}

/// Whoever puts a link in the place of a journal or log cannot have another file written.
#[test]
fn links_in_the_place_of_journals_are_refused() {
    for (mode, suffix) in [("WAL", "wal"), ("PERSIST", "journal")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(a)").unwrap();
        std::fs::write(folder.path().join("other"), "").unwrap();
        std::os::unix::fs::symlink("other", folder.path().join(format!("a.db-{suffix}"))).unwrap();
        let connection = Connection::open(&path).unwrap();
        let _ = connection.execute_batch(&format!("PRAGMA journal_mode = {mode}"));
        assert!(connection.execute("INSERT INTO t VALUES (1)", []).is_err(), "{mode}");
        assert_eq!(std::fs::metadata(folder.path().join("other")).unwrap().len(), 0, "{mode}");
    }
}
