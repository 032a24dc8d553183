//! INSERT, UPDATE, DELETE.

use bumpalo::collections::Vec as ArenaVec;

use super::cursor::Parser;
use super::expr::expr;
use crate::ast::{
    Assignment, Conflict, Delete, Ident, Insert, LimitedRows, QualifiedName, ResultColumn, Stmt, Update, Upsert,
    UpsertUpdate, With,
};
use crate::error::Result;
use crate::parser::expr::order::order_term;
use crate::parser::expr::query::from::{indexed, joined_items};
use crate::parser::expr::query::{expect_select, order_and_limit, result_columns, where_clause};
use crate::token::TokenKind;

pub(super) fn insert<'a>(parser: &mut Parser<'a, '_>, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
    let or = insert_or(parser)?;
    parser.expect(TokenKind::Into)?;
    let (table, alias) = target(parser)?;
    let columns = optional_names(parser)?;
    let mut insert = Insert { with, or, table, alias, columns, source: None, upserts: &[], returning: &[] };
    if parser.take(TokenKind::Default)? {
        parser.expect(TokenKind::Values)?;
        insert.returning = returning(parser)?;
    } else {
        insert.source = Some(expect_select(parser)?);
        (insert.upserts, insert.returning) = upserts(parser)?;
    }
    Ok(Stmt::Insert(parser.arena.alloc(insert)))
}

/// `INSERT [OR action]` or `REPLACE`.
pub(super) fn insert_or(parser: &mut Parser<'_, '_>) -> Result<Option<Conflict>> {
    if parser.take(TokenKind::Replace)? {
        return Ok(Some(Conflict::Replace));
    }
    parser.expect(TokenKind::Insert)?;
    or_action(parser)
}

/// `OR action`
pub(super) fn or_action(parser: &mut Parser<'_, '_>) -> Result<Option<Conflict>> {
    if parser.take(TokenKind::Or)? { conflict_action(parser).map(Some) } else { Ok(None) }
}

/// ROLLBACK, ABORT, FAIL, IGNORE, REPLACE.
pub(super) fn conflict_action(parser: &mut Parser<'_, '_>) -> Result<Conflict> {
    let action = match parser.token.kind {
        TokenKind::Rollback => Conflict::Rollback,
        TokenKind::Abort => Conflict::Abort,
        TokenKind::Fail => Conflict::Fail,
        TokenKind::Ignore => Conflict::Ignore,
        TokenKind::Replace => Conflict::Replace,
        _ => return parser.unexpected(),
    };
    parser.advance()?;
    Ok(action)
}

/// `[schema.]table [AS alias]`: AS is required before the alias.
pub(super) fn target<'a>(parser: &mut Parser<'a, '_>) -> Result<(QualifiedName<'a>, Option<Ident<'a>>)> {
    let table = parser.qualified_name()?;
    let alias = if parser.take(TokenKind::As)? { Some(parser.name()?) } else { None };
    Ok((table, alias))
}

/// `[( name, ... )]`
fn optional_names<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Ident<'a>]> {
    if parser.at(TokenKind::LeftParen) { parser.parenthesized_list(Parser::name) } else { Ok(&[]) }
}

