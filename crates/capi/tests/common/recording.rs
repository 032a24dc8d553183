//! Runs a program with scripts on this library and on SQLite's with all options: the output must be the same.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use super::{SQLITE, Workshop, expect_success, sqlite_with_options};

/// Compares the output of the program in `source` for each script; a difference is shown with the lines before it.
pub fn compare(name: &str, source: &str, options: &[&str], scripts: impl Iterator<Item = (String, Vec<String>)>) {
    let workshop = Workshop::new(name);
    let reference = sqlite_with_options();
    let library = reference.join(SQLITE);
    let options: Vec<&str> = options.iter().copied().chain([library.to_str().unwrap()]).collect();
    let program = workshop.compile(source, "record", &options);
    let mut wrong = Vec::new();
    for (script, lines) in scripts {
        // Writes the scripts to files, to be run by hand.
        if let Some(folder) = std::env::var_os("RECORD_SCRIPTS") {
            std::fs::write(Path::new(&folder).join(&script), lines.join("\n")).unwrap();
        }
        let ours = record(&program, &workshop.folder, &lines);
        let theirs = record(&program, &reference, &lines);
        if ours != theirs {
            let at = ours.lines().zip(theirs.lines()).position(|(our, their)| our != their).unwrap_or(0);
            let part = |text: &str| text.lines().skip(at.saturating_sub(12)).take(20).collect::<Vec<_>>().join("\n");
            wrong.push(format!("{script}, ours:\n{}\n\nSQLite's:\n{}", part(&ours), part(&theirs)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n")
    );
}

/// Runs scripts on this library alone: the program must reach its end.
#[allow(dead_code)] // the tests of the pre-update hook compare everything
pub fn play(name: &str, source: &str, options: &[&str], scripts: impl Iterator<Item = Vec<String>>) {
    let workshop = Workshop::new(name);
    let library = super::library();
    let options: Vec<&str> = options.iter().copied().chain([library.to_str().unwrap()]).collect();
    let program = workshop.compile(source, "record", &options);
    scripts.for_each(|lines| drop(record(&program, &workshop.folder, &lines)));
}

/// The output of the program for the lines, on the library in that folder.
fn record(program: &Path, library: &Path, lines: &[String]) -> String {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", library).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = lines.join("\n");
    let writer = thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    expect_success(&output, "the recording program");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
