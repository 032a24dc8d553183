//! SELECT and compound selects.

pub(crate) mod from;
mod values;
pub(crate) mod with;

use bumpalo::collections::Vec as ArenaVec;

use super::order::{order_by, tallest_term};
use super::window::window_defs;
use super::{expr, tallest};
use crate::ast::{
    CompoundOp, CompoundTerm, Expr, Limit, OrderTerm, Query, ResultColumn, ResultColumnKind, Select, SelectCore,
    SelectNumber, With,
};
use crate::error::Result;
use crate::parser::cursor::Parser;
use crate::parser::names::alias;
use crate::token::TokenKind;
use from::joined_items;
use values::values;
use with::with_clause;

/// Entries on the parser's stack below the clauses of a select.
const SELECT_ENTRIES: u32 = 4;

/// `[WITH ...] core [UNION core ...] [ORDER BY ...] [LIMIT ...]`
pub(crate) fn select<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a Select<'a>> {
    let start = parser.token.span.start;
    let with = if parser.at(TokenKind::With) { Some(with_clause(parser)?) } else { None };
    select_after_with(parser, with, start)
}

/// Like [`select`], after the WITH clause of a statement that starts at `start`.
pub(crate) fn select_after_with<'a>(
    parser: &mut Parser<'a, '_>,
    with: Option<&'a With<'a>>,
    start: u32,
) -> Result<&'a Select<'a>> {
    parser.enter(SELECT_ENTRIES)?;
    let has_rows_apart = parser.with_seen || parser.limits.loading_schema;
    let first = term(parser)?;
    let mut select = Select {
        with,
        first: first.core,
        has_rows_apart,
        number: first.number,
        rest: &[],
        order_by: first.order_by,
        limit: first.limit,
        span: parser.span_from(start),
        height: first.height,
    };
    if compound_op(parser.token.kind).is_some() {
        compound(parser, &mut select, first)?;
    }
    parser.leave(SELECT_ENTRIES);
    select.span = parser.span_from(start);
    Ok(parser.arena.alloc(select))
}

/// Whether a select starts here, after an opening parenthesis. (WITH is not a name in this place.)
#[inline]
pub(crate) fn at_select(parser: &Parser<'_, '_>) -> bool {
    matches!(parser.token.kind, TokenKind::Select | TokenKind::Values | TokenKind::With)
}

/// A select, which is required here.
pub(crate) fn expect_select<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a Select<'a>> {
    if at_select(parser) { select(parser) } else { parser.unexpected() }
}

/// The terms after the first. The grammar accepts ORDER BY and LIMIT in each term; when all terms have been read, only the last
/// may have them.
fn compound<'a>(parser: &mut Parser<'a, '_>, select: &mut Select<'a>, first: Term<'a>) -> Result<()> {
    let mut rest = ArenaVec::new_in(parser.arena);
    let mut misplaced = None;
    let mut before = first;
    while let Some(mut op) = compound_op(parser.token.kind) {
        parser.advance()?;
        if op == CompoundOp::Union && parser.take(TokenKind::All)? {
            op = CompoundOp::UnionAll;
        }
        // SQLite reports the last misplaced clause.
        misplaced = before.clause().map(|clause| (clause, op)).or(misplaced);
        let term = term(parser)?;
        select.height = select.height.max(term.height);
        // VALUES that are several SELECTs are wrapped in one more SELECT, which reads them.
        let number = if term.is_compound { parser.number_select() } else { term.number };
        rest.push(CompoundTerm { op, core: term.core, number });
        before = term;
    }
    if let Some((clause, op)) = misplaced {
        let op = op.name();
        parser.defer(None, format!("{clause} clause should come after {op} not before"));
    }
    let limit = parser.limits.compound_select as usize;
    // SQLite does not count where VALUES of one row stands last.
    let is_counted = rest.last().is_some_and(|term| !matches!(term.core, SelectCore::Values([_])));
    if is_counted && limit > 0 && rest.len() >= limit {
        parser.defer(None, "too many terms in compound SELECT");
    }
    select.rest = rest.into_bump_slice();
    select.order_by = before.order_by;
    select.limit = before.limit;
    Ok(())
}

fn term<'a>(parser: &mut Parser<'a, '_>) -> Result<Term<'a>> {
    match parser.token.kind {
        TokenKind::Select => query(parser),
        TokenKind::Values => values(parser),
        _ => parser.unexpected(),
    }
}

fn query<'a>(parser: &mut Parser<'a, '_>) -> Result<Term<'a>> {
    parser.expect(TokenKind::Select)?;
    // Allocated in the arena, because nested subqueries would add it to the native stack repeatedly.
    let query: &'a mut Query<'a> = parser.arena.alloc(Query::default());
    clauses(parser, query)?;
    let (order_by, limit, height) = order_and_limit(parser)?;
    let height = query_height(query).max(height);
    let number = parser.number_select();
    Ok(Term { core: SelectCore::Query(query), number, is_compound: false, order_by, limit, height })
}

/// ORDER BY and LIMIT, and the height of the highest expression in them.
pub(crate) fn order_and_limit<'a>(parser: &mut Parser<'a, '_>) -> Result<OrderAndLimit<'a>> {
    let order_by = order_by(parser)?;
    let limit = limit(parser)?;
    Ok((order_by, limit, tallest_term(order_by).max(limit_height(limit))))
}

