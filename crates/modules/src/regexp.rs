//! `regexp(P, X)`, which the operator `X REGEXP P` calls, and `regexpi(P, X)`, which ignores the case of ASCII letters: whether a pattern
//! matches anywhere in a text.
//!
//! A pattern is compiled to a program ([`pattern`]), a nondeterministic automaton. All its states advance together, character by character,
//! without backtracking: the time is proportional to the length of the pattern times that of the text.

mod pattern;

use std::sync::Arc;

use lithe_value::cast::to_text;
use lithe_vtab::{Arity, Context, Function, FunctionError, Result, ValueRef, copied, lossy};

use crate::function::{argument, scalar};
use pattern::{Program, State, Wrong};

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    vec![
        scalar("regexp", Arity::Exactly(2), |context, args| regexp(context, args, false)),
        scalar("regexpi", Arity::Exactly(2), |context, args| regexp(context, args, true)),
    ]
}

/// The pattern of the previous call, compiled.
struct Compiled {
    text: Vec<u8>,
    program: Result<Program, Wrong>,
}

fn regexp(context: &mut Context<'_>, args: &[ValueRef<'_>], folds: bool) -> Result {
    let (pattern, text) = (argument(args, 0), argument(args, 1));
    if pattern.is_null() || text.is_null() {
        return context.answer(ValueRef::Null);
    }
    let (pattern, text) = (to_text(pattern), to_text(text));
    if context.site.get().is_none_or(|known: &Compiled| *known.text != *pattern) {
        context.site.set(Compiled { text: copied(&pattern)?, program: Program::new(&pattern, folds) });
    }
    let found = match context.site.get().map(|known: &Compiled| &known.program) {
        Some(Ok(program)) => matches(program, &lossy(&text)?, folds),
        Some(Err(Wrong::Pattern(message))) => return Err(FunctionError::new(*message)),
        Some(Err(Wrong::OutOfMemory)) | None => return Err(FunctionError::out_of_memory()),
    };
    context.answer(ValueRef::Integer(found.into()))
}

/// The current states of a program.
struct States {
    list: Vec<usize>,
    is_in: Vec<bool>,
}

impl States {
    fn new(count: usize) -> States {
        States { list: Vec::with_capacity(count), is_in: vec![false; count] }
    }

    fn clear(&mut self) {
        for state in self.list.drain(..) {
            if let Some(is_in) = self.is_in.get_mut(state) {
                *is_in = false;
            }
        }
    }

    fn add(&mut self, state: usize) {
        if let Some(is_in) = self.is_in.get_mut(state).filter(|is_in| !**is_in) {
            *is_in = true;
            self.list.push(state);
        }
    }
}

/// A position in a text: between two characters.
struct Place {
    before: Option<char>,
    after: Option<char>,
}

impl Place {
    fn is_boundary(&self) -> bool {
        self.before.is_some_and(pattern::is_word) != self.after.is_some_and(pattern::is_word)
    }
}

/// Adds the states that are reached without a character. True if the end of the program is among them.
fn close(program: &Program, states: &mut States, place: &Place) -> bool {
    let mut at = 0;
    while let Some(number) = states.list.get(at).copied() {
        at += 1;
        match program.states.get(number) {
            None => return true,
            Some(State::Split(one, other)) => {
                states.add(*one);
                states.add(*other);
                if *one >= program.states.len() || *other >= program.states.len() {
                    return true;
                }
            }
            Some(State::Start(next)) if place.before.is_none() => states.add(*next),
            Some(State::End(next)) if place.after.is_none() => states.add(*next),
            Some(State::Boundary(next)) if place.is_boundary() => states.add(*next),
            Some(_) => {}
        }
    }
    states.list.contains(&program.states.len())
}

fn matches(program: &Program, text: &str, folds: bool) -> bool {
    // The number after the last state is the end.
    let count = program.states.len() + 1;
    let (mut now, mut next) = (States::new(count), States::new(count));
    let mut rest = text.chars().map(|letter| if folds { letter.to_ascii_lowercase() } else { letter }).peekable();
    let mut before = None;
    loop {
        // A match may begin anywhere.
        now.add(program.start);
        let place = Place { before, after: rest.peek().copied() };
        if close(program, &mut now, &place) {
            return true;
        }
        let Some(letter) = rest.next() else { return false };
        for number in &now.list {
            if let Some(State::Letter(set, behind)) = program.states.get(*number)
                && set.contains(letter)
            {
                next.add(*behind);
            }
        }
        now.clear();
        std::mem::swap(&mut now, &mut next);
        before = Some(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("", "x", true),
            ("b", "abc", true),
            ("^b", "abc", false),
            ("^a.c$", "abc", true),
            ("a{2,3}$", "baaa", true),
            ("^a{2,3}$", "aaaa", false),
            ("^(ab|cd)+$", "abcdab", true),
            ("^(ab|cd)*$", "abc", false),
            ("x?y", "y", true),
            ("[^a-c]", "abc", false),
            ("[]x]", "]", true),
            (r"\bcat\b", "the cat sat", true),
            (r"\bcat\b", "concat", false),
            (r"^\d+\.\d+$", "3.14", true),
            (r"\u00e4", "ä", true),
            (r"\x41", "A", true),
            (r"^\w+\s\W$", "word !", true),
            (r"^.$", "ä", true),
            ("(a*)*$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", true),
            ("^(a*)*$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false),
            ("a{0,2}b", "b", true),
            ("a|", "b", true),
            (r"x\", "x", true),
            (r"x\", r"x\", false),
        ] {
            let program = Program::new(pattern.as_bytes(), false).unwrap();
            assert_eq!(matches(&program, text, false), expected, "{text} REGEXP {pattern}");
        }
        let program = Program::new(b"aBC", true).unwrap();
        assert!(matches(&program, "xAbc", true));
    }

    #[test]
    fn nothing_repeated() {
        let program = Program::new(b"((){9999}){9999}", false).unwrap();
        assert!(matches(&program, "", false));
    }

    #[test]
    fn patterns_that_are_none() {
        for (pattern, message) in [
            ("(a", "unmatched '('"),
            ("*a", "'*' without operand"),
            ("a|+", "'+' without operand"),
            ("?", "'?' without operand"),
            ("{2}", "'{m,n}' without operand"),
            ("a{2", "unmatched '{'"),
            ("a{3,2}", "n less than m in '{m,n}'"),
            ("a{0}", "both m and n are zero in '{m,n}'"),
            ("[a", "unclosed '['"),
            ("[[:alpha:]]", "POSIX character classes not supported"),
            (r"\q", r"unknown \ escape"),
            ("a)", "unrecognized character"),
            ("((((a{99}){99}){99}){99})", "REGEXP pattern too big"),
            (&format!("a{}", "*".repeat(100_000)), "REGEXP pattern too big"),
            (&"(".repeat(100_000), "REGEXP pattern too big"),
        ] {
            assert_eq!(Program::new(pattern.as_bytes(), false).err(), Some(Wrong::Pattern(message)), "{pattern}");
        }
    }
}
