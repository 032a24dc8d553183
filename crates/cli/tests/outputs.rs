//! The output of the shell: sessions in files, each with its expected output.
//!
//! ```text
//! @ file NAME          the following text is written to a file of the session's folder
//! @ run ARGUMENTS      the shell runs there with these arguments; the following text is its input
//! @ out                its output, with control characters as \xNN
//! @ err                its error output
//! @ exit CODE
//! ```
//!
//! `UPDATE=1` writes the output into the files; the difference must then be reviewed. Outputs were compared with those of `sqlite3` 3.40
//! and, where newer versions are documented to differ, with their documentation.

mod common;

use std::fmt::Write as _;
use std::path::Path;

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outputs").join(name).with_extension("txt");
    let expected = std::fs::read_to_string(&path).unwrap();
    let printed = replay(&expected);
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(&path, printed).unwrap();
    }
    for (number, (expected, printed)) in expected.lines().zip(printed.lines()).enumerate() {
        assert_eq!(printed, expected, "{}:{}", path.display(), number + 1);
    }
    assert_eq!(printed, expected, "{}", path.display());
}

/// Local time is that of the variable TZ, whatever form it has.
#[test]
fn local_time() {
    let zones = std::path::Path::new("/usr/share/zoneinfo/America/New_York");
    let of = |zone: &str| {
        let mut shell = std::process::Command::new(env!("CARGO_BIN_EXE_lithe"));
        let sql = "SELECT time('2020-01-15 12:00', 'localtime'), time('2020-07-15 12:00', 'localtime'), time('2020-07-15 12:00', 'utc')";
        let printed = shell.env("TZ", zone).args([":memory:", sql]).output().unwrap().stdout;
        String::from_utf8(printed).unwrap()
    };
    assert_eq!(of("UTC"), "12:00:00|12:00:00|12:00:00\n");
    assert_eq!(of("XXX-5:30"), "17:30:00|17:30:00|06:30:00\n");
    assert_eq!(of("EST5EDT,M3.2.0,M11.1.0"), "07:00:00|08:00:00|16:00:00\n");
    if zones.exists() {
        assert_eq!(of("America/New_York"), "07:00:00|08:00:00|16:00:00\n");
        assert_eq!(of(":America/New_York"), "07:00:00|08:00:00|16:00:00\n");
    }
}

/// The session with the current output of the shell.
fn replay(session: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut replayed = String::new();
    for block in blocks(session) {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        let words: Vec<&str> = head.splitn(3, ' ').collect();
        match words[..] {
            ["@", "file", name] => {
                std::fs::write(folder.path().join(name), body).unwrap();
                replayed.push_str(block);
            }
            ["@", "run", arguments] => {
                replayed.push_str(block);
                replayed.push_str(&run(folder.path(), &split(arguments), body));
            }
            ["@", "run"] => {
                replayed.push_str(block);
                replayed.push_str(&run(folder.path(), &[], body));
            }
            ["@", "out" | "err"] | ["@", "exit", _] => {} // the earlier output
            _ => replayed.push_str(block),
        }
    }
    replayed
}

/// The parts of a session that begin with a line `@ …`.
fn blocks(session: &str) -> Vec<&str> {
    let starts = session.match_indices("@ ").map(|(at, _)| at);
    let mut starts: Vec<usize> = starts.filter(|at| *at == 0 || session.as_bytes()[at - 1] == b'\n').collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([session.len()]);
    starts.iter().zip(ends).map(|(start, end)| &session[*start..end]).collect()
}

/// Splits at spaces outside single quotes.
fn split(arguments: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in arguments.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

fn run(folder: &Path, arguments: &[String], input: &str) -> String {
    let output = common::shell(folder, arguments, input);
    let mut printed = String::new();
    for (name, bytes) in [("out", &output.stdout), ("err", &output.stderr)] {
        if !bytes.is_empty() {
            writeln!(printed, "@ {name}\n{}", visible(bytes)).unwrap();
        }
    }
    writeln!(printed, "@ exit {}", output.status.code().unwrap()).unwrap();
    printed
}

/// Text unchanged, other bytes by their numbers. The final line end is not shown, but its absence is.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' | '\t' => text.push(c),
                c if c.is_ascii_control() => write!(text, "\\x{:02x}", u32::from(c)).unwrap(),
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").unwrap();
        }
    }
    match text.strip_suffix('\n') {
        Some(text) => text.to_owned(),
        None => text + "\\",
    }
}

macro_rules! sessions {
    ($($name:ident)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

sessions! { modes tables errors arguments files import dump settings recover dbinfo watch safe archive scripts }
