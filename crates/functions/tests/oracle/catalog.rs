//! The list of functions: names, numbers of arguments, types and flags as in PRAGMA function_list.

use std::collections::BTreeSet;

use lithe_functions::Registry;

use crate::scalars::is_optional;
use crate::support::oracle;

#[test]
fn the_functions_of_a_default_build() {
    let oracle = oracle();
    let statement =
        oracle.prepare("SELECT name, narg, type, flags FROM pragma_function_list WHERE builtin OR name = 'match'");
    let mut statement = statement.unwrap();
    let theirs: BTreeSet<(String, i32, String, u32)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let ours: BTreeSet<_> = Registry::builtin()
        .iter()
        .map(|f| (f.name().to_owned(), f.argument_count(), f.kind_letter().to_owned(), f.public_flags()))
        .collect();
    let missing: Vec<_> = theirs.difference(&ours).collect();
    let surplus: Vec<_> = ours.difference(&theirs).filter(|(name, ..)| !is_optional(name)).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:?}\nsurplus {surplus:?}");
}
