//! SQL text to tokens: one table lookup per byte, no allocation, no validation of UTF-8.
//!
//! The class of the first byte of a token selects its scanner. A NUL byte ends the text, as in C programs; a string or bracketed
//! name that it truncates is an illegal token.

use memchr::memchr2;

use crate::ast::Span;
use crate::keyword;
use crate::token::{Token, TokenKind};

/// A number of digits, with a point among or behind them or without one: `significand` / 10^`decimals`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrdinaryNumber {
    /// A minus precedes the digits.
    pub is_negative: bool,
    /// The digits.
    pub significand: u64,
    /// The number of digits behind the point; `None` for an integer.
    pub decimals: Option<u8>,
}

/// The tokens of a text, white space and comments included.
#[derive(Clone, Debug)]
pub struct Lexer<'s> {
    sql: &'s [u8],
    at: usize,
    /// Whether the last quoted token contained doubled quotes.
    has_doubled: bool,
}

impl<'s> Lexer<'s> {
    /// A lexer at the start of `sql`. Text beyond 4 GB is ignored: offsets have 32 bits.
    pub fn new(sql: &'s [u8]) -> Lexer<'s> {
        let sql = sql.get(..u32::MAX as usize).unwrap_or(sql);
        Lexer { sql, at: 0, has_doubled: false }
    }

    /// The offset of the next token.
    pub fn offset(&self) -> u32 {
        self.at as u32 // fits: see `new`
    }

    /// The text of a span.
    #[inline]
    pub fn text(&self, span: Span) -> &'s [u8] {
        span.text(self.sql)
    }

    /// Whether the last token, which must be a quoted one, contains doubled quotes.
    #[inline]
    pub fn has_doubled_quotes(&self) -> bool {
        self.has_doubled
    }

    /// Moves past `bytes` if they are the next bytes of the text. The bytes are not divided into tokens.
    #[inline]
    pub fn skip_exactly(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest().starts_with(bytes).then(|| self.at += bytes.len())
    }

    /// The text that has not been read yet.
    #[inline]
    fn rest(&self) -> &[u8] {
        self.sql.get(self.at..).unwrap_or_default()
    }

    /// Moves to the next byte that is not white space.
    pub fn skip_space(&mut self) {
        self.skip_while(is_space);
    }

    /// Moves to the next byte that is neither white space nor part of a comment.
    pub(crate) fn skip_trivia(&mut self) {
        loop {
            self.skip_while(is_space);
            if !matches!(self.peek(0), b'-' | b'/' | 0xef) {
                return;
            }
            let before = self.at;
            if !self.scan().is_trivia() {
                self.at = before;
                return;
            }
        }
    }

    /// The next token. At the end of the text, always [`TokenKind::EndOfText`] with an empty span.
    #[inline]
    pub fn next_token(&mut self) -> Token {
        let start = self.at;
        let kind = self.scan();
        debug_assert!(self.at > start || kind == TokenKind::EndOfText);
        Token { kind, span: Span::new(start as u32, self.at as u32) }
    }

    /// The next token, with keywords taken for identifiers.
    pub(crate) fn next_rough(&mut self) -> Token {
        if !matches!(CLASS.get(usize::from(self.peek(0))), Some(Class::Letter)) {
            return self.next_token();
        }
        let start = self.at;
        self.skip_while(is_identifier_byte);
        Token { kind: TokenKind::Identifier, span: Span::new(start as u32, self.at as u32) }
    }

    /// The next token that is neither white space nor comment. Words and single characters, of which most of SQL consists, are read
    /// here, others out of line.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the tables have a place for every byte")]
    pub fn next_significant(&mut self) -> Token {
        // Nearly all white space is a single blank.
        let at = self.at + usize::from(self.peek(0) == b' ');
        let first = self.sql.get(at).copied().unwrap_or(0);
        let (kind, end) = match CLASS[usize::from(first)] {
            Class::Letter => self.word_at(at),
            Class::Single => (SINGLE[usize::from(first)], at + 1),
            _ => {
                // What a vertical tab is depends on what precedes it.
                if first > b' ' {
                    self.at = at;
                }
                return self.next_of_others();
            }
        };
        self.at = end;
        Token { kind, span: Span::new(at as u32, end as u32) }
    }

    #[inline(never)]
    fn next_of_others(&mut self) -> Token {
        loop {
            let token = self.next_token();
            if !token.kind.is_trivia() {
                return token;
            }
        }
    }

    /// Whether the next token may begin with `byte`: false if the white space is followed by another byte. Comments are not
    /// skipped.
    #[inline]
    pub(crate) fn may_be_before(&self, byte: u8) -> bool {
        self.may_be_before_any(&[byte])
    }

