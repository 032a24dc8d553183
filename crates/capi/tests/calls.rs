//! Random calls of the C interface, of two connections to one file with statements, BLOB handles, backups, functions, hooks and the authorizer: this
//! library and SQLite's answer alike.
//!
//! `calls_record.c` makes the calls from a seed and prints the answers. `CALLS_FIRST` and `CALLS_WORLDS` choose the seeds, `CALLS_COUNT` the
//! number of calls of each.

mod common;

use std::env;

use common::worlds::{listed, number, range, refuse_others, scripts};

#[test]
fn random_calls_are_answered_alike() {
    refuse_others(&["CALLS_FIRST", "CALLS_WORLDS", "CALLS_COUNT", "CALLS_ALL"]);
    let count = number("CALLS_COUNT", 100);
    // `CALLS_ALL` plays the seeds, too, that are known to differ.
    let known = if env::var_os("CALLS_ALL").is_some() { Vec::new() } else { listed(include_str!("calls_known.txt")) };
    let seeds = range("CALLS_FIRST", "CALLS_WORLDS", 150).filter(|seed| !known.contains(seed));
    let scripts = scripts(seeds, |seed| format!("{seed} {count}"));
    common::recording::compare("calls", "calls_record.c", &[], scripts);
}
