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
