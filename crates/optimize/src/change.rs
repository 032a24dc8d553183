//! How the rows that an UPDATE or DELETE is about are found: in one pass or in two.
//!
//! In *one pass* a row is changed when the scan meets it. That is only right if the change cannot make the scan meet the row
//! again, or miss another: a row that moves ahead of the scan would be changed twice (the Halloween problem). Otherwise the
//! first pass collects the keys of the rows, and the second one seeks each of them.

use lithe_catalog::{Index, Result};
use lithe_resolve::ResolvedChange;
use lithe_resolve::ir::{Term, has_query};

use crate::access::{IndexPath, JoinPlan, JoinRequest, Loop, Path, PlanContext, Purpose, plan_join};

/// How often rows may be visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// Once, if the plan allows it.
    OneIfPossible,
    /// Once, if the rows come in the order of the table: RETURNING gives them in it, as SQLite does.
    OneIfInOrder,
    /// Once, if there is one row at most.
    OneIfSingle,
    /// Twice.
    Two,
}

/// How the rows are found.
#[derive(Clone, Copy, Debug)]
pub struct ChangePlan<'a> {
    /// The join that finds them.
    pub join: JoinPlan<'a>,
    /// They are changed where the scan meets them.
    pub is_one_pass: bool,
}

impl<'a> ChangePlan<'a> {
    /// Plans the statement. `has_values`: values of SET are computed where WHERE is, because they depend on more than the row. `stays` tells of
    /// an index that the change does not move the row's entry to another place.
    pub fn of(
        context: &mut PlanContext<'a>,
        change: &ResolvedChange<'a>,
        passes: Passes,
        has_values: bool,
        stays: impl Fn(&Index) -> bool,
    ) -> Result<ChangePlan<'a>> {
        let mut join = plan_join(context, JoinRequest::of_rows(change.sources, change.terms, Purpose::Write))?;
        // Rows that may be changed where the scan meets them are visited. (SQLite decides so before it knows whether the index
        // changes, and whether SET has subqueries.)
        let visits = !has_values && may_be_one_pass(&join, change, passes, |_| true) && !has_subquery(change.terms);
        if visits && change.target.table.has_rowid() {
            join.loops = without_covering(context, join.loops);
        }
        let is_blind = join.one_row || !change.set.iter().any(|assigned| has_query(&assigned.value));
        let is_one_pass = visits && is_blind && may_be_one_pass(&join, change, passes, stays);
        Ok(ChangePlan { join, is_one_pass })
    }
}

/// One row is changed in one pass whatever happens to it. Several are if the scan follows the table, or an index in which they
/// stay where they are. (No subquery of the statement may see the rows that are changed already.)
fn may_be_one_pass(
    plan: &JoinPlan<'_>,
    change: &ResolvedChange<'_>,
    passes: Passes,
    stays: impl Fn(&Index) -> bool,
) -> bool {
    let [scan] = plan.loops else { return false };
    let follows = match scan.path {
        Path::Scan | Path::Rowid(_) | Path::RowidRange(..) => true,
        Path::Index(path) => passes != Passes::OneIfInOrder && stays(path.index),
        Path::Hash(_) | Path::Or(_) | Path::Function(_) | Path::Virtual(_) => return false,
    };
    match passes {
        Passes::Two => false,
        _ if change.sources.len() > 1 => false,
        _ if plan.one_row => true,
        Passes::OneIfSingle => false,
        Passes::OneIfPossible | Passes::OneIfInOrder => follows,
    }
}

/// The loops with indexes that lead to the table, whatever they hold.
fn without_covering<'a>(context: &PlanContext<'a>, loops: &'a [Loop<'a>]) -> &'a [Loop<'a>] {
    let uncovered = |planned: &Loop<'a>| match planned.path {
        Path::Index(path) => {
            let path: &'a IndexPath<'a> = context.arena.alloc(IndexPath { is_covering: false, ..*path });
            Loop { path: Path::Index(path), ..*planned }
        }
        _ => *planned,
    };
    context.arena.alloc_slice_fill_iter(loops.iter().map(uncovered))
}

fn has_subquery(terms: &[Term<'_>]) -> bool {
    terms.iter().any(|term| has_query(&term.expr))
}
