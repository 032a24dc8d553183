//! The calls on a VFS of the application: the same calls in the same order as with SQLite, except for those that
//! docs/DROP_IN.md lists with their reasons.
//!
//! `vfs_record.c` runs scenarios and prints every call. It runs on this library and on SQLite: the library in the
//! folder that LITHE_REFERENCE names, or one that is built here from the source in the reference crate.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{SQLITE, Workshop, crate_folder, expect_success, sqlite};

/// Lines by scenario.
type Recording = BTreeMap<String, Vec<String>>;

/// A line of the table in docs/DROP_IN.md.
struct Difference {
    scenarios: Vec<String>,
    /// Prefixes of the lines that are not compared in these scenarios.
    calls: Vec<String>,
}

const HEADING: &str = "### Calls that differ from SQLite's";
/// Stands for every call.
const ALL_CALLS: &str = "all";

#[test]
fn a_shim_over_the_default_vfs() {
    compare("shim");
}

#[test]
fn a_vfs_in_memory_with_shared_memory_of_its_own() {
    compare("memory");
}

fn compare(kind: &str) {
    let workshop = Workshop::new(&format!("vfs-{kind}"));
    let reference = sqlite();
    let program = workshop.compile("vfs_record.c", "record", &[reference.join(SQLITE).to_str().unwrap(), "-lpthread"]);
    let ours = record(&workshop, &program, &workshop.folder, kind);
    let theirs = record(&workshop, &program, &reference, kind);
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    assert!(theirs.len() > 50, "only {} scenarios", theirs.len());
    let differences = differences();
    let mut wrong = String::new();
    for (scenario, expected) in &theirs {
        let explained: Vec<&Difference> = differences.iter().filter(|line| line.scenarios.contains(scenario)).collect();
        let found = &ours[scenario];
        if !explained.is_empty() && found == expected {
            wrong += &format!("{scenario}: no difference any more\n");
        }
        let (found, expected) = (without(found, &explained), without(expected, &explained));
        if let Some(at) = (0..found.len().max(expected.len())).find(|&at| found.get(at) != expected.get(at)) {
            let from = at.saturating_sub(6);
            let part = |lines: &[String]| lines[from.min(lines.len())..(at + 4).min(lines.len())].join("\n");
            wrong += &format!("{scenario}, ours:\n{}\nSQLite's:\n{}\n\n", part(&found), part(&expected));
        }
    }
    let scenarios = differences.iter().flat_map(|line| &line.scenarios);
    for unknown in scenarios.filter(|scenario| !theirs.contains_key(*scenario)) {
        wrong += &format!("docs/DROP_IN.md names a scenario that is not there: {unknown}\n");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs all scenarios on the library in that folder.
fn record(workshop: &Workshop, program: &Path, library: &Path, kind: &str) -> Recording {
    let files = workshop.path("files");
    let _ = fs::remove_dir_all(&files);
    fs::create_dir_all(&files).unwrap();
    let mut command = Command::new(program);
    command.arg(kind).current_dir(&files).env("RECORD_FOLDER", ".").env("LD_LIBRARY_PATH", library);
    let output = command.output().unwrap();
    expect_success(&output, kind);
    let mut recording = Recording::new();
    let mut scenario = String::new();
    // A pragma may return its rows before or after its calls.
    let mut rows = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            scenario = name.to_owned();
            recording.insert(scenario.clone(), Vec::new());
            continue;
        }
        let lines = recording.get_mut(&scenario).expect("a scenario has begun");
        if line.starts_with("  row ") {
            rows.push(line.to_owned());
            continue;
        }
        if line.starts_with("- ") {
            lines.append(&mut rows);
        }
        lines.push(line.to_owned());
    }
    recording
}

/// The lines to compare.
fn without(lines: &[String], explained: &[&Difference]) -> Vec<String> {
    let is_call = |line: &str| line.starts_with("  x");
    let is_left_out = |line: &String| {
        explained.iter().flat_map(|line| &line.calls).any(|call| match call.as_str() {
            ALL_CALLS => is_call(line),
            call => line.trim_start().starts_with(call),
        })
    };
    lines.iter().filter(|line| !is_left_out(line)).cloned().collect()
}

/// The table: `| scenarios | calls | why |`.
fn differences() -> Vec<Difference> {
    let page = fs::read_to_string(crate_folder().join("../../docs/DROP_IN.md")).unwrap();
    let section = page.split(HEADING).nth(1).expect("the heading");
    let lines = section.lines().map(str::trim).skip_while(|line| !line.starts_with('|')).skip(2);
    let table = lines.take_while(|line| line.starts_with('|'));
    let parsed = table.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [scenarios, calls, why] = cells[..] else { panic!("not three cells: {line}") };
        assert!(why.len() > 20, "no reason: {line}");
        let list = |cell: &str| cell.split(", ").map(|item| item.trim_matches('`').to_owned()).collect();
        Difference { scenarios: list(scenarios), calls: list(calls) }
    });
    parsed.collect()
}
