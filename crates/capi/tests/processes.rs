//! Two processes with two connections each on one database, step by step: what each open statement sees while others commit, who is refused, and
//! what a checkpoint or a change of the journal mode does beside them. This library and SQLite's answer alike.
//!
//! `processes_record.c` makes the steps from a seed and prints the answers. `PROCESSES_FIRST` and `PROCESSES_WORLDS` choose the seeds,
//! `PROCESSES_COUNT` the number of steps of each.

mod common;

use common::worlds::{number, range, refuse_others, scripts};

#[test]
fn processes_see_the_same() {
    refuse_others(&["PROCESSES_FIRST", "PROCESSES_WORLDS", "PROCESSES_COUNT"]);
    let count = number("PROCESSES_COUNT", 150);
    let seeds = range("PROCESSES_FIRST", "PROCESSES_WORLDS", 40);
    let scripts = scripts(seeds, |seed| format!("{seed} {count} 0"));
    common::recording::compare("processes", "processes_record.c", &[], scripts);
}
