//! The plan of a query: LIMIT, then its cores.

use lithe_catalog::Result;
use lithe_resolve::ir::{CommonTable, Core, CoreBody, Expr, Limit, Query};

use crate::plan::{CorePlan, CoresPlan, ExprQueries, QueryBody, QueryPlan, RecursivePlan, RowsFor, ValuesPlan};
use crate::planner::Planner;
use crate::rewrite::Rewriter;
use crate::select::SelectRequest;

impl<'a> Planner<'a> {
    /// Rewrites a query before planning, and records the columns that it uses.
    pub fn prepare_query(&mut self, query: &'a Query<'a>) -> &'a Query<'a> {
        let rewriter = Rewriter::new(self.context.resolver);
        let query = rewriter.rewrite(query);
        self.context.note_query(query);
        rewriter.into_unused().iter().for_each(|expr| self.context.note_expr(expr));
        query
    }

    /// Rewrites the queries in an expression, and records the columns that it uses.
    pub fn prepare_expr(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        let rewriter = Rewriter::new(self.context.resolver);
        let expr = rewriter.expr(expr);
        self.context.note_expr(&expr);
        rewriter.into_unused().iter().for_each(|expr| self.context.note_expr(expr));
        expr
    }

    /// Plans a query.
    pub fn plan_query(&mut self, query: &'a Query<'a>, rows: RowsFor) -> Result<&'a QueryPlan<'a>> {
        let limit_queries = self.plan_limit(query)?;
        let request = SelectRequest {
            order_by: query.order_by,
            limit: query.limit,
            row_limit: row_limit(query),
            needs_columns: rows != RowsFor::Exists,
            is_first_row: match query.limit {
                Some(limit) => matches!(limit.limit, Expr::Integer(1)) && limit.offset.is_none(),
                None => matches!(rows, RowsFor::FirstRow | RowsFor::Exists),
            },
        };
        let body = QueryBody::Cores(self.plan_cores(query, query.cores, request)?);
        Ok(self.context.arena.alloc(QueryPlan { query, rows, limit_queries, body }))
    }

    /// Plans the query of a recursive common table, of whose cores the first `setup` make the start.
    pub(crate) fn plan_recursive(
        &mut self,
        query: &'a Query<'a>,
        table: &'a CommonTable<'a>,
        setup: usize,
        rows: RowsFor,
    ) -> Result<&'a QueryPlan<'a>> {
        let limit_queries = self.plan_limit(query)?;
        let (first, others) = query.cores.split_at(setup);
        let setup = self.plan_cores(query, first, SelectRequest::default())?;
        let mut steps = bumpalo::collections::Vec::with_capacity_in(others.len(), self.context.arena);
        for (at, core) in others.iter().enumerate() {
            // As in SQLite, LIMIT counts for the last step, whose DISTINCT costs less then.
            let row_limit = if at + 1 == others.len() { row_limit(query) } else { None };
            steps.push(self.plan_core(core, SelectRequest { row_limit, ..SelectRequest::default() })?);
        }
        let plan = RecursivePlan { table, op: others[0].op, setup, steps: steps.into_bump_slice() };
        let body = QueryBody::Recursive(self.context.arena.alloc(plan));
        Ok(self.context.arena.alloc(QueryPlan { query, rows, limit_queries, body }))
    }

    /// Plans some cores of a query.
    fn plan_cores(
        &mut self,
        query: &'a Query<'a>,
        cores: &'a [Core<'a>],
        request: SelectRequest<'a>,
    ) -> Result<CoresPlan<'a>> {
        match cores {
            [core] => self.plan_core(core, request).map(CoresPlan::One),
            cores => self.plan_compound(cores, query.columns, request).map(CoresPlan::Compound),
        }
    }

    /// Plans one core.
    pub(crate) fn plan_core(&mut self, core: &'a Core<'a>, request: SelectRequest<'a>) -> Result<CorePlan<'a>> {
        match core.body {
            CoreBody::Select(select) => Ok(CorePlan::Select(self.plan_select(select, request)?)),
            CoreBody::Values(rows) => {
                let queries = self.plan_exprs(rows.iter().flat_map(|row| row.iter()), &[])?;
                let plan = ValuesPlan { rows, order_by: request.order_by, queries };
                Ok(CorePlan::Values(self.context.arena.alloc(plan)))
            }
            CoreBody::UnionAll(parts) => self.plan_compound(parts, &[], request).map(CorePlan::Compound),
        }
    }

    fn plan_limit(&mut self, query: &'a Query<'a>) -> Result<ExprQueries<'a>> {
        let Some(limit) = query.limit else { return Ok(&[]) };
        self.plan_exprs(std::iter::once(&limit.limit).chain(&limit.offset), &[])
    }
}

/// LIMIT, when it is a number in the text.
fn row_limit(query: &Query<'_>) -> Option<u64> {
    match query.limit? {
        Limit { limit: Expr::Integer(rows @ 1..), .. } => u64::try_from(*rows).ok(),
        _ => None,
    }
}
