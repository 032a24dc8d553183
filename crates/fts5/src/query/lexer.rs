//! Cuts the text of a MATCH into tokens.

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::{FunctionError, Lossy, code};

use crate::{Result, is_bareword};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Kind {
    End,
    String,
    And,
    Or,
    Not,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    Colon,
    Comma,
    Plus,
    Star,
    Minus,
    Caret,
}

/// A token and its place in the text. The token at the end has no text.
#[derive(Clone, Copy, Debug)]
pub struct Token<'q> {
    /// The kind.
    pub kind: Kind,
    /// Its bytes; of a string in quotes, with them.
    pub text: &'q [u8],
}

impl Token<'_> {
    /// The error that something else was expected here.
    pub fn error(&self) -> FunctionError {
        syntax_error(self.text)
    }

    /// A string without its quotes.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn unquoted(&self) -> Result<Vec<u8>> {
        let Some(inner) = self.text.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
            return Ok(copied(self.text)?);
        };
        let mut out = Vec::new();
        out.try_grow(inner.len())?;
        let mut bytes = inner.iter();
        while let Some(byte) = bytes.next() {
            out.push(*byte);
            if *byte == b'"' {
                bytes.next(); // the other one of a doubled quote
            }
        }
        Ok(out)
    }
}

fn syntax_error(text: &[u8]) -> FunctionError {
    FunctionError::quoting(code::ERROR, format_args!("fts5: syntax error near \"{}\"", Lossy(text)))
}

/// The tokens of a text, one after the other.
#[derive(Debug)]
pub struct Lexer<'q> {
    rest: &'q [u8],
}

impl<'q> Lexer<'q> {
    /// From the beginning of a text. It ends at a NUL byte.
    pub fn new(text: &'q [u8]) -> Lexer<'q> {
        Lexer { rest: text.split(|byte| *byte == 0).next().unwrap_or_default() }
    }

    /// The next token; at the end, one without text, again and again.
    ///
    /// # Errors
    /// A byte that begins no token, or a string without its closing quote.
    pub fn next_token(&mut self) -> Result<Token<'q>> {
        let text = skip_space(self.rest);
        let Some(first) = text.first() else {
            self.rest = text;
            return Ok(Token { kind: Kind::End, text });
        };
        let (kind, len) = match first {
            b'(' => (Kind::LeftParen, 1),
            b')' => (Kind::RightParen, 1),
            b'{' => (Kind::LeftBrace, 1),
            b'}' => (Kind::RightBrace, 1),
            b':' => (Kind::Colon, 1),
            b',' => (Kind::Comma, 1),
            b'+' => (Kind::Plus, 1),
            b'*' => (Kind::Star, 1),
            b'-' => (Kind::Minus, 1),
            b'^' => (Kind::Caret, 1),
            b'"' => (Kind::String, quoted_len(text).ok_or_else(|| FunctionError::new("unterminated string"))?),
            _ => word(text).ok_or_else(|| syntax_error(std::slice::from_ref(first)))?,
        };
        let (text, rest) = text.split_at_checked(len).unwrap_or((text, &[]));
        self.rest = rest;
        Ok(Token { kind, text })
    }
}

fn word(text: &[u8]) -> Option<(Kind, usize)> {
    let len = text.iter().take_while(|byte| is_bareword(**byte)).count();
    let kind = match text.get(..len)? {
        b"" => return None,
        b"AND" => Kind::And,
        b"OR" => Kind::Or,
        b"NOT" => Kind::Not,
        _ => Kind::String,
    };
    Some((kind, len))
}

/// How long a string is with both its quotes.
fn quoted_len(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text.get(at..)?.iter().position(|byte| *byte == b'"')? + 1;
        if text.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

/// Space is fewer bytes here than in ASCII: no form feed.
fn skip_space(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    text.get(len..).unwrap_or_default()
}
