//! The paths of an OR's branches, chosen with all other conditions on the source.

use lithe_catalog::{Result, fail};
use lithe_resolve::ir::{CompareOp, Expr, SourceSet, has_query, indexed_column, is_constant, skip_collate};

use super::candidate::{Candidate, Candidates, Way};
use super::checks::State;
use super::order::OrderColumns;
use super::paths::PathFinder;
use super::plan::{OrBranch, OrPath, Path};
use super::terms::{self, Condition, Terms};
use super::{Join, LogEst};

impl<'a> Join<'_, 'a> {
    /// Whether all conditions of the branches can be checked once these sources have rows.
    pub fn or_is_decided(&self, number: usize, known: SourceSet) -> bool {
        let branches = self.terms.disjunctions[number].branches.iter();
        branches.flat_map(|branch| &branch.conditions).all(|condition| condition.needs.is_subset_of(known))
    }

    /// The paths of the branches of disjunction `number` through `source`, whose loop `is_last` or is followed by others.
    pub fn or_path(&self, source: usize, number: usize, outside: SourceSet, is_last: bool) -> Result<Path<'a>> {
        let disjunction = &self.terms.disjunctions[number];
        // SQLite adds the reverse of a comparison of two columns as a further term after the others, and begins with the last
        // term.
        let count = disjunction.branches.len();
        let is_turned = |branch: &Terms<'a>| self.is_turned(source, branch);
        let (turned, straight): (Vec<_>, Vec<_>) =
            disjunction.branches.iter().enumerate().partition(|(_, branch)| is_turned(branch));
        let columns = disjunction.branches.iter().rev().filter(|branch| compares_columns(branch));
        let places = columns.enumerate().filter(|(_, branch)| is_turned(branch)).map(|(place, _)| count + place);
        let turned = turned.into_iter().rev().zip(places).map(|((_, branch), place)| (place, branch));
        let mut branches = Vec::with_capacity(count);
        for (at, branch) in straight.into_iter().chain(turned) {
            branches.push(self.or_branch((source, is_last), number, at + 1, branch, outside)?);
        }
        let Some(table) = self.infos[source].table else { return fail("no query solution") };
        Ok(Path::Or(OrPath { table, branches: self.context.arena.alloc_slice_copy(&branches) }))
    }

    /// Whether the branch compares two columns, with the source's column on the right.
    fn is_turned(&self, source: usize, branch: &Terms<'a>) -> bool {
        let id = self.request.sources[source].id;
        compares_columns(branch)
            && !matches!(branch.conditions[0].expr, Expr::Compare(compare)
                if indexed_column(&skip_collate(compare.left)).is_some_and(|column| column.source == id))
    }

    fn or_branch(
        &self,
        (source, is_last): (usize, bool),
        disjunction: usize,
        number: usize,
        branch: &Terms<'a>,
        outside: SourceSet,
    ) -> Result<OrBranch<'a>> {
        let own = branch.conditions.len();
        let known = outside.union(SourceSet::single(source));
        let skipped = self.terms.disjunctions[disjunction].condition;
        let terms = terms::analyze(self.scope, &self.terms.of_branch(branch, skipped, is_given_to_branches));
        let found = self.paths_of_branch((source, is_last), &terms, outside)?;
        let may_serve = |candidate: &&Candidate| {
            candidate.needs.is_subset_of(outside)
                && matches!(candidate.way, Way::Tree(_) | Way::Function(_) | Way::Virtual(_))
        };
        let usable = found.all.iter().filter(may_serve);
        let Some(chosen) = usable.min_by_key(|candidate| (candidate.run, candidate.rows)) else {
            return fail("no query solution");
        };
        let mut states = vec![State::default(); terms.conditions.len()];
        let note = |id| {
            let constraint = terms.constraint(id);
            states[constraint.condition].note_used(constraint);
        };
        let Some(path) = self.single_path(&terms, chosen, &found.scans, note) else {
            return fail("no query solution");
        };
        // The loop itself checks the other conditions, after the union. It also checks the whole OR when part of a branch
        // needs sources of inner loops.
        // Rows of a virtual table may have the same rowid in two branches, and the first that meets all conditions counts.
        let is_virtual = matches!(chosen.way, Way::Function(_) | Way::Virtual(_));
        let open = terms.conditions.iter().zip(states).enumerate();
        let counts = |at: usize, condition: &Condition<'a>| {
            let is_admitted = || self.infos[source].admits(condition.origin);
            at < own || is_virtual && condition.needs.contains(source) && is_admitted()
        };
        let (demands, checks): (Vec<&Condition<'a>>, Vec<&Condition<'a>>) = open
            .filter(|(at, (condition, _))| counts(*at, condition))
            .map(|(_, open)| open)
            .filter(|(condition, state)| !state.is_done(condition))
            .filter(|(condition, _)| condition.needs.is_subset_of(known))
            .map(|(condition, _)| condition)
            .partition(|condition| !condition.needs.contains(source));
        let exprs = |conditions: Vec<&Condition<'a>>| {
            &*self.context.arena.alloc_slice_fill_iter(conditions.into_iter().map(|condition| condition.expr))
        };
        let is_alone = self.request.reads_one_source_in_any_order();
        let rows = if is_alone { chosen.found } else { chosen.rows };
        let (run, one_row): (LogEst, bool) = (chosen.run, chosen.one_row);
        Ok(OrBranch { number, demands: exprs(demands), path, checks: exprs(checks), one_row, run, rows })
    }

    /// The paths of a branch that has these conditions, its own and those around it.
    fn paths_of_branch(
        &self,
        (source, is_last): (usize, bool),
        terms: &Terms<'a>,
        outside: SourceSet,
    ) -> Result<Candidates> {
        let order = OrderColumns::none();
        let mut finder = PathFinder {
            context: self.context,
            infos: self.infos,
            scope: self.scope,
            terms,
            own_conditions: terms.conditions.len(),
            order: &order,
            is_alone: is_last,
            limit: None,
            in_or: true,
            for_write: true,
            in_select: false,
            last_order: 0,
            found: Candidates::default(),
        };
        // Some sources of outer loops may have been eliminated: those of LEFT JOINs that nothing reads.
        let must_follow = self.infos[source].must_follow;
        finder.find(source, must_follow.minus(must_follow.minus(outside)))?;
        Ok(finder.found)
    }
}

/// Whether the branches of an OR are given a condition around it, for their costs, and for their paths if it belongs to the source. SQLite
/// gives them none with a query, because it would be computed for each.
fn is_given_to_branches(condition: &Condition<'_>) -> bool {
    is_one_constraint(&condition.expr) && !has_query(&condition.expr)
}

/// Whether a branch may use the condition around its OR: in SQLite not those of which only parts can be used.
fn is_one_constraint(condition: &Expr<'_>) -> bool {
    match condition {
        Expr::Between(_) => false,
        Expr::Function(call) => !terms::is_pattern_match(call),
        Expr::CompareRows(compare) => !matches!(compare.op, CompareOp::Eq | CompareOp::Is),
        Expr::In(set) => set.how.len() == 1,
        _ => true,
    }
}

/// Whether the branch is nothing but a comparison of two columns, one of which may be a constant.
fn compares_columns(branch: &Terms<'_>) -> bool {
    let [condition] = &branch.conditions[..] else { return false };
    let Expr::Compare(compare) = condition.expr else { return false };
    let is_column = |side: Expr<'_>| {
        indexed_column(&skip_collate(side)).is_some() || compare.replaced.is_some() && is_constant(&side)
    };
    is_column(compare.left) && is_column(compare.right)
}
