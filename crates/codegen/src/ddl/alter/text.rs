//! Editing text by the spans of a tree.

use lithe_sql::ast::{Ident, Name, Quote, Span};
use lithe_sql::{Lexer, Token, TokenKind};

use super::super::names::quoted;

/// Replacements of parts of one text.
#[derive(Default)]
pub(super) struct TextEdits {
    edits: Vec<(Span, Vec<u8>)>,
}

impl TextEdits {
    /// Replaces the part at `span` by `text`. The same span may be replaced several times.
    pub fn replace(&mut self, span: Span, text: impl Into<Vec<u8>>) {
        self.edits.push((span, text.into()));
    }

    /// Whether there is no replacement.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The new text. A replacement within a part that is replaced is ignored.
    pub fn apply(mut self, text: &[u8]) -> Vec<u8> {
        self.edits.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        self.edits.dedup_by_key(|(span, _)| *span);
        let mut edited = Vec::with_capacity(text.len());
        let mut done = 0;
        for (span, replacement) in self.edits {
            if (span.start as usize) < done {
                continue;
            }
            let start = (span.start as usize).clamp(done, text.len());
            edited.extend_from_slice(&text[done..start]);
            edited.extend_from_slice(&replacement);
            done = (span.end as usize).clamp(start, text.len());
        }
        edited.extend_from_slice(&text[done..]);
        edited
    }
}

/// The replacement of a name: in double quotes if the old or the new name is quoted.
pub(super) fn renamed(token: Ident<'_>, name: Ident<'_>) -> Vec<u8> {
    if token.quote() == Quote::None && name.quote() == Quote::None {
        name.name.as_bytes().to_vec()
    } else {
        in_quotes(name.name)
    }
}

/// The name in double quotes.
pub(super) fn in_quotes(name: Name<'_>) -> Vec<u8> {
    quoted(name, '"').into_bytes()
}

/// The string for a name in double quotes: in single quotes, and with a space before a following string, which would otherwise
/// become part of it.
pub(super) fn as_string(text: &[u8], name: Ident<'_>) -> Vec<u8> {
    let mut string = quoted(name.name, '\'').into_bytes();
    if text.get(name.span().end as usize) == Some(&b'\'') {
        string.push(b' ');
    }
    string
}

/// The first token that begins at or after `from`.
pub(super) fn token_from(text: &[u8], from: u32) -> Token {
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next_significant();
        if token.span.start >= from || token.kind == TokenKind::EndOfText {
            return token;
        }
    }
}

/// The last token that ends at or before `until`.
pub(super) fn token_before(text: &[u8], until: u32) -> Token {
    let mut lexer = Lexer::new(text);
    let mut last = Token { kind: TokenKind::EndOfText, span: Span::default() };
    loop {
        let token = lexer.next_significant();
        if token.span.end > until || token.kind == TokenKind::EndOfText {
            return last;
        }
        last = token;
    }
}

/// Removes a constraint: with a comma if it is between commas, else with the space around it.
pub(super) fn without_constraint(text: &[u8], constraint: Span) -> TextEdits {
    let end = end_of_deferral(text, constraint.end);
    let (before, behind) = (token_before(text, constraint.start), token_from(text, end));
    let mut edits = TextEdits::default();
    match (before.kind, behind.kind) {
        (TokenKind::Comma, TokenKind::Comma) => {
            let next = token_from(text, behind.span.end);
            edits.replace(Span::new(constraint.start, next.span.start), "");
        }
        (TokenKind::Comma, TokenKind::RightParen) => edits.replace(Span::new(before.span.start, end), ""),
        // Two constraints of a table need no comma between them.
        (TokenKind::Comma, _) => edits.replace(Span::new(constraint.start, behind.span.start), ""),
        (_, TokenKind::Comma | TokenKind::RightParen) => {
            edits.replace(Span::new(before.span.end, behind.span.start), "");
        }
        _ => edits.replace(Span::new(before.span.end, behind.span.start), " "),
    }
    edits
}

/// The end of `DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]` after `from`, if it follows: the grammar has it as a constraint of
/// its own, but it belongs to the constraint before.
fn end_of_deferral(text: &[u8], from: u32) -> u32 {
    let word = |from: u32, words: &[&str]| {
        let span = token_from(text, from).span;
        words.iter().any(|word| span.text(text).eq_ignore_ascii_case(word.as_bytes())).then_some(span.end)
    };
    let Some(end) = word(from, &["DEFERRABLE"]) else { return from };
    word(end, &["INITIALLY"]).and_then(|initially| word(initially, &["DEFERRED", "IMMEDIATE"])).unwrap_or(end)
}
