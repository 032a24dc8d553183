//! Somebody scribbles over the shared memory of a database in use: six bytes a change, place and value.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, run, sample, use_all, watch};
use lithe_vfs::{OpenFlags, Vfs};

static FILES: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(sample::with_log);

fuzz_target!(|changes: &[u8]| {
    let vfs = place(&[(NAME, &FILES.0), ("/fuzz.db-wal", &FILES.1)]);
    let Some(keeper) = open(vfs.clone()) else { return };
    let watch_keeper = watch(&keeper);
    run(&keeper, b"SELECT count(*) FROM t");
    let flags = OpenFlags::MAIN_DB | OpenFlags::READWRITE;
    let file = vfs.open(Some(Path::new(NAME)), flags).expect("the database").file;
    if let Ok(Some(region)) = file.shm_map(0, false) {
        let words = region.words();
        for change in changes.chunks_exact(6) {
            // Mostly the headers and the first page numbers: most of the rest is never looked at.
            let at = usize::from(u16::from_be_bytes([change[0], change[1]]));
            let at = if at & 1 == 0 { at / 2 % 80 } else { at % words.len() };
            let value = u32::from_be_bytes([change[2], change[3], change[4], change[5]]);
            words[at].store(value, Ordering::Relaxed);
        }
        // A header is believed when its two copies agree: make them.
        for at in 0..12 {
            words[12 + at].store(words[at].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    run(&keeper, b"SELECT count(*) FROM t; PRAGMA integrity_check; INSERT INTO t(b) VALUES('a')");
    let Some(other) = open(vfs) else { return };
    let watch_other = watch(&other);
    use_all(&other);
    use_all(&keeper);
    drop((watch_keeper, watch_other));
});
