//! Write-ahead logs, beside SQLite in another process.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Folder, Rows, SELECT_VALUES, Sqlite, make_rows, no, open, open_with, sqlite, write};
use lithe_format::db_header::DbHeader;
use lithe_pager::{
    BeginKind, CacheSize, Checkpoint, CheckpointMode, Error, JournalMode, LockingMode, OpenOptions, Pager, Synchronous,
};

#[test]
fn sqlite_process() {
    common::serve();
}

const WAL: &str = "PRAGMA journal_mode=WAL";

fn rows_of(pager: &Pager, count: u32) -> Rows {
    pager.begin_read().unwrap();
    let rows = Rows::find(pager, count);
    pager.end_read().unwrap();
    rows
}

fn all(pager: &Pager, rows: &Rows) -> String {
    pager.begin_read().unwrap();
    let all = rows.all(pager);
    pager.end_read().unwrap();
    all
}

/// Waits until kept read locks are released.
fn settle() {
    std::thread::sleep(Duration::from_millis(100));
}

fn update(row: u32, value: u32) -> String {
    format!("UPDATE t SET v = CAST('MARK{row:04}{value:08}' AS BLOB)||zeroblob(800) WHERE id={row}")
}

#[test]
fn a_log_beside_an_empty_file_is_of_a_database_that_is_gone() {
    let folder = Folder::new();
    let (path, log) = (folder.file("a.db"), folder.file("a.db-wal"));
    make_rows(&path, 3, WAL);
    let mut sqlite = Sqlite::open(&path);
    assert_eq!(sqlite.sql(&update(1, 1)), "");
    let kept = std::fs::read(&log).unwrap();
    sqlite.close();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&log, kept).unwrap();

    let pager = open(&path);
    pager.begin_write(BeginKind::Immediate).unwrap();
    assert_eq!(pager.page_count(), 0);
    let page_size = pager.page_size();
    DbHeader::new(page_size, 0).write(&mut pager.new_page(no(1)).unwrap());
    pager.commit().unwrap();
    pager.end_read().unwrap();
    assert!(!log.exists());
    assert_eq!(pager.set_journal_mode(JournalMode::Wal).unwrap(), JournalMode::Wal);
    pager.begin_read().unwrap();
    assert_eq!(pager.page_count(), 1);
    pager.end_read().unwrap();
}

#[test]
fn both_read_and_write_one_log() {
    for mmap_size in [u64::MAX, 0] {
        let folder = Folder::new();
        let path = folder.file("a.db");
        make_rows(&path, 5, WAL);
        let mut sqlite = Sqlite::open(&path);
        assert_eq!(sqlite.sql(&update(1, 1)), "");
        let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
        let rows = rows_of(&pager, 5);
        assert_eq!(pager.journal_mode(), JournalMode::Wal);
        assert_eq!(all(&pager, &rows), "1 0 0 0 0");
        for round in 2..20 {
            write(&pager, || rows.set(&pager, 2, round));
            assert_eq!(sqlite.sql(SELECT_VALUES), format!("1 {round} {} 0 0", if round == 2 { 0 } else { round - 1 }));
            let version = pager.data_version();
            assert_eq!(sqlite.sql(&update(3, round)), "");
            assert_eq!(all(&pager, &rows), format!("1 {round} {round} 0 0"));
            assert_ne!(pager.data_version(), version);
            match round % 5 {
                0 => assert_eq!(sqlite.sql("PRAGMA wal_checkpoint").split('|').next(), Some("0")),
                1 => assert!(!pager.checkpoint(CheckpointMode::Passive).unwrap().busy),
                2 => {
                    settle();
                    assert_eq!(sqlite.sql("PRAGMA wal_checkpoint(TRUNCATE)"), "0|0|0");
                }
                3 => {
                    let done = pager.checkpoint(CheckpointMode::Truncate).unwrap();
                    assert_eq!(done, Checkpoint { busy: false, log_frames: Some(0), checkpointed_frames: Some(0) });
                    assert_eq!(std::fs::metadata(folder.file("a.db-wal")).unwrap().len(), 0);
                }
                _ => {}
            }
        }
        assert_eq!(sqlite.sql("PRAGMA integrity_check"), "ok");
        sqlite.close();
        drop(pager);
        assert!(!folder.file("a.db-wal").exists() && !folder.file("a.db-shm").exists());
        assert_eq!(common::sqlite(&path, "PRAGMA integrity_check"), "ok");
    }
}

