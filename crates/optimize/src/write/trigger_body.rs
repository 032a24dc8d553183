//! The body of a trigger, planned part by part: the condition, then one step after the other.
//!
//! A body is not planned whole before its code. SQLite resolves a step when the steps before it have their code, with the triggers that these
//! fire, and errors and calls of the authorizer show the order.

use lithe_catalog::{Result, fail};
use lithe_resolve::Scope;
use lithe_resolve::ir::Expr;
use lithe_sql::ast::{self, ResultColumn, Stmt};

use super::TriggerBody;
use super::statement::{ChangePlan, plan_change};
use crate::plan::{ExprQueries, QueryPlan, RowsFor};
use crate::planner::Planner;

/// WHEN.
#[derive(Debug)]
pub struct WhenPlan<'a> {
    /// The condition.
    pub condition: Expr<'a>,
    /// The queries in it.
    pub queries: ExprQueries<'a>,
}

/// What a step does.
#[derive(Debug)]
pub enum StepPlan<'a> {
    /// A SELECT, whose rows are discarded.
    Query(&'a QueryPlan<'a>),
    /// INSERT, UPDATE, DELETE.
    Change(ChangePlan<'a>),
}

/// Resolves and plans WHEN.
pub fn plan_when<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    condition: &ast::Expr<'a>,
) -> Result<WhenPlan<'a>> {
    let resolver = planner.context.resolver;
    let condition = resolver.expr(scope, condition)?;
    let condition = planner.prepare_expr(&condition);
    let queries: ExprQueries<'a> = if resolver.has_subqueries() { planner.plan_exprs([&condition], &[])? } else { &[] };
    Ok(WhenPlan { condition, queries })
}

/// Resolves and plans a step.
pub fn plan_step<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    step: &Stmt<'a>,
    body: TriggerBody,
) -> Result<StepPlan<'a>> {
    match step {
        Stmt::Select(select) => {
            let resolver = planner.context.resolver;
            // Nobody sees the rows: SQLite does not even look up what ORDER BY names.
            let unsorted = resolver.arena.alloc(ast::Select { order_by: &[], ..**select });
            let query = resolver.query(scope, unsorted)?.of_any_row(resolver.arena);
            let query = planner.prepare_query(query);
            return Ok(StepPlan::Query(planner.plan_query(query, RowsFor::Use)?));
        }
        Stmt::Insert(insert) => refuse_returning(insert.returning)?,
        Stmt::Update(update) => refuse_returning(update.returning)?,
        Stmt::Delete(delete) => refuse_returning(delete.returning)?,
        _ => return fail("malformed trigger"),
    }
    Ok(StepPlan::Change(plan_change(planner, scope, step, Some(body))?))
}

fn refuse_returning(columns: &[ResultColumn<'_>]) -> Result<()> {
    if columns.is_empty() { Ok(()) } else { fail("cannot use RETURNING in a trigger") }
}
