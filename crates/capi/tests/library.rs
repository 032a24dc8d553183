//! The library as C programs use it: its symbols are those of SQLite's header, and a program that calls every function
//! gets the expected results, also under valgrind and AddressSanitizer where these are installed.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Workshop, crate_folder, expect_success, library, sqlite_source};

/// Functions of other systems, or that SQLite has only with an option of its build.
const NOT_HERE: &[&str] = &[
    "sqlite3_win32_set_directory",
    "sqlite3_win32_set_directory8",
    "sqlite3_win32_set_directory16",
    "sqlite3_activate_cerod",
];

fn has_program(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// SQLite's own header, as the oracle's crate has it.
fn sqlite_header(name: &str) -> String {
    fs::read_to_string(sqlite_source().join(name)).unwrap()
}

/// A header without its comments.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    out + rest
}

/// The names that a header declares: those with this prefix before a parenthesis, `[` or `;` in a declaration.
fn declared(header: &str) -> BTreeSet<String> {
    let header = without_comments(header);
    let declarations = header.split("SQLITE_API").skip(1).filter_map(|rest| rest.split(';').next());
    let name = |declaration: &str| {
        let words = declaration.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut names = words.filter(|word| word.len() > "sqlite3".len() && word.starts_with("sqlite3"));
        let is_function = |word: &&str| {
            let behind = declaration.split_once(*word).map_or("", |(_, behind)| behind.trim_start());
            behind.is_empty() || behind.starts_with(['(', '['])
        };
        names.find(is_function).map(str::to_owned)
    };
    declarations.filter_map(name).collect()
}

/// The dynamic symbols of the library.
fn exported() -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library()).output().unwrap();
    expect_success(&output, "nm");
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split_whitespace().nth(2));
    names.filter(|name| name.starts_with("sqlite3")).map(str::to_owned).collect()
}

/// The members of `sqlite3_api_routines`, as names of functions.
fn routines() -> Vec<String> {
    let source = fs::read_to_string(crate_folder().join("src/api_routines.rs")).unwrap();
    let list = source.split("routines! {\n").nth(1).unwrap().split('}').next().unwrap();
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_symbols_are_those_of_the_header() {
    let mut expected = declared(&sqlite_header("sqlite3.h"));
    expected.retain(|name| !NOT_HERE.contains(&name.as_str()));
    assert!(expected.len() > 290, "only {} functions found in the header", expected.len());
    assert_eq!(exported(), expected);
    assert_eq!(declared(&fs::read_to_string(crate_folder().join("include/sqlite3.h")).unwrap()), expected);
}

#[test]
fn extensions_get_the_table_that_they_were_compiled_for() {
    let header = without_comments(&sqlite_header("sqlite3ext.h"));
    let members = header.split("struct sqlite3_api_routines {").nth(1).unwrap().split("\n};").next().unwrap();
    let renamed = [
        ("interruptx", "interrupt"),
        ("xsnprintf", "snprintf"),
        ("xvsnprintf", "vsnprintf"),
        ("xthreadsafe", "threadsafe"),
    ];
    let function = |member: &str| {
        let name = member.split_once('*').and_then(|_| {
            let inner = member.split("(*").nth(1).or_else(|| member.split("CDECL*").nth(1))?;
            inner.split(')').next().map(|name| name.trim().to_owned())
        })?;
        let name = renamed.iter().find(|(from, _)| *from == name).map_or(name.clone(), |(_, to)| (*to).to_owned());
        Some(format!("sqlite3_{name}"))
    };
    let expected: Vec<String> = members.split(';').filter_map(function).collect();
    assert_eq!(routines(), expected);
    // The shipped header must have the same members.
    let ours = without_comments(&fs::read_to_string(crate_folder().join("include/sqlite3ext.h")).unwrap());
    let members = ours.split("struct sqlite3_api_routines {").nth(1).unwrap().split("\n};").next().unwrap();
    let shipped: Vec<String> = members.split(';').filter_map(function).collect();
    assert_eq!(shipped, expected);
}

#[test]
fn a_program_calls_every_function() {
    let workshop = Workshop::new("plain");
    let source = fs::read_to_string(crate_folder().join("tests/every_function.c")).unwrap();
    let uncalled: Vec<String> = exported()
        .into_iter()
        .filter(|name| !source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name))
        .collect();
    assert_eq!(uncalled, Vec::<String>::new(), "functions that the program does not call");
    let program = workshop.compile("every_function.c", "program", &[library().to_str().unwrap(), "-lm"]);
    let mut command = Command::new(program);
    command.arg(&workshop.folder).arg(workshop.extension());
    expect_success(&workshop.run(command), "every_function");
}