    /// The same of several bytes.
    #[inline]
    pub(crate) fn may_be_before_any(&self, bytes: &[u8]) -> bool {
        let first = self.rest().iter().find(|byte| !is_space(**byte));
        first.is_some_and(|first| bytes.contains(first) || matches!(first, b'-' | b'/') || *first >= 0x80)
    }

    /// The byte at distance `ahead` from the current one; 0 past the end.
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.sql.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn take(&mut self, length: usize, kind: TokenKind) -> TokenKind {
        self.at += length;
        kind
    }

    /// Moves past the token that starts here, and returns its kind.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the tables have a place for every byte")]
    fn scan(&mut self) -> TokenKind {
        let first = self.peek(0);
        match CLASS[usize::from(first)] {
            Class::Letter => self.word(),
            Class::X => self.blob_or_word(),
            Class::Single => self.take(1, SINGLE[usize::from(first)]),
            Class::Digit => self.number(),
            Class::Space => {
                self.at += 1;
                self.skip_while(is_space);
                TokenKind::Space
            }
            Class::Quote => self.quoted(first),
            Class::Bracket => self.bracketed(),
            Class::Dot => match self.peek(1) {
                b'0'..=b'9' => self.number(),
                _ => self.take(1, TokenKind::Dot),
            },
            Class::Operator => self.operator(first),
            Class::Minus => self.minus(),
            Class::Slash => self.slash(),
            Class::Question => {
                self.at += 1;
                self.skip_while(|b| b.is_ascii_digit());
                TokenKind::Parameter
            }
            Class::Variable => self.variable(),
            Class::ByteOrderMark => match (self.peek(1), self.peek(2)) {
                (0xbb, 0xbf) => self.take(3, TokenKind::Space),
                _ => self.word(),
            },
            Class::End => TokenKind::EndOfText,
            Class::Illegal => self.take(1, TokenKind::Illegal),
        }
    }

