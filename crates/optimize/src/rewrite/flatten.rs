//! A query in FROM becomes part of the enclosing query: its sources take its place, its conditions are added to the
//! others, its result columns replace their names.

use std::cell::Cell;

use lithe_resolve::Resolver;
use lithe_resolve::ir::{
    AndSide, Call, Child, Column, CommonTable, CompareOp, Core, CoreBody, Derived, Expr, JOIN_SOURCES_MAX, JoinKind,
    Matched, OrderOrigin, OrderTerm, Query, Select, Source, SourceId, SourceKind, SubqueryId, Term, TermOrigin,
    UnaryOp, any, collation_of, for_each_child, has_query, is_constant, may_have_subtype, same, skip_subtype,
};

use super::map::{Change, Map, Nested};
use super::null_tests::with_known_nulls;
use super::{Draft, Rewriter, recursive};

/// The query to be merged.
struct Merge<'q, 'a> {
    outer: &'a Select<'a>,
    at: usize,
    source: Source<'a>,
    query: &'q Query<'a>,
    inner: &'a Select<'a>,
}

impl<'a> Rewriter<'a> {
    /// Flattens all queries that can be, core by core and from left to right, including those that a flattened query brings.
    pub(super) fn flatten_all(&self, draft: &mut Draft<'a>) {
        let mut at = 0;
        while let Some(core) = draft.query.cores.get(at) {
            let is_changed = match core.body {
                CoreBody::Select(select) => self.flatten_one(draft, at, select),
                CoreBody::Values(_) => false,
                CoreBody::UnionAll(parts) => {
                    self.flatten_parts(draft, at, parts);
                    false
                }
            };
            // The parts of a UNION ALL take the place of its core, and are next.
            at += usize::from(!is_changed);
            draft.took_order &= is_changed;
        }
    }

