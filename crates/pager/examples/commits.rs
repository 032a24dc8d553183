//! Commits a second, by mode and number of writers: `cargo run --release --example commits -p lithe-pager [folder]`.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{PAGES, create};
use lithe_format::PageNo;
use lithe_pager::{BeginKind, CheckpointMode, JournalMode, OpenOptions, Pager, Synchronous};
use lithe_vfs::UnixVfs;

fn main() {
    let parent = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = parent.join(format!("lithe-commits-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    for (mode, synchronous) in [
        (JournalMode::Delete, Synchronous::Full),
        (JournalMode::Persist, Synchronous::Full),
        (JournalMode::Delete, Synchronous::Off),
        (JournalMode::Wal, Synchronous::Full),
        (JournalMode::Wal, Synchronous::Normal),
    ] {
        for writers in [1, 2, 8] {
            if writers > 1 && mode != JournalMode::Wal {
                continue;
            }
            let path = folder.join("a.db");
            drop(create(&path, mode, &OpenOptions::default()));
            let start = Instant::now();
            let total: u32 = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..writers)
                    .map(|seed| {
                        scope.spawn({
                            let path = &path;
                            move || write(path, mode, synchronous, seed)
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            let rate = f64::from(total) / start.elapsed().as_secs_f64();
            println!("{rate:10.0} commits a second, {mode:?} {synchronous:?}, {writers} writers");
            let _ = std::fs::remove_file(&path);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn open(path: &Path) -> Pager {
    Pager::open(Arc::new(UnixVfs), path, &OpenOptions::default()).unwrap()
}

/// Two pages a transaction, for a second, with checkpoints as SQLite makes them.
fn write(path: &Path, mode: JournalMode, synchronous: Synchronous, seed: u32) -> u32 {
    let pager = open(path);
    if mode != JournalMode::Wal {
        pager.set_journal_mode(mode).unwrap();
    }
    pager.set_synchronous(synchronous);
    pager.set_busy_timeout(Duration::from_secs(10));
    let end = Instant::now() + Duration::from_secs(1);
    let mut commits = 0;
    let mut n = seed;
    while Instant::now() < end {
        pager.begin_write(BeginKind::Immediate).unwrap();
        for _ in 0..2 {
            n = (n.wrapping_mul(2_654_435_761).wrapping_add(12345)) % (PAGES - 1);
            pager.write(PageNo::new(2 + n).unwrap()).unwrap()[200] = n as u8;
        }
        pager.commit().unwrap();
        pager.end_read().unwrap();
        commits += 1;
        if pager.log_frames().is_some_and(|frames| frames > 1000) {
            pager.checkpoint(CheckpointMode::Passive).unwrap();
        }
    }
    commits
}