    #[inline]
    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while let Some(&byte) = self.sql.get(self.at)
            && wanted(byte)
        {
            self.at += 1;
        }
    }

    /// A keyword or an unquoted identifier.
    #[inline]
    fn word(&mut self) -> TokenKind {
        let (kind, end) = self.word_at(self.at);
        self.at = end;
        kind
    }

    /// The kind of the word at this place, and its end.
    #[inline(always)]
    fn word_at(&self, at: usize) -> (TokenKind, usize) {
        let text = self.sql.get(at..).unwrap_or_default();
        let len = text.iter().position(|byte| !is_identifier_byte(*byte)).unwrap_or(text.len());
        let keyword = match text.get(..len) {
            Some(word) => keyword::find(word),
            None => None,
        };
        (keyword.unwrap_or(TokenKind::Identifier), at + len)
    }

    fn blob_or_word(&mut self) -> TokenKind {
        if self.peek(1) != b'\'' {
            return self.word();
        }
        self.at += 2;
        let digits_at = self.at;
        self.skip_while(|b| b.is_ascii_hexdigit());
        if self.peek(0) == b'\'' && (self.at - digits_at).is_multiple_of(2) {
            return self.take(1, TokenKind::Blob);
        }
        // The text up to the closing quote is one illegal token.
        self.skip_while(|b| b != b'\'' && b != 0);
        if self.peek(0) == b'\'' {
            self.at += 1;
        }
        TokenKind::Illegal
    }

    fn number(&mut self) -> TokenKind {
        let mut kind = TokenKind::Integer;
        let mut separated = false;
        if self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X') && self.peek(2).is_ascii_hexdigit() {
            self.at += 2;
            separated |= self.digits(|b| b.is_ascii_hexdigit());
        } else {
            separated |= self.digits(|b| b.is_ascii_digit());
            if self.peek(0) == b'.' {
                self.at += 1;
                kind = TokenKind::Float;
                separated |= self.digits(|b| b.is_ascii_digit());
            }
            if let Some(length) = self.exponent_start() {
                self.at += length;
                kind = TokenKind::Float;
                separated |= self.digits(|b| b.is_ascii_digit());
            }
        }
        if is_identifier_byte(self.peek(0)) {
            self.skip_while(is_identifier_byte);
            return TokenKind::Illegal;
        }
        if separated { TokenKind::SeparatedNumber } else { kind }
    }

    /// Reads an ordinary number, with a minus but without an exponent, that begins here, value included, in one pass. `None`, and nothing is read, if
    /// here is no number or another one: `next_token` tells.
    #[inline]
    pub(crate) fn ordinary_number(&mut self) -> Option<OrdinaryNumber> {
        /// So many digits fit, whatever they are.
        const LENGTH_MAX: usize = 18;
        let rest = self.rest();
        let (sign, text) = match rest {
            [b'-', text @ ..] => (1, text),
            text => (0, text),
        };
        let (mut significand, mut point, mut len) = (0u64, None, 0);
        let behind = loop {
            match text.get(len).copied().unwrap_or(0) {
                digit @ b'0'..=b'9' if len < LENGTH_MAX => significand = significand * 10 + u64::from(digit - b'0'),
                b'.' if point.is_none() && len > 0 => point = Some(len),
                byte => break byte,
            }
            len += 1;
        };
        if len == 0 || behind == b'.' || is_identifier_byte(behind) {
            return None;
        }
        self.at += sign + len;
        Some(OrdinaryNumber { is_negative: sign != 0, significand, decimals: point.map(|at| (len - at - 1) as u8) })
    }

    /// The number that the whole text is, if it is an ordinary one.
    pub(crate) fn only_ordinary_number(&mut self) -> Option<OrdinaryNumber> {
        self.ordinary_number().filter(|_| self.rest().is_empty())
    }

    /// Skips digits and separators; returns whether there were separators.
    #[inline]
    fn digits(&mut self, digit: impl Fn(u8) -> bool) -> bool {
        let mut separated = false;
        loop {
            self.skip_while(&digit);
            if self.peek(0) != b'_' {
                return separated;
            }
            separated = true;
            self.at += 1;
        }
    }

    /// The length of `e`, `e+` or `e-` if a digit follows it.
    #[inline]
    fn exponent_start(&self) -> Option<usize> {
        if !matches!(self.peek(0), b'e' | b'E') {
            return None;
        }
        match (self.peek(1), self.peek(2)) {
            (b'0'..=b'9', _) => Some(1),
            (b'+' | b'-', b'0'..=b'9') => Some(2),
            _ => None,
        }
    }

    /// A string or an identifier; a doubled quote within means a single one.
    fn quoted(&mut self, quote: u8) -> TokenKind {
        self.at += 1;
        self.has_doubled = false;
        loop {
            let Some(length) = memchr2(quote, 0, self.rest()) else {
                self.at = self.sql.len();
                return TokenKind::Illegal;
            };
            self.at += length;
            if self.peek(0) == 0 {
                return TokenKind::Illegal;
            }
            self.at += 1;
            if self.peek(0) != quote {
                break;
            }
            self.at += 1;
            self.has_doubled = true;
        }
        if quote == b'\'' { TokenKind::String } else { TokenKind::Identifier }
    }

    fn bracketed(&mut self) -> TokenKind {
        match memchr2(b']', 0, self.rest()) {
            Some(length) if self.peek(length) == b']' => self.take(length + 1, TokenKind::Identifier),
            Some(length) => self.take(length, TokenKind::Illegal),
            None => self.take(self.sql.len() - self.at, TokenKind::Illegal),
        }
    }

    fn operator(&mut self, first: u8) -> TokenKind {
        let (length, kind) = match (first, self.peek(1)) {
            (b'=', b'=') => (2, TokenKind::Equal),
            (b'=', _) => (1, TokenKind::Equal),
            (b'<', b'=') => (2, TokenKind::LessEqual),
            (b'<', b'>') => (2, TokenKind::NotEqual),
            (b'<', b'<') => (2, TokenKind::ShiftLeft),
            (b'<', _) => (1, TokenKind::Less),
            (b'>', b'=') => (2, TokenKind::GreaterEqual),
            (b'>', b'>') => (2, TokenKind::ShiftRight),
            (b'>', _) => (1, TokenKind::Greater),
            (b'!', b'=') => (2, TokenKind::NotEqual),
            (b'|', b'|') => (2, TokenKind::Concat),
            (b'|', _) => (1, TokenKind::Bar),
            _ => (1, TokenKind::Illegal),
        };
        self.take(length, kind)
    }

    fn minus(&mut self) -> TokenKind {
        match (self.peek(1), self.peek(2)) {
            (b'-', _) => {
                let rest = self.rest();
                // The end of the line belongs to the white space that follows.
                let length = memchr2(b'\n', 0, rest).unwrap_or(rest.len());
                self.take(length, TokenKind::Comment)
            }
            (b'>', b'>') => self.take(3, TokenKind::DoubleArrow),
            (b'>', _) => self.take(2, TokenKind::Arrow),
            _ => self.take(1, TokenKind::Minus),
        }
    }

    /// A division or a comment. Comments do not nest. The end of the text ends a comment, but if the text ends directly after
    /// `/*`, that is not a comment.
    fn slash(&mut self) -> TokenKind {
        if self.peek(1) != b'*' || self.peek(2) == 0 {
            return self.take(1, TokenKind::Slash);
        }
        self.at += 2;
        loop {
            let rest = self.rest();
            let Some(length) = memchr2(b'/', 0, rest.get(1..).unwrap_or_default()) else {
                return self.take(rest.len(), TokenKind::Comment);
            };
            let found = length + 1;
            if rest.get(found) == Some(&0) {
                return self.take(found, TokenKind::Comment);
            }
            if rest.get(length) == Some(&b'*') {
                return self.take(found + 1, TokenKind::Comment);
            }
            self.at += found;
        }
    }

    /// `:name`, `@name`, `#name`, or `$name::part(suffix)`; the last form is that of Tcl, and is accepted for all four prefixes.
    fn variable(&mut self) -> TokenKind {
        self.at += 1;
        let mut named = false;
        loop {
            let byte = self.peek(0);
            if is_identifier_byte(byte) {
                named = true;
                self.at += 1;
            } else if byte == b'(' && named {
                self.at += 1;
                self.skip_while(|b| b != b')' && b != 0 && !is_space(b));
                if self.peek(0) != b')' {
                    return TokenKind::Illegal;
                }
                return self.take(1, TokenKind::Parameter);
            } else if byte == b':' && self.peek(1) == b':' {
                self.at += 2;
            } else {
                break;
            }
        }
        if named { TokenKind::Parameter } else { TokenKind::Illegal }
    }
}

