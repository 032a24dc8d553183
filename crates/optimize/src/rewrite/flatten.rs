//! A query in FROM becomes part of the query around it: its sources take its place, its conditions join the others, its
//! result columns stand where they were named.

use lithe_resolve::ir::{
    Child, Column, CommonTable, CoreBody, Derived, Expr, JOIN_SOURCES_MAX, JoinKind, OrderTerm, Query, Select, Source,
    SourceId, SourceKind, SubqueryId, Term, TermOrigin, UnaryOp, any, for_each_in_select, has_query, may_have_subtype,
    same, skip_subtype,
};

use super::map::{Change, Map, Nested};
use super::{Draft, Rewriter};

/// What is to be merged.
struct Merge<'q, 'a> {
    outer: &'a Select<'a>,
    at: usize,
    source: Source<'a>,
    query: &'q Query<'a>,
    inner: &'a Select<'a>,
}

impl<'a> Rewriter<'a> {
    /// Flattens whatever can be, from the left to the right; what comes in its place is looked at again.
    pub(super) fn flatten_all(&self, draft: &mut Draft<'a>) {
        loop {
            let cores = draft.query.cores;
            for (at, core) in cores.iter().enumerate() {
                if let CoreBody::Select(select) = core.body {
                    let select = self.simplify_joins(select);
                    self.set_select(draft, at, select);
                }
            }
            if !self.flatten_one(draft) {
                return;
            }
        }
    }

    /// Flattens one query of one core; says whether it could.
    fn flatten_one(&self, draft: &mut Draft<'a>) -> bool {
        for (core_at, core) in draft.query.cores.iter().enumerate() {
            let CoreBody::Select(outer) = core.body else { continue };
            for (at, source) in outer.sources.iter().enumerate() {
                let SourceKind::Subquery(derived) = source.kind else { continue };
                if is_kept_apart(derived) || !fits(outer, at) {
                    continue;
                }
                if self.append(draft, outer, at, derived) {
                    return true;
                }
                let Some(inner) = derived.query.single_select() else { continue };
                let inner_order = self.visible_order(outer, &draft.query, derived.query);
                let (query, inner) = match derived.cte {
                    Some(cte) if cte.uses.get() > 1 => {
                        let copy = self.copy_query(derived.query);
                        (copy, copy.single_select().unwrap_or(inner))
                    }
                    _ => (derived.query, inner),
                };
                let query = Query { order_by: if inner_order { query.order_by } else { &[] }, ..*query };
                let merge = Merge { outer, at, source: *source, query: &query, inner };
                if can_merge(&draft.query, &merge) {
                    derived.cte.inspect(|cte| cte.uses.set(cte.uses.get().saturating_sub(1)));
                    self.merge(draft, core_at, &merge);
                    return true;
                }
            }
        }
        false
    }

    /// Whether the inner ORDER BY can be seen through the outer query.
    fn visible_order(&self, outer: &Select<'a>, outer_query: &Query<'a>, inner: &Query<'a>) -> bool {
        inner.limit.is_some() || !super::prune::loses_order(outer, outer_query.order_by, inner)
    }

    fn merge(&self, draft: &mut Draft<'a>, core_at: usize, merge: &Merge<'_, 'a>) {
        let Merge { outer, at, source, query, inner } = *merge;
        let mut replace = Replace { source: source.id, columns: self.seen_from_outside(inner.columns), is_part: false };
        let mut map = Map { arena: self.arena, change: &mut replace };
        let outer = map.select(outer).unwrap_or(outer);
        let outer_order = map.order(draft.query.order_by).unwrap_or(draft.query.order_by);
        let sources = self.spliced_sources(outer, at, inner);
        let terms = self.spliced_terms(outer, &source, inner);
        let select: &'a Select<'a> = self.arena.alloc(Select { sources, terms, ..*outer });
        self.set_select(draft, core_at, select);
        draft.query.order_by = outer_order;
        if !query.order_by.is_empty() {
            draft.query.order_by = self.order_seen_from(select, query.order_by);
        }
        if query.limit.is_some() {
            draft.query.limit = query.limit;
        }
    }