    /// The same in the parts of the UNION ALL at `at`.
    fn flatten_parts(&self, draft: &mut Draft<'a>, at: usize, parts: &'a [Core<'a>]) {
        let is_sorted = draft.is_sorted || recursive::is_sorted(&draft.query, at);
        // The ORDER BY of a recursive query is that of its queue.
        let order_by = if draft.is_queued { &[] } else { draft.query.order_by };
        let query = Query { cores: parts, order_by, limit: None, ..draft.query };
        let mut nested = Draft { query, is_sorted, ..*draft };
        self.flatten_all(&mut nested);
        draft.parts = nested.parts;
        self.set_body(draft, at, CoreBody::UnionAll(nested.query.cores));
    }

    /// Simplifies the joins of a core from left to right up to the first query that can be flattened, which it flattens. Returns whether it
    /// found one.
    fn flatten_one(&self, draft: &mut Draft<'a>, core_at: usize, outer: &'a Select<'a>) -> bool {
        let mut outer = outer;
        for at in 0..outer.sources.len() {
            let simple = self.simplify_join(outer, at);
            if !std::ptr::eq(simple, outer) {
                self.set_select(draft, core_at, simple);
                outer = simple;
            }
            let source = &outer.sources[at];
            let SourceKind::Subquery(derived) = source.kind else { continue };
            if is_kept_apart(derived) || !fits(outer, at) {
                continue;
            }
            let is_sorted = draft.is_sorted || recursive::is_sorted(&draft.query, core_at);
            let inner_order =
                derived.query.limit.is_some() || !super::prune::loses_order(outer, is_sorted, derived.query);
            let has_order = inner_order && !derived.query.order_by.is_empty();
            if !has_order && !draft.took_order && self.append(draft, core_at, outer, at, derived) {
                return true;
            }
            let Some(inner) = derived.query.single_select() else { continue };
            let (query, inner) = match derived.cte {
                Some(cte) if cte.uses.get() > 1 => {
                    let copy = self.copy_query(derived.query);
                    (copy, copy.single_select().unwrap_or(inner))
                }
                _ => (derived.query, inner),
            };
            let query = Query { order_by: if inner_order { query.order_by } else { &[] }, ..*query };
            let merge = Merge { outer, at, source: *source, query: &query, inner };
            if can_merge(draft, &merge) {
                derived.cte.inspect(|cte| cte.uses.set(cte.uses.get().saturating_sub(1)));
                self.merge(draft, core_at, &merge);
                return true;
            }
            let is_used_once = derived.cte.is_none_or(|cte| cte.uses.get() <= 1);
            if has_order && is_used_once && orders_core(draft, core_at, &merge) {
                outer = self.with_order_of_core(outer, at, derived, inner);
                self.set_select(draft, core_at, outer);
            }
        }
        false
    }

    /// A query that SQLite would merge into this core of a compound, with its ORDER BY: it stays, but what it reads is as if it were merged.
    fn with_order_of_core(
        &self,
        outer: &'a Select<'a>,
        at: usize,
        derived: &Derived<'a>,
        inner: &'a Select<'a>,
    ) -> &'a Select<'a> {
        let mut core = derived.query.cores[0];
        core.body = CoreBody::Select(self.with_pruned_orders(inner));
        let cores = self.arena.alloc_slice_copy(&[core]);
        let query = Query { cores, order_origin: OrderOrigin::OfCore, ..*derived.query };
        self.with_source(outer, at, self.with_query(&outer.sources[at], derived, query, false))
    }

    fn merge(&self, draft: &mut Draft<'a>, core_at: usize, merge: &Merge<'_, 'a>) {
        let Merge { outer, at, source, query, inner } = *merge;
        let columns = self.seen_from_outside(inner.columns);
        let columns = if may_lack_row(outer, at) { self.matched(columns, inner) } else { columns };
        let mut replace = Replace { source: source.id, columns, part: None, resolver: self.resolver };
        let mut map = Map { arena: self.arena, change: &mut replace };
        let outer = map.select(outer).unwrap_or(outer);
        let outer_order = map.order(draft.query.order_by).unwrap_or(draft.query.order_by);
        let sources = self.spliced_sources(outer, at, inner);
        let terms = self.spliced_terms(outer, at, &source, inner);
        let select: &'a Select<'a> = self.arena.alloc(Select { sources, terms, ..*outer });
        draft.took_order |= !query.order_by.is_empty();
        let select = if draft.took_order { self.with_pruned_orders(select) } else { select };
        self.set_select(draft, core_at, select);
        draft.query.order_by = outer_order;
        if draft.is_queued {
            self.unused.borrow_mut().extend(query.order_by.iter().map(|term| term.expr));
        } else if !query.order_by.is_empty() {
            draft.query.order_by = self.order_seen_from(select, query.order_by);
            draft.query.order_origin = OrderOrigin::Taken;
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

    /// The result columns of a query on the nullable side of an outer join. Columns of its single source are NULL then by
    /// themselves, all others are wrapped to become NULL.
    fn matched(&self, columns: &'a [Expr<'a>], inner: &Select<'a>) -> &'a [Expr<'a>] {
        let source = &inner.sources[0];
        let Some(key) = self.key_of(source) else { return columns };
        self.arena.alloc_slice_fill_iter(columns.iter().map(|column| match is_column_of(column, source) {
            true => *column,
            false => Expr::Matched(self.arena.alloc(Matched { key, value: *column })),
        }))
    }

    /// A column of a table that is NULL in no row of the table.
    fn key_of(&self, source: &Source<'a>) -> Option<Expr<'a>> {
        let SourceKind::Table(_, table) = source.kind else { return None };
        if table.has_rowid() {
            return Some(self.resolver.rowid(source.id, table));
        }
        let at = table.columns.iter().position(|column| column.primary_key > 0)?;
        table.is_without_rowid().then(|| self.resolver.table_column(source.id, table, at as u16))
    }

    /// The inner conditions belong to WHERE or, when the query was the right side of a LEFT JOIN, to its ON. Those of a query on the left
    /// of a RIGHT JOIN do not apply to the rows that this join adds.
    pub(super) fn spliced_terms(
        &self,
        outer: &Select<'a>,
        at: usize,
        source: &Source<'a>,
        inner: &Select<'a>,
    ) -> &'a [Term<'a>] {
        let first = inner.sources[0].id;
        let last = inner.sources[inner.sources.len() - 1];
        // An outer join at the end has an ON of its own.
        let joined = if inner.sources.len() > 1 && last.join == JoinKind::Left { first } else { last.id };
        let moved = |origin: TermOrigin| match origin {
            TermOrigin::InnerOn(id) if id == source.id => TermOrigin::InnerOn(joined),
            TermOrigin::OuterOn(id) if id == source.id => TermOrigin::OuterOn(first),
            origin => origin,
        };
        let is_left = source.join == JoinKind::Left;
        let is_left_of_right = may_lack_row(outer, at);
        let own = inner.terms.iter().map(|term| {
            let origin = match term.origin {
                _ if is_left => TermOrigin::OuterOn(first),
                TermOrigin::Where if is_left_of_right => TermOrigin::InnerOn(first),
                origin => origin,
            };
            let expr = with_known_nulls(self.arena, &term.expr);
            Term { origin, expr, ..*term }
        });
        let has_tree = inner.terms.iter().any(is_in_tree);
        let is_one = outer.terms.iter().filter(|term| is_in_tree(term)).count() == 1;
        let outer = outer.terms.iter().map(|term| {
            let side = if has_tree && is_one && is_in_tree(term) { AndSide::Right } else { term.side };
            Term { origin: moved(term.origin), side, ..*term }
        });
        // The inner conditions come first, as in SQLite: their order decides between plans.
        let terms: Vec<Term<'a>> = own.chain(outer).collect();
        self.arena.alloc_slice_copy(&terms)
    }

    /// The result columns of a query in FROM, as the enclosing query sees them: without subtypes. Columns stay as they are.
    pub(super) fn seen_from_outside(&self, columns: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
        let is_marked = |column: &Expr<'a>| has_constant_call(column) || matches!(column, Expr::Exists(_));
        let loses = |column: &Expr<'a>| !matches!(column, Expr::Column(_)) && may_have_subtype(column);
        if !columns.iter().any(|column| loses(column) || is_marked(column)) {
            return columns;
        }
        let seen = columns.iter().map(|column| {
            let seen = self.in_place_of_column(column);
            if loses(column) { Expr::Unary(UnaryOp::DropSubtype, self.arena.alloc(seen)) } else { seen }
        });
        self.arena.alloc_slice_copy(&seen.collect::<Vec<_>>())
    }

    /// The expression, marked as a replacement if it is a constant call or an EXISTS, which then becomes no join, as in SQLite.
    pub(super) fn in_place_of_column(&self, expr: &Expr<'a>) -> Expr<'a> {
        if matches!(expr, Expr::Exists(_)) {
            return Expr::Unary(UnaryOp::Plus, self.arena.alloc(*expr));
        }
        if !has_constant_call(expr) {
            return *expr;
        }
        match (Map { arena: self.arena, change: &mut InReplaced }.expr(expr)) {
            Expr::Function(call) => Expr::Function(self.arena.alloc(Call { replaces_column: true, ..*call })),
            other => other,
        }
    }

    /// The inner ORDER BY as the outer query's own.
    fn order_seen_from(&self, outer: &Select<'a>, terms: &[OrderTerm<'a>]) -> &'a [OrderTerm<'a>] {
        let seen = terms.iter().map(|term| {
            let bare = lithe_resolve::ir::skip_collate(term.expr);
            let output = outer.columns.iter().position(|column| same(&unmarked(*column), &bare)).map(|at| at as u16);
            OrderTerm { output, ..*term }
        });
        self.arena.alloc_slice_copy(&seen.collect::<Vec<_>>())
    }

    fn set_select(&self, draft: &mut Draft<'a>, at: usize, select: &'a Select<'a>) {
        self.set_body(draft, at, CoreBody::Select(select));
    }

    pub(super) fn set_body(&self, draft: &mut Draft<'a>, at: usize, body: CoreBody<'a>) {
        let cores = self.arena.alloc_slice_copy(draft.query.cores);
        cores[at].body = body;
        draft.query.cores = cores;
    }

    /// The same query over sources of its own.
    pub(super) fn copy_query(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let mut copy = Copy { rewriter: self, sources: Vec::new(), shares_rows: false };
        let copied = Map { arena: self.arena, change: &mut copy }.query(query).unwrap_or(query);
        count_uses(copied);
        copied
    }

    /// The expression with copies of the queries in it, so that it can stand in two places.
    pub(super) fn copy_queries(&self, expr: &Expr<'a>) -> Expr<'a> {
        if !has_query(expr) {
            return *expr;
        }
        let mut copy = Copy { rewriter: self, sources: Vec::new(), shares_rows: true };
        let copied = Map { arena: self.arena, change: &mut copy }.expr(expr);
        count_uses_in(&copied);
        copied
    }

    /// The same SELECT over sources of its own.
    pub(super) fn copy_select(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let mut copy = Copy { rewriter: self, sources: Vec::new(), shares_rows: true };
        let copied = Map { arena: self.arena, change: &mut copy }.select(select).unwrap_or(select);
        count_uses_in_select(copied);
        copied
    }
}

/// One of several parts that a condition or a SELECT goes to.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// The columns of the first part, whose collations those of the compound are.
    pub first: &'a [Expr<'a>],
    /// Whether a column that has another collation is seen with COLLATE.
    pub collates: bool,
}

/// Replaces the columns of one source by their expressions.
pub(super) struct Replace<'a> {
    pub source: SourceId,
    pub columns: &'a [Expr<'a>],
    /// If the columns are those of one of several parts, which may have other affinities than the replaced columns.
    pub part: Option<Part<'a>>,
    pub resolver: &'a Resolver<'a>,
}

