//! Random queries and changes of virtual tables of an application, among ordinary tables: this library and SQLite's give the same rows.
//!
//! `modules_record.c` has the module, which takes what the bits of its argument say (equalities, ranges, IN as a whole, any order, LIMIT), and makes
//! the statements from a seed. `MODULES_FIRST` and `MODULES_WORLDS` choose the seeds, `MODULES_COUNT` the number of statements of each.
//!
//! Not in it: RIGHT and FULL JOIN, in which the tables are asked otherwise; columns of REAL affinity with integers; what xBestIndex is
//! asked (without QUIET the program prints it).

mod common;

use common::worlds::{number, range, refuse_others, scripts};

/// Seeds that are known to differ: two orders of nested loops of equal cost, and the rows of EXISTS loops.
const KNOWN: [u64; 2] = [103, 442];

#[test]
fn modules_are_used_alike() {
    refuse_others(&["MODULES_FIRST", "MODULES_WORLDS", "MODULES_COUNT"]);
    let count = number("MODULES_COUNT", 60);
    let seeds = range("MODULES_FIRST", "MODULES_WORLDS", 400).filter(|seed| !KNOWN.contains(seed));
    let scripts = scripts(seeds, |seed| format!("{seed} {count} quiet"));
    common::recording::compare("modules", "modules_record.c", &[], scripts);
}
