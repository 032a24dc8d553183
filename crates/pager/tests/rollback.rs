//! Rollback journals, beside SQLite in another process.

mod common;

use common::{Folder, Rows, SELECT_VALUES, Sqlite, make_rows, open, open_with, sqlite, write};
use lithe_pager::{BeginKind, Error, JournalMode, OpenOptions, Synchronous};

#[test]
fn sqlite_process() {
    common::serve();
}

const MODES: [JournalMode; 5] =
    [JournalMode::Delete, JournalMode::Truncate, JournalMode::Persist, JournalMode::Memory, JournalMode::Off];

#[test]
fn commits_are_seen_by_sqlite() {
    for mode in MODES {
        for mmap_size in [u64::MAX, 0] {
            let folder = Folder::new();
            let path = folder.file("a.db");
            make_rows(&path, 5, "");
            let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
            pager.set_journal_mode(mode).unwrap();
            pager.set_synchronous(Synchronous::Extra);
            pager.begin_read().unwrap();
            let rows = Rows::find(&pager, 5);
            pager.end_read().unwrap();
            let mut sqlite = Sqlite::open(&path);
            assert_eq!(sqlite.sql(SELECT_VALUES), "0 0 0 0 0");
            let before = sqlite.sql("PRAGMA data_version");
            write(&pager, || rows.set(&pager, 2, 22));
            assert_eq!(sqlite.sql(SELECT_VALUES), "0 22 0 0 0", "{mode:?}");
            assert_ne!(sqlite.sql("PRAGMA data_version"), before);
            sqlite.sql("UPDATE t SET v = CAST('MARK000400000044' AS BLOB)||zeroblob(800) WHERE id=4");
            let version = pager.data_version();
            pager.begin_read().unwrap();
            assert_eq!(rows.all(&pager), "0 22 0 44 0");
            assert_ne!(pager.data_version(), version);
            pager.end_read().unwrap();
            let version = pager.data_version();
            write(&pager, || rows.set(&pager, 5, 55));
            assert_eq!(pager.data_version(), version, "own changes do not count");
            pager.begin_write(BeginKind::Immediate).unwrap();
            rows.set(&pager, 1, 11);
            pager.rollback().unwrap();
            assert_eq!(rows.all(&pager), "0 22 0 44 55");
            pager.end_read().unwrap();
            assert_eq!(sqlite.sql("PRAGMA integrity_check"), "ok");
            assert_eq!(sqlite.sql(SELECT_VALUES), "0 22 0 44 55");
            sqlite.close();
            let journal = folder.file("a.db-journal");
            assert_eq!(journal.exists(), matches!(mode, JournalMode::Truncate | JournalMode::Persist), "{mode:?}");
            pager.set_journal_mode(JournalMode::Delete).unwrap();
            assert!(!journal.exists());
        }
    }
}

#[test]
fn locks_keep_processes_apart() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, "");
    let pager = open(&path);
    let mut sqlite = Sqlite::open(&path);
    pager.begin_read().unwrap();
    let rows = Rows::find(&pager, 3);

    // With an active reader, other connections may reserve, but not commit.
    assert_eq!(sqlite.sql("BEGIN IMMEDIATE; UPDATE t SET v=v;"), "");
    assert!(matches!(pager.begin_write(BeginKind::Immediate), Err(Error::Busy)));
    assert_eq!(sqlite.sql("COMMIT"), "error: database is locked");
    // Now it waits with a PENDING lock, and lets no new reader in.
    pager.end_read().unwrap();
    assert!(matches!(pager.begin_read(), Err(Error::Busy)));
    assert_eq!(sqlite.sql("COMMIT"), "");

    // The other way round.
    pager.begin_write(BeginKind::Immediate).unwrap();
    rows.set(&pager, 1, 1);
    assert_eq!(sqlite.sql("BEGIN; SELECT count(*) FROM t"), "3");
    assert_eq!(sqlite.sql("UPDATE t SET v=v"), "error: database is locked");
    assert!(matches!(pager.commit(), Err(Error::Busy)));
    assert_eq!(sqlite.sql("COMMIT"), "");
    assert_eq!(sqlite.sql("SELECT count(*) FROM t"), "error: database is locked");
    rows.set(&pager, 2, 2);
    pager.commit().unwrap();
    pager.end_read().unwrap();
    assert_eq!(sqlite.sql(SELECT_VALUES), "1 2 0");

    pager.begin_write(BeginKind::Exclusive).unwrap();
    assert_eq!(sqlite.sql("SELECT count(*) FROM t"), "error: database is locked");
    pager.end_read().unwrap();
    assert_eq!(sqlite.sql(SELECT_VALUES), "1 2 0");
    sqlite.close();
}