    /// The outer sources with the inner ones in the place of their query. The first of them is joined as the query was.
    pub(super) fn spliced_sources(&self, outer: &Select<'a>, at: usize, inner: &Select<'a>) -> &'a [Source<'a>] {
        let mut sources = outer.sources[..at].to_vec();
        sources.extend_from_slice(inner.sources);
        if let Some(first) = sources.get_mut(at) {
            first.join = outer.sources[at].join;
        }
        sources.extend_from_slice(&outer.sources[at + 1..]);
        self.arena.alloc_slice_copy(&sources)
    }

    /// The inner conditions belong to WHERE or, when the query was the right side of a LEFT JOIN, to its ON.
    pub(super) fn spliced_terms(&self, outer: &Select<'a>, source: &Source<'a>, inner: &Select<'a>) -> &'a [Term<'a>] {
        let first = inner.sources[0].id;
        let last = &inner.sources[inner.sources.len() - 1];
        // The ON of an inner join is not that of an outer join, at which the inner FROM may end: it is a condition of WHERE.
        let is_of_outer = last.join.keeps_left_rows() && inner.sources.len() > 1;
        let moved = |origin: TermOrigin| match origin {
            TermOrigin::InnerOn(id) if id == source.id && is_of_outer => TermOrigin::Where,
            TermOrigin::InnerOn(id) if id == source.id => TermOrigin::InnerOn(last.id),
            TermOrigin::OuterOn(id) if id == source.id => TermOrigin::OuterOn(first),
            origin => origin,
        };
        let is_left = source.join == JoinKind::Left;
        let own = inner.terms.iter().map(|term| match term.origin {
            _ if is_left => Term { origin: TermOrigin::OuterOn(first), ..*term },
            _ => *term,
        });
        let outer = outer.terms.iter().map(|term| Term { origin: moved(term.origin), ..*term });
        // The inner conditions come first, as in SQLite: their order decides between plans.
        let terms: Vec<Term<'a>> = own.chain(outer).collect();
        self.arena.alloc_slice_copy(&terms)
    }

    /// The result columns of a query in FROM: what they are computed by says nothing of its results to the query around it. Columns
    /// are handed on as they are.
    pub(super) fn seen_from_outside(&self, columns: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
        let loses = |column: &Expr<'a>| !matches!(column, Expr::Column(_)) && may_have_subtype(column);
        if !columns.iter().any(loses) {
            return columns;
        }
        let seen = columns.iter().map(|column| {
            if loses(column) { Expr::Unary(UnaryOp::DropSubtype, self.arena.alloc(*column)) } else { *column }
        });
        self.arena.alloc_slice_copy(&seen.collect::<Vec<_>>())
    }

    /// The inner ORDER BY as the outer query's own.
    fn order_seen_from(&self, outer: &Select<'a>, terms: &[OrderTerm<'a>]) -> &'a [OrderTerm<'a>] {
        let seen = terms.iter().map(|term| {
            let bare = lithe_resolve::ir::skip_collate(term.expr);
            let output =
                outer.columns.iter().position(|column| same(&skip_subtype(*column), &bare)).map(|at| at as u16);
            OrderTerm { output, ..*term }
        });
        self.arena.alloc_slice_copy(&seen.collect::<Vec<_>>())
    }

    pub(super) fn set_select(&self, draft: &mut Draft<'a>, at: usize, select: &'a Select<'a>) {
        let cores = self.arena.alloc_slice_copy(draft.query.cores);
        cores[at].body = CoreBody::Select(select);
        draft.query.cores = cores;
    }

    /// The same query over sources of its own.
    pub(super) fn copy_query(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let mut copy = Copy { rewriter: self, sources: Vec::new() };
        let copied = Map { arena: self.arena, change: &mut copy }.query(query).unwrap_or(query);
        count_uses(copied);
        copied
    }

    /// The same SELECT over sources of its own.
    pub(super) fn copy_select(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let mut copy = Copy { rewriter: self, sources: Vec::new() };
        Map { arena: self.arena, change: &mut copy }.select(select).unwrap_or(select)
    }
}

/// Replaces the columns of one source by the expressions that they are.
pub(super) struct Replace<'a> {
    pub source: SourceId,
    pub columns: &'a [Expr<'a>],
    /// The columns are those of one of several parts, and may have other affinities than what they replace.
    pub is_part: bool,
}

impl<'a> Change<'a> for Replace<'a> {
    fn column(&mut self, column: &'a Column<'a>) -> Option<Expr<'a>> {
        if column.source != self.source {
            return None;
        }
        column.index.position().map(|at| self.columns[at])
    }

    fn compares_anew(&self) -> bool {
        self.is_part
    }

    fn query(&mut self, query: &'a Query<'a>) -> Nested<'a> {
        if query.outer.contains(&self.source) { Nested::Parts } else { Nested::Whole(None) }
    }
}

/// Gives every source of a tree a new number.
struct Copy<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    sources: Vec<(SourceId, SourceId)>,
}

