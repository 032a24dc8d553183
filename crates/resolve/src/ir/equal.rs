//! When two expressions are the same: GROUP BY and ORDER BY terms that are result columns, indexed expressions, equal
//! aggregates.

use std::sync::Arc;

use super::{Aggregate, Call, Expr, FrameBound, How, In, InSet, OrderTerm, Parameter, Window};

impl Aggregate<'_> {
    /// `f(DISTINCT x ORDER BY x)`: of equal arguments, which ORDER BY brings together, SQLite takes the last one.
    pub fn is_distinct_by_order(&self) -> bool {
        self.distinct && matches!((self.args, self.order_by), ([arg], [term]) if same(&term.expr, arg))
    }
}

/// Whether the two are built alike from the same columns. Expressions with nested queries are never the same.
pub fn same<'a>(left: &Expr<'a>, right: &Expr<'a>) -> bool {
    match (left, right) {
        (Expr::Null, Expr::Null) => true,
        (Expr::Integer(x), Expr::Integer(y)) => x == y,
        (Expr::Boolean(x), Expr::Boolean(y)) => x == y,
        (Expr::Real(x), Expr::Real(y)) => x.to_bits() == y.to_bits(),
        (Expr::Text(x), Expr::Text(y)) | (Expr::Blob(x), Expr::Blob(y)) => x == y,
        (Expr::Parameter(x), other) | (other, Expr::Parameter(x)) => is_parameter(*x, other),
        (Expr::Column(x), Expr::Column(y)) => x.is_same(y),
        // A partial index and an index on an expression know the column alone.
        (Expr::Fixed(fixed), Expr::Column(column)) | (Expr::Column(column), Expr::Fixed(fixed)) => {
            fixed.column.is_same(column)
        }
        (Expr::Fixed(x), Expr::Fixed(y)) => x.column.is_same(y.column) && same(&x.value, &y.value),
        (Expr::Unary(f, x), Expr::Unary(g, y)) => f == g && same(x, y),
        (Expr::Binary(f, a, b), Expr::Binary(g, c, d)) => f == g && same(a, c) && same(b, d),
        (Expr::And(a, b), Expr::And(c, d)) | (Expr::Or(a, b), Expr::Or(c, d)) => same(a, c) && same(b, d),
        (Expr::Compare(x), Expr::Compare(y)) => {
            x.op == y.op && same(&x.left, &y.left) && same(&x.right, &y.right) && same_how(&x.how, &y.how)
        }
        (Expr::CompareRows(x), Expr::CompareRows(y)) => {
            x.op == y.op && same(&x.left, &y.left) && same(&x.right, &y.right)
        }
        (Expr::IsNull(x, not_x), Expr::IsNull(y, not_y)) => not_x == not_y && same(x, y),
        (Expr::IsTrue(x, f), Expr::IsTrue(y, g)) => f == g && same(x, y),
        (Expr::Between(x), Expr::Between(y)) => {
            same(&x.value, &y.value) && same(&x.low, &y.low) && same(&x.high, &y.high)
        }
        (Expr::In(x), Expr::In(y)) => same_in(x, y),
        (Expr::Case(x), Expr::Case(y)) => {
            same_option(&x.operand, &y.operand)
                && x.whens.len() == y.whens.len()
                && x.whens
                    .iter()
                    .zip(y.whens)
                    .all(|(a, b)| same(&a.condition, &b.condition) && same(&a.value, &b.value))
                && same_option(&x.otherwise, &y.otherwise)
        }
        (Expr::Matched(x), Expr::Matched(y)) => same(&x.key, &y.key) && same(&x.value, &y.value),
        (Expr::Cast(x, f), Expr::Cast(y, g)) => f == g && same(x, y),
        (Expr::Collate(x, f), Expr::Collate(y, g)) => f == g && same(x, y),
        (Expr::Function(x), Expr::Function(y)) => same_function(x, y) && same_all(x.args, y.args),
        (Expr::Aggregate(x), Expr::Aggregate(y)) => x.id == y.id || same_aggregate(x, y),
        (Expr::Window(x), Expr::Window(y)) => x.id == y.id,
        (Expr::Row(x), Expr::Row(y)) => same_all(x, y),
        (Expr::Computed(x, _), Expr::Computed(y, _)) => x == y,
        (Expr::Output(x), Expr::Output(y)) => x.position == y.position,
        _ => false,
    }
}

