//! CREATE: selects the kind of object; parses indexes, views and virtual tables.

pub(super) mod constraint;
pub(super) mod table;
pub(super) mod trigger;

use bumpalo::collections::Vec as ArenaVec;

use super::cursor::Parser;
use super::names::optional_column_names;
use crate::ast::{CreateIndex, CreateView, CreateVirtualTable, Span, Stmt};
use crate::error::Result;
use crate::parser::expr::order::order_term;
use crate::parser::expr::query::{expect_select, where_clause};
use crate::token::TokenKind;
use constraint::check_no_nulls;
use table::create_table;
use trigger::{create_trigger, trigger_steps};

pub(super) fn create<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Create)?;
    let temporary = parser.take(TokenKind::Temp)? || parser.take(TokenKind::Temporary)?;
    let object = parser.token.kind;
    match object {
        TokenKind::Table | TokenKind::View | TokenKind::Trigger => {}
        TokenKind::Index | TokenKind::Unique | TokenKind::Virtual if !temporary => {}
        _ => return parser.unexpected(),
    }
    parser.advance()?;
    match object {
        TokenKind::Table => create_table(parser, temporary),
        TokenKind::View => create_view(parser, temporary),
        TokenKind::Trigger => create_trigger(parser, temporary, trigger_steps),
        TokenKind::Virtual => create_virtual_table(parser),
        TokenKind::Index => create_index(parser, false),
        _ => {
            parser.expect(TokenKind::Index)?;
            create_index(parser, true)
        }
    }
}

/// `IF NOT EXISTS`
pub(crate) fn if_not_exists(parser: &mut Parser<'_, '_>) -> Result<bool> {
    if !parser.take(TokenKind::If)? {
        return Ok(false);
    }
    parser.expect_all(&[TokenKind::Not, TokenKind::Exists])?;
    Ok(true)
}

fn create_index<'a>(parser: &mut Parser<'a, '_>, unique: bool) -> Result<Stmt<'a>> {
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    parser.expect(TokenKind::On)?;
    let table = parser.name()?;
    let columns = parser.parenthesized_list(order_term)?;
    let filter = where_clause(parser)?;
    check_no_nulls(parser, columns);
    let text = Span::new(name.name.span().start, parser.token.span.start);
    let index = CreateIndex { unique, if_not_exists, name, table, columns, filter, text };
    Ok(Stmt::CreateIndex(parser.arena.alloc(index)))
}

fn create_view<'a>(parser: &mut Parser<'a, '_>, temporary: bool) -> Result<Stmt<'a>> {
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    let columns = optional_column_names(parser)?;
    parser.expect(TokenKind::As)?;
    let select = expect_select(parser)?;
    if !parser.parameters.is_empty() {
        parser.defer(None, "parameters are not allowed in views");
    }
    let text = parser.span_with_comments(name.name.span().start);
    let view = CreateView { temporary, if_not_exists, name, columns, select, text };
    Ok(Stmt::CreateView(parser.arena.alloc(view)))
}

fn create_virtual_table<'a>(parser: &mut Parser<'a, '_>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Table)?;
    let if_not_exists = if_not_exists(parser)?;
    let name = parser.qualified_name()?;
    parser.expect(TokenKind::Using)?;
    let module = parser.name()?;
    let args = if parser.take(TokenKind::LeftParen)? { module_args(parser)? } else { &[] };
    let text = parser.span_from(name.name.span().start);
    let table = CreateVirtualTable { if_not_exists, name, module, args, text };
    Ok(Stmt::CreateVirtualTable(parser.arena.alloc(table)))
}

/// Accepts any tokens as long as the parentheses match; commas outside of inner parentheses separate the arguments. Empty
/// arguments are dropped.
fn module_args<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [&'a [u8]]> {
    let mut args = ArenaVec::new_in(parser.arena);
    let mut open = 0_u32;
    let mut start = None;
    loop {
        let kind = parser.token.kind;
        if open == 0 && matches!(kind, TokenKind::Comma | TokenKind::RightParen) {
            if let Some(start) = start.take() {
                args.push(Span::new(start, parser.previous.span.end).text(parser.sql));
            }
            parser.advance()?;
            if kind == TokenKind::RightParen {
                return Ok(args.into_bump_slice());
            }
            continue;
        }
        match kind {
            TokenKind::EndOfText => return parser.unexpected(),
            TokenKind::LeftParen => open += 1,
            TokenKind::RightParen => open -= 1,
            _ => {}
        }
        let taken = parser.advance()?;
        start.get_or_insert(taken.span.start);
    }
}
