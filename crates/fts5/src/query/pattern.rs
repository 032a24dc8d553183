//! LIKE and GLOB as queries of trigrams.
//!
//! The text between two wildcards must be in the document in one piece: each piece of at least three characters becomes a phrase. The
//! rows that are found so are looked at again, since neither the order of the pieces nor shorter ones count here.

use lithe_tokenize::unicode;
use lithe_value::Grow;
use lithe_value::grow::collected;

use super::parser::Tokenize;
use super::{Expr, Near, Phrase};
use crate::Result;
use crate::config::Detail;
use crate::tokenizer::{Purpose, trigram};

/// A pattern.
pub struct Pattern<'p> {
    /// Its text.
    pub text: &'p [u8],
    /// Whether it is one of GLOB.
    pub is_glob: bool,
    /// The column that it is for; None: any.
    pub column: Option<usize>,
}

/// Makes a query of a pattern. None: no piece of it is long enough.
///
/// # Errors
/// The errors of the tokenizer.
pub fn parse(pattern: &Pattern<'_>, detail: Detail, tokenize: &mut Tokenize<'_>) -> Result<Option<Expr>> {
    let mut all = Vec::new();
    for piece in pieces(pattern.text, pattern.is_glob)? {
        let terms = tokenize(piece, Purpose::Query)?;
        if detail == Detail::Full || terms.is_empty() {
            all.try_push(Near::single(Phrase { terms, is_first: false }))?;
        } else {
            all.try_extend(terms.into_iter().map(|term| Near::single(Phrase { terms: vec![term], is_first: false })))?;
        }
    }
    let columns = pattern.column.filter(|_| detail != Detail::None).map(|column| vec![column]);
    let mut all: Vec<Expr> =
        collected(all.into_iter().map(|near| Expr::Near(Near { columns: columns.clone(), ..near })))?;
    Ok(if all.len() > 1 { Some(Expr::And(all)) } else { all.pop() })
}

/// The pieces between wildcards that are long enough. The text ends at a NUL.
fn pieces(text: &[u8], is_glob: bool) -> Result<Vec<&[u8]>> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    loop {
        let byte = text.get(at);
        let is_wildcard = byte.is_some_and(|byte| if is_glob { b"*?[".contains(byte) } else { b"%_".contains(byte) });
        if byte.is_none() || is_wildcard {
            let piece = text.get(start..at).unwrap_or_default();
            if has_trigram(piece) {
                found.try_push(piece)?;
            }
            let Some(byte) = byte else { return Ok(found) };
            at += if *byte == b'[' { set_len(text.get(at..).unwrap_or_default()) } else { 1 };
            start = at;
        } else {
            at += 1;
        }
    }
}

fn has_trigram(piece: &[u8]) -> bool {
    let mut at = 0;
    (0..trigram::LEN).all(|_| unicode::read(piece, &mut at).is_some())
}

/// How long a set of characters in brackets is. A `]` that comes first is one of them.
fn set_len(text: &[u8]) -> usize {
    let mut len = 1;
    len += usize::from(text.get(len) == Some(&b'^'));
    len += usize::from(text.get(len) == Some(&b']'));
    let rest = text.get(len..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b']').map_or(text.len(), |at| len + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, is_glob: bool, expected: &[&str]) {
        let found: Vec<_> =
            pieces(text.as_bytes(), is_glob).unwrap().into_iter().map(String::from_utf8_lossy).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pieces_are_between_wildcards() {
        check("%abcd_ef%ghi", false, &["abcd", "ghi"]);
        check("a_b", false, &[]);
        check("*a[bc", false, &["*a[bc"]);
        check("*abc?de[^]x]fgh[]]ijk*", true, &["abc", "fgh", "ijk"]);
        check("abc[de", true, &["abc"]);
        check("éàü%é", false, &["éàü"]);
    }
}
