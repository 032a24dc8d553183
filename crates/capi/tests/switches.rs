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

use common::worlds::{listed, number, range, refuse_others, scripts};

#[test]
fn switches_have_the_same_effects() {
    refuse_others(&["SWITCHES_FIRST", "SWITCHES_WORLDS", "SWITCHES_COUNT", "SWITCHES_ALL"]);
    let count = number("SWITCHES_COUNT", 150);
    // `SWITCHES_ALL` plays the seeds, too, that are known to differ.
    let known =
        if env::var_os("SWITCHES_ALL").is_some() { Vec::new() } else { listed(include_str!("switches_known.txt")) };
    let seeds = range("SWITCHES_FIRST", "SWITCHES_WORLDS", 60).filter(|seed| !known.contains(seed));
    let scripts = scripts(seeds, |seed| format!("{seed} {count}"));
    common::recording::compare("switches", "switches_record.c", &[], scripts);
}
