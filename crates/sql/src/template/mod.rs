//! The template of a statement: its text with a parameter in place of literals.
//!
//! ```text
//!   INSERT INTO t VALUES(17,'Ada',-1.5,NULL,lower('X'));
//!   INSERT INTO t VALUES(?,?,?,NULL,lower('X'))            the template
//!                        17 'Ada' -1.5                     the literals
//!
//!   SELECT b+1 FROM t WHERE a = 17 AND kind = 1 LIMIT 5 /* page 3 */
//!   SELECT b+1 FROM t WHERE a = ? AND kind = 1 LIMIT 5     the template
//!                               17                         the literal
//! ```
//!
//! A hundred thousand such statements have one template, which is compiled once. These literals become parameters: in an INSERT, those
//! that are whole members of a row of VALUES ([`rows`]); in SELECT, UPDATE and DELETE, those that WHERE compares with something, and those
//! that SET assigns ([`operands`]). All other text is part of the template, unchanged, but for comments and white space at either end. Text
//! that contains parameters has no template.
//!
//! Most statements have the same template as one of the previous statements. For such a statement, only the text between the literals is
//! compared, and only the literals are parsed.

mod operands;
mod rows;
#[cfg(test)]
mod tests;

use bumpalo::Bump;

use crate::ast::{ExprKind, Span};
use crate::lexer::{Lexer, OrdinaryNumber};
use crate::text;
use crate::token::{Token, TokenKind};

/// The templates of the last statements. Their memory is reused for the next ones.
#[derive(Debug, Default)]
pub struct Templates {
    last: [Template; KEPT],
    lists: rows::Lists,
    /// The number of templates that were read from their whole text.
    read: usize,
    /// The number of them since the last one that had occurred before.
    in_vain: u32,
}

/// The template of a statement, and its literals.
#[derive(Debug, Default)]
pub struct Template {
    text: Vec<u8>,
    literals: Vec<Literal>,
    /// The offsets of the parameters in the text, one for each literal.
    places: Vec<u32>,
    /// The template of a statement that was read to its end; other statements may have it, too.
    is_whole: bool,
    /// The text ends with an expression of RETURNING: a comment behind it belongs to the name of a result column.
    ends_with_name: bool,
}

/// A statement as its template and its literals, and the offset behind it.
#[derive(Clone, Copy, Debug)]
pub struct Templated<'t> {
    /// The template, with the literals of this statement.
    pub template: &'t Template,
    /// The offset behind the statement.
    pub tail: usize,
}

/// A literal that is replaced by a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Literal {
    kind: TokenKind,
    is_negative: bool,
    /// A string that contains doubled quotes.
    has_doubled: bool,
    place: Place,
    /// The number, if it is an ordinary one.
    number: Option<OrdinaryNumber>,
    /// The offset of its sign or first byte.
    start: u32,
    /// Without the sign.
    span: Span,
}

/// Where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It becomes the value of a column.
    Value,
    /// WHERE compares something with it.
    Operand,
}

