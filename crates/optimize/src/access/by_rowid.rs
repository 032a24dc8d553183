//! The search for one rowid in a statement's only table: the most frequent plan, for which nothing needs to be known of the
//! table's indexes and size. If the conditions are plain comparisons, they need not be analysed either.

use bumpalo::collections::Vec as ArenaVec;
use lithe_resolve::ir::{Compare, CompareOp, Expr, Source, Term, TermOrigin};
use lithe_value::Affinity;

use super::checks::waits_for_others;
use super::context::PlanContext;
use super::finish::{rowid_key_of, runs_backwards};
use super::log_est::LogEst;
use super::plan::*;
use super::shortcut::{ROWID_COST, ROWS, constraint_on_rowid, only_table};
use super::terms::{Terms, fits_affinity};
use super::wanted_columns;

/// The plan of such a search. `None` where there is none, or where DISTINCT wants to know more.
pub fn find<'a>(
    context: &PlanContext<'a>,
    request: &'a JoinRequest<'a>,
    terms: &Terms<'a>,
) -> Option<&'a mut JoinPlan<'a>> {
    if request.distinct {
        return None;
    }
    let constraint = terms.constraint(constraint_on_rowid(only_table(request.sources)?, terms)?);
    let is_done = |at: usize| at == constraint.condition && terms.conditions[at].parts == constraint.part;
    let constant = terms.conditions.iter().filter(|condition| condition.is_constant()).map(|condition| condition.expr);
    let search = Search {
        key: rowid_key_of(constraint),
        constant_checks: ArenaVec::from_iter_in(constant, context.arena).into_bump_slice(),
        checks: checks(context, terms, is_done),
    };
    Some(search.plan(context, request))
}

/// The plan of such a search, without an analysis of the conditions: each is a comparison of a column of the table with another one or
/// with a column of an outer query, a literal or a parameter, and the rowid is compared in only one of them. It is the plan that
/// [`find`] makes.
pub fn find_plain<'a>(context: &PlanContext<'a>, request: &'a JoinRequest<'a>) -> Option<&'a mut JoinPlan<'a>> {
    if request.distinct || matches!(request.order, WantedOrder::GroupBy(..)) {
        return None;
    }
    let table = only_table(request.sources)?;
    let [source] = request.sources else { return None };
    if !table.has_rowid() {
        return None;
    }
    let mut key = None;
    let mut checks = ArenaVec::new_in(context.arena);
    for term in request.terms {
        let compare = plain_comparison(term, source)?;
        if key.is_none()
            && let Some(value) = rowid_sought(compare, source)
        {
            key = Some(RowidKey::Value(value));
        } else if is_rowid(&compare.left, source) || is_rowid(&compare.right, source) {
            return None;
        } else {
            checks.push(term.expr);
        }
    }
    Some(Search { key: key?, constant_checks: &[], checks: checks.into_bump_slice() }.plan(context, request))
}

/// Whether both are searches for the same value with the same checks.
pub fn is_same_search(one: &JoinPlan<'_>, other: &JoinPlan<'_>) -> bool {
    let are_same = |left: &[Expr<'_>], right: &[Expr<'_>]| {
        left.len() == right.len() && left.iter().zip(right).all(|(left, right)| lithe_resolve::ir::same(left, right))
    };
    let ([one_loop], [other_loop]) = (one.loops, other.loops) else { return false };
    let is_same_key = match (one_loop.path, other_loop.path) {
        (Path::Tree(TreePath::Rowid(RowidKey::Value(one))), Path::Tree(TreePath::Rowid(RowidKey::Value(other)))) => {
            lithe_resolve::ir::same(&one, &other)
        }
        _ => false,
    };
    is_same_key
        && one_loop.reverse == other_loop.reverse
        && are_same(one_loop.join_checks, other_loop.join_checks)
        && are_same(one.constant_checks, other.constant_checks)
        && one.ordered_terms == other.ordered_terms
}

/// A search for a rowid.
struct Search<'a> {
    key: RowidKey<'a>,
    /// The conditions that use no source.
    constant_checks: &'a [Expr<'a>],
    /// The other conditions, in the order in which they are checked.
    checks: &'a [Expr<'a>],
}

impl<'a> Search<'a> {
    fn plan(self, context: &PlanContext<'a>, request: &'a JoinRequest<'a>) -> &'a mut JoinPlan<'a> {
        let ordered = match request.order {
            WantedOrder::Any => 0,
            _ => wanted_columns(request).columns.len(),
        };
        let planned = Loop {
            source: 0,
            path: Path::Tree(TreePath::Rowid(self.key)),
            reverse: runs_backwards(context, request),
            nulls_moved: false,
            join_checks: self.checks,
            row_checks: &[],
            shows_filter: false,
            one_row: true,
            setup: LogEst::ONE,
            run: ROWID_COST,
            rows: LogEst::ONE,
            found: LogEst::ONE,
        };
        context.arena.alloc(JoinPlan {
            request,
            constant_checks: self.constant_checks,
            loops: std::slice::from_ref(context.arena.alloc(planned)),
            in_order: true,
            ordered_terms: ordered,
            order_by_met: false,
            distinct: DistinctPlan::Nothing,
            one_row: true,
            rows: ROWS,
            scans: &[],
        })
    }
}

/// The term, if it is a comparison in WHERE of a column of the source with something as plain.
fn plain_comparison<'a>(term: &Term<'a>, source: &Source<'_>) -> Option<&'a Compare<'a>> {
    let Expr::Compare(compare) = term.expr else { return None };
    let is_own = |side: &Expr<'_>| matches!(side, Expr::Column(column) if column.source == source.id);
    let is_plain = is_own(&compare.left) && (is_own(&compare.right) || is_value(&compare.right, source))
        || is_own(&compare.right) && is_value(&compare.left, source);
    (term.origin == TermOrigin::Where && compare.replaced.is_none() && is_plain).then_some(compare)
}

/// Whether it is a literal, a parameter or a column of an outer query.
fn is_value(expr: &Expr<'_>, source: &Source<'_>) -> bool {
    use Expr::{Blob, Boolean, Column, Integer, Null, Parameter, Real, Text};
    match expr {
        Column(column) => column.source != source.id,
        Null | Integer(_) | Boolean(_) | Real(_) | Text(_) | Blob(_) | Parameter(_) => true,
        _ => false,
    }
}

/// The value that the comparison says is the rowid.
fn rowid_sought<'a>(compare: &Compare<'a>, source: &Source<'a>) -> Option<Expr<'a>> {
    let is_equality = matches!(compare.op, CompareOp::Eq | CompareOp::Is);
    let is_sought = is_equality && is_rowid(&compare.left, source) && is_value(&compare.right, source);
    (is_sought && fits_affinity(compare.how.affinity, Affinity::Integer)).then_some(compare.right)
}

fn is_rowid(expr: &Expr<'_>, source: &Source<'_>) -> bool {
    matches!(expr, Expr::Column(column) if column.source == source.id && column.index.is_rowid())
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
