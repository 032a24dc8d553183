//! The environment variables that tests read are in CONTRIBUTING.md.

use std::collections::BTreeSet;
use std::fs;

use crate::{entries, root};

/// Variables of the system and of Cargo.
const FOREIGN: &[&str] = &["PATH", "HOME", "TERM", "TZ", "RUSTC", "CARGO", "LD_LIBRARY_PATH"];

#[test]
fn variables_of_tests_are_documented() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut missing = BTreeSet::new();
    let mut folders: Vec<_> = entries(&root().join("crates")).into_iter().map(|krate| krate.join("tests")).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let names = read_variables(&text).filter(|name| !FOREIGN.contains(name) && !is_documented(&page, name));
                missing.extend(names.map(|name| format!("{name} of {}", path.display())));
            }
        }
    }
    assert!(missing.is_empty(), "not in CONTRIBUTING.md: {missing:#?}");
}

/// The names behind `var(`, `var_os(` and the functions of tests that read numbers.
fn read_variables(text: &str) -> impl Iterator<Item = &str> {
    let calls = ["var(\"", "var_os(\"", "number(\"", "setting(\"", "built(\""];
    let behind = calls.into_iter().flat_map(|call| text.split(call).skip(1));
    let names = behind.filter_map(|behind| behind.split('"').next());
    names.filter(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

/// Whether the page has the name, or the test's prefix and the word: `ORACLE_FIRST`, `_SEED`.
fn is_documented(page: &str, name: &str) -> bool {
    let in_parts = name
        .split_once('_')
        .is_some_and(|(test, word)| page.contains(&format!("`{test}_")) && page.contains(&format!("`_{word}`")));
    page.contains(&format!("{name}`")) || page.contains(&format!("`{name}")) || in_parts
}

#[test]
fn variables_are_found() {
    let text = "env::var_os(\"A_ALL\"); number(\"B_SEED\").unwrap(); env::var(name); row_number(\"x\")";
    assert_eq!(read_variables(text).collect::<BTreeSet<_>>(), BTreeSet::from(["A_ALL", "B_SEED"]));
    let page = "`A_FIRST`, `_ALL`; `C_ONLY`";
    assert!(is_documented(page, "A_ALL") && is_documented(page, "C_ONLY") && !is_documented(page, "B_ALL"));
}