impl<'a> Replace<'a> {
    fn replacement(&self, column: &Column<'a>) -> Option<Expr<'a>> {
        if column.source != self.source {
            return None;
        }
        column.index.position().map(|at| self.columns[at])
    }

    /// The replacement with the collation of the compound, if it has another one. One that is none counts as another one in SQLite.
    fn collated(&self, column: &Column<'a>) -> Option<Expr<'a>> {
        let position = column.index.position().filter(|_| column.source == self.source)?;
        let replaced = self.columns[position];
        let first = self.part?.first.get(position)?;
        let is_other = collation_of(&replaced) != collation_of(first)
            || collation_of(&replaced).unwrap_or_default() != column.collation;
        let arena = self.resolver.arena;
        is_other.then(|| Expr::Collate(arena.alloc(replaced), arena.alloc(column.collation)))
    }
}

impl<'a> Change<'a> for Replace<'a> {
    fn column(&mut self, column: &'a Column<'a>) -> Option<Expr<'a>> {
        let collated = self.part.filter(|part| part.collates).and_then(|_| self.collated(column));
        collated.or_else(|| self.replacement(column))
    }

    fn compares_anew(&self) -> bool {
        self.part.is_some()
    }

    /// A column of a part that has another collation than that of the compound is seen with COLLATE in SQLite, which matters where it is tested
    /// for NULL: such a test implies no WHERE of a partial index.
    fn null_test(&mut self, operand: &Expr<'a>, not: bool) -> Option<Expr<'a>> {
        let Expr::Column(column) = operand else { return None };
        let collated = self.collated(column)?;
        Some(Expr::IsNull(self.resolver.arena.alloc(collated), not))
    }

    fn call(&mut self, call: Call<'a>) -> Call<'a> {
        self.resolver.with_overloading(call)
    }

    fn query(&mut self, query: &'a Query<'a>) -> Nested<'a> {
        if query.outer.contains(&self.source) { Nested::Parts } else { Nested::Whole(None) }
    }
}

/// Whether the expression is a constant with a call in it.
fn has_constant_call(expr: &Expr<'_>) -> bool {
    is_constant(expr) && any(expr, &mut |part| matches!(part, Expr::Function(_)))
}

/// Marks the calls in a constant that takes the place of a column.
struct InReplaced;

impl<'a> Change<'a> for InReplaced {
    fn column(&mut self, _: &'a Column<'a>) -> Option<Expr<'a>> {
        None
    }

