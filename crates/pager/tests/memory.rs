//! Transactions and savepoints on a database without a file.

use lithe_format::PageNo;
use lithe_pager::{BeginKind, OpenOptions, Pager};

fn no(n: u32) -> PageNo {
    PageNo::new(n).unwrap()
}

fn pager() -> Pager {
    let pager = Pager::open_in_memory(&OpenOptions::default());
    pager.begin_write(BeginKind::Immediate).unwrap();
    for n in 1..=3 {
        pager.new_page(no(n)).unwrap()[0] = n as u8;
    }
    pager.commit().unwrap();
    pager.end_read().unwrap();
    pager
}

/// The first byte of every page.
fn content(pager: &Pager) -> Vec<u8> {
    (1..=pager.page_count()).map(|n| pager.page(no(n)).unwrap()[0]).collect()
}

#[test]
fn commit_and_rollback() {
    let pager = pager();
    pager.begin_read().unwrap();
    assert_eq!(content(&pager), [1, 2, 3]);
    pager.begin_write(BeginKind::Immediate).unwrap();
    pager.write(no(2)).unwrap()[0] = 20;
    pager.new_page(no(4)).unwrap()[0] = 4;
    assert_eq!(content(&pager), [1, 20, 3, 4]);
    pager.rollback().unwrap();
    assert_eq!(content(&pager), [1, 2, 3]);
    pager.begin_write(BeginKind::Immediate).unwrap();
    pager.write(no(2)).unwrap()[0] = 20;
    pager.set_page_count(2).unwrap();
    pager.commit().unwrap();
    assert_eq!(content(&pager), [1, 20]);
}

#[test]
fn a_reference_keeps_what_it_saw() {
    let pager = pager();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let clean = pager.page(no(1)).unwrap();
    pager.write(no(1)).unwrap()[0] = 10;
    let dirty = pager.page(no(1)).unwrap();
    let version = pager.write_version();
    pager.write(no(1)).unwrap()[0] = 11;
    assert_ne!(pager.write_version(), version);
    let newest = pager.page(no(1)).unwrap();
    assert_eq!((clean[0], dirty[0], newest[0]), (1, 10, 11));
    assert!(!pager.is_current(no(1), &clean) && !pager.is_current(no(1), &dirty) && pager.is_current(no(1), &newest));
    pager.commit().unwrap();
    assert_eq!((clean[0], dirty[0], newest[0]), (1, 10, 11));
    assert!(pager.is_current(no(1), &newest));
}

#[test]
fn nested_savepoints() {
    let pager = pager();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let set = |n: u32, byte: u8| pager.write(no(n)).unwrap()[0] = byte;
    set(1, 10);
    assert_eq!(pager.savepoint().unwrap(), 0);
    set(1, 11);
    set(2, 21);
    assert_eq!(pager.savepoint().unwrap(), 1);
    set(2, 22);
    set(3, 32);
    pager.new_page(no(4)).unwrap()[0] = 42;
    assert_eq!(content(&pager), [11, 22, 32, 42]);
    pager.rollback_to(1).unwrap();
    assert_eq!(content(&pager), [11, 21, 3]);
    set(3, 33);
    pager.release(1).unwrap();
    assert_eq!(content(&pager), [11, 21, 33]);
    set(3, 34);
    pager.rollback_to(0).unwrap();
    assert_eq!(content(&pager), [10, 2, 3]);
    set(2, 25);
    pager.release(0).unwrap();
    assert_eq!(pager.savepoint_count(), 0);
    pager.commit().unwrap();
    assert_eq!(content(&pager), [10, 25, 3]);
}

#[test]
fn rolling_back_several_savepoints_at_once() {
    let pager = pager();
    pager.begin_write(BeginKind::Immediate).unwrap();
    for depth in 0..5u8 {
        pager.savepoint().unwrap();
        pager.write(no(1)).unwrap()[0] = 100 + depth;
    }
    pager.rollback_to(3).unwrap();
    assert_eq!((content(&pager)[0], pager.savepoint_count()), (102, 4));
    pager.rollback_to(0).unwrap();
    assert_eq!((content(&pager)[0], pager.savepoint_count()), (1, 1));
}

