//! One transaction of 100,000 pages through a small cache: `cargo run --release --example large -p lithe-pager [folder]`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use lithe_format::db_header::DbHeader;
use lithe_format::{PageNo, PageSize};
use lithe_pager::{BeginKind, CacheSize, JournalMode, OpenOptions, Pager, Synchronous};
use lithe_vfs::UnixVfs;

const PAGES: u32 = 100_000;

fn main() {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = parent.join(format!("lithe-large-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    for mode in [JournalMode::Delete, JournalMode::Wal] {
        for cache in [CacheSize::KiB(2000), CacheSize::Pages(200_000)] {
            let path = folder.join(format!("{mode:?}-{cache:?}.db"));
            let options = OpenOptions { cache_size: cache, ..OpenOptions::default() };
            let pager = Pager::open(Arc::new(UnixVfs), &path, &options).unwrap();
            pager.begin_write(BeginKind::Immediate).unwrap();
            DbHeader::new(PageSize::DEFAULT, 0).write(&mut pager.new_page(PageNo::FIRST).unwrap());
            pager.commit().unwrap();
            pager.end_read().unwrap();
            pager.set_journal_mode(mode).unwrap();
            pager.set_synchronous(Synchronous::Off);
            for what in ["added", "rewritten"] {
                let start = Instant::now();
                pager.begin_write(BeginKind::Immediate).unwrap();
                for n in 2..=PAGES {
                    let no = PageNo::new(n).unwrap();
                    let mut page = if what == "added" { pager.new_page(no) } else { pager.write(no) }.unwrap();
                    page[..8].copy_from_slice(&u64::from(n).to_le_bytes());
                }
                let written = start.elapsed();
                pager.commit().unwrap();
                pager.end_read().unwrap();
                let per_page = |time: std::time::Duration| time.as_nanos() as f64 / f64::from(PAGES) / 1000.0;
                println!(
                    "{:6.2} µs a page, {:.2} of it in the commit: {what}, {mode:?}, {cache:?}",
                    per_page(start.elapsed()),
                    per_page(start.elapsed() - written)
                );
            }
            drop(pager);
            std::fs::remove_file(&path).unwrap();
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
