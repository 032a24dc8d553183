//! Constant propagation in WHERE: a column that must be equal to a constant is that constant in the other conditions.
//!
//! ```text
//!   x.k = y.k AND y.k = 5     ──▶     x.k = 5 AND y.k = 5
//!   x.k > y.k + 1 AND y.k = 5 ──▶     x.k > 5 + 1 AND y.k = 5
//! ```
//!
//! Each source then has a condition of its own: an automatic index on either holds fewer rows, and the join order is free. A condition
//! that has become constant is checked before all loops.

use lithe_resolve::ir::{
    Coll, Column, Compare, CompareOp, Expr, Fixed, How, JoinKind, Query, Select, Term, TermOrigin, UnaryOp,
    affinity_of, is_constant, may_have_subtype, skip_collate,
};
use lithe_value::Affinity;

use super::Rewriter;
use super::map::{Change, Map, Nested};

/// A column that is equal to a constant in every row of the result.
#[derive(Clone, Copy)]
struct Equality<'a> {
    /// The equality, by its position among the conditions.
    term: usize,
    column: &'a Column<'a>,
    value: Expr<'a>,
    /// The affinity that the comparison applies to the constant.
    affinity: Option<Affinity>,
}

/// The equalities, with the one first that SQLite finds first: the last.
type Equalities<'a> = Vec<Equality<'a>>;

impl<'a> Rewriter<'a> {
    /// The SELECT with constants in the place of columns that are equal to them.
    pub(super) fn propagate_constants(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let mut select = select;
        // What has become equal to a constant is propagated, too, each time one column more.
        for _ in 0..select.terms.len() {
            match self.propagated_once(select) {
                Some(changed) => select = changed,
                None => break,
            }
        }
        select
    }

    fn propagated_once(&self, select: &'a Select<'a>) -> Option<&'a Select<'a>> {
        let has_right = select.sources.iter().any(|source| matches!(source.join, JoinKind::Right | JoinKind::Full));
        let counts = |term: &Term<'a>| match term.origin {
            TermOrigin::Where => true,
            TermOrigin::InnerOn(_) => !has_right,
            TermOrigin::OuterOn(_) => false,
        };
        let usable = select.terms.iter().enumerate().filter(|(_, term)| counts(term));
        let fixed: Equalities<'a> = usable.clone().rev().filter_map(|(at, term)| equality(at, &term.expr)).collect();
        if fixed.is_empty() {
            return None;
        }
        let changed: Vec<(usize, Expr<'a>)> =
            usable.filter_map(|(at, term)| Some((at, self.with_constants(at, &term.expr, &fixed)?))).collect();
        if changed.is_empty() {
            return None;
        }
        let terms = self.arena.alloc_slice_copy(select.terms);
        changed.into_iter().for_each(|(at, expr)| terms[at].expr = expr);
        Some(self.arena.alloc(Select { terms, ..*select }))
    }

