//! Window functions: the columns of the rows before any window is computed, and the passes that compute the windows.

use lithe_catalog::Result;
use lithe_resolve::ir::{
    Child, Expr, FrameBound, OrderTerm, Query, Select, WindowCall, any, collation_of, for_each_child,
    for_each_in_query, same, same_order, same_window, sorts_alike,
};

use crate::plan::{ExprQueries, PassPlan, WindowPlan};
use crate::planner::Planner;
use crate::queries::ExprWalk;
use crate::rewrite::WindowCopies;
use crate::select::{ResultRow, SelectRequest};

impl<'a> Planner<'a> {
    /// Plans a SELECT with window functions.
    pub(crate) fn plan_windows(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        needs_columns: bool,
    ) -> Result<&'a WindowPlan<'a>> {
        let arena = self.context.arena;
        let copied = self.order_by_copies(select, order_by);
        let mut groups = groups_of(select.windows, &copied.calls);
        let (order_by, sorted_columns) = match &mut groups[..] {
            // In one pass, the copies have the same values as the calls.
            [only] => {
                only.calls.retain(|call| select.windows.iter().any(|own| own.id == call.id));
                (order_by, select.columns)
            }
            _ => (copied.order_by, copied.columns),
        };
        let mut carried = leaves_of(select, order_by);
        if let Some(first) = groups.first().filter(|_| !select.is_aggregate) {
            add_overloaded_calls(select, &first.calls, &mut carried);
        }
        let leaves: &'a [Expr<'a>] = arena.alloc_slice_copy(&carried);
        let count = groups.iter().map(|group| group.frames).sum();
        let subqueries = arena.alloc_slice_fill_with(count, |_| self.context.resolver.new_select());
        let input = {
            let first = groups[0].calls[0].window;
            let order_by = self.pass_order(first.partition_by, first.order_by, leaves);
            let inner =
                arena.alloc(Select { columns: leaves, distinct: false, windows: &[], is_update: false, ..*select });
            self.plan_select(inner, SelectRequest { order_by, ..SelectRequest::default() })?
        };
        let mut passes: bumpalo::collections::Vec<'a, PassPlan<'a>> =
            bumpalo::collections::Vec::with_capacity_in(groups.len(), arena);
        for group in &groups {
            let before = passes.last().map(|pass| pass.terms);
            passes.push(self.plan_pass(group, &carried, before)?);
            carried.extend(group.calls.iter().map(|call| Expr::Window(call)));
        }
        let is_met = passes.last().is_some_and(|last| begins_with(last.terms, order_by));
        let order_by = if is_met { &[] } else { order_by };
        // As in SQLite, the sorter returns the values by which it sorts; behind DISTINCT these are the result columns' own.
        let columns = if is_met || select.distinct { select.columns } else { sorted_columns };
        let select = arena.alloc(Select { columns, ..*select });
        let queries = self.plan_row(ResultRow {
            columns: select.columns,
            order_by,
            distinct: select.distinct,
            needs_columns,
            known: &carried,
        })?;
        let scan = self.context.scan_cost_of_rows(select);
        let passes = passes.into_bump_slice();
        Ok(arena.alloc(WindowPlan { subqueries, select, order_by, leaves, input, scan, passes, queries }))
    }

    /// ORDER BY with calls of its own where it names a result column by its alias or number.
    ///
    /// SQLite computes them separately, in passes before the others, so their values can differ from the result columns where rows
    /// are ties.
    fn order_by_copies(&self, select: &Select<'a>, order_by: &'a [OrderTerm<'a>]) -> CopiedOrder<'a> {
        let arena = self.context.arena;
        let mut copies = WindowCopies::new(self.context.resolver, select.windows);
        let columns = arena.alloc_slice_copy(select.columns);
        let copied = arena.alloc_slice_copy(order_by);
        for term in &mut *copied {
            let has_calls = any(&term.expr, &mut |expr| matches!(expr, Expr::Window(_)));
            if let Some(output) = term.output.filter(|_| has_calls) {
                term.expr = copies.copy(&term.expr);
                columns[usize::from(output)] = term.expr;
            }
        }
        CopiedOrder { order_by: copied, columns, calls: copies.into_calls() }
    }

    /// Plans a pass over rows with these columns, which come in the order of `before` if that is another pass.
    fn plan_pass(
        &mut self,
        group: &Group<'a>,
        carried: &[Expr<'a>],
        before: Option<&[OrderTerm<'a>]>,
    ) -> Result<PassPlan<'a>> {
        let calls = &group.calls[..];
        let window = calls[0].window;
        let (partition_by, order_by) = (window.partition_by, window.order_by);
        let terms = self.pass_order(partition_by, order_by, carried);
        let is_sorted = before.is_some_and(|before| !begins_with(before, terms));
        let queries: ExprQueries<'a> = self.walk_exprs(carried, |walk| {
            if is_sorted {
                let computed = terms.iter().filter(|term| term.output.is_none());
                computed.map(|term| &term.expr).try_for_each(|expr| walk.expr(expr))?;
            }
            walk.calls(calls)?;
            partition_by.iter().chain(order_by.iter().map(|term| &term.expr)).try_for_each(|expr| walk.expr(expr))
        })?;
        let calls = self.context.arena.alloc_slice_copy(calls);
        Ok(PassPlan { partition_by, order_by, terms, is_sorted, calls, subqueries: group.frames, queries })
    }

    /// PARTITION BY and ORDER BY as one order of rows with these columns.
    fn pass_order(
        &self,
        partition_by: &[Expr<'a>],
        order_by: &[OrderTerm<'a>],
        columns: &[Expr<'a>],
    ) -> &'a [OrderTerm<'a>] {
        let partition = partition_by.iter().map(|expr| OrderTerm {
            expr: *expr,
            collation: collation_of(expr).unwrap_or_default(),
            descending: false,
            nulls_opposite: false,
            output: None,
        });
        let terms = partition.chain(order_by.iter().copied()).map(|term| {
            let output = columns.iter().position(|column| same(column, &term.expr));
            OrderTerm { output: output.map(|at| at as u16), ..term }
        });
        bumpalo::collections::Vec::from_iter_in(terms, self.context.arena).into_bump_slice()
    }
}

impl<'a> ExprWalk<'_, 'a> {
    /// The arguments, filters and frames of calls.
    fn calls(&mut self, calls: &[&'a WindowCall<'a>]) -> Result<()> {
        for call in calls {
            call.args.iter().chain(&call.filter).try_for_each(|expr| self.expr(expr))?;
        }
        for call in calls {
            for bound in [&call.window.start, &call.window.end] {
                if let FrameBound::Preceding(distance) | FrameBound::Following(distance) = bound {
                    self.expr(distance)?;
                }
            }
        }
        Ok(())
    }
}

/// An ORDER BY with calls of its own.
struct CopiedOrder<'a> {
    order_by: &'a [OrderTerm<'a>],
    /// The result columns, with these calls in those that ORDER BY names.
    columns: &'a [Expr<'a>],
    calls: Vec<&'a WindowCall<'a>>,
}

