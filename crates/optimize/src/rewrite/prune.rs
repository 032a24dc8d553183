//! Removal of parts without effect: ORDER BY of a query whose rows lose their order, result columns that are not used.

use bumpalo::Bump;
use lithe_resolve::ir::{
    Aggregate, Child, Core, CoreBody, Derived, Expr, OrderTerm, Query, Select, SourceKind, any, for_each_child,
    for_each_in_query, for_each_in_select, has_query,
};
use lithe_sql::ast::CompoundOp;

use super::Rewriter;

impl<'a> Rewriter<'a> {
    /// The SELECT without the parts of its FROM queries that it does not use.
    pub(super) fn prune_sources(
        &self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        is_merged: bool,
    ) -> &'a Select<'a> {
        let mut select = select;
        for at in 0..select.sources.len() {
            let SourceKind::Subquery(derived) = select.sources[at].kind else { continue };
            if derived.is_recursive() {
                continue;
            }
            let query = prune_order(select, !order_by.is_empty() || is_merged, derived);
            // SQLite computes all columns of common tables, which shows where one fails.
            let pruned = if derived.cte.is_none() { self.prune_columns(select, order_by, at, &query) } else { None };
            let is_changed = pruned.is_some();
            let source = self.with_query(&select.sources[at], derived, pruned.unwrap_or(query), is_changed);
            select = self.with_source(select, at, source);
        }
        select
    }

    /// The SELECT, whose rows are sorted, without the ORDER BYs of its FROM queries that have no effect on them.
    pub(super) fn with_pruned_orders(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let mut select = select;
        for (at, source) in select.sources.iter().enumerate() {
            let SourceKind::Subquery(derived) = source.kind else { continue };
            if !derived.query.order_by.is_empty() && !derived.is_recursive() {
                let query = prune_order(select, true, derived);
                select = self.with_source(select, at, self.with_query(source, derived, query, false));
            }
        }
        select
    }

    /// The query with NULL in the place of columns that are not used, if there are any and not all are kept.
    fn prune_columns(
        &self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        at: usize,
        query: &Query<'a>,
    ) -> Option<Query<'a>> {
        if keeps_columns(query) {
            return None;
        }
        let mut used = vec![false; query.columns.len()];
        let id = select.sources[at].id;
        let mut search = Search {
            visit: &mut |expr: &Expr<'a>| {
                if let Expr::Column(column) = expr
                    && column.source == id
                    && let Some(position) = column.index.position()
                {
                    used[position] = true;
                }
            },
        };
        search.select(select);
        order_by.iter().for_each(|term| search.expr(&term.expr));
        query.order_by.iter().filter_map(|term| term.output).for_each(|output| used[usize::from(output)] = true);
        if used.iter().all(|used| *used) {
            return None;
        }
        let cores =
            self.arena.alloc_slice_fill_iter(query.cores.iter().map(|core| self.with_nulls(core, &used, query)));
        Some(Query { cores, ..*query })
    }

    fn with_nulls(&self, core: &Core<'a>, used: &[bool], query: &Query<'a>) -> Core<'a> {
        let CoreBody::Select(select) = core.body else { return *core };
        let unused = select.columns.iter().zip(used).filter(|(_, used)| !**used);
        self.unused.borrow_mut().extend(unused.map(|(column, _)| *column));
        let columns = select.columns.iter().zip(used).map(|(column, used)| if *used { *column } else { Expr::Null });
        let columns: &'a [Expr<'a>] = self.arena.alloc_slice_fill_iter(columns);
        let changed: &'a Select<'a> = self.arena.alloc(Select { columns, ..*select });
        let aggregates = used_aggregates(self.arena, changed, query.order_by);
        Core { body: CoreBody::Select(self.arena.alloc(Select { aggregates, ..*changed })), ..*core }
    }
}

/// Whether all columns of a query in FROM are kept: if rows are compared, and with aggregates, because a min() or max() that is not used
/// still decides which row the bare columns come from. Windows are kept, because the first written one orders the rows.
pub(crate) fn keeps_columns(query: &Query<'_>) -> bool {
    query.cores.iter().any(|core| match core.body {
        CoreBody::Select(inner) => {
            inner.distinct || inner.is_aggregate || !inner.windows.is_empty() || core.op != CompoundOp::UnionAll
        }
        // The query has not been rewritten yet.
        CoreBody::Values(_) | CoreBody::UnionAll(_) => true,
    })
}

