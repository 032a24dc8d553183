//! A library of `--library` takes part: Lithe's own.

use std::path::PathBuf;
use std::process::Command;

/// Lithe's `libsqlite3.so`, which cargo builds for this test, but does not link with it.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap();
    folder.parent().unwrap().join("libsqlite3.so")
}

#[test]
fn a_library_takes_part_and_gives_the_same_answers() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lithe-bench"));
    command.args(["oltp", "--quick", "--rounds", "1", "--contestants", "sqlite,library", "--library"]).arg(library());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("sqlite3_libversion 3.54.1"), "{said}");
    let shown = String::from_utf8_lossy(&output.stdout);
    // The output names an operation that a library cannot run, or whose result differs.
    let is_wrong = |line: &&str| line.contains("by library:") && !line.contains("not supported yet");
    assert!(!shown.contains("differs") && !shown.lines().any(|line| is_wrong(&line)), "{shown}");
}

#[test]
fn what_is_no_library_is_said() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lithe-bench"));
    command.args(["oltp", "--quick", "--library", "/no/such/libsqlite3.so"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot load /no/such/libsqlite3.so"), "{said}");
}