impl<'a> Change<'a> for Copy<'_, 'a> {
    fn column(&mut self, column: &'a Column<'a>) -> Option<Expr<'a>> {
        let (_, source) = *self.sources.iter().find(|(old, _)| *old == column.source)?;
        Some(Expr::Column(self.rewriter.arena.alloc(Column { source, ..*column })))
    }

    fn source(&mut self, id: SourceId) -> SourceId {
        if let Some((_, new)) = self.sources.iter().find(|(old, _)| *old == id) {
            return *new;
        }
        let new = self.rewriter.resolver.new_source();
        self.sources.push((id, new));
        new
    }

    fn subquery(&mut self, _: SubqueryId) -> SubqueryId {
        self.rewriter.resolver.new_subquery()
    }
}

/// A copy uses the common tables once more.
fn count_uses(query: &Query<'_>) {
    let count = |cte: &CommonTable<'_>| cte.uses.set(cte.uses.get() + 1);
    for core in query.cores {
        let CoreBody::Select(select) = core.body else { continue };
        for source in select.sources {
            if let SourceKind::Subquery(derived) = source.kind {
                match derived.cte {
                    Some(cte) => count(cte),
                    None => count_uses(derived.query),
                }
            }
        }
    }
}

/// Whether the query stays what it is: recursive, or materialised by the user's wish.
pub(super) fn is_kept_apart(derived: &Derived<'_>) -> bool {
    derived.cte.is_some_and(|cte| cte.setup_cores.get().is_some() || cte.materialized == Some(true))
}

/// Whether a source of the outer query may be merged at all. RIGHT and FULL joins tell rows apart by the sources they
/// come from.
fn fits(outer: &Select<'_>, at: usize) -> bool {
    let has_right = outer.sources.iter().any(|s| s.join.keeps_right_rows());
    !has_right && outer.windows.is_empty() && at < outer.sources.len()
}

fn can_merge<'a>(outer_query: &Query<'a>, merge: &Merge<'_, 'a>) -> bool {
    let Merge { outer, at, source, query, inner } = *merge;
    let is_plain = !inner.is_aggregate && !inner.distinct && inner.windows.is_empty() && !inner.sources.is_empty();
    let is_small_enough = outer.sources.len() + inner.sources.len() - 1 <= JOIN_SOURCES_MAX;
    let has_right = inner.sources.iter().any(|s| s.join.keeps_right_rows());
    is_plain
        && is_small_enough
        && (!has_right || at == 0)
        && limit_fits(outer_query, outer, query)
        && order_fits(outer_query, outer, query)
        && (source.join != JoinKind::Left || left_fits(outer_query, outer, at, inner))
}

/// LIMIT can move outwards only if nothing else happens to the rows outside. (An ORDER BY outside makes the first rows of a LIMIT that
/// leaves open which ones it means the first of that order, as in SQLite.)
fn limit_fits(outer_query: &Query<'_>, outer: &Select<'_>, inner: &Query<'_>) -> bool {
    let Some(limit) = inner.limit else { return true };
    let is_bare = outer.sources.len() == 1 && outer.terms.is_empty() && !outer.is_aggregate && !outer.distinct;
    is_bare
        && limit.offset.is_none()
        && outer_query.cores.len() == 1
        && outer_query.limit.is_none()
        && (outer_query.order_by.is_empty() || inner.order_by.is_empty())
}

fn order_fits(outer_query: &Query<'_>, outer: &Select<'_>, inner: &Query<'_>) -> bool {
    inner.order_by.is_empty()
        || outer_query.order_by.is_empty()
            && outer_query.cores.len() == 1
            && !outer.is_aggregate
            && outer.sources.len() == 1
}

/// On the right of LEFT JOIN the result columns must turn NULL with their source: those that are used have to be its
/// columns. Queries that might use them, too, are not searched.
fn left_fits<'a>(outer_query: &Query<'a>, outer: &'a Select<'a>, at: usize, inner: &Select<'a>) -> bool {
    let [only] = inner.sources else { return false };
    let id = outer.sources[at].id;
    let turns_null = |position: usize| matches!(inner.columns[position], Expr::Column(c) if c.source == only.id);
    let mut fits = true;
    let mut look = |expr: &Expr<'a>| {
        any(expr, &mut |expr| {
            if let Expr::Column(column) = expr
                && column.source == id
            {
                fits = fits && column.index.position().is_some_and(turns_null);
            }
            false
        });
    };
    for_each_in_select(outer, &mut |child| {
        if let Child::Expr(expr) = child {
            look(expr);
        }
    });
    outer_query.order_by.iter().for_each(|term| look(&term.expr));
    fits && has_no_nested(outer)
}

/// Whether no expression of the SELECT has a query in it.
fn has_no_nested<'a>(select: &'a Select<'a>) -> bool {
    let mut found = false;
    for_each_in_select(select, &mut |child| {
        if let Child::Expr(expr) = child {
            found = found || has_query(expr);
        }
    });
    !found
}
