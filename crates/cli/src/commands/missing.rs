//! The commands of `sqlite3` that the shell does not have yet. Each says which part of the engine it lacks.

use super::usage;
use crate::shell::Shell;

type Result = std::result::Result<(), String>;

fn missing(name: &str, arguments: &[String], count: std::ops::RangeInclusive<usize>, reason: &str) -> Result {
    Err(if count.contains(&arguments.len()) { format!("not supported yet: {reason}") } else { usage(name) })
}

/// `.load FILE ?ENTRY?`. The entry point of an extension takes a handle of the C interface. Such a handle owns its connection, while the
/// shell's connection is one of the Rust interface.
pub fn load(_: &mut Shell, arguments: &[String]) -> Result {
    missing(".load", arguments, 1..=2, "extensions, which need a handle of the C interface")
}

/// `.imposter INDEX NAME`. The catalog has no tables whose rows are the entries of an index.
pub fn imposter(_: &mut Shell, arguments: &[String]) -> Result {
    missing(".imposter", arguments, 1..=2, "tables over the entries of an index")
}

/// `.testctrl NAME …`. The switches of `sqlite3_test_control()` belong to SQLite's implementation.
pub fn testctrl(_: &mut Shell, arguments: &[String]) -> Result {
    missing(".testctrl", arguments, 0..=usize::MAX, "switches for SQLite's own tests")
}
