//! `BEGIN CONCURRENT`: writers side by side, conflicts by page.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Folder, Rows, SELECT_VALUES, make_rows, no, open, open_with, sqlite, write};
use lithe_pager::{BeginKind, CacheSize, CheckpointMode, Error, JournalMode, OpenOptions, Pager, Synchronous};
use lithe_vfs::Random;

#[test]
fn sqlite_process() {
    common::serve();
}

const ROWS: u32 = 8;

fn database(folder: &Folder) -> std::path::PathBuf {
    let path = folder.file("a.db");
    make_rows(&path, ROWS, "PRAGMA journal_mode=WAL");
    path
}

fn rows_of(pager: &Pager) -> Rows {
    pager.begin_read().unwrap();
    let rows = Rows::find(pager, ROWS);
    pager.end_read().unwrap();
    rows
}

#[test]
fn different_pages_do_not_conflict() {
    let folder = Folder::new();
    let path = database(&folder);
    let (one, two) = (open(&path), open(&path));
    let rows = rows_of(&one);
    one.begin_write(BeginKind::Concurrent).unwrap();
    two.begin_write(BeginKind::Concurrent).unwrap();
    rows.set(&one, 1, 1);
    rows.set(&two, 2, 2);
    one.commit().unwrap();
    two.commit().unwrap();
    assert_eq!(rows.all(&two), "1 2 0 0 0 0 0 0");
    one.end_read().unwrap();
    two.end_read().unwrap();
    drop((one, two));
    assert_eq!(sqlite(&path, SELECT_VALUES), "1 2 0 0 0 0 0 0");
}

#[test]
fn what_was_read_or_written_conflicts() {
    let folder = Folder::new();
    let path = database(&folder);
    let (one, two) = (open(&path), open(&path));
    let rows = rows_of(&one);
    let check = |reads: bool| {
        one.begin_write(BeginKind::Concurrent).unwrap();
        two.begin_write(BeginKind::Concurrent).unwrap();
        if reads {
            rows.get(&two, 1);
            rows.set(&two, 2, 7);
        } else {
            rows.set(&two, 1, 7);
        }
        let before = rows.get(&one, 1);
        rows.set(&one, 1, before + 1);
        one.commit().unwrap();
        one.end_read().unwrap();
        assert!(matches!(two.commit(), Err(Error::BusySnapshot)));
        assert!(two.page(no(2)).is_err(), "only a rollback is left");
        two.rollback().unwrap();
        two.end_read().unwrap();
        two.begin_read().unwrap();
        assert_eq!((rows.get(&two, 1), rows.get(&two, 2)), (before + 1, 0));
        two.end_read().unwrap();
    };
    check(true);
    check(false);
    // After a checkpoint, with the log started over in between.
    assert!(!one.checkpoint(CheckpointMode::Truncate).unwrap().busy);
    check(true);
}

#[test]
fn the_log_starts_over_under_a_transaction() {
    let folder = Folder::new();
    let path = database(&folder);
    let (one, two) = (open(&path), open(&path));
    let rows = rows_of(&one);
    for conflict in [false, true] {
        write(&one, || rows.set(&one, 5, 5));
        assert!(!one.checkpoint(CheckpointMode::Passive).unwrap().busy);
        // The snapshot needs nothing of the log.
        two.begin_write(BeginKind::Concurrent).unwrap();
        rows.set(&two, 2, 9);
        write(&one, || rows.set(&one, if conflict { 2 } else { 1 }, 8));
        let committed = two.commit();
        assert_eq!(matches!(committed, Err(Error::BusySnapshot)), conflict, "{committed:?}");
        two.end_read().unwrap();
    }
    two.begin_read().unwrap();
    assert_eq!(rows.all(&two), "8 8 0 0 5 0 0 0");
}

