//! Tests the pages of `docs/` and the README: writes their files, runs their commands, and compares the output.
//!
//! | module | subject |
//! | --- | --- |
//! | `page` | a page as steps: files and commands with the output that the page shows |
//! | `workshop` | the folder in which a page runs, with the shell, the C library and a Python on its path |
//!
//! The doctests of `lithedb` (`crates/lithedb/src/book.rs`) compile and run the Rust code on the pages. `PAGE=howto/blobs` runs only one
//! page.

mod page;
mod workshop;

use std::fs;
use std::path::{Path, PathBuf};

use page::{Page, Step};
use workshop::Workshop;

#[test]
fn pages_do_what_they_say() {
    let only = std::env::var("PAGE").unwrap_or_default();
    let mut commands = 0;
    let mut wrong = String::new();
    for path in documents().iter().filter(|path| path.to_string_lossy().contains(&only)) {
        match play(path) {
            Ok(count) => commands += count,
            Err(message) => wrong += &message,
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(commands > 0, "no page has a command");
}

/// Runs a page in a folder of its own; answers the number of its commands, or its differences.
fn play(path: &Path) -> Result<usize, String> {
    let page = Page::read(&fs::read_to_string(path).unwrap());
    let workshop = Workshop::new();
    let mut commands = 0;
    let mut wrong = String::new();
    for step in &page.steps {
        match step {
            Step::File { name, content } => workshop.write(name, content),
            Step::Command(command) if workshop.lacks_what_it_takes(&command.line) => {
                eprintln!("{}: skipped, no Python takes the library: {}", path.display(), command.line);
            }
            Step::Command(command) => {
                commands += 1;
                let answer = workshop.run(&command.line, &command.input);
                if !page::matches(&command.output, &answer) {
                    let place = format!("{}: $ {}", path.display(), command.line);
                    wrong += &format!("{place}\n--- the page\n{}--- the answer\n{answer}\n", command.output);
                }
            }
        }
    }
    if wrong.is_empty() { Ok(commands) } else { Err(wrong) }
}

/// The README, and every page under `docs/`.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
