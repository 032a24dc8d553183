//! UPDATE or DELETE of the rows of a view: all rows are computed first, followed by the values of SET.

use std::cell::Cell;

use lithe_catalog::Result;
use lithe_resolve::ir::{Core, CoreBody, Expr, OrderOrigin, Query, Select};
use lithe_resolve::{ResolvedChange, Resolver};
use lithe_sql::ast::{CompoundOp, Conflict};

use super::returning::ReturningPlan;
use super::triggers::Triggers;
use crate::plan::{QueryPlan, RowsFor};
use crate::planner::Planner;

/// How the rows of a view are changed.
#[derive(Debug)]
pub struct ViewChange<'a> {
    /// The triggers that fire.
    pub triggers: Triggers<'a>,
    /// The query that gives the rows, followed by the values of SET.
    pub rows: &'a QueryPlan<'a>,
    /// The conflict action of the statement.
    pub policy: Option<Conflict>,
    /// What RETURNING computes of a row.
    pub returning: Option<ReturningPlan<'a>>,
}

/// Plans an UPDATE or DELETE of a view that fires these triggers. `policy` is the conflict action of the statement.
pub(super) fn plan<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    triggers: Triggers<'a>,
    policy: Option<Conflict>,
) -> Result<ViewChange<'a>> {
    let query = planner.prepare_query(rows_and_values(planner.context.resolver, change));
    let rows = planner.plan_query(query, RowsFor::Use)?;
    let returning = ReturningPlan::of(planner, change.returning, None);
    Ok(ViewChange { triggers, rows, policy, returning })
}

/// SELECT view.*, values of SET FROM view, ... WHERE ... ORDER BY ... LIMIT ...
fn rows_and_values<'a>(resolver: &Resolver<'a>, change: &ResolvedChange<'a>) -> &'a Query<'a> {
    let arena = resolver.arena;
    let target = &change.target;
    let own = target.columns_of_view(resolver).into_iter();
    let set = change.set.iter().map(|assigned| assigned.value);
    let columns: &'a [Expr<'a>] = bumpalo::collections::Vec::from_iter_in(own.chain(set), arena).into_bump_slice();
    let outputs = columns.iter().map(lithe_resolve::plain_output);
    let outputs = bumpalo::collections::Vec::from_iter_in(outputs, arena).into_bump_slice();
    let select = arena.alloc(Select {
        distinct: false,
        columns,
        sources: change.sources,
        terms: change.terms,
        group_by: &[],
        having: None,
        aggregates: &[],
        is_aggregate: false,
        windows: &[],
        is_update: change.sources.len() > 1,
        is_complex: false,
    });
    let core = Core { op: CompoundOp::UnionAll, body: CoreBody::Select(select), number: arena.alloc(Cell::default()) };
    let cores = arena.alloc_slice_copy(&[core]);
    arena.alloc(Query {
        cores,
        has_rows_apart: false,
        order_by: change.order.order_by,
        limit: change.order.limit,
        columns: outputs,
        outer: &[],
        was_correlated: false,
        order_origin: OrderOrigin::Own,
    })
}