/// The ON CONFLICT clauses, and RETURNING. A clause without a target must be the last.
pub(super) fn upserts<'a>(parser: &mut Parser<'a, '_>) -> Result<(&'a [Upsert<'a>], &'a [ResultColumn<'a>])> {
    let mut upserts = ArenaVec::new_in(parser.arena);
    while parser.take(TokenKind::On)? {
        parser.expect(TokenKind::Conflict)?;
        let upsert = upsert(parser)?;
        upserts.push(upsert);
        if upsert.target.is_empty() {
            break;
        }
    }
    Ok((upserts.into_bump_slice(), returning(parser)?))
}

fn upsert<'a>(parser: &mut Parser<'a, '_>) -> Result<Upsert<'a>> {
    let mut upsert = Upsert { target: &[], target_filter: None, update: None };
    if parser.at(TokenKind::LeftParen) {
        upsert.target = parser.parenthesized_list(order_term)?;
        upsert.target_filter = where_clause(parser)?;
    }
    parser.expect(TokenKind::Do)?;
    if parser.take(TokenKind::Nothing)? {
        return Ok(upsert);
    }
    parser.expect_all(&[TokenKind::Update, TokenKind::Set])?;
    let set = assignments(parser)?;
    let filter = where_clause(parser)?;
    upsert.update = Some(parser.arena.alloc(UpsertUpdate { set, filter }));
    Ok(upsert)
}

/// RETURNING, if it is next.
fn returning<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [ResultColumn<'a>]> {
    if parser.take(TokenKind::Returning)? { result_columns(parser) } else { Ok(&[]) }
}

/// `column = value, (column, ...) = row, ...`
pub(super) fn assignments<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [Assignment<'a>]> {
    let set = parser.list(assignment)?;
    let columns: usize = set.iter().map(|assignment| assignment.columns.len()).sum();
    if columns > parser.limits.columns as usize {
        parser.defer(None, "too many columns in set list");
    }
    Ok(set)
}

fn assignment<'a>(parser: &mut Parser<'a, '_>) -> Result<Assignment<'a>> {
    let row = parser.at(TokenKind::LeftParen);
    let columns = match row {
        true => parser.parenthesized_list(Parser::name)?,
        false => std::slice::from_ref(parser.arena.alloc(parser.name()?)),
    };
    parser.expect(TokenKind::Equal)?;
    let value = expr(parser)?;
    let (wanted, found) = (columns.len(), value.width());
    let nothing = parser.deferred.is_some() && matches!(value.kind, crate::ast::ExprKind::Null);
    if row && !nothing && !matches!(value.kind, crate::ast::ExprKind::Subquery(_)) && wanted != found {
        parser.defer(None, format!("{wanted} columns assigned {found} values"));
    }
    Ok(Assignment { columns, row, value })
}

pub(super) fn update<'a>(parser: &mut Parser<'a, '_>, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
    parser.expect(TokenKind::Update)?;
    let or = or_action(parser)?;
    let (table, alias) = target(parser)?;
    let indexed = indexed(parser)?;
    parser.expect(TokenKind::Set)?;
    let set = assignments(parser)?;
    let from = if parser.take(TokenKind::From)? { joined_items(parser)? } else { &[] };
    let filter = where_clause(parser)?;
    let returning = returning(parser)?;
    let limited = limited_rows(parser)?;
    let update = Update { with, or, table, alias, indexed, set, from, filter, returning, limited };
    Ok(Stmt::Update(parser.arena.alloc(update)))
}

pub(super) fn delete<'a>(parser: &mut Parser<'a, '_>, with: Option<&'a With<'a>>) -> Result<Stmt<'a>> {
    parser.expect_all(&[TokenKind::Delete, TokenKind::From])?;
    let (table, alias) = target(parser)?;
    let indexed = indexed(parser)?;
    let filter = where_clause(parser)?;
    let returning = returning(parser)?;
    let limited = limited_rows(parser)?;
    let delete = Delete { with, table, alias, indexed, filter, returning, limited };
    Ok(Stmt::Delete(parser.arena.alloc(delete)))
}

/// ORDER BY and LIMIT, if one of them is next.
fn limited_rows<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<&'a LimitedRows<'a>>> {
    if !parser.at(TokenKind::Order) && !parser.at(TokenKind::Limit) {
        return Ok(None);
    }
    let start = parser.token.span.start;
    let (order_by, limit, height) = order_and_limit(parser)?;
    let (number, span) = (parser.number_select(), parser.span_from(start));
    Ok(Some(parser.arena.alloc(LimitedRows { order_by, limit, number, span, height })))
}
