//! Transactions larger than the cache.

mod common;

use common::{Folder, make_rows, no, open_with, sqlite};
use lithe_pager::{BeginKind, CacheSize, CheckpointMode, JournalMode, OpenOptions, Pager};

#[test]
fn sqlite_process() {
    common::serve();
}

fn stamp(n: u32, round: u32) -> u8 {
    (n.wrapping_mul(31) + round) as u8
}

fn check(pager: &Pager, first: u32, count: u32, round: u32) {
    for n in first..first + count {
        let page = pager.page(no(n)).unwrap();
        assert!(page.iter().all(|&byte| byte == stamp(n, round)), "page {n}");
    }
}

/// Pages are added behind what SQLite made, filled, changed again, and cut off again.
#[test]
fn spilled_pages_come_back() {
    for mode in [JournalMode::Delete, JournalMode::Persist, JournalMode::Memory, JournalMode::Wal] {
        for mmap_size in [u64::MAX, 0] {
            let folder = Folder::new();
            let path = folder.file("a.db");
            make_rows(&path, 20, "");
            let options = OpenOptions { mmap_size, cache_size: CacheSize::Pages(50), ..OpenOptions::default() };
            let pager = open_with(&path, &options);
            pager.set_journal_mode(mode).unwrap();
            pager.begin_read().unwrap();
            let first = pager.page_count() + 1;
            let before: Vec<Vec<u8>> = (1..first).map(|n| pager.page(no(n)).unwrap().to_vec()).collect();
            pager.end_read().unwrap();
            for round in 0..3 {
                pager.begin_write(BeginKind::Immediate).unwrap();
                for n in first..first + 1000 {
                    let new = n > pager.page_count();
                    let mut page = if new { pager.new_page(no(n)).unwrap() } else { pager.write(no(n)).unwrap() };
                    page.fill(stamp(n, round));
                }
                pager.savepoint().unwrap();
                for n in 2..first + 500 {
                    pager.write(no(n)).unwrap().fill(0xaa);
                }
                assert_eq!(pager.page(no(first + 3)).unwrap()[5], 0xaa);
                pager.rollback_to(0).unwrap();
                check(&pager, first, 1000, round);
                if round == 1 {
                    pager.rollback().unwrap();
                    check(&pager, first, 1000, 0);
                } else {
                    pager.commit().unwrap();
                    check(&pager, first, 1000, round);
                }
                pager.end_read().unwrap();
            }
            let other = open_with(&path, &options);
            other.begin_read().unwrap();
            check(&other, first, 1000, 2);
            other.end_read().unwrap();
            pager.begin_write(BeginKind::Immediate).unwrap();
            pager.set_page_count(first - 1).unwrap();
            pager.commit().unwrap();
            for n in 1..first {
                // Page 1 counts transactions.
                let from = if n == 1 { 100 } else { 0 };
                assert_eq!(pager.page(no(n)).unwrap()[from..], before[n as usize - 1][from..], "page {n}");
            }
            pager.end_read().unwrap();
            pager.checkpoint(CheckpointMode::Passive).unwrap();
            drop((pager, other));
            assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok", "{mode:?}");
        }
    }
}

/// Without a journal pages go to their place before the commit, unless a reader or a savepoint may need the old ones.
#[test]
fn pages_in_place() {
    // What prevents it: a reader in this process, pages that this connection has read, or a savepoint.
    for (mmap_size, reader, reads_first, savepoint) in [
        (u64::MAX, false, false, false),
        (0, false, true, false),
        (u64::MAX, true, false, false),
        (u64::MAX, false, true, false),
        (u64::MAX, false, false, true),
    ] {
        let is_free = !reader && !savepoint && (!reads_first || mmap_size == 0);
        let case = format!("mapped {mmap_size} reader {reader} reads first {reads_first} savepoint {savepoint}");
        let folder = Folder::new();
        let path = folder.file("a.db");
        make_rows(&path, 400, "");
        let options = OpenOptions { mmap_size, cache_size: CacheSize::Pages(50), ..OpenOptions::default() };
        let pager = open_with(&path, &options);
        pager.set_journal_mode(JournalMode::Off).unwrap();
        let other = open_with(&path, &options);
        if reader {
            other.begin_read().unwrap();
        }
        if reads_first {
            pager.begin_read().unwrap();
            pager.page(no(20)).unwrap();
        }
        pager.begin_write(BeginKind::Immediate).unwrap();
        if savepoint {
            pager.savepoint().unwrap();
        }
        let standing = pager.page(no(20)).unwrap();
        let before = standing.to_vec();
        for n in 10..310 {
            pager.write(no(n)).unwrap().fill(stamp(n, 1));
        }
        assert_eq!(*standing, *before, "what is read stays as it was: {case}");
        check(&pager, 10, 300, 1);
        let in_file = std::fs::read(&path).unwrap();
        let written = (10..310).filter(|&n| in_file[1024 * (n as usize - 1)] == stamp(n, 1)).count();
        assert_eq!(written > 200, is_free, "{case}: {written} pages");
        if reader {
            assert_eq!(other.page(no(20)).unwrap()[..], before[..]);
            other.end_read().unwrap();
        }
        pager.commit().unwrap();
        check(&pager, 10, 300, 1);
        pager.end_read().unwrap();
        other.begin_read().unwrap();
        check(&other, 10, 300, 1);
        other.end_read().unwrap();
        // A rollback is not possible, only a commit.
        pager.begin_write(BeginKind::Immediate).unwrap();
        for n in 10..310 {
            pager.write(no(n)).unwrap().fill(stamp(n, 2));
        }
        pager.rollback().unwrap();
        pager.end_read().unwrap();
        pager.begin_write(BeginKind::Immediate).unwrap();
        for n in 10..310 {
            pager.write(no(n)).unwrap().fill(stamp(n, 3));
        }
        pager.commit().unwrap();
        check(&pager, 10, 300, 3);
        pager.end_read().unwrap();
        other.begin_read().unwrap();
        check(&other, 10, 300, 3);
        assert_eq!(sqlite(&path, "PRAGMA page_count"), pager.page_count().to_string());
    }
}