#[test]
fn connections_of_one_process_share_its_locks() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 2, "");
    let one = open(&path);
    let two = open(&path);
    one.begin_read().unwrap();
    let rows = Rows::find(&one, 2);
    two.begin_read().unwrap();
    // Closing another connection must not drop the lock of the first.
    drop(open(&path));
    two.begin_write(BeginKind::Immediate).unwrap();
    rows.set(&two, 1, 7);
    assert!(matches!(one.begin_write(BeginKind::Immediate), Err(Error::Busy)));
    assert!(matches!(two.commit(), Err(Error::Busy)));
    assert_eq!(rows.get(&one, 1), 0);
    assert!(matches!(open(&path).begin_read(), Err(Error::Busy)), "a writer is waiting");
    let mut sqlite = Sqlite::open(&path);
    assert_eq!(sqlite.sql("SELECT count(*) FROM t"), "error: database is locked");
    one.end_read().unwrap();
    two.commit().unwrap();
    one.begin_read().unwrap();
    assert_eq!(rows.get(&one, 1), 7);
    drop(two);
    drop(open(&path));
    assert_eq!(sqlite.sql("BEGIN EXCLUSIVE"), "error: database is locked", "the lock of the first is still there");
    one.end_read().unwrap();
    assert_eq!(sqlite.sql("BEGIN EXCLUSIVE"), "");
    sqlite.close();
}

#[test]
fn hot_journals_of_sqlite_are_rolled_back() {
    for mmap_size in [u64::MAX, 0] {
        let folder = Folder::new();
        let path = folder.file("a.db");
        make_rows(&path, 50, "");
        let mut sqlite_process = Sqlite::open(&path);
        // A cache of one page spills: the file is changed before the commit.
        let spill = "PRAGMA cache_size=1; BEGIN; UPDATE t SET v=CAST(printf('MARK%04d%08d',id,9) AS BLOB)||zeroblob(800); \
                     INSERT INTO t SELECT id+100, v FROM t; SELECT count(*) FROM t";
        assert_eq!(sqlite_process.sql(spill), "100");
        sqlite_process.kill();
        assert!(folder.file("a.db-journal").metadata().unwrap().len() > 1000);
        let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
        pager.begin_read().unwrap();
        let rows = Rows::find(&pager, 50);
        assert_eq!(rows.all(&pager), ["0"; 50].join(" "));
        assert!(!folder.file("a.db-journal").exists());
        pager.end_read().unwrap();
        assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
    }
}

#[test]
fn a_database_in_a_read_only_folder_cannot_be_written() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 2, "");
    let pager = open_with(&path, &OpenOptions { read_only: true, ..OpenOptions::default() });
    assert!(pager.is_read_only());
    pager.begin_read().unwrap();
    assert!(matches!(pager.begin_write(BeginKind::Immediate), Err(Error::ReadOnly(_))));
}

#[test]
fn what_is_no_database_is_refused() {
    let folder = Folder::new();
    let check = |bytes: &[u8], code: lithe_pager::ResultCode| {
        let path = folder.file("x.db");
        std::fs::write(&path, bytes).unwrap();
        let error = open(&path).begin_read().unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "nothing is written");
    };
    check(b"short", lithe_pager::ResultCode::NOTADB);
    check(&[0; 5000], lithe_pager::ResultCode::NOTADB);
    let path = folder.file("good.db");
    make_rows(&path, 5, "");
    let good = std::fs::read(&path).unwrap();
    check(&good[..2048], lithe_pager::ResultCode::CORRUPT);
    let mut future = good.clone();
    future[19] = 3;
    check(&future, lithe_pager::ResultCode::NOTADB);
    let mut future_write = good;
    future_write[18] = 3;
    std::fs::write(&path, future_write).unwrap();
    let pager = open(&path);
    pager.begin_read().unwrap();
    assert!(pager.begin_write(BeginKind::Immediate).is_err());
}

#[test]
fn a_new_database() {
    let folder = Folder::new();
    let path = folder.file("new.db");
    let pager = open(&path);
    pager.begin_read().unwrap();
    assert_eq!(pager.page_count(), 0);
    pager.end_read().unwrap();
    assert!(pager.set_page_size(lithe_format::PageSize::MAX, 0));
    write(&pager, || {
        let mut page = pager.new_page(common::no(1)).unwrap();
        lithe_format::db_header::DbHeader::new(pager.page_size(), 0).write(&mut page);
        // An empty table leaf: the schema.
        page[100..108].copy_from_slice(&[13, 0, 0, 0, 0, 0, 0, 0]);
    });
    assert_eq!(sqlite(&path, "PRAGMA integrity_check; PRAGMA page_size"), "65536");
    assert_eq!(sqlite(&path, "CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA integrity_check"), "ok");
    pager.begin_read().unwrap();
    assert_eq!(pager.page_count(), 2);
}

#[test]
fn mapped_bytes_are_intact_until_a_commit() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, 3, "");
    for (mmap_size, stable) in [(u64::MAX, false), (0, true)] {
        let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
        assert_eq!(pager.borrows_are_stable(), stable);
        pager.begin_read().unwrap();
        let rows = Rows::find(&pager, 3);
        let page = pager.page(common::no(2)).unwrap();
        assert!(pager.is_current(common::no(2), &page));
        pager.begin_write(BeginKind::Immediate).unwrap();
        rows.set(&pager, 3, 1);
        assert!(pager.is_intact(&page));
        pager.commit().unwrap();
        assert_eq!(pager.is_intact(&page), stable);
        assert!(!pager.is_current(common::no(2), &page) || stable);
        pager.end_read().unwrap();
    }
}
