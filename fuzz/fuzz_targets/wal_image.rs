//! Any bytes as the log beside a sound database.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, sample, use_all, watch};

static DATABASE: LazyLock<Vec<u8>> = LazyLock::new(|| sample::with_log().0);

fuzz_target!(|log: &[u8]| {
    let Some(connection) = open(place(&[(NAME, &DATABASE), ("/fuzz.db-wal", log)])) else { return };
    let watch = watch(&connection);
    use_all(&connection);
    drop(watch);
});
