//! SELECT, compound selects, WITH.

use bumpalo::collections::Vec as ArenaVec;

use super::Parser;
use super::expr::tallest;
use super::function::tallest_term;
use crate::ast::{
    CommonTable, CompoundOp, CompoundTerm, Direction, Expr, Limit, Nulls, OrderTerm, Query, ResultColumn,
    ResultColumnKind, Select, SelectCore, With,
};
use crate::error::Result;
use crate::token::TokenKind;

/// Entries on the parser's stack below what a select is made of.
const SELECT_ENTRIES: u32 = 4;

impl<'a> Parser<'a, '_> {
    /// `[WITH ...] core [UNION core ...] [ORDER BY ...] [LIMIT ...]`
    pub(super) fn select(&mut self) -> Result<&'a Select<'a>> {
        let start = self.token.span.start;
        let with = if self.at(TokenKind::With) { Some(self.with_clause()?) } else { None };
        self.select_after_with(with, start)
    }

    pub(super) fn select_after_with(&mut self, with: Option<&'a With<'a>>, start: u32) -> Result<&'a Select<'a>> {
        self.enter(SELECT_ENTRIES)?;
        let first = self.term()?;
        let mut select = Select {
            with,
            first: first.core,
            rest: &[],
            order_by: first.order_by,
            limit: first.limit,
            span: self.span_from(start),
            height: first.height,
        };
        if compound_op(self.token.kind).is_some() {
            self.compound(&mut select, first)?;
        }
        self.leave(SELECT_ENTRIES);
        select.span = self.span_from(start);
        Ok(self.arena.alloc(select))
    }

    /// The terms behind the first. The grammar lets each have ORDER BY and LIMIT, and once the whole is
    /// read only the last may.
    fn compound(&mut self, select: &mut Select<'a>, first: Term<'a>) -> Result<()> {
        let mut rest = ArenaVec::new_in(self.arena);
        let mut misplaced = None;
        let mut before = first;
        while let Some(mut op) = compound_op(self.token.kind) {
            self.advance()?;
            if op == CompoundOp::Union && self.take(TokenKind::All)? {
                op = CompoundOp::UnionAll;
            }
            // The one nearest to the end is reported.
            misplaced = before.clause().map(|clause| (clause, op)).or(misplaced);
            let term = self.term()?;
            select.height = select.height.max(term.height);
            rest.push(CompoundTerm { op, core: term.core });
            before = term;
        }
        if let Some((clause, op)) = misplaced {
            let op = op.name();
            self.defer(None, format!("{clause} clause should come after {op} not before"));
        }
        let limit = self.limits.compound_select as usize;
        if limit > 0 && rest.len() >= limit {
            self.defer(None, "too many terms in compound SELECT");
        }
        select.rest = rest.into_bump_slice();
        select.order_by = before.order_by;
        select.limit = before.limit;
        Ok(())
    }

    fn term(&mut self) -> Result<Term<'a>> {
        match self.token.kind {
            TokenKind::Select => self.query(),
            TokenKind::Values => self.values(),
            _ => self.unexpected(),
        }
    }

    fn query(&mut self) -> Result<Term<'a>> {
        let start = self.expect(TokenKind::Select)?.span.start;
        // Built in the arena, not on the native stack, where subqueries would pile it up.
        let query: &'a mut Query<'a> = self.arena.alloc(Query::default());
        self.clauses(query)?;
        query.span = self.span_from(start);
        let order_by = self.order_by()?;
        let limit = self.limit()?;
        let height = query_height(query).max(tallest_term(order_by)).max(limit_height(limit));
        Ok(Term { core: SelectCore::Query(query), order_by, limit, height })
    }

    /// What belongs to one core, from DISTINCT to WINDOW.
    fn clauses(&mut self, query: &mut Query<'a>) -> Result<()> {
        query.distinct = self.take(TokenKind::Distinct)?;
        if !query.distinct {
            self.take(TokenKind::All)?;
        }
        query.columns = self.result_columns()?;
        if self.take(TokenKind::From)? {
            query.from = self.joined_items()?;
        }
        query.filter = self.filter()?;
        if self.take(TokenKind::Group)? {
            self.expect(TokenKind::By)?;
            query.group_by = self.list(Self::expr)?;
        }
        if self.take(TokenKind::Having)? {
            query.having = Some(self.expr()?);
        }
        if self.take(TokenKind::Window)? {
            query.windows = self.window_defs()?;
        }
        Ok(())
    }

    /// Also what stands behind RETURNING.
    pub(super) fn result_columns(&mut self) -> Result<&'a [ResultColumn<'a>]> {
        self.list(Self::result_column)
    }

    fn result_column(&mut self) -> Result<ResultColumn<'a>> {
        let start = self.token.span.start;
        if self.take(TokenKind::Star)? {
            let kind = ResultColumnKind::Star;
            return Ok(ResultColumn { kind, alias: None, span: self.span_from(start) });
        }
        if starts_name(self.token.kind)
            && let Some(kind) = self.table_star()?
        {
            return Ok(ResultColumn { kind, alias: None, span: self.span_from(start) });
        }
        let expr = self.expr()?;
        let span = self.span_with_comments(start);
        let alias = self.alias()?;
        Ok(ResultColumn { kind: ResultColumnKind::Expr(expr), alias, span })
    }

    /// `table.*`: the only place where more than one token decides.
    #[inline]
    fn table_star(&mut self) -> Result<Option<ResultColumnKind<'a>>> {
        if !self.lexer.may_be_before(b'.') {
            return Ok(None);
        }
        let mut ahead = self.lexer.clone();
        if ahead.next_significant().kind != TokenKind::Dot || ahead.next_significant().kind != TokenKind::Star {
            return Ok(None);
        }
        let table = self.name()?;
        self.expect_all(&[TokenKind::Dot, TokenKind::Star])?;
        Ok(Some(ResultColumnKind::TableStar(table)))
    }

    /// `WHERE condition`, if it stands here.
    #[inline]
    pub(super) fn filter(&mut self) -> Result<Option<Expr<'a>>> {
        if self.take(TokenKind::Where)? { self.expr().map(Some) } else { Ok(None) }
    }

    /// `ORDER BY terms`, if it stands here.
    pub(super) fn order_by(&mut self) -> Result<&'a [OrderTerm<'a>]> {
        if !self.take(TokenKind::Order)? {
            return Ok(&[]);
        }
        self.expect(TokenKind::By)?;
        self.list(Self::order_term)
    }

    pub(super) fn order_term(&mut self) -> Result<OrderTerm<'a>> {
        let expr = self.expr()?;
        let direction = self.direction()?;
        let nulls = match self.take(TokenKind::Nulls)? {
            false => None,
            true if self.take(TokenKind::First)? => Some(Nulls::First),
            true => {
                self.expect(TokenKind::Last)?;
                Some(Nulls::Last)
            }
        };
        Ok(OrderTerm { expr, direction, nulls })
    }

    pub(super) fn direction(&mut self) -> Result<Option<Direction>> {
        if self.take(TokenKind::Asc)? {
            return Ok(Some(Direction::Asc));
        }
        Ok(self.take(TokenKind::Desc)?.then_some(Direction::Desc))
    }

    fn limit(&mut self) -> Result<Option<&'a Limit<'a>>> {
        if !self.take(TokenKind::Limit)? {
            return Ok(None);
        }
        let first = self.expr()?;
        let limit = if self.take(TokenKind::Offset)? {
            Limit { limit: first, offset: Some(self.expr()?) }
        } else if self.take(TokenKind::Comma)? {
            Limit { limit: self.expr()?, offset: Some(first) }
        } else {
            Limit { limit: first, offset: None }
        };
        Ok(Some(self.arena.alloc(limit)))
    }

    /// `WITH [RECURSIVE] table, ...`
    pub(super) fn with_clause(&mut self) -> Result<&'a With<'a>> {
        self.expect(TokenKind::With)?;
        self.with_seen = true;
        let recursive = self.take(TokenKind::Recursive)?;
        let mut tables: ArenaVec<'a, CommonTable<'a>> = ArenaVec::new_in(self.arena);
        loop {
            let table = self.common_table()?;
            if tables.iter().any(|known| known.name.name == table.name.name) {
                let message = format!("duplicate WITH table name: {}", table.name.name);
                self.defer(None, message);
            }
            tables.push(table);
            if !self.take(TokenKind::Comma)? {
                break;
            }
        }
        Ok(self.arena.alloc(With { recursive, tables: tables.into_bump_slice() }))
    }

    /// `name [(columns)] AS [[NOT] MATERIALIZED] (select)`
    fn common_table(&mut self) -> Result<CommonTable<'a>> {
        const ENTRIES: u32 = 6; // WITH list name columns AS parenthesis
        let name = self.name()?;
        let columns = self.optional_column_names()?;
        self.expect(TokenKind::As)?;
        let materialized = match self.token.kind {
            TokenKind::Materialized => {
                self.advance()?;
                Some(true)
            }
            TokenKind::Not => {
                self.advance()?;
                self.expect(TokenKind::Materialized)?;
                Some(false)
            }
            _ => None,
        };
        self.enter(ENTRIES)?;
        self.expect(TokenKind::LeftParen)?;
        let select = self.select()?;
        self.expect(TokenKind::RightParen)?;
        self.leave(ENTRIES);
        Ok(CommonTable { name, columns, materialized, select })
    }
}

/// A term of a compound select with the clauses behind it.
#[derive(Clone, Copy)]
pub(super) struct Term<'a> {
    pub(super) core: SelectCore<'a>,
    pub(super) order_by: &'a [OrderTerm<'a>],
    pub(super) limit: Option<&'a Limit<'a>>,
    pub(super) height: u32,
}

impl Term<'_> {
    /// The clause that makes this a bad term before another one.
    fn clause(&self) -> Option<&'static str> {
        if !self.order_by.is_empty() {
            return Some("ORDER BY");
        }
        self.limit.map(|_| "LIMIT")
    }
}

impl CompoundOp {
    /// As SQL writes it.
    pub fn name(self) -> &'static str {
        match self {
            CompoundOp::Union => "UNION",
            CompoundOp::UnionAll => "UNION ALL",
            CompoundOp::Except => "EXCEPT",
            CompoundOp::Intersect => "INTERSECT",
        }
    }
}

/// Whether a name starts here, where an expression could start as well.
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
