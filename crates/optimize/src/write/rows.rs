//! How an UPDATE or DELETE finds its rows: in one pass, in two, or by a query.
//!
//! In *one pass* a row is changed when the scan reaches it. That is correct only if the change cannot make the scan reach
//! the row again, or miss another: a row that moves ahead of the scan would be changed twice (the Halloween problem).
//! Otherwise the first pass collects the keys of the rows, and the second one seeks each of them.

use lithe_catalog::{Index, Result};
use lithe_resolve::ir::{Expr, Term, has_query};
use lithe_resolve::{Assigned, ResolvedChange};

use super::table::WrittenTable;
use crate::access::{IndexPath, JoinPlan, JoinRequest, Loop, Path, PlanContext, Purpose, TreePath, plan_join};
use crate::plan::{ChangePlan, ExprQueries, RowsFor, RowsPlan};
use crate::planner::Planner;

/// How often rows may be visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// Once, if the plan allows it.
    OneIfPossible,
    /// Once, if the rows come in the order of the table: as in SQLite, RETURNING returns them in this order.
    OneIfInOrder,
    /// Once, if there is one row at most.
    OneIfSingle,
    /// Twice.
    Two,
}

/// Plans how the rows of an UPDATE or DELETE are found. `stays` is true for an index in which the change does not move the row's entry.
pub(super) fn plan<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    table: &WrittenTable<'a>,
    passes: Passes,
    stays: impl Fn(&Index) -> bool,
) -> Result<RowsPlan<'a>> {
    // The columns of the key are always read.
    for expr in table.key_exprs(planner.context.resolver) {
        planner.context.note_expr(expr);
    }
    if let Some(query) = change.gathered {
        return planner.plan_query(query, RowsFor::Use).map(RowsPlan::Gathered);
    }
    plan_found(planner, change, passes, stays).map(RowsPlan::Found)
}

/// Plans what runs where the rows are changed: within the loops that find them, if there is one pass.
pub(super) fn plan_in_loops<'a, T>(
    planner: &mut Planner<'a>,
    rows: &RowsPlan<'a>,
    plan: impl FnOnce(&mut Planner<'a>) -> T,
) -> T {
    let RowsPlan::Found(ChangePlan { from, is_one_pass: true, .. }) = rows else { return plan(planner) };
    planner.context.enter_loops(from.join.rows);
    let planned = plan(planner);
    planner.context.leave_loops(from.join.rows);
    planned
}

fn plan_found<'a>(
    planner: &mut Planner<'a>,
    change: &ResolvedChange<'a>,
    passes: Passes,
    stays: impl Fn(&Index) -> bool,
) -> Result<&'a ChangePlan<'a>> {
    let request = JoinRequest::of_rows(change.sources, change.terms, Purpose::Write);
    let derived = planner.plan_sources(request.sources, request.allows_coroutine)?;
    let join = plan_join(&mut planner.context, request)?;
    // If rows may be changed when the scan reaches them, the scan reads the table. (SQLite decides so before it knows
    // whether the index changes.)
    let visits = may_be_one_pass(join, passes, |_| true) && !has_subquery(planner, change.terms);
    let has_rowid = change.target.table.has_rowid();
    if visits && has_rowid {
        join.loops = without_covering(&planner.context, join.loops);
    }
    let is_one_pass = visits && may_be_one_pass(join, passes, stays);
    // In SQLite keys that are gathered come in the order of the table.
    let is_update = !change.set.is_empty();
    if is_one_pass
        && is_update
        && passes == Passes::OneIfPossible
        && planner.context.env.flags.reverse_unordered_selects
    {
        let backwards = join.loops.iter().map(|planned| Loop { reverse: true, ..*planned });
        join.loops = planner.context.arena.alloc_slice_fill_iter(backwards);
    }
    let scanned = match join.loops {
        [Loop { path: Path::Tree(TreePath::Index(path)), .. }] if is_one_pass && has_rowid && !is_update => {
            Some(path.index)
        }
        _ => None,
    };
    let from = planner.finish_from(derived, join)?;
    let rows = from.join.rows;
    planner.context.enter_loops(rows);
    let in_loops = if is_one_pass { Some(plan_set(planner, change)) } else { None };
    planner.context.leave_loops(rows);
    let queries = match in_loops {
        Some(queries) => queries?,
        None => plan_set(planner, change)?,
    };
    let plan = ChangePlan { from, is_one_pass, scanned, queries };
    Ok(planner.context.arena.alloc(plan))
}

fn has_subquery<'a>(planner: &Planner<'a>, terms: &[Term<'a>]) -> bool {
    planner.context.resolver.has_subqueries() && terms.iter().any(|term| has_query(&term.expr))
}

fn plan_set<'a>(planner: &mut Planner<'a>, change: &ResolvedChange<'a>) -> Result<ExprQueries<'a>> {
    planner.plan_exprs(values_set(change.set), &[])
}

/// The values of SET that take effect: of several for one column the last.
pub(super) fn values_set<'s, 'a>(set: &'s [Assigned<'a>]) -> impl Iterator<Item = &'s Expr<'a>> {
    let counts = |at: usize| !set[at + 1..].iter().any(|later| later.column == set[at].column);
    set.iter().enumerate().filter(move |(at, _)| counts(*at)).map(|(_, assigned)| &assigned.value)
}

/// A single row is always changed in one pass. Several rows are if the scan reads the table, or an index in which their
/// entries do not move. (Subqueries of SET read rows that are changed already, in one pass as in two.)
fn may_be_one_pass(plan: &JoinPlan<'_>, passes: Passes, stays: impl Fn(&Index) -> bool) -> bool {
    let [scan] = plan.loops else { return false };
    let follows = match scan.path {
        Path::Tree(TreePath::Scan | TreePath::Rowid(_) | TreePath::RowidRange(..)) => true,
        Path::Tree(TreePath::Index(path)) => passes != Passes::OneIfInOrder && stays(path.index),
        Path::Hash(_) | Path::Or(_) | Path::Function(_) | Path::Virtual(_) => return false,
    };
    match passes {
        Passes::Two => false,
        _ if plan.one_row => true,
        Passes::OneIfSingle => false,
        Passes::OneIfPossible | Passes::OneIfInOrder => follows,
    }
}

/// The loops with no index used as covering.
fn without_covering<'a>(context: &PlanContext<'a>, loops: &'a [Loop<'a>]) -> &'a [Loop<'a>] {
    if !loops.iter().any(|planned| matches!(planned.path, Path::Tree(TreePath::Index(path)) if path.is_covering)) {
        return loops;
    }
    let uncovered = |planned: &Loop<'a>| match planned.path {
        Path::Tree(TreePath::Index(path)) => {
            let path: &'a IndexPath<'a> = context.arena.alloc(IndexPath { is_covering: false, ..*path });
            Loop { path: Path::Tree(TreePath::Index(path)), ..*planned }
        }
        _ => *planned,
    };
    context.arena.alloc_slice_fill_iter(loops.iter().map(uncovered))
}