#[test]
fn released_savepoints_are_undone_by_the_one_below() {
    let pager = pager();
    pager.begin_write(BeginKind::Immediate).unwrap();
    pager.savepoint().unwrap();
    pager.savepoint().unwrap();
    pager.write(no(1)).unwrap()[0] = 9;
    pager.release(1).unwrap();
    pager.savepoint().unwrap();
    pager.write(no(1)).unwrap()[0] = 8;
    pager.release(1).unwrap();
    pager.rollback_to(0).unwrap();
    assert_eq!(content(&pager), [1, 2, 3]);
}

/// A temporary database does not stay in memory as a whole, nor does a transaction on it.
#[test]
#[cfg_attr(miri, ignore = "a file of the system")]
fn a_temporary_database_larger_than_its_cache() {
    let options = OpenOptions { cache_size: lithe_pager::CacheSize::Pages(20), ..OpenOptions::default() };
    let pager = Pager::open_temporary(std::sync::Arc::new(lithe_vfs::UnixVfs), &options);
    let stamp = |n: u32, round: u32| (n * 7 + round).to_le_bytes();
    for round in 0..3 {
        pager.begin_write(BeginKind::Immediate).unwrap();
        for n in 1..=500 {
            let mut page =
                if n > pager.page_count() { pager.new_page(no(n)).unwrap() } else { pager.write(no(n)).unwrap() };
            page[..4].copy_from_slice(&stamp(n, round));
            page[4000..4004].copy_from_slice(&stamp(n, round));
        }
        pager.savepoint().unwrap();
        for n in (1..=500).step_by(3) {
            pager.write(no(n)).unwrap().fill(0xee);
        }
        pager.rollback_to(0).unwrap();
        if round == 1 {
            pager.rollback().unwrap();
        } else {
            pager.commit().unwrap();
        }
        let seen = if round == 2 { 2 } else { 0 };
        for n in 1..=500 {
            let page = pager.page(no(n)).unwrap();
            assert_eq!(
                (&page[..4], &page[4000..4004]),
                (&stamp(n, seen)[..], &stamp(n, seen)[..]),
                "page {n} in round {round}"
            );
        }
    }
    pager.begin_write(BeginKind::Immediate).unwrap();
    pager.set_page_count(3).unwrap();
    pager.commit().unwrap();
    assert_eq!(pager.page(no(3)).unwrap()[..4], stamp(3, 2));
}

/// A memo belongs to the bytes that its writer has left, and is cleared with them.
#[test]
fn a_memo_goes_with_the_bytes() {
    let pager = pager();
    pager.begin_write(BeginKind::Immediate).unwrap();
    let memo = |n: u32| pager.write_with_memo(no(n)).unwrap().memo();
    let leave = |n: u32, memo: u32| pager.write_with_memo(no(n)).unwrap().set_memo(memo);
    assert_eq!(memo(1), 0, "a page that comes into the dirty set");
    leave(1, 7);
    assert_eq!(memo(1), 7);
    drop(pager.write(no(1)).unwrap());
    assert_eq!(memo(1), 0, "somebody has written who knows nothing of it");
    leave(1, 8);
    pager.savepoint().unwrap();
    assert_eq!(memo(1), 8);
    pager.write_with_memo(no(1)).unwrap()[0] = 99;
    leave(1, 9);
    pager.rollback_to(0).unwrap();
    assert_eq!((memo(1), content(&pager)[0]), (0, 1), "the bytes are others");
    leave(2, 5);
    drop(pager.new_page(no(2)).unwrap());
    assert_eq!(memo(2), 0, "a page of zeros");
    leave(2, 6);
    pager.rollback().unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    assert_eq!(memo(2), 0, "another transaction");
}