    fn changes_calls(&self) -> bool {
        true
    }

    fn call(&mut self, call: Call<'a>) -> Call<'a> {
        Call { is_in_replaced: true, ..call }
    }

    fn query(&mut self, _: &'a Query<'a>) -> Nested<'a> {
        Nested::Whole(None)
    }
}

/// Gives every source of a tree a new number.
struct Copy<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    sources: Vec<(SourceId, SourceId)>,
    /// The queries in FROM of both trees are thought to have as many rows: SQLite keeps the number in one place for a SELECT and its copies.
    /// Uses of one common table are no such copies.
    shares_rows: bool,
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

    fn rows(&mut self, rows: &'a Cell<Option<i16>>) -> &'a Cell<Option<i16>> {
        if self.shares_rows { rows } else { self.rewriter.arena.alloc(Cell::new(None)) }
    }
}

fn count_uses_in(expr: &Expr<'_>) {
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => count_uses_in(operand),
        Child::Query(query) => count_uses(query),
    });
}

/// A copy uses the common tables once more.
fn count_uses(query: &Query<'_>) {
    for core in query.cores {
        core.for_each_part(&mut |part| {
            if let CoreBody::Select(select) = part.body {
                count_uses_in_select(select);
            }
        });
    }
}

fn count_uses_in_select(select: &Select<'_>) {
    let count = |cte: &CommonTable<'_>| cte.uses.set(cte.uses.get() + 1);
    for source in select.sources {
        if let SourceKind::Subquery(derived) = source.kind {
            match derived.cte {
                Some(cte) => count(cte),
                None => count_uses(derived.query),
            }
        }
    }
}