/// The aggregates of a SELECT that are still named somewhere.
pub(crate) fn used_aggregates<'a>(
    arena: &'a Bump,
    select: &'a Select<'a>,
    order_by: &'a [OrderTerm<'a>],
) -> &'a [&'a Aggregate<'a>] {
    let is_used = |call: &&'a Aggregate<'a>| {
        let mut found = false;
        let mut search = Search {
            visit: &mut |expr: &Expr<'a>| {
                found = found || matches!(expr, Expr::Aggregate(other) if other.id == call.id);
            },
        };
        search.select(select);
        order_by.iter().for_each(|term| search.expr(&term.expr));
        found
    };
    let used: Vec<&'a Aggregate<'a>> = select.aggregates.iter().copied().filter(is_used).collect();
    arena.alloc_slice_copy(&used)
}

fn prune_order<'a>(select: &Select<'a>, is_sorted: bool, derived: &Derived<'a>) -> Query<'a> {
    let query = *derived.query;
    // A MATERIALIZED table keeps its order.
    if derived.cte.is_some_and(|cte| cte.materialized == Some(true)) {
        return query;
    }
    // SQLite keeps the order of groups, which is visible where the outer ORDER BY has ties. Of a compound it looks at the last core.
    let is_grouped =
        query.cores.last().is_some_and(|core| matches!(core.body, CoreBody::Select(inner) if inner.is_aggregate));
    let is_lost = query.limit.is_none() && !is_grouped && loses_order(select, is_sorted, &query);
    if is_lost { Query { order_by: &[], ..query } } else { query }
}

/// Visits all expressions of a tree, those of nested queries, too.
struct Search<'s, 'a> {
    visit: &'s mut dyn FnMut(&Expr<'a>),
}

impl<'a> Search<'_, 'a> {
    fn select(&mut self, select: &'a Select<'a>) {
        for_each_in_select(select, &mut |child| self.child(child));
    }

    fn expr(&mut self, expr: &Expr<'a>) {
        (self.visit)(expr);
        for_each_child(expr, &mut |child| self.child(child));
    }

    fn child(&mut self, child: Child<'_, 'a>) {
        match child {
            Child::Expr(expr) => self.expr(expr),
            Child::Query(query) => self.query(query),
        }
    }

    fn query(&mut self, query: &'a Query<'a>) {
        for_each_in_query(query, &mut |child| self.child(child));
    }
}

/// Whether the order of the rows of a query in FROM has no effect on the SELECT. `is_sorted`: the rows of the SELECT are sorted, by
/// ORDER BY or to be merged with others; ties may come in any order, as in SQLite. Aggregates and window functions may depend on the
/// order. SQLite sorts the rows even if all become one row, which is visible if sorting fails with an error.
pub(super) fn loses_order(select: &Select<'_>, is_sorted: bool, inner: &Query<'_>) -> bool {
    let is_one_row = || is_one_row_in_any_order(select) && !calls_functions(inner);
    // The table of an EXISTS, which has become a source, makes no join.
    let is_join = select.sources.iter().filter(|source| !source.is_exists).count() > 1;
    let is_left_open = is_sorted || is_join || is_one_row();
    select.windows.is_empty() && select.aggregates.iter().all(|call| is_blind(call)) && is_left_open
}

/// Whether a function is called for the result columns or the ORDER BY of the query.
fn calls_functions(query: &Query<'_>) -> bool {
    let calls = |expr: &Expr<'_>| any(expr, &mut |expr| matches!(expr, Expr::Function(_)) || has_query(expr));
    let of_core = |core: &Core<'_>| match core.body {
        CoreBody::Select(select) => select.columns.iter().any(calls),
        CoreBody::Values(rows) => rows.iter().any(|row| row.iter().any(calls)),
        // The query has not been rewritten yet.
        CoreBody::UnionAll(_) => true,
    };
    query.cores.iter().any(of_core) || query.order_by.iter().any(|term| calls(&term.expr))
}

/// Whether the aggregate gives the same result in whatever order its rows come. A sum of reals does not.
fn is_blind(call: &Aggregate<'_>) -> bool {
    const IN_ANY_ORDER: [&str; 3] = ["count", "min", "max"];
    call.function.is_builtin() && IN_ANY_ORDER.contains(&call.function.name())
}

/// Whether the SELECT makes one row of all rows, by aggregates alone: no column depends on which row came first.
fn is_one_row_in_any_order(select: &Select<'_>) -> bool {
    let shown = || select.columns.iter().chain(&select.having);
    select.is_aggregate && select.group_by.is_empty() && !shown().any(|expr| shows_column(expr, select))
}

/// Whether the expression uses a column of the SELECT's own sources outside of aggregates.
fn shows_column(expr: &Expr<'_>, select: &Select<'_>) -> bool {
    match expr {
        Expr::Aggregate(_) => false,
        Expr::Column(column) => select.position(column.source).is_some(),
        _ => {
            let mut found = false;
            for_each_child(expr, &mut |child| match child {
                Child::Expr(operand) => found = found || shows_column(operand, select),
                // A nested query counts as a use: it is not searched.
                Child::Query(_) => found = true,
            });
            found
        }
    }
}
