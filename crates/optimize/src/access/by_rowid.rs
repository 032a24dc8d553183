//! The search for one rowid in a statement's only table: the most frequent plan, for which nothing needs to be known of the
//! table's indexes and size.

use bumpalo::collections::Vec as ArenaVec;

use super::checks::waits_for_others;
use super::context::PlanContext;
use super::finish::{rowid_key_of, runs_backwards};
use super::log_est::LogEst;
use super::plan::*;
use super::shortcut::{ROWID_COST, ROWS, constraint_on_rowid, only_table};
use super::terms::Terms;
use super::wanted_columns;

/// The plan of such a search. `None` where there is none, or where DISTINCT wants to know more.
pub fn find<'a>(
    context: &PlanContext<'a>,
    request: &'a JoinRequest<'a>,
    terms: &Terms<'a>,
) -> Option<&'a mut JoinPlan<'a>> {
    let ordered = match request.order {
        WantedOrder::Any => 0,
        _ => wanted_columns(request).columns.len(),
    };
    if request.distinct {
        return None;
    }
    let constraint = terms.constraint(constraint_on_rowid(only_table(request.sources)?, terms)?);
    let is_done = |at: usize| at == constraint.condition && terms.conditions[at].parts == constraint.part;
    let planned = Loop {
        source: 0,
        path: Path::Tree(TreePath::Rowid(rowid_key_of(constraint))),
        reverse: runs_backwards(context, request),
        nulls_moved: false,
        join_checks: checks(context, terms, is_done),
        row_checks: &[],
        shows_filter: false,
        one_row: true,
        setup: LogEst::ONE,
        run: ROWID_COST,
        rows: LogEst::ONE,
        found: LogEst::ONE,
    };
    let constant = terms.conditions.iter().filter(|condition| condition.is_constant()).map(|condition| condition.expr);
    Some(context.arena.alloc(JoinPlan {
        request,
        constant_checks: ArenaVec::from_iter_in(constant, context.arena).into_bump_slice(),
        loops: std::slice::from_ref(context.arena.alloc(planned)),
        in_order: true,
        ordered_terms: ordered,
        order_by_met: false,
        distinct: DistinctPlan::Nothing,
        one_row: true,
        rows: ROWS,
        scans: &[],
    }))
}

/// The conditions that are checked for the row, those with queries last.
fn checks<'a>(
    context: &PlanContext<'a>,
    terms: &Terms<'a>,
    is_done: impl Fn(usize) -> bool,
) -> &'a [lithe_resolve::ir::Expr<'a>] {
    let mut checks = ArenaVec::new_in(context.arena);
    for (at, condition) in terms.conditions.iter().enumerate() {
        if !is_done(at) && !condition.is_constant() {
            checks.push(condition.expr);
        }
    }
    if checks.len() > 1 {
        checks.sort_by_key(waits_for_others);
    }
    checks.into_bump_slice()
}
