//! Random statements between which the switches of sqlite3_db_config() are thrown: this library and SQLite's answer alike.
//!
//! `switches_record.c` makes the steps from a seed and prints the answers. `SWITCHES_FIRST` and `SWITCHES_WORLDS` choose the seeds,
//! `SWITCHES_COUNT` the number of steps of each.
//!
//! Not generated, because it is known to differ: rows of the schema table that mean something else than before (SQLite notices them at other
//! times), functions that are not trusted in definitions of tables and indexes (SQLite finds the whole schema malformed), the switch of scan
//! status (on in SQLite, in builds that have it), that of the legacy file format (off once SQLite reads the schema of a newer file again).

mod common;

use std::env;

#[test]
fn switches_have_the_same_effects() {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_known = ["SWITCHES_FIRST", "SWITCHES_WORLDS", "SWITCHES_COUNT", "SWITCHES_ALL"].contains(&&*name);
        assert!(is_known || !name.starts_with("SWITCHES_"), "the test does not read {name}");
    }
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("SWITCHES_FIRST", 0), number("SWITCHES_COUNT", 150));
    let known = known_to_differ();
    let seeds = (first..first + number("SWITCHES_WORLDS", 60)).filter(|seed| !known.contains(seed));
    let scripts = seeds.map(|seed| (format!("seed {seed}"), vec![format!("{seed} {count}")]));
    common::recording::compare("switches", "switches_record.c", &[], scripts);
}

/// The seeds of `switches_known.txt`, which are known to differ, each with a reason; `SWITCHES_ALL` plays them, too.
fn known_to_differ() -> Vec<u64> {
    if env::var_os("SWITCHES_ALL").is_some() {
        return Vec::new();
    }
    include_str!("switches_known.txt").lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}