#[test]
fn growing_beside_others() {
    let folder = Folder::new();
    let path = database(&folder);
    let options = OpenOptions { cache_size: CacheSize::Pages(5), ..OpenOptions::default() };
    let (one, two, three) = (open_with(&path, &options), open(&path), open(&path));
    let rows = rows_of(&one);
    for pager in [&one, &two, &three] {
        pager.begin_write(BeginKind::Concurrent).unwrap();
    }
    let count = one.page_count();
    for n in 1..=50 {
        one.new_page(no(count + n)).unwrap().fill(n as u8);
    }
    two.new_page(no(count + 1)).unwrap().fill(99);
    rows.set(&three, 3, 3);
    one.commit().unwrap();
    assert!(matches!(two.commit(), Err(Error::BusySnapshot)), "both have taken the same page");
    three.commit().unwrap();
    assert_eq!(three.page_count(), count + 50);
    assert!((1..=50).all(|n| three.page(no(count + n)).unwrap()[100] == n as u8));
    assert_eq!(rows.get(&three, 3), 3);
}

#[test]
fn without_a_log_it_is_an_ordinary_transaction() {
    let folder = Folder::new();
    let path = folder.file("a.db");
    make_rows(&path, ROWS, "");
    let (one, two) = (open(&path), open(&path));
    one.begin_write(BeginKind::Concurrent).unwrap();
    assert!(matches!(two.begin_write(BeginKind::Concurrent), Err(Error::Busy)));
    assert_eq!(one.journal_mode(), JournalMode::Delete);
}

/// Transactions that read the sum of two rows and add one to one of them while the sum is small: side by side
/// they must come out as if one had run after the other.
#[test]
fn threads_serialize() {
    let folder = Folder::new();
    let path = database(&folder);
    let keeper = open(&path);
    let rows = rows_of(&keeper);
    const LIMIT: u32 = 60;
    let conflicts: u32 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                let (path, rows): (&Path, &Rows) = (&path, &rows);
                scope.spawn(move || run(path, rows, seed, LIMIT))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    keeper.begin_read().unwrap();
    for pair in 0..ROWS / 2 {
        let sum = rows.get(&keeper, 2 * pair + 1) + rows.get(&keeper, 2 * pair + 2);
        assert_eq!(sum, LIMIT, "pair {pair}, with {conflicts} conflicts");
    }
    keeper.end_read().unwrap();
    drop(keeper);
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
}

fn run(path: &Path, rows: &Rows, seed: u64, limit: u32) -> u32 {
    let mut random = Random::new(seed);
    let pager = open(path);
    pager.set_busy_timeout(Duration::from_secs(60));
    pager.set_synchronous(Synchronous::Normal);
    let mut conflicts = 0;
    let mut open_pairs: Vec<u32> = (0..ROWS / 2).collect();
    while !open_pairs.is_empty() {
        let at = random.below(open_pairs.len() as u64) as usize;
        let pair = open_pairs[at];
        let (left, right) = (2 * pair + 1, 2 * pair + 2);
        pager.begin_write(BeginKind::Concurrent).unwrap();
        let (a, b) = (rows.get(&pager, left), rows.get(&pager, right));
        if a + b >= limit {
            open_pairs.swap_remove(at);
            pager.rollback().unwrap();
        } else {
            if random.one_in(2) {
                rows.set(&pager, left, a + 1)
            } else {
                rows.set(&pager, right, b + 1)
            }
            match pager.commit() {
                Ok(()) => {}
                Err(Error::BusySnapshot) => conflicts += 1,
                Err(error) => panic!("{error}"),
            }
        }
        pager.end_read().unwrap();
        if random.one_in(20) {
            pager.checkpoint(CheckpointMode::Passive).unwrap();
        }
    }
    conflicts
}

/// Page 1, as another process has written it, is read from the log, and not from the pool, which has page 1 of the snapshot
/// before.
#[test]
fn page_1_as_another_process_has_made_it() {
    for mmap_size in [u64::MAX, 0] {
        let folder = Folder::new();
        let path = database(&folder);
        let pager = open_with(&path, &OpenOptions { mmap_size, ..OpenOptions::default() });
        pager.begin_write(BeginKind::Concurrent).unwrap();
        // As a transaction does that allocates or frees pages.
        drop(pager.write(no(1)).unwrap());
        sqlite(&path, "PRAGMA user_version=7");
        assert!(matches!(pager.commit(), Err(Error::BusySnapshot)), "mapped: {}", mmap_size > 0);
        pager.rollback().unwrap();
        pager.end_read().unwrap();
        drop(pager);
        assert_eq!(sqlite(&path, "PRAGMA user_version"), "7");
    }
}
