//! Constant propagation in WHERE: a column that must be equal to a constant is that constant in the other comparisons.
//!
//! ```text
//!   x.k = y.k AND y.k = 5     ──▶     x.k = 5 AND y.k = 5
//! ```
//!
//! Each source then has a condition of its own: an automatic index on either holds fewer rows, and the join order is free.

use lithe_resolve::ir::{
    Coll, Column, Compare, CompareOp, Expr, How, JoinKind, Select, Term, TermOrigin, affinity_of, is_constant,
    skip_collate,
};
use lithe_value::Affinity;

use super::Rewriter;

/// A column that is equal to a constant in every row of the result.
#[derive(Clone, Copy)]
struct Fixed<'a> {
    /// The equality, by its position among the conditions.
    term: usize,
    column: &'a Column<'a>,
    value: Expr<'a>,
    /// The affinity that the comparison applies to the constant.
    affinity: Option<Affinity>,
}

impl<'a> Rewriter<'a> {
    /// The SELECT with constants in the place of columns that are equal to them.
    pub(super) fn propagate_constants(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let has_right = select.sources.iter().any(|source| matches!(source.join, JoinKind::Right | JoinKind::Full));
        let counts = |term: &Term<'a>| match term.origin {
            TermOrigin::Where => true,
            TermOrigin::InnerOn(_) => !has_right,
            TermOrigin::OuterOn(_) => false,
        };
        let usable = select.terms.iter().enumerate().filter(|(_, term)| counts(term));
        let fixed: Vec<Fixed<'a>> = usable.clone().filter_map(|(at, term)| fixed_by(at, &term.expr)).collect();
        if fixed.is_empty() {
            return select;
        }
        // As in SQLite, columns that become equal to a constant here are not propagated again.
        let changed: Vec<(usize, Expr<'a>)> =
            usable.filter_map(|(at, term)| Some((at, self.with_constant(at, &term.expr, &fixed)?))).collect();
        if changed.is_empty() {
            return select;
        }
        let terms = self.arena.alloc_slice_copy(select.terms);
        changed.into_iter().for_each(|(at, expr)| terms[at].expr = expr);
        self.arena.alloc(Select { terms, ..*select })
    }

    /// The comparison at `at` with one of its columns replaced by its constant; none if it does not compare such a column with another
    /// expression.
    fn with_constant(&self, at: usize, expr: &Expr<'a>, fixed: &[Fixed<'a>]) -> Option<Expr<'a>> {
        let Expr::Compare(compare) = expr else { return None };
        let sides = [(compare.left, compare.right), (compare.right, compare.left)];
        sides.iter().enumerate().find_map(|(side, (replaced, other))| {
            let Expr::Column(column) = skip_collate(*replaced) else { return None };
            if is_constant(other) {
                return None;
            }
            let is_it = |known: &&Fixed<'a>| known.term != at && is_same_column(known.column, column);
            let known = fixed.iter().find(is_it)?;
            let affinity = affinity_for(known, compare, other)?;
            let how = How { affinity, ..compare.how };
            let (left, right) = if side == 0 { (known.value, compare.right) } else { (compare.left, known.value) };
            let replaced = Some(known.column);
            Some(Expr::Compare(self.arena.alloc(Compare { op: compare.op, left, right, how, replaced })))
        })
    }
}

/// The column that the condition at `at` makes equal to a constant.
fn fixed_by<'a>(at: usize, expr: &Expr<'a>) -> Option<Fixed<'a>> {
    let Expr::Compare(compare) = expr else { return None };
    if compare.op != CompareOp::Eq || compare.how.collation != Coll::Binary {
        return None;
    }
    let (column, value) = match (compare.left, compare.right) {
        (Expr::Column(column), value) | (value, Expr::Column(column)) => (column, value),
        _ => return None,
    };
    is_constant(&value).then_some(Fixed { term: at, column, value, affinity: compare.how.affinity })
}

fn is_same_column(one: &Column<'_>, other: &Column<'_>) -> bool {
    one.source == other.source && one.index == other.index
}

/// The affinity to apply to both sides of a comparison once the column is replaced by its constant; `None` if the result might
/// differ.
fn affinity_for<'a>(known: &Fixed<'a>, compare: &Compare<'a>, other: &Expr<'a>) -> Option<Option<Affinity>> {
    let is_numeric = |affinity: Option<Affinity>| affinity.is_some_and(Affinity::is_numeric);
    match (known.affinity, compare.how.affinity) {
        (None, Some(Affinity::Text)) => None,
        (None, None) => (affinity_of(other) != Some(Affinity::Text)).then_some(None),
        (None, applied) => Some(applied),
        (Some(Affinity::Text), None) if affinity_of(other) == Some(Affinity::Text) => Some(known.affinity),
        (Some(Affinity::Text), Some(Affinity::Text)) => Some(known.affinity),
        (Some(Affinity::Text), applied) => {
            if let Expr::Parameter(parameter) = known.value {
                parameter.planned.note_compared();
            }
            matches!(known.value, Expr::Text(_)).then_some(applied)
        }
        (applied, None) => is_numeric(affinity_of(other)).then_some(applied),
        (_, applied) => is_numeric(applied).then_some(applied),
    }
}