/// Whether the query must not be merged: it is recursive, or declared MATERIALIZED.
pub(super) fn is_kept_apart(derived: &Derived<'_>) -> bool {
    derived.is_recursive() || derived.cte.is_some_and(|cte| cte.materialized == Some(true))
}

/// Whether a source of the outer query may be merged at all: not the right side of a RIGHT or FULL JOIN, because its unmatched rows are
/// found by that one source.
fn fits(outer: &Select<'_>, at: usize) -> bool {
    outer.sources.get(at).is_some_and(|source| !source.join.keeps_right_rows())
}

/// Whether rows of the join may lack one of the source at `at`: on the right of a LEFT JOIN, or on the left of a RIGHT or FULL JOIN.
fn may_lack_row(outer: &Select<'_>, at: usize) -> bool {
    outer.sources[at].join == JoinKind::Left
        || outer.sources[at + 1..].iter().any(|source| source.join.keeps_right_rows())
}

/// Whether the query could be merged if the core at `core_at` of a compound could have its ORDER BY.
fn orders_core<'a>(draft: &Draft<'a>, core_at: usize, merge: &Merge<'_, 'a>) -> bool {
    let cores = &draft.query.cores[core_at..=core_at];
    let is_unordered = draft.query.cores.len() > 1 && draft.query.order_by.is_empty() && !draft.is_queued;
    let alone = Draft { query: Query { cores, ..draft.query }, ..*draft };
    is_unordered && merge.query.order_origin != OrderOrigin::OfCore && can_merge(&alone, merge)
}

fn can_merge<'a>(draft: &Draft<'a>, merge: &Merge<'_, 'a>) -> bool {
    let Merge { outer, at, query, inner, .. } = *merge;
    let is_plain = !inner.is_aggregate && !inner.distinct && inner.windows.is_empty() && !inner.sources.is_empty();
    let is_small_enough = outer.sources.len() + inner.sources.len() - 1 <= JOIN_SOURCES_MAX;
    let has_right = inner.sources.iter().any(|s| s.join.keeps_right_rows());
    is_plain
        && is_small_enough
        && (!has_right || at == 0)
        && limit_fits(&draft.query, outer, query)
        && order_fits(draft, outer, query)
        && (!may_lack_row(outer, at) || row_may_lack(outer, at, inner))
}

/// LIMIT can move outwards only if the outer query does nothing else to the rows. (As in SQLite, the outer ORDER BY then also decides
/// which rows an inner LIMIT without ORDER BY takes.)
fn limit_fits(outer_query: &Query<'_>, outer: &Select<'_>, inner: &Query<'_>) -> bool {
    let Some(limit) = inner.limit else { return true };
    let is_bare = outer.sources.len() == 1
        && outer.terms.is_empty()
        && !outer.is_aggregate
        && !outer.distinct
        && outer.windows.is_empty();
    is_bare
        && limit.offset.is_none()
        && outer_query.cores.len() == 1
        && outer_query.limit.is_none()
        && (outer_query.order_by.is_empty() || inner.order_by.is_empty())
}