/// The value of a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiteralValue<'a> {
    /// An integer.
    Integer(i64),
    /// The digits of a real number without its sign, and whether the sign is a minus.
    Real(&'a [u8], bool),
    /// A real number: significand / 10^decimals, and whether its sign is a minus.
    Decimal(u64, u8, bool),
    /// The bytes of a string.
    Text(&'a [u8]),
    /// The bytes of a blob.
    Blob(&'a [u8]),
}

/// So many templates are compared with a statement before its own is read.
const KEPT: usize = 4;

/// After so many statements whose templates had not occurred before, the templates of most further ones are not read.
const IN_VAIN_MAX: u32 = 8;

/// Every so many of these statements, a template is read all the same.
const READ_EVERY: u32 = 8;

/// The maximum number of literals. A statement with more is a large batch, whose template is unlikely to occur again.
const LITERALS_MAX: usize = 512;

impl Templates {
    /// Whether the first statement of `sql` may have a template, as far as its first letter and its first parameter tell.
    pub fn may_have(sql: &[u8]) -> bool {
        Lexer::new(sql).may_be_before_any(b"IiRrSsUuDd") && !begins_with_parameter(sql)
    }

    /// Reads the first statement of `sql`, if it has a template.
    pub fn read(&mut self, sql: &[u8]) -> Option<Templated<'_>> {
        let mut lexer = Lexer::new(sql);
        lexer.skip_trivia();
        let same = |(at, template): (usize, &mut Template)| Some((at, template.read_same(&lexer)?));
        let known = self.last.iter_mut().enumerate().find_map(same);
        let (at, tail) = match known {
            Some(known) => known,
            None => self.read_new(sql)?,
        };
        Some(Templated { template: self.last.get(at)?, tail })
    }

    /// Reads the template in place of the oldest one.
    fn read_new(&mut self, sql: &[u8]) -> Option<(usize, usize)> {
        let mut lexer = Lexer::new(sql);
        let first = lexer.next_significant();
        let is_insert = matches!(first.kind, TokenKind::Insert | TokenKind::Replace);
        let may_have = match first.kind {
            TokenKind::Insert | TokenKind::Replace => true,
            TokenKind::Select | TokenKind::Update | TokenKind::Delete => operands::may_have(sql),
            _ => false,
        };
        if !may_have {
            return None;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.in_vain > IN_VAIN_MAX && !self.in_vain.is_multiple_of(READ_EVERY) {
            return None;
        }
        let at = self.read % KEPT;
        let template = self.last.get_mut(at)?;
        template.clear();
        let mut reader = Reader { sql, lexer, template, copied_to: first.span.start };
        let tail = if is_insert {
            rows::read(&mut reader, &mut self.lists)?
        } else {
            operands::read(&mut reader, first.kind)?
        };
        template.is_whole = !template.literals.is_empty();
        self.read += usize::from(template.is_whole);
        template.is_whole.then_some((at, tail))
    }

    /// Notes that the last template has occurred before, so that it pays to read those of the next statements.
    pub fn has_occurred_before(&mut self) {
        self.in_vain = 0;
    }
}

impl Template {
    /// Reads a statement with the same template as the previous one. `None`: the statement may have another template.
    ///
    /// The bytes between the literals are the same, and so are their tokens: none of these tokens extends into a literal, because
    /// a parenthesis, a comma, an operator, white space or the end of a comment precedes each literal.
    #[inline]
    fn read_same(&mut self, statement: &Lexer<'_>) -> Option<usize> {
        if !self.is_whole {
            return None;
        }
        let mut lexer = statement.clone();
        let mut from = 0;
        for (known, &place) in self.literals.iter_mut().zip(&self.places) {
            lexer.skip_exactly(self.text.get(from..place as usize)?)?;
            *known = next_literal(&mut lexer, known.place)?;
            from = place as usize + 1;
        }
        lexer.skip_exactly(self.text.get(from..)?)?;
        if self.ends_with_name {
            lexer.skip_space();
            let end = lexer.next_token();
            return is_end(end.kind).then_some(end.span.end as usize);
        }
        let end = lexer.next_significant();
        is_end(end.kind).then_some(end.span.end as usize)
    }

    fn clear(&mut self) {
        self.text.clear();
        self.literals.clear();
        self.places.clear();
        (self.is_whole, self.ends_with_name) = (false, false);
    }

    /// The text with parameters, without white space, comments and the semicolon at its ends.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The literals, in the order of the parameters.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Whether the expression of a literal may be nested deeper than that of its parameter, by a sign.
    pub fn has_signs(&self) -> bool {
        self.literals.iter().any(|literal| literal.is_negative)
    }
}

/// Whether a parameter stands before the first string, near the beginning of the text: most statements with parameters have one there, and need
/// not be divided into tokens to find that out. (A false answer says nothing. Taken for a parameter, a question mark in a name or a comment
/// costs no more than the template.)
fn begins_with_parameter(sql: &[u8]) -> bool {
    const NEAR: usize = 256;
    let near = sql.get(..NEAR).unwrap_or(sql);
    memchr::memchr2(b'?', b'\'', near).is_some_and(|at| near.get(at) == Some(&b'?'))
}

fn is_end(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Semicolon | TokenKind::EndOfText)
}

/// Reads a statement into its template.
struct Reader<'s, 'r> {
    sql: &'s [u8],
    lexer: Lexer<'s>,
    template: &'r mut Template,
    /// The text before this offset has been copied to the template.
    copied_to: u32,
}

impl Reader<'_, '_> {
    /// The literal becomes a parameter.
    fn parameterise(&mut self, literal: Literal) -> Option<()> {
        if self.template.literals.len() == LITERALS_MAX {
            return None;
        }
        self.copy_to(literal.start);
        self.template.places.push(self.template.text.len() as u32);
        self.template.text.push(b'?');
        self.copied_to = literal.span.end;
        self.template.literals.push(literal);
        Some(())
    }

    fn copy_to(&mut self, offset: u32) {
        self.template
            .text
            .extend_from_slice(self.sql.get(self.copied_to as usize..offset as usize).unwrap_or_default());
        self.copied_to = offset;
    }
}

/// The literal that begins exactly here, its sign included.
#[inline]
fn next_literal(lexer: &mut Lexer<'_>, place: Place) -> Option<Literal> {
    let start = lexer.offset();
    if let Some(number) = lexer.ordinary_number() {
        return ordinary(number, Span::new(start, lexer.offset()), place);
    }
    let token = lexer.next_token();
    match token.kind {
        TokenKind::Minus => {
            let number = lexer.next_significant();
            literal(lexer, number, Some(token.span), place)
        }
        _ => literal(lexer, token, None, place),
    }
}

/// The literal of an ordinary number, which most are. The span includes its sign.
#[inline]
fn ordinary(number: OrdinaryNumber, span: Span, place: Place) -> Option<Literal> {
    let is_real = number.decimals.is_some();
    let is_negative = number.is_negative;
    let is_liftable = place == Place::Value || is_real || number.significand > 1;
    is_liftable.then(|| Literal {
        kind: if is_real { TokenKind::Float } else { TokenKind::Integer },
        is_negative,
        has_doubled: false,
        place,
        number: Some(number),
        start: span.start,
        span: Span::new(span.start + u32::from(is_negative), span.end),
    })
}

/// The literal of `token`, the last token read, if it can become a parameter.
#[inline]
fn literal(lexer: &Lexer<'_>, token: Token, minus: Option<Span>, place: Place) -> Option<Literal> {
    let is_liftable = match token.kind {
        TokenKind::Float => true,
        TokenKind::Integer => match lexer.text(token.span) {
            // The limit of hexadecimal numbers has its own rules.
            [b'0', b'x' | b'X', ..] => false,
            // The estimates of a condition depend on whether its operand is -1, 0 or 1.
            digits => place == Place::Value || !matches!(text::integer(digits), ExprKind::Integer(0 | 1)),
        },
        TokenKind::String | TokenKind::Blob => minus.is_none(),
        _ => false,
    };
    let has_doubled = token.kind == TokenKind::String && lexer.has_doubled_quotes();
    let (start, span) = (minus.unwrap_or(token.span).start, token.span);
    let (kind, is_negative) = (token.kind, minus.is_some());
    let number = Lexer::new(lexer.text(token.span)).only_ordinary_number();
    is_liftable.then_some(Literal { kind, is_negative, has_doubled, place, number, start, span })
}

impl Literal {
    /// The length of its text, as the limit of lengths counts it: without sign and quotes.
    pub fn len_in_text(&self) -> usize {
        let quotes = if self.kind == TokenKind::String { 2 } else { 0 };
        ((self.span.end - self.span.start) as usize).saturating_sub(quotes)
    }

    /// The value of the literal in this `sql`. Strings with doubled quotes and BLOBs are decoded into the arena.
    #[inline]
    pub fn value<'a>(&self, sql: &'a [u8], arena: &'a Bump) -> LiteralValue<'a> {
        if let Some(OrdinaryNumber { significand, decimals, .. }) = self.number {
            let integer = significand as i64;
            return match decimals {
                Some(decimals) => LiteralValue::Decimal(significand, decimals, self.is_negative),
                None => LiteralValue::Integer(if self.is_negative { -integer } else { integer }),
            };
        }
        let token = self.span.text(sql);
        match self.kind {
            TokenKind::String if self.has_doubled => LiteralValue::Text(text::unquote(token, arena)),
            TokenKind::String => LiteralValue::Text(text::inside(token)),
            TokenKind::Blob => LiteralValue::Blob(text::decode_blob(token, arena)),
            TokenKind::Integer => match text::integer(token) {
                ExprKind::Integer(value) => LiteralValue::Integer(if self.is_negative { -value } else { value }),
                _ if self.is_negative && text::is_smallest_integer(token) => LiteralValue::Integer(i64::MIN),
                _ => LiteralValue::Real(token, self.is_negative),
            },
            _ => LiteralValue::Real(token, self.is_negative),
        }
    }
}
