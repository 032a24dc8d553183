//! The path of a table-valued function: its arguments are the values that its hidden columns are equal to.

use lithe_catalog::Table;
use lithe_resolve::ir::{ColumnIndex, SourceSet};

use super::PathFinder;
use crate::access::candidate::{Candidate, Way};
use crate::access::few::Few;
use crate::access::log_est::LogEst;
use crate::access::terms::{ConstraintId, Left, Op, Right};

/// The estimated number of rows of a function: 25.
const ROWS: LogEst = LogEst(46);
/// The cost of a pragma with its argument, and its number of rows: 20.
const PRAGMA: LogEst = LogEst(43);
/// The cost of a pragma without its optional argument, and its number of rows.
const PRAGMA_OF_ALL: (LogEst, LogEst) = (LogEst(310), LogEst(309));
/// The cost of a JSON function without its JSON argument.
const WITHOUT_JSON: LogEst = LogEst(3280);
/// The cost of a function without arguments that it could have: so high that another plan is preferred.
const WITHOUT_ARGUMENTS: LogEst = LogEst(3300);

/// The cost of a call, and its number of rows.
fn estimate(table: &Table, arguments: &[Option<ConstraintId>]) -> (LogEst, LogEst) {
    let is_pragma = table.name.to_string().starts_with("pragma_");
    match (is_pragma, arguments.first()) {
        (true, None) | (false, Some(Some(_))) => (LogEst::ONE, ROWS),
        (true, Some(Some(_))) => (PRAGMA, PRAGMA),
        (true, Some(None)) => PRAGMA_OF_ALL,
        (false, _) => (WITHOUT_JSON, ROWS),
    }
}

impl PathFinder<'_, '_> {
    /// The call with all arguments, the one with those that are not each of a set, and the call without, in case the arguments are not
    /// available.
    pub(super) fn add_function(&mut self, source: usize, needs: SourceSet) {
        let Some(table) = self.infos[source].table else { return };
        let hidden = || table.columns.iter().enumerate().filter(|(_, column)| column.hidden);
        let arguments = |may_loop: bool| -> Vec<Option<ConstraintId>> {
            hidden().map(|(at, _)| self.argument(source, ColumnIndex::new(at), may_loop)).collect()
        };
        let (all, single) = (arguments(true), arguments(false));
        let none = vec![None; all.len()];
        let without = if all == none { estimate(table, &none) } else { (WITHOUT_ARGUMENTS, WITHOUT_ARGUMENTS) };
        let has_sets = single != all;
        if all != none {
            self.add_call(source, needs, table, all);
        }
        if has_sets && single != none {
            self.add_call(source, needs, table, single);
        }
        let mut candidate = Candidate::new(source, needs, Way::Function(none));
        (candidate.run, candidate.rows) = without;
        // As for any virtual table, the other conditions change nothing about the estimates.
        self.found.add(candidate);
    }

    fn add_call(&mut self, source: usize, needs: SourceSet, table: &Table, arguments: Vec<Option<ConstraintId>>) {
        let used: Few<ConstraintId, 6> = arguments.iter().copied().flatten().collect();
        let needs = used.iter().fold(needs, |all, &id| all.union(self.terms.constraint(id).needs));
        let (run, rows) = estimate(table, &arguments);
        let mut candidate = Candidate::new(source, needs, Way::Function(arguments));
        (candidate.run, candidate.rows) = (run, rows);
        candidate.used = used;
        self.found.add(candidate);
    }

    /// The constraint whose value, or each of whose values if it `may_loop`, a hidden column is equal to.
    fn argument(&self, source: usize, column: ColumnIndex, may_loop: bool) -> Option<ConstraintId> {
        let own = self.terms.numbered().filter(|(_, constraint)| {
            constraint.source == source
                && self.infos[source].admits(self.terms.conditions[constraint.condition].origin)
                && !constraint.needs.contains(source)
                && matches!(constraint.left, Left::Column(of) if of == column)
                && match constraint.right {
                    Right::Value(_) | Right::Null => matches!(constraint.op, Op::Eq | Op::Is),
                    Right::Set(..) => may_loop,
                    Right::Row(..) => false,
                }
        });
        own.map(|(id, _)| id).next()
    }
}
