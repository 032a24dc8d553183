//! Where each condition is checked: in the outermost loop in which all its sources have rows, unless the path makes it true.
//!
//! A loop has two places. *Join checks* decide whether a row joins the rows of the outer loops; an outer join that finds
//! none gives a row of NULLs. *Row checks* come after that, and also apply to the row of NULLs:
//!
//! ```text
//!   a LEFT JOIN b ON p(a, b) WHERE q(b) AND r(a)
//!
//!   loop a: join checks r(a)
//!     loop b: join checks p(a, b); row checks q(b)
//! ```
//!
//! In the rows that a RIGHT JOIN adds, the sources on its left are NULL, so conditions of WHERE are checked after the last
//! RIGHT JOIN.

use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::IndexTerm;
use lithe_resolve::ir::{
    ColumnIndex, CompareOp, Expr, InSet, JoinKind, SourceSet, Term, TermOrigin, any, has_query, indexed_column,
    is_deterministic, same,
};

use super::Join;
use super::candidate::Candidate;
use super::plan::{Loop, Path, TreePath};
use super::terms::{Condition, Constraint, ConstraintId, Op};

/// The conditions of a join while their places are determined.
pub struct Checks<'c, 'a> {
    join: &'c Join<'c, 'a>,
    /// The sources in the order of the loops.
    order: &'a [usize],
    /// The state of each condition.
    states: &'a mut [State],
}

/// What of a condition need not be checked.
#[derive(Clone, Copy, Default)]
pub struct State {
    /// The parts that the chosen paths make true.
    done: u64,
    /// It need not be checked.
    is_dropped: bool,
}

impl State {
    /// A path uses the constraint, which is one of this condition, and finds only rows for which it is true.
    pub fn note_used(&mut self, constraint: &Constraint<'_>) {
        // A constraint that only a virtual table can use is a whole condition.
        self.is_dropped |= matches!(constraint.op, Op::Virtual(_));
        self.done |= constraint.part;
    }

    /// Whether the condition, whose state this is, need not be checked.
    pub fn is_done(self, condition: &Condition<'_>) -> bool {
        self.is_dropped || condition.parts != 0 && self.done == condition.parts
    }
}

/// A place for a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    level: usize,
    is_row_check: bool,
}

impl<'c, 'a> Checks<'c, 'a> {
    /// No condition has been met yet.
    pub fn new(join: &'c Join<'c, 'a>, chosen: &[&Candidate]) -> Checks<'c, 'a> {
        let arena = join.context.arena;
        let order: &'a [usize] = arena.alloc_slice_fill_iter(chosen.iter().map(|candidate| candidate.source));
        let read = order.iter().fold(SourceSet::EMPTY, |all, &source| all.union(SourceSet::single(source)));
        // Conditions on sources that are not read belong to eliminated LEFT JOINs.
        let conditions = &join.terms.conditions;
        let begun =
            conditions.iter().map(|condition| State { done: 0, is_dropped: !condition.needs.is_subset_of(read) });
        Checks { join, order, states: arena.alloc_slice_fill_iter(begun) }
    }

    /// A path uses the constraint, and finds only rows for which it is true.
    pub fn note_used(&mut self, id: ConstraintId) {
        let constraint = self.join.terms.constraint(id);
        self.states[constraint.condition].note_used(constraint);
    }

    /// The path is a union for the disjunction of this number, and makes it true.
    pub fn note_or(&mut self, number: usize) {
        self.states[self.join.terms.disjunctions[number].condition].is_dropped = true;
    }

    /// The path reads the entries of a partial index, all of which meet `conditions`. The conditions may be false for a row of NULLs that
    /// an outer join adds.
    pub fn note_met_by_entries(&mut self, source: usize, conditions: &[Term<'a>]) {
        let info = &self.join.infos[source];
        let is_inner = matches!(info.source.join, JoinKind::Inner | JoinKind::Cross);
        if !is_inner || info.may_be_null_row {
            return;
        }
        for (state, condition) in self.states.iter_mut().zip(&self.join.terms.conditions) {
            let is_met = || conditions.iter().any(|met| same(&met.expr, &condition.expr));
            state.is_dropped |= info.admits(condition.origin) && is_met();
        }
    }

    /// Takes the conditions that depend on `source` alone and decide which of its rows can join: rows that do not meet
    /// them need not be remembered.
    pub fn take_own(&mut self, source: usize) -> Vec<Expr<'a>> {
        let own = SourceSet::single(source);
        let info = &self.join.infos[source];
        let mut taken = Vec::new();
        for (at, condition) in self.join.terms.conditions.iter().enumerate() {
            let is_own = condition.needs == own && info.admits(condition.origin) && !self.states[at].is_dropped;
            if is_own
                && is_deterministic(&condition.expr)
                && !has_query(&condition.expr)
                && !uses_others(self.join, source, &condition.expr)
            {
                self.states[at].is_dropped = true;
                taken.push(condition.expr);
            }
        }
        taken
    }

