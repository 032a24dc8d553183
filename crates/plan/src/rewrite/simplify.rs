//! LEFT JOIN → JOIN, where a condition throws the rows without a match away anyway.

use super::Rewriter;
use crate::ir::{BinaryOp, CompareOp, Expr, InSet, JoinKind, Select, Source, SourceId, Term, TermOrigin};

impl<'a> Rewriter<'a> {
    /// The SELECT with its needless outer joins made inner ones.
    pub(super) fn simplify_joins(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let has_right = select.sources.iter().any(|s| matches!(s.join, JoinKind::Right | JoinKind::Full));
        let mut select = select;
        for at in 0..select.sources.len() {
            let source = select.sources[at];
            if source.join == JoinKind::Left && !has_right && rejects_nulls_of(select, source.id) {
                select = self.make_inner(select, at);
            }
        }
        select
    }

    fn make_inner(&self, select: &Select<'a>, at: usize) -> &'a Select<'a> {
        let source = select.sources[at];
        let terms = self.arena.alloc_slice_copy(select.terms);
        for term in terms.iter_mut().filter(|term| term.origin == TermOrigin::OuterOn(source.id)) {
            term.origin = TermOrigin::InnerOn(source.id);
        }
        let sources = self.arena.alloc_slice_copy(select.sources);
        sources[at] = Source { join: JoinKind::Inner, ..source };
        self.arena.alloc(Select { sources, terms, ..*select })
    }
}

fn rejects_nulls_of(select: &Select<'_>, id: SourceId) -> bool {
    let counts = |term: &&Term<'_>| !matches!(term.origin, TermOrigin::OuterOn(_));
    select.terms.iter().filter(counts).any(|term| is_not_true_for_nulls(&term.expr, id))
}

/// Whether the condition cannot be true when all columns of source `id` are NULL.
fn is_not_true_for_nulls(expr: &Expr<'_>, id: SourceId) -> bool {
    match expr {
        Expr::And(x, y) => is_not_true_for_nulls(x, id) || is_not_true_for_nulls(y, id),
        Expr::Or(x, y) => is_not_true_for_nulls(x, id) && is_not_true_for_nulls(y, id),
        Expr::IsNull(x, true) => is_null_for_nulls(x, id),
        Expr::IsTrue(x, test) => !test.null_gives && is_null_for_nulls(x, id),
        expr => is_null_for_nulls(expr, id),
    }
}

/// Whether the value is NULL when all columns of source `id` are.
fn is_null_for_nulls(expr: &Expr<'_>, id: SourceId) -> bool {
    match expr {
        Expr::Column(column) => column.source == id,
        Expr::Collate(x, _) | Expr::Cast(x, _) => is_null_for_nulls(x, id),
        Expr::Unary(_, x) => is_null_for_nulls(x, id),
        Expr::Binary(op, x, y) => {
            // A division by zero is NULL, too, but that is no matter here.
            let _: &BinaryOp = op;
            is_null_for_nulls(x, id) || is_null_for_nulls(y, id)
        }
        Expr::Compare(compare) if !matches!(compare.op, CompareOp::Is | CompareOp::IsNot) => {
            is_null_for_nulls(&compare.left, id) || is_null_for_nulls(&compare.right, id)
        }
        Expr::Between(between) => {
            is_null_for_nulls(&between.value, id)
                || is_null_for_nulls(&between.low, id) && is_null_for_nulls(&between.high, id)
        }
        // An empty set makes it false: not true either, but NOT IN would be.
        Expr::In(set) => matches!(set.set, InSet::List([_, ..])) && is_null_for_nulls(&set.value, id),
        _ => false,
    }
}
