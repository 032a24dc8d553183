//! Outer joins → inner joins, if a condition rejects the rows without a match anyway:
//!
//! ```text
//!   a condition on b of            makes it
//!     a LEFT JOIN b                  a JOIN b
//!     a FULL JOIN b                  a RIGHT JOIN b
//!   a condition on a of
//!     a RIGHT JOIN b                 a JOIN b
//!     a FULL JOIN b                  a LEFT JOIN b
//! ```

use lithe_resolve::ir::{
    AndSide, BinaryOp, CompareOp, Expr, InSet, JoinKind, Select, Source, SourceId, Term, TermOrigin, skip_likelihood,
};

use super::Rewriter;

impl<'a> Rewriter<'a> {
    /// The SELECT with the outer joins of the source at `at` made inner joins where a condition allows it.
    pub(super) fn simplify_join(&self, select: &'a Select<'a>, at: usize) -> &'a Select<'a> {
        let has_right = select.sources[at + 1..].iter().any(|source| source.join.keeps_right_rows());
        let is_outer = !matches!(select.sources[at].join, JoinKind::Inner | JoinKind::Cross);
        if !is_outer && !has_right || !rejects_nulls_of(select, at, has_right) {
            return select;
        }
        let mut select = match select.sources[at].join {
            JoinKind::Left => self.join_as(select, at, JoinKind::Inner),
            JoinKind::Full => self.join_as(select, at, JoinKind::Right),
            JoinKind::Inner | JoinKind::Cross | JoinKind::Right => select,
        };
        // The rows that a join further right adds have only NULLs on its left.
        for right in at + 1..select.sources.len() {
            match select.sources[right].join {
                JoinKind::Right => select = self.join_as(select, right, JoinKind::Inner),
                JoinKind::Full => select = self.join_as(select, right, JoinKind::Left),
                JoinKind::Inner | JoinKind::Cross | JoinKind::Left => {}
            }
        }
        select
    }

    fn join_as(&self, select: &Select<'a>, at: usize, join: JoinKind) -> &'a Select<'a> {
        let source = select.sources[at];
        let terms = self.arena.alloc_slice_copy(select.terms);
        if join == JoinKind::Inner {
            for term in terms.iter_mut().filter(|term| term.origin == TermOrigin::OuterOn(source.id)) {
                term.origin = TermOrigin::InnerOn(source.id);
            }
        }
        let sources = self.arena.alloc_slice_copy(select.sources);
        sources[at] = Source { join, ..source };
        self.arena.alloc(Select { sources, terms, ..*select })
    }
}

/// Whether a condition on the rows of the whole join rejects those in which the source is NULL. If a RIGHT JOIN follows,
/// only conditions of WHERE apply to these rows.
fn rejects_nulls_of(select: &Select<'_>, at: usize, has_right: bool) -> bool {
    let id = select.sources[at].id;
    let counts = |term: &&Term<'_>| match term.origin {
        TermOrigin::Where => true,
        TermOrigin::InnerOn(_) => !has_right,
        TermOrigin::OuterOn(_) => false,
    };
    let mut conditions = select.terms.iter().filter(counts);
    // SQLite uses an IS NOT NULL here only on the left side of an AND; with other plans than SQLite's, joins give their rows in
    // another order.
    conditions.any(|term| {
        term.side == AndSide::Left && rejects_nulls(&term.expr, id)
            || is_null_for_nulls(&skip_likelihood(term.expr), id)
    })
}

/// Whether the condition is IS NOT NULL of a value that is NULL when all columns of source `id` are.
fn rejects_nulls(expr: &Expr<'_>, id: SourceId) -> bool {
    matches!(expr, Expr::IsNull(x, true) if is_null_for_nulls(x, id))
}

fn is_virtual(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Column(column) if column.is_of_virtual_table())
}

/// Whether the value is NULL when all columns of source `id` are.
fn is_null_for_nulls(expr: &Expr<'_>, id: SourceId) -> bool {
    match expr {
        Expr::Column(column) => column.source == id,
        Expr::Collate(x, _) | Expr::Cast(x, _) => is_null_for_nulls(x, id),
        Expr::Unary(_, x) => is_null_for_nulls(x, id),
        // Conditions are taken apart at their ANDs: this one is below another operator, where SQLite requires both sides to be NULL.
        Expr::And(x, y) | Expr::Or(x, y) => is_null_for_nulls(x, id) && is_null_for_nulls(y, id),
        Expr::Binary(op, x, y) => {
            // All of these are NULL for a NULL operand. (A division by zero is NULL, too, which does not matter here.)
            let _: &BinaryOp = op;
            is_null_for_nulls(x, id) || is_null_for_nulls(y, id)
        }
        Expr::Matched(matched) => is_null_for_nulls(&matched.value, id),
        // The module of a virtual table decides how a comparison with its column behaves.
        Expr::Compare(compare) if [compare.left, compare.right].iter().any(is_virtual) => false,
        Expr::Compare(compare) if !matches!(compare.op, CompareOp::Is | CompareOp::IsNot) => {
            is_null_for_nulls(&compare.left, id) || is_null_for_nulls(&compare.right, id)
        }
        Expr::Between(between) => {
            is_null_for_nulls(&between.value, id)
                || is_null_for_nulls(&between.low, id) && is_null_for_nulls(&between.high, id)
        }
        // With an empty set, IN is false for NULL, too, but NOT IN would be true.
        Expr::In(set) => matches!(set.set, InSet::List([_, ..])) && is_null_for_nulls(&set.value, id),
        _ => false,
    }
}
