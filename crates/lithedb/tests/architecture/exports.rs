//! Internal crates export what others use and nothing else.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use crate::crates::ARROWS;
use crate::{entries, root};

/// The crates whose interface is for applications.
const PUBLIC: &[&str] = &["lithedb", "capi", "cli", "bench"];

/// Functions that only applications call, through `lithe::virtual_table`.
const FOR_APPLICATIONS: &[&str] = &["of_modules"];

#[test]
fn exported_modules_are_used() {
    let texts = texts();
    let mut unused = Vec::new();
    for (krate, _) in ARROWS.iter().filter(|(krate, _)| !PUBLIC.contains(krate)) {
        let source = root().join("crates").join(krate).join("src");
        let library = fs::read_to_string(source.join("lib.rs")).unwrap();
        let name = format!("lithe_{}", krate.replace('-', "_"));
        let others = texts.iter().filter(|(file, _)| !file.starts_with(&source));
        let used: BTreeSet<&str> = others.flat_map(|(_, text)| names_behind(text, &name)).collect();
        let exported = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        unused.extend(exported.filter(|module| !used.contains(module)).map(|module| format!("{name}::{module}")));
    }
    assert!(unused.is_empty(), "no other crate uses these modules: {unused:#?}");
}

#[test]
fn public_functions_are_called() {
    let texts = texts();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in texts.iter().flat_map(|(_, text)| words(text)) {
        *counts.entry(word).or_default() += 1;
    }
    let mut unused = Vec::new();
    for (krate, _) in ARROWS.iter().filter(|(krate, _)| !PUBLIC.contains(krate)) {
        let source = root().join("crates").join(krate).join("src");
        for (file, text) in texts.iter().filter(|(file, _)| file.starts_with(&source)) {
            let defined =
                text.match_indices("pub fn ").filter_map(|(at, begin)| words(&text[at + begin.len()..]).next());
            let is_unused = |name: &&str| counts[name] == 1 && !FOR_APPLICATIONS.contains(name);
            unused.extend(defined.filter(is_unused).map(|name| format!("{}: {name}", file.display())));
        }
    }
    assert!(unused.is_empty(), "no code calls these functions: {unused:#?}");
}

/// All Rust files of the repository, with their texts.
fn texts() -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    let mut folders: Vec<PathBuf> = ["crates", "fuzz", "examples", "tests"].map(|folder| root().join(folder)).into();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                texts.push((path, text));
            }
        }
    }
    assert!(
        texts.iter().any(|(file, _)| file.ends_with(Path::new("architecture/exports.rs"))),
        "the tests are files, too"
    );
    texts
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names that stand directly behind `krate::`, alone or in a list in braces.
fn names_behind<'t>(text: &'t str, krate: &str) -> Vec<&'t str> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices(&format!("{krate}::")) {
        let behind = &text[at + krate.len() + 2..];
        if !behind.starts_with('{') {
            names.extend(words(behind).next());
            continue;
        }
        let mut depth = 0;
        let mut begins = false;
        for (at, c) in behind.char_indices() {
            match c {
                '{' => (depth, begins) = (depth + 1, depth == 0),
                '}' => depth -= 1,
                ',' => begins = depth == 1,
                c if begins && !c.is_whitespace() => {
                    names.extend(words(&behind[at..]).next());
                    begins = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

#[test]
fn names_in_lists_are_found() {
    let text = "use lithe_a::{b, c::{d, e},\n    f as g};\nlithe_a::h::i(); use lithe_ab::{x};";
    assert_eq!(names_behind(text, "lithe_a"), ["b", "c", "f", "h"]);
}
