//! Automated checks of the rules in docs/ARCHITECTURE.md.
//!
//! | module | subject |
//! | --- | --- |
//! | `crates` | allowed dependencies between crates, and the crates with `unsafe` |
//! | `imports` | the imports between the modules of a crate: a graph without cycles |
//! | `graph` | cycles of a graph |
//! | `limits` | lines of files and functions, files of a structure |
//! | `messages` | decisions by the text of an error |
//! | `documents` | module docs, pages and links |
//! | `exports` | modules and functions that no other code uses |
//! | `named_code` | functions that pages name beside their files; code that they quote |
//! | `rustdoc` | the docs of `lithedb`'s public functions |
//! | `figures` | the table of benchmarks |
//! | `variables` | the environment variables of tests |

mod crates;
mod documents;
mod exports;
mod figures;
mod graph;
mod imports;
mod limits;
mod messages;
mod named_code;
mod rustdoc;
mod variables;

use std::fs;
use std::path::{Path, PathBuf};

/// The source files of a crate.
fn sources(krate: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("crates").join(krate).join("src")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a file has only tests.
fn is_of_tests(file: &Path) -> bool {
    file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