/// An ORDER BY moves outwards if it is the only one. As SQLite documents, the rows of a single query are sorted before the outer query
/// computes functions and queries of them.
fn order_fits(draft: &Draft<'_>, outer: &Select<'_>, inner: &Query<'_>) -> bool {
    let takes_order = draft.query.order_by.is_empty() && draft.query.cores.len() == 1;
    inner.order_by.is_empty()
        || (takes_order || draft.is_queued)
            && !outer.is_aggregate
            && outer.windows.is_empty()
            && outer.sources.len() == 1
            && !outer.is_complex
}

/// Whether a query on the nullable side of an outer join can be merged: it has one source, whose columns are NULL in an added row, or
/// whose key shows that there is no row. A condition on a computed column can use no index. So another condition must look the row up by a
/// column of the table; otherwise a table of its own with an automatic index is better.
fn row_may_lack<'a>(outer: &'a Select<'a>, at: usize, inner: &Select<'a>) -> bool {
    let [only] = inner.sources else { return false };
    let is_plain = |position: usize| is_column_of(&inner.columns[position], only);
    if outer.distinct {
        return false;
    }
    if (0..inner.columns.len()).all(is_plain) {
        return true;
    }
    let has_key = matches!(only.kind, SourceKind::Table(_, table) if table.has_rowid() || table.is_without_rowid());
    let id = outer.sources[at].id;
    let uses = |expr: &Expr<'a>, is_it: &dyn Fn(usize) -> bool| {
        any(
            expr,
            &mut |expr| matches!(expr, Expr::Column(column) if column.source == id && column.index.position().is_some_and(is_it)),
        )
    };
    let is_lookup = |expr: &Expr<'a>| {
        let Expr::Compare(compare) = expr else { return false };
        let sides = [(compare.left, compare.right), (compare.right, compare.left)];
        let is_side = |(column, value): (Expr<'a>, Expr<'a>)| {
            matches!(column, Expr::Column(_)) && uses(&column, &is_plain) && !uses(&value, &|_| true)
        };
        compare.op == CompareOp::Eq && sides.into_iter().any(is_side)
    };
    let is_computed = |position: usize| !is_plain(position);
    let needs_lookup = at > 0 && outer.terms.iter().any(|term| uses(&term.expr, &is_computed));
    // An error shows what is computed, and when.
    let conditions = outer.terms.iter().filter(|term| term.origin == TermOrigin::OuterOn(id)).chain(inner.terms);
    let may_fail = || inner.columns.iter().chain(conditions.map(|term| &term.expr)).any(may_fail);
    has_key && (!needs_lookup || outer.terms.iter().any(|term| is_lookup(&term.expr)) || may_fail())
}

/// Whether a function is called that may fail for some values.
pub(crate) fn may_fail(expr: &Expr<'_>) -> bool {
    const NEVER_FAIL: [&str; 20] = [
        "coalesce",
        "date",
        "datetime",
        "ifnull",
        "iif",
        "instr",
        "length",
        "likelihood",
        "likely",
        "lower",
        "ltrim",
        "max",
        "min",
        "nullif",
        "round",
        "rtrim",
        "substr",
        "trim",
        "typeof",
        "upper",
    ];
    any(
        expr,
        &mut |part| matches!(part, Expr::Function(call) if !(call.function.is_builtin() && NEVER_FAIL.contains(&call.function.name()))),
    )
}

fn is_in_tree(term: &Term<'_>) -> bool {
    term.side != AndSide::Apart
}

/// The expression that takes the place of a column, without the marks of that.
fn unmarked<'a>(expr: Expr<'a>) -> Expr<'a> {
    match skip_subtype(expr) {
        Expr::Unary(UnaryOp::Plus, exists @ Expr::Exists(_)) => *exists,
        bare => bare,
    }
}

fn is_column_of(expr: &Expr<'_>, source: &Source<'_>) -> bool {
    matches!(expr, Expr::Column(column) if column.source == source.id)
}