/// The calls of one pass.
struct Group<'a> {
    calls: Vec<&'a WindowCall<'a>>,
    /// How many different windows they have: SQLite computes each in a subquery of its own.
    frames: usize,
}

/// The calls of a SELECT by their passes, in the order in which the passes are run: the window written first is run last. The copies
/// of ORDER BY are computed before the first window of the SELECT, whatever their windows are.
fn groups_of<'a>(calls: &[&'a WindowCall<'a>], copies: &[&'a WindowCall<'a>]) -> Vec<Group<'a>> {
    // A window that contains a query is equal to no other.
    let is_with =
        |call: &WindowCall<'a>, first: &WindowCall<'a>| call.id == first.id || same_window(call.window, first.window);
    let (last, mut left): (Vec<_>, Vec<_>) = calls.iter().copied().partition(|call| is_with(call, calls[0]));
    left.extend(copies);
    let mut groups = vec![Group { calls: last, frames: 1 }];
    while let Some(first) = left.first().copied() {
        let (calls, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|call| is_with(call, first));
        left = others;
        // If rows are not sorted in between, one pass serves both.
        match groups.last_mut().filter(|group| sorts_alike(group.calls[0].window, first.window)) {
            Some(group) => {
                group.calls.extend(calls);
                group.frames += 1;
            }
            None => groups.push(Group { calls, frames: 1 }),
        }
    }
    groups.reverse();
    groups
}

/// Whether rows that are sorted by `terms` are sorted by the others, too.
fn begins_with<'a>(terms: &[OrderTerm<'a>], others: &[OrderTerm<'a>]) -> bool {
    terms.get(..others.len()).is_some_and(|first| same_order(first, others))
}

/// Adds the calls of functions that virtual tables overload, which need the row of the table: those that the first pass computes. In later passes
/// and behind them the functions are not overloaded.
fn add_overloaded_calls<'a>(select: &Select<'a>, calls: &[&'a WindowCall<'a>], leaves: &mut Vec<Expr<'a>>) {
    let mut add = |expr: &Expr<'a>| {
        any(expr, &mut |expr| {
            let source = if let Expr::Function(call) = expr { call.overloading_source() } else { None };
            let is_own = source.is_some_and(|id| select.sources.iter().any(|source| source.id == id));
            if is_own && !leaves.iter().any(|leaf| same(leaf, expr)) {
                leaves.push(*expr);
            }
            false
        });
    };
    for call in calls {
        call.args.iter().chain(&call.filter).chain(call.window.partition_by).for_each(&mut add);
        call.window.order_by.iter().for_each(|term| add(&term.expr));
    }
}

/// The leaves of the result columns, ORDER BY and the windows, each once: the values from which a SELECT with windows is
/// computed.
fn leaves_of<'a>(select: &'a Select<'a>, order_by: &[OrderTerm<'a>]) -> Vec<Expr<'a>> {
    let mut leaves = Leaves { select, found: Vec::new() };
    select.columns.iter().for_each(|expr| leaves.expr(expr));
    order_by.iter().for_each(|term| leaves.expr(&term.expr));
    select.windows.iter().for_each(|call| leaves.expr(&Expr::Window(call)));
    leaves.found
}

struct Leaves<'a> {
    select: &'a Select<'a>,
    found: Vec<Expr<'a>>,
}

impl<'a> Leaves<'a> {
    fn expr(&mut self, expr: &Expr<'a>) {
        if self.is_leaf(expr) {
            if !self.found.iter().any(|known| same(known, expr)) {
                self.found.push(*expr);
            }
            return;
        }
        for_each_child(expr, &mut |child| self.child(child));
    }

    fn child(&mut self, child: Child<'_, 'a>) {
        match child {
            Child::Expr(expr) => self.expr(expr),
            Child::Query(query) => self.query(query),
        }
    }

    fn query(&mut self, query: &'a Query<'a>) {
        if !query.outer.is_empty() {
            for_each_in_query(query, &mut |child| self.child(child));
        }
    }

    fn is_leaf(&self, expr: &Expr<'a>) -> bool {
        match expr {
            Expr::Column(column) => self.select.position(column.source).is_some(),
            Expr::Aggregate(call) => self.select.aggregates.iter().any(|own| own.id == call.id),
            _ => self.select.group_by.iter().any(|term| same(&term.expr, expr)),
        }
    }
}