    /// The condition at `at` with the columns replaced that are equal to constants; none if there are none.
    fn with_constants(&self, at: usize, expr: &Expr<'a>, fixed: &Equalities<'a>) -> Option<Expr<'a>> {
        let compared = self.with_constant(at, expr, fixed);
        let mut fix = Fix { rewriter: self, at, fixed, is_changed: false };
        let whole = Map { arena: self.arena, change: &mut fix }.expr(&compared.unwrap_or(*expr));
        (compared.is_some() || fix.is_changed).then_some(whole)
    }

    /// The comparison at `at` with one of its columns replaced by its constant; none if it does not compare such a column with another
    /// expression.
    fn with_constant(&self, at: usize, expr: &Expr<'a>, fixed: &Equalities<'a>) -> Option<Expr<'a>> {
        let Expr::Compare(compare) = expr else { return None };
        let sides = [(compare.left, compare.right), (compare.right, compare.left)];
        sides.iter().enumerate().find_map(|(side, (replaced, other))| {
            let Expr::Column(column) = skip_collate(*replaced) else { return None };
            // Columns with an affinity are replaced in any case.
            let is_bare =
                column.affinity.is_none_or(|affinity| affinity == Affinity::Blob) && !column.is_of_virtual_table();
            let is_left_out = matches!(compare.op, CompareOp::Ne | CompareOp::IsNot);
            if is_constant(other) && (!is_bare || is_left_out) {
                return None;
            }
            // The module gets the constant as a value of the column that it replaces.
            if matches!(skip_collate(*other), Expr::Column(other) if other.is_of_virtual_table()) {
                return None;
            }
            let known = known(fixed, at, column)?;
            let affinity = affinity_for(known, compare, other)?;
            let how = How { affinity, ..compare.how };
            let (left, right) = if side == 0 { (known.value, compare.right) } else { (compare.left, known.value) };
            let replaced = if is_constant(other) { None } else { Some(known.column) };
            Some(Expr::Compare(self.arena.alloc(Compare { op: compare.op, left, right, how, replaced })))
        })
    }
}

/// Replaces columns wherever they stand, nested queries left out.
struct Fix<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    /// The position of the condition.
    at: usize,
    fixed: &'r Equalities<'a>,
    is_changed: bool,
}

impl<'a> Change<'a> for Fix<'_, 'a> {
    fn column(&mut self, column: &'a Column<'a>) -> Option<Expr<'a>> {
        // As in SQLite, one without an affinity stays, unless it is compared. The module of a virtual table wants to see its columns.
        let is_plain =
            column.affinity.is_some_and(|affinity| affinity != Affinity::Blob) && !column.is_of_virtual_table();
        let known = known(self.fixed, self.at, column).filter(|_| is_plain)?;
        self.is_changed = true;
        let arena = self.rewriter.arena;
        let value = match may_have_subtype(&known.value) {
            true => Expr::Unary(UnaryOp::DropSubtype, arena.alloc(known.value)),
            false => known.value,
        };
        Some(Expr::Fixed(arena.alloc(Fixed { column, value })))
    }

    fn query(&mut self, _: &'a Query<'a>) -> Nested<'a> {
        Nested::Whole(None)
    }
}

/// What the column is equal to outside of the condition at `at`.
fn known<'k, 'a>(fixed: &'k Equalities<'a>, at: usize, column: &Column<'a>) -> Option<&'k Equality<'a>> {
    fixed.iter().find(|known| known.column.is_same(column)).filter(|known| known.term != at)
}

/// The column that the condition at `at` makes equal to a constant. A constant with an affinity does not count in SQLite: a CAST, or a
/// column that is one itself. Neither does a built-in function that gives a subtype.
fn equality<'a>(at: usize, expr: &Expr<'a>) -> Option<Equality<'a>> {
    let Expr::Compare(compare) = expr else { return None };
    if compare.op != CompareOp::Eq || compare.how.collation != Coll::Binary || compare.replaced.is_some() {
        return None;
    }
    let (column, value) = match (compare.left, compare.right) {
        (Expr::Column(column), value) | (value, Expr::Column(column)) => (column, value),
        _ => return None,
    };
    let is_plain = affinity_of(&value).is_none() && is_constant(&value) && !gives_subtype(&value);
    is_plain.then_some(Equality { term: at, column, value, affinity: compare.how.affinity })
}

/// Whether the value is that of a built-in function that gives a subtype.
fn gives_subtype(value: &Expr<'_>) -> bool {
    !matches!(value, Expr::Function(call) if !call.function.is_builtin()) && may_have_subtype(value)
}

/// The affinity to apply to both sides of a comparison once the column is replaced by its constant; `None` if the result might
/// differ.
fn affinity_for<'a>(known: &Equality<'a>, compare: &Compare<'a>, other: &Expr<'a>) -> Option<Option<Affinity>> {
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