    /// The conditions that need no source, are constant and cheap: they are checked before anything is read.
    pub fn constant(&self) -> &'a [Expr<'a>] {
        if !(0..self.states.len()).any(|at| self.is_constant(at)) {
            return &[];
        }
        let conditions = self.join.terms.conditions.iter().enumerate();
        let constant = conditions.filter(|(at, _)| self.is_constant(*at)).map(|(_, condition)| condition.expr);
        bumpalo::collections::Vec::from_iter_in(constant, self.join.context.arena).into_bump_slice()
    }

    /// Assigns every other condition to its place in the loops.
    pub fn place(&self, loops: &mut [Loop<'a>]) {
        let arena = self.join.context.arena;
        let mut placed = ArenaVec::new_in(arena);
        for (at, condition) in self.join.terms.conditions.iter().enumerate() {
            if !self.is_done(at) && !self.is_constant(at) {
                let place = self.place_of(condition.needs, condition.origin);
                let expense = match &condition.expr {
                    expr if waits_for_others(expr) => 2,
                    expr => u8::from(!self.is_covered(&loops[place.level], expr)),
                };
                placed.push((place, expense, condition.expr));
            }
        }
        if placed.is_empty() {
            return;
        }
        placed.sort_by_key(|(place, expense, _): &(Place, u8, Expr<'a>)| (*place, *expense));
        let checks_at = |wanted: Place| {
            let here = placed.iter().filter(|(place, ..)| *place == wanted).map(|(_, _, expr)| *expr);
            bumpalo::collections::Vec::from_iter_in(here, arena).into_bump_slice()
        };
        for (level, planned) in loops.iter_mut().enumerate() {
            planned.join_checks = checks_at(Place { level, is_row_check: false });
            planned.row_checks = checks_at(Place { level, is_row_check: true });
        }
    }

    /// Whether the condition needs only the entry of the loop's index: then it is checked before those that need the
    /// row.
    fn is_covered(&self, planned: &Loop<'a>, expr: &Expr<'a>) -> bool {
        let Path::Tree(TreePath::Index(path)) = planned.path else { return true };
        let id = self.join.request.sources[planned.source].id;
        let has = |column: ColumnIndex| {
            column
                .position()
                .is_none_or(|at| path.index.columns.iter().any(|indexed| indexed.term == IndexTerm::Column(at as u16)))
        };
        path.is_covering
            || !any(expr, &mut |part| indexed_column(part).is_some_and(|of| of.source == id && !has(of.index)))
    }

    fn is_done(&self, at: usize) -> bool {
        self.states[at].is_done(&self.join.terms.conditions[at])
    }

    fn is_constant(&self, at: usize) -> bool {
        self.join.terms.conditions[at].is_constant()
    }

    fn place_of(&self, needs: SourceSet, origin: TermOrigin) -> Place {
        let sources = self.join.request.sources;
        let level_of = |source: usize| self.order.iter().position(|&of| of == source).unwrap_or(0);
        let level = needs.iter().map(level_of).max().unwrap_or(0);
        let first = Place { level, is_row_check: self.is_row_check(level, origin) };
        // After every RIGHT JOIN that the condition must not influence.
        let end = match origin {
            TermOrigin::Where => sources.len(),
            TermOrigin::InnerOn(id) | TermOrigin::OuterOn(id) => {
                sources.iter().position(|source| source.id == id).unwrap_or(0)
            }
        };
        let rights = sources[..end].iter().enumerate().filter(|(_, source)| source.join.keeps_right_rows());
        rights.map(|(at, _)| Place { level: level_of(at), is_row_check: true }).fold(first, Place::max)
    }

    /// Whether a condition that can be checked from this loop on is a row check there: the loop belongs to an outer
    /// join, and the condition is not in its ON.
    fn is_row_check(&self, level: usize, origin: TermOrigin) -> bool {
        let source = &self.join.request.sources[self.order[level]];
        let is_outer = matches!(source.join, JoinKind::Left | JoinKind::Right | JoinKind::Full);
        is_outer && origin != TermOrigin::OuterOn(source.id)
    }
}

/// Whether the condition is checked after the others of its loop, because its query is run for each row. Comparisons with columns of a
/// query's row come after them, too.
pub fn waits_for_others(expr: &Expr<'_>) -> bool {
    // SQLite looks at the left side alone of a condition that is an IN of a query.
    let looked_at = match expr {
        Expr::In(set) if matches!(set.set, InSet::Query(_)) => &set.value,
        _ => expr,
    };
    any(looked_at, &mut |part| match part {
        Expr::In(set) => matches!(set.set, InSet::Query(query) if query.is_correlated()),
        Expr::Subquery(subquery) | Expr::Exists(subquery) => subquery.query.is_correlated(),
        Expr::SubqueryColumn(..) => true,
        Expr::CompareRows(compare) => {
            let is_query = |side: &Expr<'_>| matches!(side, Expr::Subquery(_));
            matches!(compare.op, CompareOp::Eq | CompareOp::Is) && (is_query(&compare.left) || is_query(&compare.right))
        }
        _ => false,
    })
}

/// Whether the expression depends on sources of enclosing queries.
fn uses_others<'a>(join: &Join<'_, 'a>, source: usize, expr: &Expr<'a>) -> bool {
    let own = join.request.sources[source].id;
    let mut found = false;
    lithe_resolve::ir::for_each_source(expr, &mut |id| found = found || id != own);
    found
}