type OrderAndLimit<'a> = (&'a [OrderTerm<'a>], Option<&'a Limit<'a>>, u32);

/// The clauses of one core, from DISTINCT to WINDOW.
fn clauses<'a>(parser: &mut Parser<'a, '_>, query: &mut Query<'a>) -> Result<()> {
    query.distinct = parser.take(TokenKind::Distinct)?;
    if !query.distinct {
        parser.take(TokenKind::All)?;
    }
    query.columns = result_columns(parser)?;
    if parser.take(TokenKind::From)? {
        query.from = joined_items(parser)?;
    }
    query.filter = where_clause(parser)?;
    if parser.take(TokenKind::Group)? {
        parser.expect(TokenKind::By)?;
        query.group_by = parser.list(expr)?;
    }
    if parser.take(TokenKind::Having)? {
        query.having = Some(expr(parser)?);
    }
    if parser.take(TokenKind::Window)? {
        query.windows = window_defs(parser)?;
    }
    Ok(())
}

/// The result columns, also those of RETURNING.
pub(crate) fn result_columns<'a>(parser: &mut Parser<'a, '_>) -> Result<&'a [ResultColumn<'a>]> {
    parser.list(result_column)
}

fn result_column<'a>(parser: &mut Parser<'a, '_>) -> Result<ResultColumn<'a>> {
    let start = parser.token.span.start;
    if parser.take(TokenKind::Star)? {
        let kind = ResultColumnKind::Star;
        return Ok(ResultColumn { kind, alias: None, span: parser.span_from(start) });
    }
    if starts_name(parser.token.kind)
        && let Some(kind) = table_star(parser)?
    {
        return Ok(ResultColumn { kind, alias: None, span: parser.span_from(start) });
    }
    let expr = expr(parser)?;
    let span = parser.span_with_comments(start);
    let alias = alias(parser)?;
    Ok(ResultColumn { kind: ResultColumnKind::Expr(expr), alias, span })
}

/// `table.*`: the only place where the parser must look ahead by more than one token.
#[inline]
fn table_star<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<ResultColumnKind<'a>>> {
    if !parser.lexer.may_be_before(b'.') {
        return Ok(None);
    }
    let mut ahead = parser.lexer.clone();
    if ahead.next_significant().kind != TokenKind::Dot || ahead.next_significant().kind != TokenKind::Star {
        return Ok(None);
    }
    let table = parser.name()?;
    parser.expect_all(&[TokenKind::Dot, TokenKind::Star])?;
    Ok(Some(ResultColumnKind::TableStar(table)))
}

/// `WHERE condition`, if it is next.
#[inline]
pub(crate) fn where_clause<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<Expr<'a>>> {
    if parser.take(TokenKind::Where)? { expr(parser).map(Some) } else { Ok(None) }
}

fn limit<'a>(parser: &mut Parser<'a, '_>) -> Result<Option<&'a Limit<'a>>> {
    if !parser.take(TokenKind::Limit)? {
        return Ok(None);
    }
    let first = expr(parser)?;
    let limit = if parser.take(TokenKind::Offset)? {
        Limit { limit: first, offset: Some(expr(parser)?) }
    } else if parser.take(TokenKind::Comma)? {
        Limit { limit: expr(parser)?, offset: Some(first) }
    } else {
        Limit { limit: first, offset: None }
    };
    Ok(Some(parser.arena.alloc(limit)))
}

/// A term of a compound select with the clauses after it.
#[derive(Clone, Copy)]
pub(super) struct Term<'a> {
    pub(super) core: SelectCore<'a>,
    pub(super) number: SelectNumber,
    /// Whether the term is VALUES for which SQLite creates several SELECTs.
    pub(super) is_compound: bool,
    pub(super) order_by: &'a [OrderTerm<'a>],
    pub(super) limit: Option<&'a Limit<'a>>,
    pub(super) height: u32,
}

impl Term<'_> {
    /// The clause that is not allowed before another term.
    fn clause(&self) -> Option<&'static str> {
        if !self.order_by.is_empty() {
            return Some("ORDER BY");
        }
        self.limit.map(|_| "LIMIT")
    }
}

impl CompoundOp {
    /// The operator in SQL.
    pub fn name(self) -> &'static str {
        match self {
            CompoundOp::Union => "UNION",
            CompoundOp::UnionAll => "UNION ALL",
            CompoundOp::Except => "EXCEPT",
            CompoundOp::Intersect => "INTERSECT",
        }
    }
}

/// Whether a name starts here, at a position where an expression is allowed as well.
#[inline]
fn starts_name(kind: TokenKind) -> bool {
    use TokenKind::*;
    kind.is_name() && !matches!(kind, Cast | Raise | CurrentDate | CurrentTime | CurrentTimestamp)
}

#[inline]
fn compound_op(kind: TokenKind) -> Option<CompoundOp> {
    match kind {
        TokenKind::Union => Some(CompoundOp::Union),
        TokenKind::Except => Some(CompoundOp::Except),
        TokenKind::Intersect => Some(CompoundOp::Intersect),
        _ => None,
    }
}

fn query_height(query: &Query<'_>) -> u32 {
    let columns = query.columns.iter().map(|column| match &column.kind {
        ResultColumnKind::Expr(expr) => expr.height,
        _ => 1,
    });
    let conditions = [&query.filter, &query.having].into_iter().flatten().map(|expr| expr.height);
    columns.chain(conditions).max().unwrap_or(0).max(tallest(query.group_by))
}

fn limit_height(limit: Option<&Limit<'_>>) -> u32 {
    limit.map_or(0, |limit| limit.limit.height.max(limit.offset.map_or(0, |offset| offset.height)))
}
