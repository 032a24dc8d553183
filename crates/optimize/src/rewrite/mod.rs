//! Trees into better trees of the same meaning.
//!
//! | module | what it does |
//! | --- | --- |
//! | `map` | rebuilds trees |
//! | `simplify` | outer joins that a condition makes inner joins |
//! | `constants` | columns that are equal to a constant |
//! | `flatten` | a query in FROM becomes part of the one around it |
//! | `exists` | EXISTS in WHERE that becomes a join |
//! | `append` | a UNION ALL in FROM becomes the outer query's own |
//! | `null_tests` | tests for NULL whose answer is known |
//! | `recursive` | recursive queries: which orders and DISTINCTs have no effect in them |
//! | `push` | conditions move into the queries in FROM whose columns they use, and from HAVING to WHERE |
//! | `window_copies` | calls of window functions that are computed once more |
//! | `prune` | result columns that are not used, ORDER BY without effect |
//!
//! The meaning includes comparisons: the resolver determined the affinity and collation of each, and replacing a column
//! by an expression does not change them.

mod append;
mod constants;
mod exists;
mod flatten;
mod map;
mod null_tests;
mod prune;
mod push;
mod recursive;
mod simplify;
mod window_copies;

use std::cell::RefCell;

use bumpalo::Bump;
use lithe_resolve::Resolver;
use lithe_resolve::ir::{Core, CoreBody, Derived, Expr, OrderOrigin, OrderTerm, Query, Select, Source, SourceKind};

pub(crate) use flatten::may_fail;
use map::{Change, Map, Nested};
pub(crate) use null_tests::with_known_nulls;
pub(crate) use prune::{keeps_columns, used_aggregates};
pub(crate) use window_copies::WindowCopies;

/// Rewrites the trees of one statement.
pub struct Rewriter<'a> {
    resolver: &'a Resolver<'a>,
    arena: &'a Bump,
    /// The result columns, and the terms of ORDER BY, that were removed.
    unused: RefCell<Vec<Expr<'a>>>,
}

/// A query while it is rewritten: with a single SELECT, or an ORDER BY and LIMIT that belong to all its cores.
#[derive(Clone, Copy)]
struct Draft<'a> {
    query: Query<'a>,
    /// Whether its cores are the parts of one that is merged with others.
    is_sorted: bool,
    /// Whether it is a recursive query, whose rows go into its queue as they come; or consists of the parts of a core of one.
    is_queued: bool,
    /// Whether the core that is being flattened has taken the ORDER BY of a query in its FROM. As in SQLite, what this query reads is not sorted
    /// then, and is not appended.
    took_order: bool,
    /// How many SELECTs and VALUES the cores consist of.
    parts: usize,
}

