//! Completion of keywords, names and dot commands.

use rustyline::completion::Completer as Complete;
use rustyline::{Context, Helper, Highlighter, Hinter, Validator};

/// Completes the word before the cursor.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub struct Completer {
    /// The dot commands.
    commands: &'static [&'static str],
    names: Vec<String>,
}

impl Completer {
    /// A completer with the dot commands, without names.
    pub fn new(commands: &'static [&'static str]) -> Completer {
        Completer { commands, names: Vec::new() }
    }

    /// Sets the names of tables, columns and other objects.
    pub fn set_names(&mut self, names: Vec<String>) {
        self.names = names;
    }

    fn candidates(&self, line: &str, word: &str) -> Vec<String> {
        let begins = |candidate: &str| {
            candidate.len() >= word.len() && candidate.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        };
        if line.starts_with('.') && !line.contains(' ') {
            return self.commands.iter().filter(|name| begins(name)).map(|name| (*name).to_owned()).collect();
        }
        let is_lower = word.bytes().any(|b| b.is_ascii_lowercase());
        let keywords = lithe::keywords().filter(|k| !word.is_empty() && begins(k));
        let keywords = keywords.map(|k| if is_lower { k.to_ascii_lowercase() } else { k.to_owned() });
        let names = self.names.iter().filter(|name| begins(name)).cloned();
        let mut all: Vec<String> = names.chain(keywords).collect();
        all.sort_unstable_by_key(|c| c.to_ascii_lowercase());
        all.dedup();
        all
    }
}

impl Complete for Completer {
    type Candidate = String;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..position];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' && before.starts_with('.');
        let start = before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(position, |(at, _)| at);
        Ok((start, self.candidates(before, &before[start..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_in_their_case() {
        let mut completer = Completer::new(&[".mode", ".open"]);
        completer.set_names(vec!["select_me".to_owned(), "User".to_owned()]);
        assert_eq!(completer.candidates("sel", "sel"), ["select", "select_me"]);
        assert_eq!(completer.candidates("SEL", "SEL"), ["SELECT", "select_me"]);
        assert!(completer.candidates("select * from us", "us").contains(&"User".to_owned()));
        assert_eq!(completer.candidates(".mo", ".mo"), [".mode"]);
    }
}
