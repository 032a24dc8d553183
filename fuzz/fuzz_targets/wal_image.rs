//! Any bytes as the log beside a sound database: as they are, and with checksums that are right.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, sample, seal, use_all, watch};

static DATABASE: LazyLock<Vec<u8>> = LazyLock::new(|| sample::with_log().0);

fuzz_target!(|log: &[u8]| {
    let mut sealed = log.to_vec();
    seal::log(&mut sealed);
    let as_it_is = (sealed != log).then_some(log);
    for log in as_it_is.into_iter().chain([&sealed[..]]) {
        let Some(connection) = open(place(&[(NAME, &DATABASE), ("/fuzz.db-wal", log)])) else { return };
        let watch = watch(&connection);
        use_all(&connection);
        drop(watch);
    }
});
