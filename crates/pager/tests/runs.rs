//! Reading several pages in one go.

mod common;

use common::{Folder, no, open_with};
use lithe_format::PageSize;
use lithe_format::db_header::DbHeader;
use lithe_pager::{BeginKind, CacheSize, JournalMode, OpenOptions, Pager};

const COUNT: u32 = 60;

fn fill(pager: &Pager, pages: std::ops::RangeInclusive<u32>, seed: u8) {
    for n in pages {
        let new = n > pager.page_count();
        let mut page = if new { pager.new_page(no(n)).unwrap() } else { pager.write(no(n)).unwrap() };
        for (at, byte) in page.iter_mut().enumerate() {
            *byte = (at as u8).wrapping_mul(7) ^ (n as u8) ^ seed;
        }
        if n == 1 {
            DbHeader::new(pager.page_size(), pager.reserved()).write(&mut page);
        }
    }
}

/// A run has the same content as the pages one by one.
fn check(pager: &Pager, content_len: usize) -> usize {
    let mut in_runs = 0;
    for first in 2..=COUNT {
        for (count, cut) in [(2, 0), (2, 700), (5, 0), (9, 100), (40, 1)] {
            let mut heads = vec![[0xee; 4]; count];
            let mut content = vec![0xee; count * content_len - cut];
            let done = pager.read_run(no(first), &mut heads, content_len, &mut content).unwrap();
            assert!(done <= count && first as usize + done - 1 <= COUNT as usize);
            for (at, head) in heads.iter().enumerate().take(done) {
                let page = pager.page(no(first + at as u32)).unwrap();
                assert_eq!(*head, page[..4], "page {first} + {at}");
                let got = content.chunks(content_len).nth(at).unwrap();
                assert_eq!(got, &page[4..][..got.len()], "page {first} + {at}");
            }
            in_runs += done;
        }
    }
    in_runs
}

#[test]
fn runs() {
    for mode in [JournalMode::Delete, JournalMode::Wal] {
        for (mmap_size, reserved) in [(0, 0), (0, 12), (0, 200), (u64::MAX, 0)] {
            let folder = Folder::new();
            let options = OpenOptions { mmap_size, cache_size: CacheSize::Pages(16), ..OpenOptions::default() };
            let pager = open_with(&folder.file("a.db"), &options);
            pager.set_page_size(PageSize::new(1024).unwrap(), reserved);
            pager.begin_write(BeginKind::Immediate).unwrap();
            fill(&pager, 1..=COUNT, 0);
            pager.commit().unwrap();
            pager.end_read().unwrap();
            pager.set_journal_mode(mode).unwrap();
            let content_len = pager.usable_size() as usize - 4;
            pager.begin_read().unwrap();
            assert_eq!(check(&pager, content_len) > 0, mmap_size == 0);
            pager.end_read().unwrap();
            // Some pages in the log, in order and not, some dirty, some spilled.
            for part in [10..=20, 30..=40, 12..=14] {
                pager.begin_write(BeginKind::Immediate).unwrap();
                fill(&pager, part, 9);
                check(&pager, content_len);
                pager.commit().unwrap();
                assert_eq!(check(&pager, content_len) > 0, mmap_size == 0);
                pager.end_read().unwrap();
            }
        }
    }
}