#[test]
fn the_index_is_rebuilt() {
    for mmap_size in [u64::MAX, 0] {
        let folder = Folder::new();
        let path = folder.file("a.db");
        make_rows(&path, 40, WAL);
        let mut process = Sqlite::open(&path);
        process.sql(
            "PRAGMA wal_autocheckpoint=0; UPDATE t SET v=CAST(printf('MARK%04d%08d',id,7) AS BLOB)||zeroblob(800)",
        );
        process.sql("INSERT INTO t SELECT id+1000, zeroblob(20000) FROM t");
        process.sql(&update(40, 8));
        process.kill();
        let _ = std::fs::remove_file(folder.file("a.db-shm"));
        // A frame that was torn by a crash.
        let log = folder.file("a.db-wal");
        let mut bytes = std::fs::read(&log).unwrap();
        bytes.extend_from_slice(&[7; 1500]);
        std::fs::write(&log, bytes).unwrap();
        let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
        let rows = rows_of(&pager, 40);
        assert_eq!(all(&pager, &rows), ["7"; 39].join(" ") + " 8");
        assert!(pager.log_frames().unwrap() > 800);
        write(&pager, || rows.set(&pager, 1, 9));
        assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
        assert!(sqlite(&path, SELECT_VALUES).starts_with("9 7 7"));
    }
}

#[test]
fn sqlite_recovers_what_we_leave() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 5, WAL);
    let pager = open(&path);
    let rows = rows_of(&pager, 5);
    write(&pager, || rows.set(&pager, 1, 1));
    write(&pager, || {
        rows.set(&pager, 2, 2);
        rows.set(&pager, 3, 3);
    });
    // As a crash would leave it: no shared memory.
    let copy = folder.file("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(folder.file("a.db-wal"), folder.file("copy.db-wal")).unwrap();
    assert_eq!(sqlite(&copy, SELECT_VALUES), "1 2 3 0 0");
    assert_eq!(sqlite(&copy, "PRAGMA integrity_check"), "ok");
}

#[test]
fn snapshots_stand_still() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let (reader, writer) = (open(&path), open(&path));
    let rows = rows_of(&reader, 3);
    write(&writer, || rows.set(&writer, 1, 1));
    reader.begin_read().unwrap();
    assert_eq!(rows.all(&reader), "1 0 0");
    let mut sqlite = Sqlite::open(&path);
    for value in 2..6 {
        write(&writer, || rows.set(&writer, 1, value));
        assert_eq!(sqlite.sql(&update(2, value)), "");
        let _ = sqlite.sql("PRAGMA wal_checkpoint");
        let _ = writer.checkpoint(CheckpointMode::Passive).unwrap();
        assert_eq!(rows.all(&reader), "1 0 0");
    }
    assert_eq!(sqlite.sql("PRAGMA wal_checkpoint(RESTART)").split('|').next(), Some("1"));
    assert!(writer.checkpoint(CheckpointMode::Restart).unwrap().busy);
    assert!(matches!(reader.begin_write(BeginKind::Immediate), Err(Error::BusySnapshot)));
    reader.end_read().unwrap();
    settle();
    assert_eq!(sqlite.sql("PRAGMA wal_checkpoint(RESTART)").split('|').next(), Some("0"));
    assert_eq!(all(&reader, &rows), "5 5 0");
    sqlite.close();
}

#[test]
fn one_writer_at_a_time() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let (one, two) = (open(&path), open(&path));
    let rows = rows_of(&one, 3);
    let mut sqlite = Sqlite::open(&path);
    one.begin_write(BeginKind::Immediate).unwrap();
    rows.set(&one, 1, 1);
    assert!(matches!(two.begin_write(BeginKind::Immediate), Err(Error::Busy)));
    assert_eq!(sqlite.sql("BEGIN IMMEDIATE"), "error: database is locked");
    one.rollback().unwrap();
    assert_eq!(rows.all(&one), "0 0 0");
    one.end_read().unwrap();
    assert_eq!(sqlite.sql("BEGIN IMMEDIATE"), "");
    assert!(matches!(two.begin_write(BeginKind::Immediate), Err(Error::Busy)));
    assert_eq!(sqlite.sql("COMMIT"), "");
    two.begin_write(BeginKind::Immediate).unwrap();
    two.end_read().unwrap();
    sqlite.close();
}

