//! The operands of operators: literals, names, parentheses, CASE, CAST, EXISTS, RAISE.

use bumpalo::collections::Vec as ArenaVec;

use super::function::function_call;
use super::parameter::parameter;
use super::query::{at_select, expect_select, select};
use super::{expr, infix, tallest};
use crate::ast::{Case, Cast, CurrentTime, Expr, ExprKind, Ident, QualifiedColumn, Quote, Raise, RaiseAction, When};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::names::type_name;
use crate::text::{decode_blob, integer, unquote, without_separators};
use crate::token::{Token, TokenKind};

/// Entries on the parser's stack for a CASE. SQLite's parser has one within the operand, five after THEN.
const CASE_ENTRIES: u32 = 3;

pub(super) fn primary<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let token = parser.token;
    match token.kind {
        TokenKind::Identifier => named(parser),
        TokenKind::Integer => {
            parser.advance()?;
            Ok(leaf(integer(token.span.text(parser.sql)), token))
        }
        TokenKind::String => {
            parser.advance()?;
            if parser.at(TokenKind::Dot) {
                let first = parser.ident(token);
                return qualified_column(parser, first);
            }
            let text = unquote(token.span.text(parser.sql), parser.arena);
            Ok(leaf(ExprKind::String(text), token))
        }
        TokenKind::Parameter => {
            parser.advance()?;
            let kind = parameter(parser, token);
            Ok(leaf(kind, token))
        }
        TokenKind::LeftParen => parentheses(parser),
        _ => rare_primary(parser),
    }
}

#[inline]
fn leaf<'a>(kind: ExprKind<'a>, token: Token) -> Expr<'a> {
    Expr { kind, span: token.span, height: 1 }
}

#[inline(never)]
fn rare_primary<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    if let Some(kind) = literal(parser)? {
        return Ok(leaf(kind, parser.previous));
    }
    match parser.token.kind {
        TokenKind::Case => case(parser),
        TokenKind::Cast => cast(parser),
        TokenKind::Exists => exists(parser),
        TokenKind::Raise => raise(parser),
        kind if kind.is_name() => named(parser),
        _ => parser.unexpected(),
    }
}

/// A literal, taken, if the current token is one. DEFAULT accepts these without parentheses.
pub(crate) fn literal<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<ExprKind<'a>>> {
    let text = parser.token.span.text(parser.sql);
    let kind = match parser.token.kind {
        TokenKind::Null => ExprKind::Null,
        TokenKind::Integer => integer(text),
        TokenKind::Float => ExprKind::Float(text),
        TokenKind::SeparatedNumber => return separated_number(parser).map(Some),
        TokenKind::String => ExprKind::String(unquote(text, parser.arena)),
        TokenKind::Blob => ExprKind::Blob(decode_blob(text, parser.arena)),
        TokenKind::CurrentDate => ExprKind::Current(CurrentTime::Date),
        TokenKind::CurrentTime => ExprKind::Current(CurrentTime::Time),
        TokenKind::CurrentTimestamp => ExprKind::Current(CurrentTime::Timestamp),
        _ => return Ok(None),
    };
    parser.advance()?;
    Ok(Some(kind))
}

/// The positions of separators between digits are checked when the token is used, not when it is read.
fn separated_number<'a>(parser: &mut Parser<'a, '_>) -> Result<ExprKind<'a>> {
    let token = parser.advance()?;
    let text = match without_separators(token.span.text(parser.sql), parser.arena) {
        Ok(text) => text,
        Err(shown) => {
            let shown = String::from_utf8_lossy(shown);
            parser.defer(None, format!("unrecognized token: \"{shown}\""));
            return Ok(ExprKind::Null);
        }
    };
    let whole = text.iter().all(u8::is_ascii_digit) || matches!(text, [b'0', b'x' | b'X', ..]);
    Ok(if whole { integer(text) } else { ExprKind::Float(text) })
}

/// A column or a function call.
fn named<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let ident = parser.take_ident()?;
    match parser.token.kind {
        TokenKind::LeftParen => function_call(parser, ident),
        TokenKind::Dot => qualified_column(parser, ident),
        _ => Ok(Expr { kind: ExprKind::Column(ident), span: ident.span(), height: 1 }),
    }
}

#[inline(never)]
fn qualified_column<'a>(parser: &mut Parser<'a, '_>, first: Ident<'a>) -> Result<Expr<'a>> {
    parser.expect(TokenKind::Dot)?;
    let second = parser.name()?;
    let third = if parser.take(TokenKind::Dot)? { Some(parser.name()?) } else { None };
    let (column, height) = match third {
        None => (QualifiedColumn { schema: None, table: first, column: second }, 1),
        Some(third) => (QualifiedColumn { schema: Some(first), table: second, column: third }, 2),
    };
    let column = parser.arena.alloc(column);
    Ok(parser.node(ExprKind::QualifiedColumn(column), first.span().start, height))
}

