//! Checks of the house that a machine can make: the arrows between the crates, where `unsafe` may stand, module docs, links.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate and the crates of the house that it may depend on: the picture of docs/ARCHITECTURE.md as data.
const ARROWS: &[(&str, &[&str])] = &[
    ("value", &[]),
    ("format", &["value"]),
    ("vfs", &["format"]),
    ("pager", &["format", "vfs"]),
    ("btree", &["format", "value", "pager"]),
    ("sql", &[]),
    ("functions", &["value"]),
    ("vtab", &["value", "functions"]),
    ("fts5", &["vtab", "functions", "value", "format"]),
    ("vm", &["value", "format", "vfs", "pager", "btree", "functions", "vtab"]),
    ("plan", &["sql", "value", "format", "functions", "vfs", "vm", "btree"]),
    ("engine", &["sql", "value", "format", "functions", "vfs", "pager", "btree", "vm", "plan"]),
    ("modules", &["vtab"]),
    ("rtree", &["vtab", "functions", "value"]),
    ("session", &["vtab", "format"]),
    ("lithedb", &["engine", "modules", "rtree", "fts5", "session"]),
    ("capi", &["lithedb", "engine", "modules", "rtree", "fts5", "session"]),
    ("cli", &["lithedb"]),
    ("door", &[]),
    ("bench", &["lithedb", "door"]),
];

/// Where the keyword `unsafe` may stand; every other crate forbids it.
const UNSAFE_ROOMS: &[&str] = &["vfs", "pager", "vm", "capi", "lithedb", "door"];

#[test]
fn crates_depend_only_downwards() {
    let folders: BTreeSet<String> = entries(&root().join("crates")).iter().map(|p| name(p)).collect();
    let known: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, known, "a crate is missing in ARROWS or in crates/");
    for (position, (krate, allowed)) in ARROWS.iter().enumerate() {
        let lower: Vec<&str> = ARROWS[..position].iter().map(|(name, _)| *name).collect();
        for dependency in allowed.iter() {
            assert!(lower.contains(dependency), "{krate} -> {dependency} points upwards");
        }
        for dependency in house_dependencies(krate) {
            assert!(allowed.contains(&dependency.as_str()), "crate {krate} must not depend on {dependency}");
        }
    }
}

/// The house's crates in the `[dependencies]` of a crate (dev-dependencies may point anywhere).
fn house_dependencies(krate: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
    let dependencies = dependencies.split("\n[").next().unwrap_or("");
    let names = dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names
        .filter_map(|name| name.strip_prefix("lithe-").or((name == "lithedb").then_some(name)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn unsafe_stays_in_its_rooms() {
    for (krate, _) in ARROWS {
        let uses: Vec<PathBuf> = sources(krate).into_iter().filter(|file| uses_unsafe(file)).collect();
        assert!(UNSAFE_ROOMS.contains(krate) || uses.is_empty(), "crate {krate} must not use unsafe: {uses:?}");
    }
}

fn uses_unsafe(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .any(|code| code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl"))
}

#[test]
fn every_module_says_what_it_is_about() {
    for (krate, _) in ARROWS {
        for file in sources(krate) {
            let is_tests = file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests");
            let text = fs::read_to_string(&file).unwrap();
            assert!(is_tests || text.starts_with("//!"), "{} has no module doc", file.display());
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = entries(&root().join("docs"));
    documents.extend(entries(&root()));
    for document in documents.iter().filter(|d| d.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or("");
            if path.is_empty() || path.contains("://") {
                continue;
            }
            let there = document.parent().unwrap().join(path);
            assert!(there.exists(), "{}: dead link to {target}", document.display());
        }
    }
}

fn sources(krate: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("crates").join(krate).join("src")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
