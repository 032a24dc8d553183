//! Every module has module docs, every page is in the book, and links have targets: between pages, to anchors, and from rustdoc to pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::crates::ARROWS;
use crate::{entries, is_of_tests, root, sources};

#[test]
fn every_module_says_what_it_is_about() {
    for (krate, _) in ARROWS {
        for file in sources(krate).iter().filter(|file| !is_of_tests(file)) {
            let text = fs::read_to_string(file).unwrap();
            assert!(text.starts_with("//!"), "{} has no module doc", file.display());
        }
    }
}

/// The first page of a crate says what the crate is, draws its structure, names the types to read first and what the crate must not know.
#[test]
fn every_crate_has_a_first_page() {
    for (krate, _) in ARROWS {
        let folder = root().join("crates").join(krate).join("src");
        let text = fs::read_to_string(folder.join("lib.rs")).or_else(|_| fs::read_to_string(folder.join("main.rs")));
        let text = text.unwrap();
        let page: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        for part in ["```text", "Read first: ", "must not know"] {
            assert!(page.contains(part), "the first page of crate {krate} has no \"{part}\"");
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut dead = String::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in links(&text) {
            dead += &check(&document, target);
        }
    }
    assert!(dead.is_empty(), "{dead}");
}

/// Module docs name pages as `docs/NAME.md`, relative to the root of the repository.
#[test]
fn pages_that_sources_name_are_there() {
    let mut dead = String::new();
    for (krate, _) in ARROWS {
        for file in sources(krate) {
            let text = fs::read_to_string(&file).unwrap();
            let comments = text.lines().filter_map(|line| line.split_once("//")).map(|(_, comment)| comment);
            for page in comments.flat_map(|comment| comment.split("docs/").skip(1)) {
                let end = page.find(|c: char| !c.is_alphanumeric() && !"._-/".contains(c)).unwrap_or(page.len());
                let name = page[..end].trim_end_matches('.');
                if name.ends_with(".md") && !root().join("docs").join(name).exists() {
                    dead += &format!("{}: no page docs/{name}\n", file.display());
                }
            }
        }
    }
    assert!(dead.is_empty(), "{dead}");
}

#[test]
fn every_page_is_in_the_book() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = links(&summary).map(|target| docs.join(target)).collect();
    let pages = pages(&docs).into_iter().filter(|page| !page.ends_with("SUMMARY.md"));
    let missing: Vec<PathBuf> = pages.filter(|page| !listed.contains(page)).collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}

/// Pages name files and folders of the workspace in code: `crates/…`. (Dated notes and the changelog may name removed ones.)
#[test]
fn files_that_pages_name_are_there() {
    let mut gone = String::new();
    let is_dated =
        |path: &Path| path.components().any(|part| part.as_os_str() == "notes" || part.as_os_str() == "decisions");
    for document in documents().iter().filter(|path| !is_dated(path) && !path.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(document).unwrap();
        let in_code =
            text.split('`').skip(1).step_by(2).filter(|code| !code.contains(|c: char| c.is_whitespace() || c == '…'));
        for path in in_code.filter(|code| ["crates/", "tests/", "docs/"].iter().any(|folder| code.starts_with(folder)))
        {
            if !root().join(path).exists() && !root().join("crates/lithedb").join(path).exists() {
                gone += &format!("{}: no {path}\n", document.display());
            }
        }
    }
    assert!(gone.is_empty(), "{gone}");
}

#[test]
fn rust_on_pages_is_run() {
    let doctests = fs::read_to_string(root().join("crates/lithedb/src/book.rs")).unwrap();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        // (A block that quotes a file is compiled there: see `named_code`.)
        let is_run = |block: &str| block.lines().nth(1).is_none_or(|line| !line.starts_with("// crates/"));
        let has_rust = text.split("\n```rust").skip(1).any(is_run);
        let name = document.strip_prefix(root()).unwrap().display().to_string();
        assert!(!has_rust || doctests.contains(&format!("../../../{name}\"")), "{name} is not in lithedb/src/book.rs");
    }
}

/// Commands on pages name existing packages, tests and examples.
#[test]
fn commands_name_what_there_is() {
    let mut packages = BTreeSet::new();
    for (krate, _) in ARROWS {
        let manifest = fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
        packages
            .extend(manifest.lines().find_map(|line| line.strip_prefix("name = ")).map(|name| name.replace('"', "")));
    }
    let mut wrong = String::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for line in text.lines().filter(|line| line.contains("cargo ") && !line.contains("--manifest-path")) {
            let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || "`()".contains(c)).collect();
            for pair in words.windows(2).filter(|pair| pair[0] == "-p") {
                if !packages.contains(pair[1]) && pair[1] != "CRATE" {
                    wrong += &format!("{}: no package {}\n", document.display(), pair[1]);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The pages of `docs/`, and those at the root of the repository.
fn documents() -> Vec<PathBuf> {
    let at_root = entries(&root()).into_iter().filter(|path| is_page(path));
    pages(&root().join("docs")).into_iter().chain(at_root).collect()
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries(folder).into_iter().partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| pages(folder));
    files.into_iter().filter(|path| is_page(path)).chain(below).collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// The targets of a page's links, without those in fenced blocks.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()))
}

/// The error in a link of `document`; empty if there is none.
fn check(document: &Path, target: &str) -> String {
    if target.contains("://") {
        return String::new();
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let there = if path.is_empty() { document.to_path_buf() } else { document.parent().unwrap().join(path) };
    if !there.exists() {
        return format!("{}: dead link to {target}\n", document.display());
    }
    if !anchor.is_empty() && is_page(&there) && !anchors(&fs::read_to_string(&there).unwrap()).contains(anchor) {
        return format!("{}: no such heading: {target}\n", document.display());
    }
    String::new()
}

/// The anchors of a page's headings, as GitHub and mdBook make them: small letters, hyphens for spaces, no punctuation.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    headings
        .map(|heading| {
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        })
        .collect()
}
