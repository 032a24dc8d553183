//! Any bytes as the hot journal beside a database in the middle of a transaction.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, sample, use_all, watch};

static DATABASE: LazyLock<Vec<u8>> = LazyLock::new(|| sample::with_journal().0);

fuzz_target!(|journal: &[u8]| {
    let Some(connection) = open(place(&[(NAME, &DATABASE), ("/fuzz.db-journal", journal)])) else { return };
    let watch = watch(&connection);
    use_all(&connection);
    drop(watch);
});
