//! The names of code in docs/internals: each name in "`crates/FILE` (`name`, `Type::name`)" is defined in that file or folder, and a line
//! that begins with "The code:" has no other names.

use std::fs;
use std::path::Path;

use crate::{entries, root};

#[test]
fn names_beside_files_are_defined_there() {
    let mut wrong = String::new();
    let mut checked = 0;
    for page in entries(&root().join("docs/internals")) {
        let text = fs::read_to_string(&page).unwrap();
        for paragraph in paragraphs(&text) {
            let (names, loose) = named(paragraph);
            checked += names.len();
            let missing = names.iter().filter(|(path, name)| !defines(&text_of(&root().join(path)), name));
            wrong.extend(missing.map(|(path, name)| format!("{}: no {name} in {path}\n", page.display())));
            if paragraph.starts_with("The code:") {
                wrong.extend(loose.iter().map(|name| format!("{}: {name} stands beside no file\n", page.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(checked > 50, "only {checked} names were found");
}

/// The paragraphs, lists and tables of a page, without its fenced blocks.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(|prose| prose.split("\n\n")).map(str::trim)
}

/// The names in parentheses after a path, with the path; and other names in code.
fn named(paragraph: &str) -> (Vec<(&str, &str)>, Vec<&str>) {
    let (mut names, mut loose) = (Vec::new(), Vec::new());
    let mut path = None;
    let mut pieces = paragraph.split('`');
    pieces.next();
    while let (Some(code), Some(prose)) = (pieces.next(), pieces.next()) {
        if code.starts_with("crates/") {
            path = prose.starts_with(" (").then_some(code);
            continue;
        }
        match path {
            Some(path) if is_name(code) => names.push((path, code)),
            Some(_) => {}
            None => loose.push(code),
        }
        if prose.contains(')') {
            path = None;
        }
    }
    (names, loose)
}

fn is_name(code: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    code.trim_end_matches("()").split("::").all(is_word)
}

/// The text of a file, or of all files of a folder.
fn text_of(path: &Path) -> String {
    if path.is_dir() { entries(path).iter().map(|entry| text_of(entry)).collect() } else { read(path) }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Whether Rust code defines `name` (the last word of `Type::name`), and contains every word of it.
fn defines(text: &str, name: &str) -> bool {
    let words: Vec<&str> = name.trim_end_matches("()").split("::").collect();
    let keywords = ["fn", "struct", "enum", "trait", "const", "static", "type", "macro_rules!"];
    let tokens: Vec<&str> = text.split(|c: char| c.is_whitespace() || "(<:;{=".contains(c)).collect();
    let last = words[words.len() - 1];
    let is_defined = tokens.windows(2).any(|pair| keywords.contains(&pair[0]) && pair[1] == last);
    let has = |word: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word);
    is_defined && words.iter().all(|word| has(word))
}

#[test]
fn names_are_found() {
    let (names, loose) = named("The code: `crates/a.rs` (`Wal::commit`, in short `f()`), `crates/b`, `g` (`h`)");
    assert_eq!(names, [("crates/a.rs", "Wal::commit"), ("crates/a.rs", "f()")]);
    assert_eq!(loose, ["g", "h"]);
    let text = "impl Wal {\n    pub(crate) fn commit<T>(&self) {\n        append();\n    }\n}\nconst LARGE: u64 = 1;";
    assert!(defines(text, "Wal::commit") && defines(text, "LARGE") && defines(text, "commit()"));
    assert!(!defines(text, "append") && !defines(text, "Log::commit"));
}