#[test]
fn kept_read_locks_are_given_back() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let pager = open(&path);
    let rows = rows_of(&pager, 3);
    let mut sqlite = Sqlite::open(&path);
    sqlite.sql(&update(1, 1));
    assert_eq!(all(&pager, &rows), "1 0 0");
    // The lock of that read may be kept, but not for long.
    settle();
    assert_eq!(sqlite.sql("PRAGMA wal_checkpoint(TRUNCATE)"), "0|0|0");
    sqlite.sql(&update(1, 2));
    assert_eq!(all(&pager, &rows), "2 0 0");
    // A checkpoint of this process does not have to wait.
    let other = open(&path);
    assert!(!other.checkpoint(CheckpointMode::Truncate).unwrap().busy);
    assert_eq!(all(&pager, &rows), "2 0 0");
    sqlite.close();
}

#[test]
fn journal_modes_change() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, "");
    let pager = open(&path);
    let rows = rows_of(&pager, 3);
    assert_eq!(pager.set_journal_mode(JournalMode::Wal).unwrap(), JournalMode::Wal);
    write(&pager, || rows.set(&pager, 1, 1));
    let mut sqlite = Sqlite::open(&path);
    assert_eq!(sqlite.sql("PRAGMA journal_mode"), "wal");
    assert_eq!(sqlite.sql(SELECT_VALUES), "1 0 0");
    assert!(matches!(pager.set_journal_mode(JournalMode::Delete), Err(Error::Busy)));
    assert_eq!(pager.journal_mode(), JournalMode::Wal);
    sqlite.close();
    assert_eq!(pager.set_journal_mode(JournalMode::Truncate).unwrap(), JournalMode::Truncate);
    assert!(!folder.file("a.db-wal").exists() && !folder.file("a.db-shm").exists());
    write(&pager, || rows.set(&pager, 2, 2));
    assert_eq!(all(&pager, &rows), "1 2 0");
    let mut sqlite = Sqlite::open(&path);
    assert_eq!(sqlite.sql("PRAGMA journal_mode"), "delete");
    assert_eq!(sqlite.sql(SELECT_VALUES), "1 2 0");
    assert_eq!(sqlite.sql("PRAGMA journal_mode=wal"), "wal");
    assert_eq!(sqlite.sql(&update(3, 3)), "");
    assert_eq!(all(&pager, &rows), "1 2 3");
    assert_eq!(pager.journal_mode(), JournalMode::Wal);
    sqlite.close();
    // The journal that PERSIST leaves behind is deleted when the mode changes.
    assert_eq!(pager.set_journal_mode(JournalMode::Persist).unwrap(), JournalMode::Persist);
    write(&pager, || rows.set(&pager, 1, 4));
    assert!(folder.file("a.db-journal").exists());
    assert_eq!(pager.set_journal_mode(JournalMode::Wal).unwrap(), JournalMode::Wal);
    assert!(!folder.file("a.db-journal").exists());
}

#[test]
fn exclusive_locking_needs_no_shared_memory() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let pager = open(&path);
    pager.set_locking_mode(LockingMode::Exclusive);
    let rows = rows_of(&pager, 3);
    assert!(!folder.file("a.db-shm").exists());
    for value in 1..10 {
        write(&pager, || rows.set(&pager, 2, value));
        if value % 3 == 0 {
            assert!(!pager.checkpoint(CheckpointMode::Truncate).unwrap().busy);
        }
    }
    assert_eq!(all(&pager, &rows), "0 9 0");
    assert_eq!(pager.set_locking_mode(LockingMode::Normal), LockingMode::Exclusive);
    assert_eq!(sqlite(&path, "SELECT 1 FROM t"), "error: database is locked");
    drop(pager);
    assert_eq!(sqlite(&path, SELECT_VALUES), "0 9 0");
}