/// All tokens up to the end of the text.
impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = self.next_token();
        (token.kind != TokenKind::EndOfText).then_some(token)
    }
}

/// The end of the first token from `offset` on that is neither white space nor a comment; `None` at the end of the text.
#[cold]
pub fn end_of_next_token(sql: &[u8], offset: u32) -> Option<u32> {
    let token = Lexer::new(sql.get(offset as usize..)?).next_significant();
    (token.kind != TokenKind::EndOfText).then_some(offset + token.span.end)
}

/// Whether `byte` can be part of an unquoted identifier.
#[inline]
#[expect(clippy::indexing_slicing, reason = "as above")]
pub fn is_identifier_byte(byte: u8) -> bool {
    IDENTIFIER[usize::from(byte)]
}

/// Whether `byte` is white space. A vertical tab counts only after other white space: it cannot start a token.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | VERTICAL_TAB | FORM_FEED | b'\r')
}

const VERTICAL_TAB: u8 = 0x0b;
const FORM_FEED: u8 = 0x0c;

/// The class of a byte at the start of a token.
#[derive(Clone, Copy)]
enum Class {
    Illegal,
    End,
    Letter,
    X,
    Digit,
    Space,
    Quote,
    Bracket,
    Dot,
    Operator,
    Minus,
    Slash,
    Question,
    Variable,
    ByteOrderMark,
    /// A token of one byte: see [`SINGLE`].
    Single,
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static CLASS: [Class; 256] = {
    let mut table = [Class::Illegal; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class(byte as u8); // below 256
        byte += 1;
    }
    table
};

const fn class(byte: u8) -> Class {
    match byte {
        0 => Class::End,
        b'x' | b'X' => Class::X,
        0xef => Class::ByteOrderMark,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' | b'\n' | FORM_FEED | b'\r' => Class::Space,
        b'\'' | b'"' | b'`' => Class::Quote,
        b'[' => Class::Bracket,
        b'.' => Class::Dot,
        b'=' | b'<' | b'>' | b'!' | b'|' => Class::Operator,
        b'-' => Class::Minus,
        b'/' => Class::Slash,
        b'?' => Class::Question,
        b'$' | b'@' | b':' | b'#' => Class::Variable,
        _ if !matches!(single(byte), TokenKind::Illegal) => Class::Single,
        _ => Class::Illegal,
    }
}

/// The tokens of one byte, by their byte.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static SINGLE: [TokenKind; 256] = {
    let mut table = [TokenKind::Illegal; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = single(byte as u8); // below 256
        byte += 1;
    }
    table
};

const fn single(byte: u8) -> TokenKind {
    match byte {
        b';' => TokenKind::Semicolon,
        b'(' => TokenKind::LeftParen,
        b')' => TokenKind::RightParen,
        b',' => TokenKind::Comma,
        b'&' => TokenKind::Ampersand,
        b'+' => TokenKind::Plus,
        b'*' => TokenKind::Star,
        b'%' => TokenKind::Percent,
        b'~' => TokenKind::Tilde,
        _ => TokenKind::Illegal,
    }
}

#[expect(clippy::indexing_slicing, reason = "as above")]
static IDENTIFIER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8; // below 256
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests;
