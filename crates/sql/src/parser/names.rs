//! Names, types and numbers: the parts of statements that contain no expressions.

use super::cursor::Parser;
use crate::ast::{Direction, Ident, Span};
use crate::error::Result;
use crate::text::unquote_start;
use crate::token::TokenKind;

/// `AS name`, or an identifier or string without AS.
#[inline]
pub(super) fn alias<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<Ident<'a>>> {
    if parser.take(TokenKind::As)? {
        return parser.name().map(Some);
    }
    if parser.at_id_or_string() { parser.take_ident().map(Some) } else { Ok(None) }
}

/// `[( column, ... )]` of foreign keys, views and common tables.
pub(super) fn optional_column_names<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Ident<'a>]> {
    if parser.at(TokenKind::LeftParen) { column_names(parser) } else { Ok(&[]) }
}

/// `( column, ... )`. The grammar accepts COLLATE and ASC or DESC, because old versions wrote such schemas.
pub(super) fn column_names<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Ident<'a>]> {
    parser.parenthesized_list(|parser| {
        let name = parser.name()?;
        let collated = parser.take(TokenKind::Collate)?;
        if collated {
            parser.id_or_string()?;
        }
        let sorted = direction(parser)?.is_some();
        if (collated || sorted) && !parser.limits.loading_schema {
            let text = parser.lossy(name.span());
            let message = format!("syntax error after column name \"{text}\"");
            parser.defer(None, message);
        }
        Ok(name)
    })
}

pub(super) fn direction(parser: &mut Parser<'_, '_>) -> Result<Option<Direction>> {
    if parser.take(TokenKind::Asc)? {
        return Ok(Some(Direction::Asc));
    }
    Ok(parser.take(TokenKind::Desc)?.then_some(Direction::Desc))
}

/// Any number of words, then optionally one or two numbers in parentheses. The text is kept as written, with the space and
/// comments between the words; but if the first word is quoted, the type is only that word.
pub(super) fn type_name<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [u8]> {
    if !parser.at_id_or_string() {
        return Ok(&[]);
    }
    let start = parser.token.span.start;
    while parser.at_id_or_string() {
        parser.advance()?;
    }
    if parser.take(TokenKind::LeftParen)? {
        signed_number(parser)?;
        if parser.take(TokenKind::Comma)? {
            signed_number(parser)?;
        }
        parser.expect(TokenKind::RightParen)?;
    }
    Ok(unquote_start(parser.span_from(start).text(parser.sql), parser.arena))
}

/// A number with or without a sign; its text includes a minus but not a plus.
pub(super) fn signed_number(parser: &mut Parser<'_, '_>) -> Result<Span> {
    let minus = parser.at(TokenKind::Minus);
    let start = parser.token.span.start;
    if minus || parser.at(TokenKind::Plus) {
        parser.advance()?;
    }
    if !matches!(parser.token.kind, TokenKind::Integer | TokenKind::Float) {
        return parser.unexpected();
    }
    let number = parser.advance()?.span;
    Ok(if minus { Span::new(start, number.end) } else { number })
}