#[test]
fn growth_and_truncation() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let pager = open(&path);
    let rows = rows_of(&pager, 3);
    let before = pager.page_count();
    write(&pager, || {
        for n in 1..=300 {
            pager.new_page(no(before + n)).unwrap().fill(n as u8);
        }
    });
    pager.begin_read().unwrap();
    assert_eq!(pager.page_count(), before + 300);
    assert_eq!(pager.page(no(before + 255)).unwrap()[9], 255);
    pager.end_read().unwrap();
    pager.checkpoint(CheckpointMode::Passive).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 1024 * u64::from(before + 300));
    write(&pager, || pager.set_page_count(before).unwrap());
    pager.checkpoint(CheckpointMode::Passive).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 1024 * u64::from(before));
    assert_eq!(all(&pager, &rows), "0 0 0");
    assert_eq!(sqlite(&path, "PRAGMA integrity_check; PRAGMA page_count"), before.to_string());
}

#[test]
fn writers_of_one_process_share_syncs() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 8, WAL);
    let keeper = open(&path);
    let rows = rows_of(&keeper, 8);
    let each = 50;
    std::thread::scope(|scope| {
        for writer in 1..=8 {
            let (path, rows): (&Path, &Rows) = (&path, &rows);
            scope.spawn(move || {
                let pager = open(path);
                pager.set_busy_timeout(Duration::from_secs(60));
                pager.set_synchronous(if writer == 8 { Synchronous::Normal } else { Synchronous::Full });
                for _ in 0..each {
                    pager.begin_write(BeginKind::Immediate).unwrap();
                    let mine = rows.get(&pager, writer);
                    rows.set(&pager, writer, mine + 1);
                    pager.commit().unwrap();
                    assert_eq!(rows.get(&pager, writer), mine + 1);
                    pager.end_read().unwrap();
                }
            });
        }
        let (path, rows): (&Path, &Rows) = (&path, &rows);
        scope.spawn(move || {
            let pager = open(path);
            for _ in 0..100 {
                pager.begin_read().unwrap();
                let once = rows.all(&pager);
                assert_eq!(rows.all(&pager), once);
                pager.end_read().unwrap();
                let _ = pager.checkpoint(CheckpointMode::Passive).unwrap();
            }
        });
    });
    assert_eq!(all(&keeper, &rows), ["50"; 8].join(" "));
    drop(keeper);
    assert_eq!(sqlite(&path, SELECT_VALUES), ["50"; 8].join(" "));
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
}

/// Four threads, each with a connection of its own, do `work` with the row of their number.
fn four_writers(path: &Path, work: impl Fn(&Pager, u32) + Sync) {
    std::thread::scope(|scope| {
        for writer in 1..=4 {
            let work = &work;
            scope.spawn(move || {
                let pager = open(path);
                pager.set_busy_timeout(Duration::from_secs(60));
                work(&pager, writer);
            });
        }
    });
}

/// However closely writers follow each other, the log is restarted now and then.
#[test]
fn a_log_that_many_write_comes_to_an_end() {
    const LIMIT: u32 = 40;
    const EACH: u32 = 400;
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 8, WAL);
    let keeper = open(&path);
    let rows = rows_of(&keeper, 8);
    four_writers(&path, |pager, writer| {
        for _ in 0..EACH {
            write(pager, || rows.set(pager, writer, rows.get(pager, writer) + 1));
            if pager.log_frames().is_some_and(|frames| frames >= LIMIT) {
                pager.checkpoint_long_log(LIMIT).unwrap();
            }
        }
    });
    assert_eq!(all(&keeper, &rows), "400 400 400 400 0 0 0 0");
    // The file is never truncated, so it is as long as the log ever was.
    let frames = std::fs::metadata(folder.file("a.db-wal")).unwrap().len() / (4096 + 24);
    assert!(frames < u64::from(2 * EACH), "{frames} frames of {} commits", 4 * EACH);
    drop(keeper);
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
}

