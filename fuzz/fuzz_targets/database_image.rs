//! Any bytes as a database file, through both page sources.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, run, use_all, watch};

fuzz_target!(|image: &[u8]| {
    for mapping in ["PRAGMA mmap_size = 0", "PRAGMA mmap_size = 1000000000"] {
        let Some(connection) = open(place(&[(NAME, image)])) else { continue };
        let watch = watch(&connection);
        run(&connection, mapping.as_bytes());
        use_all(&connection);
        drop(watch);
    }
});
