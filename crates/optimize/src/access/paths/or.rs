//! ORs: each branch has its own path through the source, and the result is the union of the rows found. Here only the
//! costs are estimated; the branches' paths are chosen when the plan is finished.

use lithe_catalog::Result;
use lithe_resolve::ir::SourceSet;

use super::PathFinder;
use crate::access::candidate::{Candidate, Candidates, Way};
use crate::access::log_est::LogEst;
use crate::access::order::OrderColumns;
use crate::access::terms::{self, Condition, Constraint, Terms};

/// The cheapest union is kept for each combination of needed sources, for at most so many combinations.
const UNIONS_MAX: usize = 3;

/// The costs of paths for some of the branches.
#[derive(Clone, Copy)]
struct Union {
    needs: SourceSet,
    run: LogEst,
    rows: LogEst,
}

impl<'a> PathFinder<'_, 'a> {
    /// Adds a candidate for each OR all of whose branches have a path through the source, by indexes that INDEXED BY and NOT INDEXED
    /// allow, or by the module of a virtual table.
    ///
    /// # Errors
    /// Those of virtual tables.
    pub(super) fn add_disjunctions(&mut self, source: usize, needs: SourceSet) -> Result<()> {
        let info = &self.infos[source];
        // The rows of a virtual table that a RIGHT JOIN adds come from one more scan like the first.
        if info.source.join.keeps_right_rows() && info.table.is_some_and(|table| table.virtual_table().is_some()) {
            return Ok(());
        }
        for number in 0..self.terms.disjunctions.len() {
            let disjunction = &self.terms.disjunctions[number];
            let origin = self.terms.conditions[disjunction.condition].origin;
            if !disjunction.sources.contains(source) || !self.infos[source].admits(origin) {
                continue;
            }
            self.last_order = 0;
            for union in self.unions(source, needs, number)? {
                let mut candidate = Candidate::new(source, union.needs, Way::Or(number));
                // A little more than the sum, so that an equally good single path is preferred.
                candidate.run = union.run + 1;
                candidate.rows = union.rows;
                self.add(candidate);
            }
        }
        Ok(())
    }

    /// The unions of the branches' paths.
    fn unions(&self, source: usize, needs: SourceSet, number: usize) -> Result<Vec<Union>> {
        let disjunction = &self.terms.disjunctions[number];
        let mut unions: Option<Vec<Union>> = None;
        for branch in &disjunction.branches {
            let mut ways = best_of(&self.branch_candidates(source, needs, number, branch)?);
            if self.infos[source].is_measured {
                ways.iter_mut().for_each(|way| self.drop_by_outer(source, branch, way));
            }
            unions = Some(match unions {
                None => ways,
                Some(before) => {
                    let mut combined = Vec::new();
                    for union in &before {
                        ways.iter().for_each(|way| keep_best(&mut combined, combine(union, way)));
                    }
                    combined
                }
            });
            if unions.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        Ok(unions.unwrap_or_default())
    }

    /// Conditions of a branch on outer loops alone are checked before its path is followed.
    fn drop_by_outer(&self, source: usize, branch: &Terms<'a>, way: &mut Union) {
        /// The cost of this check.
        const CHECK: LogEst = LogEst(10);
        let is_outer = |condition: &Condition<'a>| {
            !condition.needs.contains(source) && condition.needs.is_subset_of(way.needs) && !condition.needs.is_empty()
        };
        let outer = branch.conditions.iter().enumerate().filter(|(_, condition)| is_outer(condition));
        let dropped: i16 = outer.map(|(at, condition)| self.rarity_in(branch, condition, at)).sum();
        way.run = (way.run - dropped).max(CHECK);
        way.rows -= dropped;
    }

    /// The candidates of a branch of disjunction `number`. Its path may use the conditions around the OR, too.
    fn branch_candidates(
        &self,
        source: usize,
        needs: SourceSet,
        number: usize,
        branch: &Terms<'a>,
    ) -> Result<Candidates> {
        let order = OrderColumns::none();
        let skipped = self.terms.disjunctions[number].condition;
        let is_around = |constraint: &Constraint<'a>| constraint.source == source && constraint.condition != skipped;
        let around = self.terms.constraints.iter().any(is_around);
        let with_around = around.then(|| terms::analyze(self.scope, &self.terms.of_branch(branch, skipped, |_| true)));
        let mut finder = PathFinder {
            context: self.context,
            infos: self.infos,
            scope: self.scope,
            terms: with_around.as_ref().unwrap_or(branch),
            own_conditions: branch.conditions.len(),
            order: &order,
            is_alone: self.is_alone,
            limit: None,
            in_or: true,
            for_write: self.for_write,
            in_select: self.in_select,
            last_order: 0,
            found: Candidates { of_branch: true, ..Candidates::default() },
        };
        finder.find(source, needs)?;
        Ok(finder.found)
    }
}

fn best_of(candidates: &Candidates) -> Vec<Union> {
    let mut best = Vec::new();
    for candidate in &candidates.all {
        keep_best(&mut best, Union { needs: candidate.needs, run: candidate.run, rows: candidate.rows });
    }
    best
}

fn combine(union: &Union, way: &Union) -> Union {
    Union { needs: union.needs.union(way.needs), run: union.run.sum(way.run), rows: union.rows.sum(way.rows) }
}

/// Keeps the union, unless one that needs no more sources costs no more.
fn keep_best(best: &mut Vec<Union>, union: Union) {
    for other in best.iter_mut() {
        if union.run <= other.run && union.needs.is_subset_of(other.needs) {
            *other = Union { rows: union.rows.min(other.rows), ..union };
            return;
        }
        if other.run <= union.run && other.needs.is_subset_of(union.needs) {
            return;
        }
    }
    if best.len() < UNIONS_MAX {
        best.push(union);
    } else if let Some(worst) = best.iter_mut().max_by_key(|other| other.run)
        && worst.run > union.run
    {
        *worst = union;
    }
}