/// A writer builds on a commit that is not published yet, and that has made the log much longer.
#[test]
fn long_commits_beside_short_ones() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 4, WAL);
    let keeper = open(&path);
    let rows = rows_of(&keeper, 4);
    four_writers(&path, |pager, writer| {
        for round in 1..=6 {
            write(pager, || {
                rows.set(pager, writer, round);
                let count = pager.page_count();
                (1..=1500).for_each(|n| drop(pager.new_page(no(count + n)).unwrap()));
            });
        }
    });
    assert_eq!(all(&keeper, &rows), "6 6 6 6");
}

/// A log that may only be read: without shared memory while no other process uses it; later with it.
#[test]
fn reading_only() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, WAL);
    let mut process = Sqlite::open(&path);
    process.sql(&update(2, 22));
    process.kill();
    let modes = |file: u32, of_folder: u32| {
        for name in ["a.db", "a.db-wal", "a.db-shm"] {
            std::fs::set_permissions(folder.file(name), std::fs::Permissions::from_mode(file)).unwrap();
        }
        std::fs::set_permissions(path.parent().unwrap(), std::fs::Permissions::from_mode(of_folder)).unwrap();
    };
    modes(0o444, 0o555);
    // Root may write anything, so the reader runs as another user.
    let run = || {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["read_only_process", "--exact", "--nocapture"]).env(READ_ONLY, &path);
        if we_are_root() {
            child.uid(65534);
        }
        child.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Ok(first) = run() else {
        // No other user may run this program here.
        return modes(0o644, 0o755);
    };
    assert!(
        first.contains("read: 0 22 0, write: attempt to write a readonly database, checkpoint: Err(READONLY)\n"),
        "{first}"
    );
    modes(0o644, 0o755);
    let mut process = Sqlite::open(&path);
    process.sql(&update(3, 33));
    modes(0o444, 0o555);
    let second = run().unwrap();
    assert!(
        second.contains("read: 0 22 33, write: attempt to write a readonly database, checkpoint: Err(READONLY)\n"),
        "{second}"
    );
    modes(0o644, 0o755);
    process.close();
}

fn we_are_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
}

/// The variable by which the parent passes the path.
const READ_ONLY: &str = "LITHE_READ_ONLY";

#[test]
fn read_only_process() {
    let Some(path) = std::env::var_os(READ_ONLY) else { return };
    let pager = open(Path::new(&path));
    let rows = rows_of(&pager, 3);
    let seen = all(&pager, &rows);
    let error = pager.begin_write(BeginKind::Immediate).unwrap_err();
    let checkpoint = pager.checkpoint(CheckpointMode::Passive).map_err(|error| error.code());
    println!("read: {seen}, write: {error}, checkpoint: {checkpoint:?}");
}

/// The only connection to a log restarts it without a check for other connections, but not while it borrows pages from
/// the log.
#[test]
fn a_log_that_is_read_is_not_overwritten() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 12, WAL);
    let options = OpenOptions { cache_size: CacheSize::Pages(4), ..OpenOptions::default() };
    let pager = open_with(&path, &options);
    pager.set_locking_mode(LockingMode::Exclusive);
    let rows = rows_of(&pager, 12);
    for round in 1..5 {
        write(&pager, || (1..=12).for_each(|row| rows.set(&pager, row, 100 * round + row)));
        assert!(!pager.checkpoint(CheckpointMode::Passive).unwrap().busy);
        pager.begin_write(BeginKind::Immediate).unwrap();
        let borrowed: Vec<_> = (1..=pager.page_count()).map(|page| pager.page(no(page)).unwrap()).collect();
        let before: Vec<Vec<u8>> = borrowed.iter().map(|page| page.to_vec()).collect();
        // Spills into the log from its beginning, and reads the pages that it had before.
        for row in (1..=12).rev() {
            assert_eq!(rows.get(&pager, row), 100 * round + row);
            rows.set(&pager, row, 1000 + row);
        }
        assert_eq!(rows.all(&pager), "1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012");
        assert!(borrowed.iter().zip(&before).all(|(page, before)| page[..] == before[..]));
        pager.commit().unwrap();
        drop(borrowed);
        pager.end_read().unwrap();
    }
    drop(pager);
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
    assert_eq!(sqlite(&path, SELECT_VALUES), "1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012");
}
