//! Two processes with two connections each on one database, step by step: what each open statement sees while others commit, who is refused, and
//! what a checkpoint or a change of the journal mode does beside them. This library and SQLite's answer alike.
//!
//! `processes_record.c` makes the steps from a seed and prints the answers. `PROCESSES_FIRST` and `PROCESSES_WORLDS` choose the seeds,
//! `PROCESSES_COUNT` the number of steps of each.

mod common;

use std::env;

#[test]
fn processes_see_the_same() {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_known = ["PROCESSES_FIRST", "PROCESSES_WORLDS", "PROCESSES_COUNT"].contains(&&*name);
        assert!(is_known || !name.starts_with("PROCESSES_"), "the test does not read {name}");
    }
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("PROCESSES_FIRST", 0), number("PROCESSES_COUNT", 150));
    let seeds = first..first + number("PROCESSES_WORLDS", 40);
    let scripts = seeds.map(|seed| (format!("seed {seed}"), vec![format!("{seed} {count} 0")]));
    common::recording::compare("processes", "processes_record.c", &[], scripts);
}
