//! Random queries and changes of virtual tables of an application, among ordinary tables: this library and SQLite's give the same rows.
//!
//! `modules_record.c` has the module, which takes what the bits of its argument say (equalities, ranges, IN as a whole, any order, LIMIT), and makes
//! the statements from a seed. `MODULES_FIRST` and `MODULES_WORLDS` choose the seeds, `MODULES_COUNT` the number of statements of each.
//!
//! Not in it: RIGHT and FULL JOIN, in which the tables are asked otherwise; columns of REAL affinity with integers; what xBestIndex is
//! asked (without QUIET the program prints it).

mod common;

use std::env;

/// Seeds that are known to differ: two orders of nested loops of equal cost, and the rows of EXISTS loops.
const KNOWN: [u64; 2] = [103, 442];

#[test]
fn modules_are_used_alike() {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_known = ["MODULES_FIRST", "MODULES_WORLDS", "MODULES_COUNT"].contains(&&*name);
        assert!(is_known || !name.starts_with("MODULES_"), "the test does not read {name}");
    }
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, count) = (number("MODULES_FIRST", 0), number("MODULES_COUNT", 60));
    let seeds = (first..first + number("MODULES_WORLDS", 400)).filter(|seed| !KNOWN.contains(seed));
    let scripts = seeds.map(|seed| (format!("seed {seed}"), vec![format!("{seed} {count} quiet")]));
    common::recording::compare("modules", "modules_record.c", &[], scripts);
}
