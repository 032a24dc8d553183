//! What SQLite has beside a condition, or in its place: it decides which partial indexes can be used.
//!
//! ```text
//!   5 < x                    x > 5                    in its place
//!   x < y                    y > x                    beside it
//!   x BETWEEN p AND q        x >= p, x <= q           beside it
//! ```

use lithe_resolve::ir::{Between, Compare, CompareOp, Expr, How};

use super::analysis::Analysis;
use super::analyze::op_of;

impl<'a> Analysis<'_, 'a> {
    /// Notes the comparison from its other side, if that is a column.
    pub(super) fn note_swapped(&mut self, compare: &Compare<'a>, left_is_column: bool, right_is_column: bool) {
        if right_is_column && op_of(compare.op.swapped()).is_some() {
            let swapped = Compare {
                op: compare.op.swapped(),
                left: compare.right,
                right: compare.left,
                replaced: None,
                ..*compare
            };
            self.note_rewritten(swapped);
            let at = self.condition();
            self.terms.conditions[at].is_swapped = !left_is_column;
        }
    }

    /// Notes both bounds as comparisons, written from the side of a column.
    pub(super) fn note_bounds(&mut self, between: &Between<'a>) {
        let bounds = [(CompareOp::Ge, between.low, between.low_how), (CompareOp::Le, between.high, between.high_how)];
        for (op, bound, how) in bounds {
            self.note_bound(op, between.value, bound, how);
        }
    }

    fn note_bound(&mut self, op: CompareOp, left: Expr<'a>, right: Expr<'a>, how: How<'a>) {
        let compare = Compare { op, left, right, how, replaced: None };
        let [left_is_column, right_is_column] = [&left, &right].map(|side| self.side(side).is_some());
        if left_is_column || !right_is_column {
            self.note_rewritten(compare);
        }
        if right_is_column {
            self.note_rewritten(Compare { op: op.swapped(), left: right, right: left, ..compare });
        }
    }

    fn note_rewritten(&mut self, compare: Compare<'a>) {
        let compare = Expr::Compare(self.scope.context.arena.alloc(compare));
        self.terms.rewritten.push((self.condition(), compare));
    }
}
