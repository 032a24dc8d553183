//! The path of a table-valued function: its arguments are what its hidden columns are equal to.

use lithe_resolve::ir::{ColumnIndex, SourceSet};

use super::PathFinder;
use crate::access::candidate::Way;
use crate::access::log_est::LogEst;
use crate::access::terms::{ConstraintId, Left, Op, Right};

/// A function gives about so many rows: 25.
const ROWS: LogEst = LogEst(46);
/// Without the arguments that it could have it is not meant to be called.
const WITHOUT_ARGUMENTS: LogEst = LogEst(600);

impl PathFinder<'_, '_> {
    /// The call with all arguments, and the one with none, in case they cannot be had.
    pub(super) fn add_function(&mut self, source: usize, needs: SourceSet) {
        let Some(table) = self.facts[source].table else { return };
        let hidden = table.columns.iter().enumerate().filter(|(_, column)| column.hidden);
        let arguments: Vec<Option<ConstraintId>> =
            hidden.map(|(at, _)| self.argument(source, ColumnIndex::new(at))).collect();
        let used: Vec<ConstraintId> = arguments.iter().copied().flatten().collect();
        let all_needs = used.iter().fold(needs, |all, &id| all.union(self.terms.constraint(id).needs));
        let mut candidate = self.candidate(source, needs, Way::Function(vec![None; arguments.len()]));
        (candidate.run, candidate.rows) =
            if used.is_empty() { (ROWS, ROWS) } else { (WITHOUT_ARGUMENTS, WITHOUT_ARGUMENTS) };
        self.add(candidate);
        if !used.is_empty() {
            let mut candidate = self.candidate(source, all_needs, Way::Function(arguments));
            (candidate.run, candidate.rows, candidate.looks_up) = (ROWS, ROWS, true);
            candidate.used = used;
            self.add(candidate);
        }
    }

    /// What a hidden column is equal to.
    fn argument(&self, source: usize, column: ColumnIndex) -> Option<ConstraintId> {
        let own = self.terms.numbered().filter(|(_, constraint)| {
            constraint.source == source
                && self.facts[source].admits(self.terms.conditions[constraint.condition].origin)
                && !constraint.needs.contains(source)
                && matches!(constraint.left, Left::Column(of) if of == column)
                && matches!(constraint.op, Op::Eq | Op::Is)
                && matches!(constraint.right, Right::Value(_) | Right::Null)
        });
        own.map(|(id, _)| id).next()
    }
}
