//! Which expressions have the same value for all rows.

use lithe_value::Value;

use super::{Child, Expr, UnaryOp, for_each_child};

/// Whether the value is the same throughout one run of the statement: the expression consists of literals, parameters
/// and functions whose results depend only on their arguments. An expression with a nested query is not constant here,
/// though some nested queries are.
pub fn is_constant(expr: &Expr<'_>) -> bool {
    match expr {
        Expr::Column(_)
        | Expr::Aggregate(_)
        | Expr::Window(_)
        | Expr::Subquery(_)
        | Expr::SubqueryColumn(..)
        | Expr::Exists(_)
        | Expr::Raise(_)
        | Expr::Computed(..)
        | Expr::Output(_) => return false,
        Expr::Function(call) if !call.function.is_constant_in_statement() => return false,
        _ if expr.is_leaf() => return true,
        _ => {}
    }
    let mut constant = true;
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => constant = constant && is_constant(operand),
        Child::Query(_) => constant = false,
    });
    constant
}

/// Whether the value depends on nothing but columns, parameters and literals, nested queries not entered.
pub fn is_deterministic(expr: &Expr<'_>) -> bool {
    !super::any(expr, &mut |e| matches!(e, Expr::Function(call) if !call.function.is_constant_in_statement()))
}

/// The value of a literal, a number perhaps with a minus before it.
pub fn literal_value(expr: &Expr<'_>) -> Option<Value> {
    Some(match *expr {
        Expr::Null => Value::NULL,
        Expr::Integer(integer) => Value::from(integer),
        Expr::Boolean(truth) => Value::from(i64::from(truth)),
        Expr::Real(real) => Value::from(real),
        Expr::Text(text) => Value::text(text),
        Expr::Blob(blob) => Value::blob(blob),
        Expr::Unary(UnaryOp::Negate, Expr::Integer(integer)) => Value::from(integer.checked_neg()?),
        Expr::Unary(UnaryOp::Negate, Expr::Real(real)) => Value::from(-real),
        _ => return None,
    })
}

/// The truth value of AND, OR or a number, if numbers alone decide it: numbers of 31 bits without a sign, as in SQLite.
pub fn known_truth(expr: &Expr<'_>) -> Option<bool> {
    const TRUE: std::ops::RangeInclusive<i64> = 1..=i32::MAX as i64;
    match expr {
        Expr::Boolean(truth) => Some(*truth),
        Expr::Integer(0) => Some(false),
        Expr::Integer(number) => TRUE.contains(number).then_some(true),
        Expr::And(left, right) => match (known_truth(left), known_truth(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Expr::Or(left, right) => match (known_truth(left), known_truth(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}
