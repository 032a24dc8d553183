//! Paths through a table itself: all rows, or those with some rowids.

use lithe_resolve::ir::{ColumnIndex, InSet, SourceSet};

use super::PathFinder;
use crate::access::candidate::{Bound, Candidate, Range, TreeWay, Way};
use crate::access::few::Few;
use crate::access::log_est::{LogEst, ROW_FETCH};
use crate::access::terms::{ConstraintId, Op, Right};

/// Each bound of a range leaves a quarter of the rows.
const RANGE_FRACTION: i16 = 20;
/// The estimated number of values of a query in IN: 25.
const IN_QUERY_VALUES: LogEst = LogEst(46);
/// A range has at least two rows.
const RANGE_ROWS_MIN: LogEst = LogEst(10);

impl<'a> PathFinder<'_, 'a> {
    /// Adds the paths by rowid and the scan.
    pub(super) fn add_table_paths(&mut self, source: usize, needs: SourceSet) {
        let Some(table) = self.infos[source].table else { return self.add_scan(source, needs) };
        if !table.has_rowid() {
            return;
        }
        if !matches!(self.infos[source].source.indexed, lithe_resolve::ir::Indexed::By(_)) {
            self.add_scan(source, needs);
            self.add_rowid_paths(source, needs);
        }
    }

    /// All rows.
    pub(super) fn add_scan(&mut self, source: usize, needs: SourceSet) {
        let rows = self.infos[source].rows;
        let mut candidate = Candidate::new(source, needs, Way::Tree(TreeWay::Scan));
        candidate.run = self.infos[source].scan_cost();
        candidate.rows = rows;
        candidate.order = if self.order.wants_rowid_of(source) { 1 } else { 0 };
        self.last_order = candidate.order;
        self.add(candidate);
    }

    fn add_rowid_paths(&mut self, source: usize, needs: SourceSet) {
        let ids = self.constraints_on(source, Some(ColumnIndex::ROWID), |constraint| {
            matches!(constraint.left, crate::access::terms::Left::Column(column) if column.is_rowid())
                && !matches!(constraint.right, Right::Null)
                && constraint.fits_affinity(lithe_value::Affinity::Integer)
        });
        for &id in ids.iter() {
            match self.terms.constraint(id).op {
                Op::Eq | Op::Is | Op::In => self.add_rowid_key(source, needs, id),
                Op::Gt | Op::Ge | Op::Lt | Op::Le => {
                    self.add_rowid_range(source, needs, id);
                    let is_lower = self.terms.constraint(id).op.is_lower();
                    for &other in ids.iter().filter(|_| is_lower) {
                        if self.terms.constraint(other).op.is_upper() {
                            self.add_rowid_bounds(source, needs, id, other);
                        }
                    }
                }
                Op::IsNull | Op::Virtual(_) => {}
            }
        }
    }

    fn add_rowid_key(&mut self, source: usize, needs: SourceSet, id: ConstraintId) {
        let constraint = self.terms.constraint(id);
        let times = self.values_of(&constraint.right);
        let needs = needs.union(constraint.needs);
        let mut candidate = Candidate::new(source, needs, Way::Tree(TreeWay::Rowid(id)));
        candidate.one_row = constraint.op != Op::In;
        candidate.has_equality = candidate.one_row;
        candidate.looks_up = true;
        candidate.run = self.infos[source].rows.log2().sum(LogEst::ONE + ROW_FETCH) + times;
        candidate.rows = times;
        candidate.used.push(id);
        candidate.borrowed.extend(Some(id).filter(|&id| self.is_borrowed(id, source, Some(ColumnIndex::ROWID))));
        candidate.order = u8::from(self.order.wants_rowid_of(source));
        self.add(candidate);
    }

    fn add_rowid_range(&mut self, source: usize, needs: SourceSet, id: ConstraintId) {
        let bound = Some(Bound { constraint: id, columns: 1 });
        let is_lower = self.terms.constraint(id).op.is_lower();
        let range = if is_lower { Range { low: bound, high: None } } else { Range { low: None, high: bound } };
        self.add_rowid_range_of(source, needs, range);
    }

    fn add_rowid_bounds(&mut self, source: usize, needs: SourceSet, low: ConstraintId, high: ConstraintId) {
        let bound = |constraint| Some(Bound { constraint, columns: 1 });
        self.add_rowid_range_of(source, needs, Range { low: bound(low), high: bound(high) });
    }

    fn add_rowid_range_of(&mut self, source: usize, needs: SourceSet, range: Range) {
        let rows = self.rows_in_range(self.infos[source].rows, &range);
        let used: Few<ConstraintId, 6> = range.low.iter().chain(&range.high).map(|bound| bound.constraint).collect();
        let needs = used.iter().fold(needs, |all, &id| all.union(self.terms.constraint(id).needs));
        let mut candidate = Candidate::new(source, needs, Way::Tree(TreeWay::RowidRange(range)));
        candidate.run = self.infos[source].rows.log2().sum(rows + ROW_FETCH);
        candidate.rows = rows;
        let is_borrowed = |id: &ConstraintId| self.is_borrowed(*id, source, Some(ColumnIndex::ROWID));
        candidate.borrowed.extend(used.iter().copied().filter(is_borrowed));
        candidate.used = used;
        candidate.order = u8::from(self.order.wants_rowid_of(source));
        self.add(candidate);
    }

    /// How many of `rows` are in a range without statistics: each bound removes three quarters, both together more than
    /// that.
    pub(super) fn rows_in_range(&self, rows: LogEst, range: &Range) -> LogEst {
        let takes = |bound: &crate::access::candidate::Bound| {
            let constraint = self.terms.constraint(bound.constraint);
            match self.terms.conditions[constraint.condition].likelihood {
                Some(likelihood) => likelihood,
                None if constraint.made_of == crate::access::terms::MadeOf::NotNull => 0,
                None => -RANGE_FRACTION,
            }
        };
        let is_unknown = |bound: &crate::access::candidate::Bound| {
            let condition = self.terms.constraint(bound.constraint).condition;
            self.terms.conditions[condition].likelihood.is_none()
        };
        let bounds = || range.low.iter().chain(&range.high);
        let mut rows_left = bounds().fold(rows, |left, bound| left + takes(bound));
        if range.low.is_some() && range.high.is_some() && bounds().all(is_unknown) {
            rows_left -= RANGE_FRACTION;
        }
        (rows - bounds().count() as i16).min(rows_left.max(RANGE_ROWS_MIN))
    }

    /// How many values a constraint looks up.
    pub(super) fn values_of(&self, right: &Right<'a>) -> LogEst {
        match right {
            Right::Set(set, _) => match set.set {
                InSet::List(items) => LogEst::of(items.len() as u64),
                InSet::Query(_) => IN_QUERY_VALUES,
            },
            Right::Value(_) | Right::Null | Right::Row(..) => LogEst::ONE,
        }
    }
}
