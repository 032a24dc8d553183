//! Nanoseconds of the paths that every read takes: `cargo run --release --example page_paths -p lithe-pager`.
//! With an argument, only that path, a hundred thousand times, to be counted by a profiler.

mod common;

use std::hint::black_box;
use std::time::Instant;

use common::create;
use lithe_format::PageNo;
use lithe_pager::{BeginKind, JournalMode, OpenOptions, Pager};

fn main() {
    let folder = std::env::temp_dir().join(format!("lithe-hot-paths-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let only = std::env::args().nth(1);
    for mode in [JournalMode::Delete, JournalMode::Wal] {
        for mapped in [true, false] {
            let path = folder.join(format!("{mode:?}-{mapped}.db"));
            let mmap_size = if mapped { u64::MAX } else { 0 };
            let pager = create(&path, mode, &OpenOptions { mmap_size, ..OpenOptions::default() });
            let name = |what: &str| format!("{what}, {mode:?}, {}", if mapped { "mapped" } else { "buffered" });
            measure(&name("transaction"), only.as_deref(), || {
                pager.begin_read().unwrap();
                pager.end_read().unwrap();
            });
            pager.begin_read().unwrap();
            read_pages(&name("page"), only.as_deref(), &pager);
            pager.end_read().unwrap();
            pager.begin_write(BeginKind::Immediate).unwrap();
            drop(pager.write(PageNo::FIRST).unwrap());
            read_pages(&name("page beside a dirty one"), only.as_deref(), &pager);
            let same = PageNo::new(7).unwrap();
            measure(&name("write to a dirty page"), only.as_deref(), || {
                pager.write(same).unwrap()[9] = 1;
            });
            pager.rollback().unwrap();
            pager.end_read().unwrap();
            if mode == JournalMode::Wal {
                // Some pages are in the log.
                pager.begin_write(BeginKind::Immediate).unwrap();
                for n in 2..1000 {
                    pager.write(PageNo::new(n).unwrap()).unwrap()[8] = 3;
                }
                pager.commit().unwrap();
                read_pages(&name("page, a thousand frames in the log"), only.as_deref(), &pager);
                pager.end_read().unwrap();
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn read_pages(name: &str, only: Option<&str>, pager: &Pager) {
    let mut n = 0u32;
    measure(name, only, || {
        n = (n + 617) % 400;
        let page = pager.page(PageNo::new(2 + n).unwrap()).unwrap();
        black_box(page[100]);
    });
}

fn measure(name: &str, only: Option<&str>, mut work: impl FnMut()) {
    if let Some(only) = only {
        if only == name {
            (0..100_000).for_each(|_| work());
        }
        return;
    }
    let mut best = f64::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        (0..100_000).for_each(|_| work());
        best = best.min(start.elapsed().as_nanos() as f64 / 100_000.0);
    }
    println!("{best:8.1} ns  {name}");
}