impl<'a> Rewriter<'a> {
    /// A rewriter of the statement that `resolver` resolves.
    pub fn new(resolver: &'a Resolver<'a>) -> Rewriter<'a> {
        Rewriter { resolver, arena: resolver.arena, unused: RefCell::default() }
    }

    /// The result columns that were removed because no enclosing query uses them. As in SQLite, they still count when it is decided
    /// whether an index is covering, because another index would give rows in another order.
    pub fn into_unused(self) -> Vec<Expr<'a>> {
        self.unused.into_inner()
    }

    /// The query rewritten, if there is anything in it to be rewritten.
    pub fn rewrite(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let may_gain = |select: &Select<'a>| select.sources.len() > 1 || select.having.is_some();
        if query.single_select().is_none_or(may_gain) || self.resolver.has_nested_queries() {
            self.query(query)
        } else {
            self.with_constants_propagated(query)
        }
    }

    /// A query of one plain SELECT from one table.
    fn with_constants_propagated(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let Some(select) = query.single_select().filter(|select| select.terms.len() > 1) else { return query };
        let propagated = self.propagate_constants(select);
        if std::ptr::eq(propagated, select) {
            return query;
        }
        let core = Core { body: CoreBody::Select(propagated), ..query.cores[0] };
        self.arena.alloc(Query { cores: self.arena.alloc_slice_copy(&[core]), ..*query })
    }

    /// The expression with the queries in it rewritten.
    pub fn expr(&self, expr: &Expr<'a>) -> Expr<'a> {
        if !self.resolver.has_nested_queries() {
            return *expr;
        }
        let mut nested = NestedQueries { rewriter: self };
        Map { arena: self.arena, change: &mut nested }.expr(expr)
    }

    /// The query, and all queries in it, rewritten.
    fn query(&self, query: &'a Query<'a>) -> &'a Query<'a> {
        let query = recursive::without_distinct(self.arena, query);
        let is_queued = recursive::is_recursive(query);
        let mut draft = Draft {
            query: *query,
            is_sorted: false,
            is_queued,
            took_order: query.order_origin == OrderOrigin::OfCore,
            parts: query.cores.len(),
        };
        self.flatten_all(&mut draft);
        let Query { cores, order_by, .. } = draft.query;
        let only = cores.len() == 1;
        // As in SQLite, an EXISTS does not become a join where the first rows are skipped.
        let joins = !(only && draft.query.limit.is_some_and(|limit| limit.offset.is_some()));
        let cores = self.arena.alloc_slice_fill_iter(cores.iter().enumerate().map(|(at, core)| {
            let order_by = if only { order_by } else { &[] };
            self.core(core, order_by, recursive::is_sorted(&draft.query, at), joins)
        }));
        let mut nested = NestedQueries { rewriter: self };
        let mut map = Map { arena: self.arena, change: &mut nested };
        let order_by = map.order(order_by).unwrap_or(order_by);
        self.arena.alloc(Query { cores, order_by, ..draft.query })
    }

    fn core(&self, core: &Core<'a>, order_by: &'a [OrderTerm<'a>], is_merged: bool, joins: bool) -> Core<'a> {
        let body = match core.body {
            CoreBody::Select(select) => CoreBody::Select(self.select(select, order_by, is_merged, joins)),
            CoreBody::Values(rows) => CoreBody::Values(rows),
            CoreBody::UnionAll(parts) => {
                let parts = parts.iter().map(|part| self.core(part, order_by, is_merged, joins));
                CoreBody::UnionAll(self.arena.alloc_slice_fill_iter(parts))
            }
        };
        Core { body, ..*core }
    }

    /// Rewrites a SELECT that is flattened already, and the queries in it.
    fn select(
        &self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        is_merged: bool,
        joins: bool,
    ) -> &'a Select<'a> {
        let select = if joins { self.join_exists(select) } else { select };
        let select = self.propagate_constants(select);
        let select = self.push_all(select);
        let select = self.push_having(select);
        let select = self.prune_sources(select, order_by, is_merged);
        let mut nested = NestedQueries { rewriter: self };
        let mut map = Map { arena: self.arena, change: &mut nested };
        map.select(select).unwrap_or(select)
    }

    /// The tree with the source at `at` replaced.
    fn with_source(&self, select: &Select<'a>, at: usize, source: Source<'a>) -> &'a Select<'a> {
        let sources = self.arena.alloc_slice_copy(select.sources);
        sources[at] = source;
        self.arena.alloc(Select { sources, ..*select })
    }

    /// The source with another query; `is_changed`: one that makes other rows.
    fn with_query(&self, source: &Source<'a>, derived: &Derived<'a>, query: Query<'a>, is_changed: bool) -> Source<'a> {
        let query: &'a Query<'a> = self.arena.alloc(query);
        let is_changed = derived.is_changed || is_changed;
        Source { kind: SourceKind::Subquery(self.arena.alloc(Derived { query, is_changed, ..*derived })), ..*source }
    }
}

/// Rewrites the queries below an expression.
struct NestedQueries<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
}

impl<'a> Change<'a> for NestedQueries<'_, 'a> {
    fn column(&mut self, _: &'a lithe_resolve::ir::Column<'a>) -> Option<Expr<'a>> {
        None
    }

    fn query(&mut self, query: &'a Query<'a>) -> Nested<'a> {
        Nested::Whole(Some(self.rewriter.query(query)))
    }
}