/// Whether the other expression is the same parameter. That it is not is noted, because literals in the place of both might be the same.
fn is_parameter(parameter: Parameter<'_>, other: &Expr<'_>) -> bool {
    match other {
        Expr::Parameter(other) if other.number == parameter.number => return true,
        Expr::Parameter(_) | Expr::Integer(_) | Expr::Real(_) | Expr::Text(_) | Expr::Blob(_) => {
            parameter.planned.note_compared();
        }
        _ => {}
    }
    false
}

/// Whether two calls with equal arguments call the same function. A virtual table makes a function of its own for each call.
fn same_function(left: &Call<'_>, right: &Call<'_>) -> bool {
    match (left.overloads, right.overloads) {
        (Some(x), Some(y)) => x.column == y.column && Arc::ptr_eq(x.function, y.function),
        _ => Arc::ptr_eq(left.function, right.function),
    }
}

/// Whether two aggregate calls give the same result.
pub fn same_aggregate<'a>(left: &Aggregate<'a>, right: &Aggregate<'a>) -> bool {
    Arc::ptr_eq(left.function, right.function)
        && left.distinct == right.distinct
        && same_all(left.args, right.args)
        && same_option(&left.filter, &right.filter)
        && same_order(left.order_by, right.order_by)
}

/// Whether two lists of expressions are the same.
pub fn same_all<'a>(left: &[Expr<'a>], right: &[Expr<'a>]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(x, y)| same(x, y))
}

/// Whether two lists sort alike.
pub fn same_order<'a>(left: &[OrderTerm<'a>], right: &[OrderTerm<'a>]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(x, y)| same_order_term(x, y))
}

fn same_order_term<'a>(left: &OrderTerm<'a>, right: &OrderTerm<'a>) -> bool {
    left.descending == right.descending
        && left.nulls_opposite == right.nulls_opposite
        && left.collation == right.collation
        && same(&left.expr, &right.expr)
}

fn same_option<'a>(left: &Option<Expr<'a>>, right: &Option<Expr<'a>>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(x), Some(y)) => same(x, y),
        _ => false,
    }
}

fn same_how(left: &How<'_>, right: &How<'_>) -> bool {
    left.affinity == right.affinity && left.collation == right.collation
}

fn same_in<'a>(left: &In<'a>, right: &In<'a>) -> bool {
    match (&left.set, &right.set) {
        (InSet::List(x), InSet::List(y)) => same(&left.value, &right.value) && same_all(x, y),
        _ => false,
    }
}

/// Whether two windows have the same PARTITION BY and ORDER BY.
pub fn sorts_alike(one: &Window<'_>, other: &Window<'_>) -> bool {
    same_all(one.partition_by, other.partition_by) && same_order(one.order_by, other.order_by)
}

/// Whether two windows are the same, their frames included.
pub fn same_window(one: &Window<'_>, other: &Window<'_>) -> bool {
    let same_bound = |one: &FrameBound<'_>, other: &FrameBound<'_>| match (one, other) {
        (FrameBound::Unbounded, FrameBound::Unbounded) | (FrameBound::CurrentRow, FrameBound::CurrentRow) => true,
        (FrameBound::Preceding(one), FrameBound::Preceding(other))
        | (FrameBound::Following(one), FrameBound::Following(other)) => same(one, other),
        _ => false,
    };
    sorts_alike(one, other)
        && one.unit == other.unit
        && one.exclude == other.exclude
        && same_bound(&one.start, &other.start)
        && same_bound(&one.end, &other.end)
}
