//! Any bytes as the hot journal beside a database in the middle of a commit: as they are, and with checksums that are right.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lithe_fuzz::{NAME, open, place, sample, seal, use_all, watch};

static DATABASE: LazyLock<Vec<u8>> = LazyLock::new(|| sample::with_journal().0);

fuzz_target!(|journal: &[u8]| {
    let mut sealed = journal.to_vec();
    seal::journal(&mut sealed);
    let as_it_is = (sealed != journal).then_some(journal);
    for journal in as_it_is.into_iter().chain([&sealed[..]]) {
        let Some(connection) = open(place(&[(NAME, &DATABASE), ("/fuzz.db-journal", journal)])) else { return };
        let watch = watch(&connection);
        use_all(&connection);
        drop(watch);
    }
});
