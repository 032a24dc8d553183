//! `.testctrl`: the switches of `sqlite3_test_control()`, which are for SQLite's own tests.

use super::{boolean, integer};
use crate::commands::failure::Failure;
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

/// A switch: its name, its arguments, how many of them there may be, and its effect, which may be a number to print.
struct Switch {
    name: &'static str,
    arguments: &'static str,
    count: std::ops::RangeInclusive<usize>,
    run: fn(&Shell, &[String]) -> std::result::Result<Option<i64>, String>,
}

const fn switch(
    name: &'static str,
    arguments: &'static str,
    count: std::ops::RangeInclusive<usize>,
    run: fn(&Shell, &[String]) -> std::result::Result<Option<i64>, String>,
) -> Switch {
    Switch { name, arguments, count, run }
}

/// The switches that this engine has, and those that have no effect on it.
static SWITCHES: &[Switch] = &[
    switch("always", "BOOLEAN", 1..=1, |_, arguments| boolean(&arguments[0]).map(|value| Some(value.into()))),
    switch("assert", "BOOLEAN", 1..=1, |_, arguments| boolean(&arguments[0]).map(|_| Some(0))),
    switch("byteorder", "", 0..=0, |_, _| Ok(Some(if cfg!(target_endian = "little") { 123_410 } else { 432_101 }))),
    switch("extra_schema_checks", "BOOLEAN", 1..=1, no_effect),
    switch("fault_install", "ARGS…", 0..=usize::MAX, no_effect),
    switch("fk_no_action", "BOOLEAN", 1..=1, no_effect),
    switch("internal_functions", "", 0..=0, |shell, _| {
        shell.database.connection.engine().toggle_internal_functions().map(|()| None).map_err(|error| error.to_string())
    }),
    switch("json_selfcheck", "BOOLEAN", 0..=1, no_effect),
    switch("localtime_fault", "BOOLEAN", 1..=1, |_, arguments| {
        lithe_engine::fail_local_time(boolean(&arguments[0])?);
        Ok(None)
    }),
    switch("never_corrupt", "BOOLEAN", 1..=1, no_effect),
    switch("optimizations", "DISABLE-MASK …", 0..=usize::MAX, no_effect),
    switch("parser_coverage", "", 0..=0, no_effect),
    switch("pending_byte", "OFFSET", 1..=1, |_, arguments| {
        let offset = integer(&arguments[0])?;
        lithe_engine::move_pending_byte(u32::try_from(offset).map_err(|_| format!("not an offset: {offset}"))?);
        Ok(None)
    }),
    switch("prng_restore", "", 0..=0, no_effect),
    switch("prng_save", "", 0..=0, no_effect),
    switch("prng_seed", "SEED ?db?", 1..=2, no_effect),
    switch("seek_count", "", 0..=0, |_, _| Ok(Some(0))),
    switch("sorter_mmap", "NMAX", 1..=1, no_effect),
    switch("tune", "ID VALUE", 0..=2, no_effect),
];

fn no_effect(_: &Shell, _: &[String]) -> std::result::Result<Option<i64>, String> {
    Ok(None)
}

/// `.testctrl NAME …`. An unambiguous prefix of a name suffices.
pub fn testctrl(shell: &mut Shell, arguments: &[String]) -> Result {
    let (name, arguments) = arguments.split_first().map_or(("help", arguments), |(name, rest)| (name.as_str(), rest));
    let name = name.trim_start_matches('-');
    if name == "help" {
        let lines = SWITCHES.iter().map(|switch| format!("  .testctrl {} {}\n", switch.name, switch.arguments));
        return Ok(shell.output.print(&format!("Available test-controls:\n{}", lines.collect::<String>()))?);
    }
    let exact = SWITCHES.iter().find(|switch| switch.name == name);
    let mut beginning = SWITCHES.iter().filter(|switch| switch.name.starts_with(name));
    let problem = |what: String| format!("{what}\nUse \".testctrl --help\" for help");
    let switch = match (exact, beginning.next(), beginning.next()) {
        (Some(switch), ..) | (None, Some(switch), None) => switch,
        (None, Some(_), Some(_)) => return Err(problem(format!("ambiguous test-control: \"{name}\"")).into()),
        (None, None, _) => return Err(problem(format!("unknown test-control: {name}")).into()),
    };
    if !switch.count.contains(&arguments.len()) {
        return Err(Failure::Usage(format!(".testctrl {} {}", switch.name, switch.arguments)));
    }
    match (switch.run)(shell, arguments)? {
        Some(number) => Ok(shell.output.print(&format!("{number}\n"))?),
        None => Ok(()),
    }
}