/// Programs that need only the library and an empty folder.
const PROGRAMS: [&str; 14] = [
    "virtual_tables.c",
    "settings.c",
    "interface.c",
    "stale_statements.c",
    "last_errors.c",
    "shared_programs.c",
    "geometry.c",
    "arrays.c",
    "fts5_interface.c",
    "fts3_tokenizer.c",
    "scan_status.c",
    "session_streams.c",
    "rollback_scans.c",
    "texts_of_rows.c",
];

#[test]
fn programs_run() {
    for_each_program("programs", |workshop, source| {
        let program = workshop.compile(source, "program", &[library().to_str().unwrap(), "-lm", "-lpthread"]);
        expect_success(&workshop.run_in_folder(Command::new(program), source), source);
    });
}

/// Calls `check` for each of the programs with a folder of its own, as many at a time as there are cores.
fn for_each_program(name: &str, check: impl Fn(&Workshop, &str) + Sync) {
    let next = AtomicUsize::new(0);
    let check_next = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let source = *PROGRAMS.get(at)?;
        check(&Workshop::new(&format!("{name}-{at}")), source);
        Some(())
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| while check_next().is_some() {});
        }
    });
}

/// Not under valgrind, because its children end with open connections, which is what it tests.
#[test]
fn a_program_forks() {
    let workshop = Workshop::new("forks");
    let program = workshop.compile("forks.c", "program", &[library().to_str().unwrap(), "-lm"]);
    let mut command = Command::new(program);
    command.current_dir(&workshop.folder);
    expect_success(&workshop.run(command), "forks.c");
}

#[test]
fn the_program_is_clean_under_valgrind() {
    if !has_program("valgrind") {
        eprintln!("valgrind is not there: nothing tested");
        return;
    }
    let valgrind = || {
        let mut command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        command
    };
    let workshop = Workshop::new("valgrind");
    let program = workshop.compile("every_function.c", "program", &[library().to_str().unwrap(), "-lm"]);
    let mut command = valgrind();
    command.arg(program).arg(&workshop.folder).arg(workshop.extension());
    expect_success(&workshop.run(command), "every_function under valgrind");
    for_each_program("valgrind", |workshop, source| {
        let program = workshop.compile(source, "program", &[library().to_str().unwrap(), "-lm"]);
        let mut command = valgrind();
        command.arg(program);
        expect_success(&workshop.run_in_folder(command, source), source);
    });
}

#[test]
fn the_program_is_clean_under_address_sanitizer() {
    let workshop = Workshop::new("asan");
    let source = workshop.path("probe.c");
    fs::write(&source, "int main(void) { return 0; }").unwrap();
    let probe = Command::new("cc").args(["-fsanitize=address", "-o"]).arg(workshop.path("probe")).arg(&source).status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("the compiler has no AddressSanitizer: nothing tested");
        return;
    }
    let library = library();
    let options = ["-fsanitize=address,undefined", "-fno-sanitize-recover", library.to_str().unwrap(), "-lm"];
    let program = workshop.compile("every_function.c", "program", &options);
    let mut command = Command::new(program);
    command.arg(&workshop.folder).arg(workshop.extension());
    expect_success(&workshop.run(command), "every_function under AddressSanitizer");
    for_each_program("asan", |workshop, source| {
        let program = workshop.compile(source, "program", &options);
        expect_success(&workshop.run_in_folder(Command::new(program), source), source);
    });
}
