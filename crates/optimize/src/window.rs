//! Window functions: what the rows are made of before any window is computed, and the passes that compute the windows.

use lithe_catalog::Result;
use lithe_resolve::ir::{
    Child, Expr, FrameBound, OrderTerm, Query, Select, WindowCall, collation_of, for_each_child, for_each_in_query,
    same, same_all, same_order,
};

use crate::plan::{ExprQueries, PassPlan, WindowPlan};
use crate::planner::Planner;
use crate::queries::ExprWalk;
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
        let number = self.context.resolver.new_select();
        let mut carried = leaves_of(select, order_by);
        let leaves: &'a [Expr<'a>] = arena.alloc_slice_copy(&carried);
        let groups = calls_by_pass(select);
        // To SQLite, each pass is a SELECT of its own.
        for _ in &groups[1..] {
            self.context.resolver.new_select();
        }
        let input = {
            let first = groups[0][0].window;
            let order_by = self.pass_order(first.partition_by, first.order_by, leaves);
            let inner = arena.alloc(Select { columns: leaves, distinct: false, windows: &[], ..*select });
            self.plan_select(inner, SelectRequest { order_by, ..SelectRequest::default() })?
        };
        let mut passes = bumpalo::collections::Vec::with_capacity_in(groups.len(), arena);
        for (at, calls) in groups.iter().enumerate() {
            passes.push(self.plan_pass(calls, &carried, at > 0)?);
            carried.extend(calls.iter().map(|call| Expr::Window(call)));
        }
        let queries = self.plan_row(ResultRow {
            columns: select.columns,
            order_by,
            distinct: select.distinct,
            needs_columns,
            known: &carried,
        })?;
        let scan = self.context.scan_cost_of_rows(select);
        let passes = passes.into_bump_slice();
        Ok(arena.alloc(WindowPlan { number, select, order_by, leaves, input, scan, passes, queries }))
    }

    /// Plans the pass of calls with one PARTITION BY and ORDER BY. `is_sorted`: its rows come from another pass, and are sorted.
    fn plan_pass(
        &mut self,
        calls: &[&'a WindowCall<'a>],
        carried: &[Expr<'a>],
        is_sorted: bool,
    ) -> Result<PassPlan<'a>> {
        let window = calls[0].window;
        let (partition_by, order_by) = (window.partition_by, window.order_by);
        let terms = self.pass_order(partition_by, order_by, carried);
        let queries: ExprQueries<'a> = self.walk_exprs(carried, |walk| {
            if is_sorted {
                let computed = terms.iter().filter(|term| term.output.is_none());
                computed.map(|term| &term.expr).try_for_each(|expr| walk.expr(expr))?;
            }
            walk.calls(calls)?;
            partition_by.iter().chain(order_by.iter().map(|term| &term.expr)).try_for_each(|expr| walk.expr(expr))
        })?;
        let calls = self.context.arena.alloc_slice_copy(calls);
        Ok(PassPlan { partition_by, order_by, terms, calls, queries })
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

/// The calls of a SELECT by their passes, in the order in which the passes are run: the one that is written first is run last.
fn calls_by_pass<'a>(select: &Select<'a>) -> Vec<Vec<&'a WindowCall<'a>>> {
    let mut passes: Vec<Vec<&'a WindowCall<'a>>> = Vec::new();
    for &call in select.windows {
        let window = call.window;
        let fits = |pass: &&mut Vec<&'a WindowCall<'a>>| {
            let other = pass[0].window;
            same_all(other.partition_by, window.partition_by) && same_order(other.order_by, window.order_by)
        };
        match passes.iter_mut().find(fits) {
            Some(pass) => pass.push(call),
            None => passes.push(vec![call]),
        }
    }
    passes.reverse();
    passes
}

/// The leaves of the result columns, ORDER BY and the windows, each once: the values that a SELECT with windows is made of.
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
