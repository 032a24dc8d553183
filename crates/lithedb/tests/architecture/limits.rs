//! Limits of the lengths of files and functions, and of the number of files with methods of one structure.
//!
//! Exceptions are listed here, and the lists may only shrink. `LIMITS=1` prints the longest files, functions and structures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::crates::ARROWS;
use crate::{entries, is_of_tests, root, sources};

/// The most lines of a file.
const FILE_LINES_MAX: usize = 600;
/// The most lines of a function, from its name to its last brace.
const FUNCTION_LINES_MAX: usize = 70;
/// The most files of a crate with `impl` blocks of one structure.
const IMPL_FILES_MAX: usize = 8;

/// Files that are longer: the virtual machine's loop is one function.
const LONG_FILES: &[&str] = &["vm/src/run.rs"];

/// Functions that are longer: the virtual machine's loop.
const LONG_FUNCTIONS: &[&str] = &["vm/src/run.rs steps_until_row"];

/// Structures with methods in more files, and the most files of each.
const SPREAD_STRUCTURES: &[(&str, &str, usize)] = &[];

#[test]
fn files_have_one_subject() {
    let files = all_files();
    let lines = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count();
    let measured = files.iter().map(|file| (shown(file), lines(file)));
    let long = longer(measured, FILE_LINES_MAX);
    compare(&long, &names(LONG_FILES), "files of more than 600 lines");
}

#[test]
fn functions_are_short() {
    let mut measured = Vec::new();
    for file in all_files() {
        let mut reader = Functions { file: shown(&file), found: Vec::new() };
        reader.visit_file(&parsed(&file));
        measured.extend(reader.found);
    }
    let long = longer(measured.into_iter(), FUNCTION_LINES_MAX);
    compare(&long, &names(LONG_FUNCTIONS), "functions of more than 70 lines");
}

#[test]
fn structures_are_not_spread() {
    let mut spread = BTreeSet::new();
    for (krate, _) in ARROWS {
        let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
        for file in sources(krate).into_iter().filter(|file| !is_of_tests(file)) {
            let mut reader = Structures::default();
            reader.visit_file(&parsed(&file));
            for name in reader.found {
                files.entry(name).or_default().insert(file.clone());
            }
        }
        let measured = files.iter().map(|(name, files)| (format!("{krate} {name}"), files.len()));
        let most: BTreeMap<String, usize> = measured.clone().collect();
        for name in longer(measured, IMPL_FILES_MAX) {
            let known = SPREAD_STRUCTURES.iter().find(|(krate, known, _)| name == format!("{krate} {known}"));
            let known_max = known.map_or(IMPL_FILES_MAX, |(.., files)| *files);
            assert!(
                most[&name] <= known_max,
                "{name} has methods in {} files, {known_max} at most are allowed",
                most[&name]
            );
            spread.insert(name);
        }
    }
    let known = SPREAD_STRUCTURES.iter().map(|(krate, name, _)| format!("{krate} {name}")).collect();
    compare(&spread, &known, "structures with methods in more than 8 files");
}

/// The names above a limit.
fn longer(measured: impl Iterator<Item = (String, usize)>, max: usize) -> BTreeSet<String> {
    let long = measured.filter(|(_, size)| *size > max).inspect(|(name, size)| {
        if std::env::var_os("LIMITS").is_some() {
            println!("{size:5} {name}");
        }
    });
    long.map(|(name, _)| name).collect()
}

fn compare(found: &BTreeSet<String>, known: &BTreeSet<String>, what: &str) {
    let new: Vec<_> = found.difference(known).collect();
    let gone: Vec<_> = known.difference(found).collect();
    assert!(new.is_empty(), "{what}: {new:#?}");
    assert!(gone.is_empty(), "the list of {what} names what is within the limit now: {gone:#?}");
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

/// The source files of all crates, with their tests.
fn all_files() -> Vec<PathBuf> {
    let tests = |krate: &&str| root().join("crates").join(krate).join("tests");
    let mut files: Vec<PathBuf> = ARROWS.iter().flat_map(|(krate, _)| sources(krate)).collect();
    let mut folders: Vec<PathBuf> = ARROWS.iter().map(|(krate, _)| tests(krate)).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

fn parsed(file: &Path) -> syn::File {
    let text = fs::read_to_string(file).unwrap();
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The path below `crates/`.
fn shown(file: &Path) -> String {
    file.strip_prefix(root().join("crates")).unwrap().display().to_string()
}

/// Measures the functions of a file.
struct Functions {
    file: String,
    found: Vec<(String, usize)>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line + 1 - signature.span().start().line;
        self.found.push((format!("{} {}", self.file, signature.ident), lines));
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

/// Collects the structures with `impl` blocks in a file.
#[derive(Default)]
struct Structures {
    found: BTreeSet<String>,
}

impl<'a> Visit<'a> for Structures {
    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if let syn::Type::Path(path) = &*item.self_ty
            && let Some(last) = path.path.segments.last()
        {
            self.found.insert(last.ident.to_string());
        }
    }
}

#[test]
fn what_exceeds_a_limit_is_found() {
    let text = "impl One { fn long() {\n\n} }\nimpl Clone for a::Two<'_> {}\nfn short() {}";
    let file = syn::parse_file(text).unwrap();
    let mut functions = Functions { file: "x.rs".to_owned(), found: Vec::new() };
    functions.visit_file(&file);
    assert_eq!(longer(functions.found.into_iter(), 2), names(&["x.rs long"]));
    let mut structures = Structures::default();
    structures.visit_file(&file);
    assert_eq!(structures.found, names(&["One", "Two"]));
}
