//! The function behind `rank`: a function with arguments, as `rank MATCH 'bm25(10, 5)'` and the command `rank` name it.

use lithe_vtab::{OutOfMemory, copied_text};

use crate::is_bareword;

/// A function's name, and its arguments as SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The function.
    pub function: String,
    /// The arguments behind the first, as they are written.
    pub arguments: String,
}

impl Default for Rank {
    fn default() -> Rank {
        Rank { function: "bm25".to_owned(), arguments: String::new() }
    }
}

/// Parses `name(literal, ...)`.
///
/// # Errors
/// If the memory is short.
pub fn parse(text: &str) -> Result<Option<Rank>, OutOfMemory> {
    let Some((function, arguments)) = parts(text) else { return Ok(None) };
    Ok(Some(Rank { function: copied_text(function)?, arguments: copied_text(arguments)? }))
}

/// The name and the literals. Text behind the parenthesis is ignored, as in SQLite.
fn parts(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    let len = text.bytes().take_while(|byte| is_bareword(*byte)).count();
    let (function, rest) = text.split_at_checked(len).filter(|(name, _)| !name.is_empty())?;
    let mut rest = rest.trim_start_matches(' ').strip_prefix('(')?.trim_start_matches(' ');
    let start = rest;
    if rest.starts_with(')') {
        return Some((function, ""));
    }
    loop {
        rest = literal(rest)?.trim_start_matches(' ');
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start_matches(' ');
            continue;
        }
        let arguments = start.get(..start.len() - rest.len())?;
        return rest.starts_with(')').then_some((function, arguments));
    }
}

/// The literal at the beginning of a text: NULL, a number, a text, a BLOB.
fn literal(text: &str) -> Option<&str> {
    match text.bytes().next()? {
        b'n' | b'N' => text.get(..4).filter(|word| word.eq_ignore_ascii_case("null")).and(text.get(4..)),
        b'x' | b'X' => {
            let digits = text.get(1..)?.strip_prefix('\'')?;
            let len = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
            let rest = digits.get(len..)?.strip_prefix('\'')?;
            len.is_multiple_of(2).then_some(rest)
        }
        b'\'' => {
            let mut at = 1;
            loop {
                at += text.get(at..)?.find('\'')? + 1;
                if !text.get(at..)?.starts_with('\'') {
                    return text.get(at..);
                }
                at += 1;
            }
        }
        _ => number(text),
    }
}

fn number(text: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(rest);
    let rest = rest.get(whole..)?;
    let fraction = rest.strip_prefix('.').filter(|after| digits(after) > 0);
    match fraction {
        Some(after) => after.get(digits(after)..),
        None => (whole > 0).then_some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_literals() {
        let arguments = |text| parse(text).unwrap().map(|rank| (rank.function, rank.arguments));
        let found = |name: &str, arguments: &str| Some((name.to_owned(), arguments.to_owned()));
        assert_eq!(arguments("bm25()"), found("bm25", ""));
        assert_eq!(arguments(" my ( 1, -2.5 , 'a''b', x'00ff',null)"), found("my", "1, -2.5 , 'a''b', x'00ff',null"));
        for wrong in ["bm25", "bm25(", "(1)", "f(1,)", "f(x)", "f('a)", "f(1 2)", "f(x'0')"] {
            assert_eq!(parse(wrong), Ok(None), "{wrong}");
        }
    }
}