/// A loop takes consecutive opening parentheses and another one the closing ones, so that their number does not deepen the native
/// stack.
#[inline(never)]
fn parentheses<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let mut starts = ArenaVec::new_in(parser.arena);
    while parser.at(TokenKind::LeftParen) {
        parser.enter(1)?;
        starts.push(parser.advance()?.span.start);
    }
    let depth = starts.len();
    let bare_select = at_select(parser);
    let mut expr = if bare_select { subquery(parser)? } else { expr(parser)? };
    while let Some(start) = starts.pop() {
        let innermost = starts.len() + 1 == depth;
        if parser.at(TokenKind::Comma) && !(bare_select && innermost) {
            expr = row_value(parser, expr, start)?;
        }
        parser.expect(TokenKind::RightParen)?;
        parser.leave(1);
        if !starts.is_empty() {
            expr = infix(parser, expr, start, 0, false)?;
        }
    }
    Ok(expr)
}

/// The rest of `(first, ...)`, including the closing parenthesis, which becomes part of the span.
#[inline(never)]
fn row_value<'a>(parser: &mut Parser<'a, '_>, first: Expr<'a>, start: u32) -> Result<Expr<'a>> {
    let mut values = ArenaVec::new_in(parser.arena);
    values.push(first);
    parser.enter(2)?;
    while parser.take(TokenKind::Comma)? {
        values.push(expr(parser)?);
    }
    parser.leave(2);
    let values = values.into_bump_slice();
    let mut expr = parser.node(ExprKind::RowValue(values), start, tallest(values));
    expr.span.end = parser.token.span.end;
    Ok(expr)
}

#[inline(never)]
fn subquery<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let select = select(parser)?;
    let mut expr = parser.node(ExprKind::Subquery(select), select.span.start, select.height);
    expr.span = select.span;
    Ok(expr)
}

#[inline(never)]
fn case<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let start = parser.advance()?.span.start;
    parser.enter(CASE_ENTRIES)?;
    let case = parser.arena.alloc(Case { operand: None, whens: &[], otherwise: None });
    let mut height = 0;
    if !parser.at(TokenKind::When) {
        let operand = expr(parser)?;
        height = operand.height;
        case.operand = Some(operand);
    }
    case.whens = whens(parser)?;
    if parser.take(TokenKind::Else)? {
        let otherwise = expr(parser)?;
        height = height.max(otherwise.height);
        case.otherwise = Some(otherwise);
    }
    parser.expect(TokenKind::End)?;
    parser.leave(CASE_ENTRIES);
    let branches = case.whens.iter().map(|when| when.condition.height.max(when.value.height));
    height = height.max(branches.max().unwrap_or(0));
    Ok(parser.node(ExprKind::Case(case), start, height))
}

/// One or more branches of a CASE.
#[inline(never)]
fn whens<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [When<'a>]> {
    let mut whens = ArenaVec::new_in(parser.arena);
    while whens.is_empty() || parser.at(TokenKind::When) {
        parser.expect(TokenKind::When)?;
        let condition = expr(parser)?;
        parser.expect(TokenKind::Then)?;
        let value = expr(parser)?;
        whens.push(When { condition, value });
    }
    Ok(whens.into_bump_slice())
}

#[inline(never)]
fn cast<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let start = parser.advance()?.span.start;
    parser.enter(2)?;
    parser.expect(TokenKind::LeftParen)?;
    let value = expr(parser)?;
    parser.expect(TokenKind::As)?;
    let type_name = type_name(parser)?;
    parser.expect(TokenKind::RightParen)?;
    parser.leave(2);
    let cast = parser.arena.alloc(Cast { value, type_name });
    Ok(parser.node(ExprKind::Cast(cast), start, value.height))
}

#[inline(never)]
fn exists<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let start = parser.advance()?.span.start;
    parser.enter(2)?;
    parser.expect(TokenKind::LeftParen)?;
    let select = expect_select(parser)?;
    parser.expect(TokenKind::RightParen)?;
    parser.leave(2);
    Ok(parser.node(ExprKind::Exists(select), start, select.height))
}

#[inline(never)]
fn raise<'a>(parser: &mut Parser<'a, '_>) -> Result<Expr<'a>> {
    let start = parser.advance()?.span.start;
    parser.enter(4)?;
    parser.expect(TokenKind::LeftParen)?;
    let action = match parser.token.kind {
        TokenKind::Ignore => RaiseAction::Ignore,
        TokenKind::Rollback => RaiseAction::Rollback,
        TokenKind::Abort => RaiseAction::Abort,
        TokenKind::Fail => RaiseAction::Fail,
        _ => return parser.unexpected(),
    };
    parser.advance()?;
    let message = match action {
        RaiseAction::Ignore => None,
        _ => {
            parser.expect(TokenKind::Comma)?;
            Some(expr(parser)?)
        }
    };
    parser.expect(TokenKind::RightParen)?;
    parser.leave(4);
    let height = message.map_or(0, |message| message.height);
    let raise = parser.arena.alloc(Raise { action, message });
    Ok(parser.node(ExprKind::Raise(raise), start, height))
}

/// A name as an expression: a string in DEFAULT, or an indexed column.
pub(crate) fn string_of<'a>(ident: Ident<'a>) -> Expr<'a> {
    debug_assert!(ident.quote() != Quote::Single);
    Expr { kind: ExprKind::String(ident.name.as_bytes()), span: ident.span(), height: 1 }
}
