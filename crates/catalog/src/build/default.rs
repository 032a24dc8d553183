//! The value that a DEFAULT has in rows from before ALTER TABLE ADD COLUMN.
//!
//! Such rows are not rewritten, so the value must be known without running a program. In a TEXT column it is the number as it
//! was written (`2.50`), where a new row gets the text of the number (`2.5`), as in SQLite.

use lithe_sql::ast::{Expr, ExprKind, UnaryOp};
use lithe_sql::text::is_smallest_integer;
use lithe_value::number::Numeric;
use lithe_value::{Affinity, Encoding, Value, ValueRef, cast};

use super::prohibit::literal_value;

/// The value of a constant that will have `affinity`, before the affinity is applied; `None` for an expression that
/// SQLite does not treat as a constant here.
pub(super) fn of_old_rows(expr: &Expr<'_>, affinity: Affinity) -> Option<Value> {
    let is_text = affinity == Affinity::Text;
    match &expr.kind {
        ExprKind::Float(digits) if is_text => Some(Value::text(*digits)),
        ExprKind::Unary(UnaryOp::Plus, operand) => of_old_rows(operand, affinity),
        ExprKind::Unary(UnaryOp::Minus, operand) => match &operand.kind {
            ExprKind::Float(digits) if is_text => Some(Value::text([b"-", *digits].concat())),
            ExprKind::Float(digits) if is_smallest_integer(digits) => Some(Value::from(i64::MIN)),
            _ => Some(negated(of_old_rows(operand, affinity)?.as_ref())),
        },
        ExprKind::Cast(cast) => {
            let affinity = Affinity::of_cast(cast.type_name);
            let value = of_old_rows(&cast.value, affinity)?;
            let mut result = Value::NULL;
            cast::cast(value.as_ref(), affinity, Encoding::Utf8, &mut result);
            Some(result)
        }
        _ => literal_value(expr),
    }
}

fn negated(value: ValueRef<'_>) -> Value {
    match cast::to_number(value) {
        None => Value::NULL,
        Some(Numeric::Integer(integer)) => match integer.checked_neg() {
            Some(negative) => Value::from(negative),
            None => Value::from(-(integer as f64)),
        },
        Some(Numeric::Real(real)) => Value::from(-real),
    }
}
