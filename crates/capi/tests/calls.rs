//! Random calls of the C interface, of two connections to one file with statements, BLOB handles, backups, functions, hooks and the authorizer: this
//! library and SQLite's answer alike.
//!
//! `calls_record.c` makes the calls from a seed and prints the answers. `CALLS_FIRST` and `CALLS_WORLDS` choose the seeds, `CALLS_COUNT` the
//! number of calls of each.

mod common;

use std::env;

#[test]
fn random_calls_are_answered_alike() {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_known = ["CALLS_FIRST", "CALLS_WORLDS", "CALLS_COUNT", "CALLS_ALL"].contains(&&*name);
        assert!(is_known || !name.starts_with("CALLS_"), "the test does not read {name}");
    }
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("CALLS_FIRST", 0), number("CALLS_COUNT", 100));
    let known = known_to_differ();
    let seeds = (first..first + number("CALLS_WORLDS", 150)).filter(|seed| !known.contains(seed));
    let scripts = seeds.map(|seed| (format!("seed {seed}"), vec![format!("{seed} {count}")]));
    common::recording::compare("calls", "calls_record.c", &[], scripts);
}

/// The seeds of `calls_known.txt`, which are known to differ, each with a reason; `CALLS_ALL` plays them, too.
fn known_to_differ() -> Vec<u64> {
    if env::var_os("CALLS_ALL").is_some() {
        return Vec::new();
    }
    include_str!("calls_known.txt").lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}
