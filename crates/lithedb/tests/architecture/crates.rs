//! Allowed dependencies between crates, and the crates that may contain `unsafe`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{entries, root, sources};

/// The crates of this workspace that each crate may depend on: the picture of docs/ARCHITECTURE.md as data.
pub const ARROWS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("value", &[]),
    ("format", &["value"]),
    ("vfs", &["base", "format"]),
    ("pager", &["base", "format", "vfs"]),
    ("btree", &["format", "value", "pager"]),
    ("sql", &[]),
    ("functions", &["base", "value"]),
    ("vtab", &["value", "functions"]),
    ("tokenize", &[]),
    ("fts3", &["base", "tokenize", "vtab", "value"]),
    ("fts5", &["base", "tokenize", "vtab", "functions", "value", "format"]),
    ("vm", &["base", "value", "format", "vfs", "pager", "btree", "functions", "vtab"]),
    ("catalog", &["base", "sql", "value", "format", "vtab"]),
    ("resolve", &["base", "sql", "value", "format", "functions", "vtab", "catalog"]),
    ("optimize", &["base", "sql", "value", "format", "vtab", "catalog", "resolve"]),
    ("codegen", &["base", "sql", "value", "format", "functions", "vm", "btree", "catalog", "resolve", "optimize"]),
    (
        "engine",
        &[
            "base",
            "sql",
            "value",
            "format",
            "functions",
            "vfs",
            "pager",
            "btree",
            "vm",
            "catalog",
            "resolve",
            "codegen",
        ],
    ),
    ("modules", &["vtab", "value", "sql"]),
    ("rtree", &["vtab", "functions", "value"]),
    ("session", &["vtab", "format"]),
    ("lithedb", &["engine", "modules", "rtree", "fts3", "fts5", "session"]),
    ("capi", &["base", "engine", "modules", "rtree", "fts3", "fts5", "session"]),
    ("recover", &["format", "value"]),
    ("cli", &["engine", "lithedb", "capi", "recover"]),
    ("sqlite-ffi", &[]),
    ("bench", &["lithedb", "sqlite-ffi"]),
];

/// The crates that may contain the keyword `unsafe`; every other crate forbids it.
const UNSAFE_CRATES: &[&str] = &["vfs", "pager", "vm", "capi", "lithedb", "sqlite-ffi"];

#[test]
fn crates_depend_only_downwards() {
    let folders: BTreeSet<String> = entries(&root().join("crates")).iter().map(|path| name(path)).collect();
    let known: BTreeSet<String> = ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, known, "a crate is missing in ARROWS or in crates/");
    for (position, (krate, allowed)) in ARROWS.iter().enumerate() {
        let lower: Vec<&str> = ARROWS[..position].iter().map(|(name, _)| *name).collect();
        for dependency in allowed.iter() {
            assert!(lower.contains(dependency), "{krate} -> {dependency} points upwards");
        }
        for dependency in workspace_dependencies(krate) {
            assert!(allowed.contains(&dependency.as_str()), "crate {krate} must not depend on {dependency}");
        }
    }
}

/// The workspace's crates in the `[dependencies]` of a crate (dev-dependencies may point anywhere).
fn workspace_dependencies(krate: &str) -> Vec<String> {
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
fn unsafe_code_stays_in_its_crates() {
    for (krate, _) in ARROWS {
        let uses: Vec<PathBuf> = sources(krate).into_iter().filter(|file| uses_unsafe(file)).collect();
        assert!(UNSAFE_CRATES.contains(krate) || uses.is_empty(), "crate {krate} must not use unsafe: {uses:?}");
    }
}

fn uses_unsafe(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .any(|code| code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl"))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
