//! No decision reads an error's message: errors carry what decides (a code, a kind, a flag).

use std::fs;

use crate::crates::ARROWS;
use crate::{is_of_tests, root, sources};

/// What asks a text for what it says.
const QUESTIONS: &[&str] = &[
    ".starts_with(",
    ".ends_with(",
    ".contains(",
    ".strip_prefix(",
    ".strip_suffix(",
    ".split_once(",
    ".find(",
    ".eq_ignore_ascii_case(",
    " == ",
    " != ",
];

#[test]
fn messages_decide_nothing() {
    let mut found = Vec::new();
    for file in ARROWS.iter().flat_map(|(krate, _)| sources(krate)).filter(|file| !is_of_tests(file)) {
        let text = fs::read_to_string(&file).unwrap();
        // Unit tests, at the end of a file, compare messages.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let place = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        let questions = code.lines().enumerate().filter(|(_, line)| asks_a_message(line));
        found.extend(questions.map(|(at, line)| format!("{place}:{}: {}", at + 1, line.trim())));
    }
    assert!(found.is_empty(), "these lines decide by a message: {found:#?}");
}

/// Whether a question follows a word `message` (`message()`, `errmsg`) directly.
fn asks_a_message(line: &str) -> bool {
    ["message", "errmsg"].iter().flat_map(|word| line.match_indices(word).map(|(at, _)| &line[at + word.len()..])).any(
        |behind| {
            let behind = [".as_str()", ".as_bytes()", ".to_string()", ".as_deref()", ".trim()"]
                .iter()
                .fold(behind.strip_prefix("()").unwrap_or(behind), |rest, call| {
                    rest.strip_prefix(call).unwrap_or(rest)
                });
            QUESTIONS.iter().any(|question| behind.starts_with(question))
        },
    )
}

#[test]
fn questions_are_found() {
    for line in [
        "if error.message().starts_with(\"no such\") {",
        "let is_full = error.message == \"database is full\";",
        "message.as_str().contains(\"locked\")",
        "Some(message) if message != b\"x\" => 1,",
    ] {
        assert!(asks_a_message(line), "{line}");
    }
    for line in
        ["error.message()", "message.is_empty()", "format!(\"{message} contains(\")", "let message = text.find('x');"]
    {
        assert!(!asks_a_message(line), "{line}");
    }
}
