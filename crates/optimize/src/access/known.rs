//! The values that the planner looks up in samples: literals, bound parameters, and calls of functions with such arguments.
//!
//! SQLite does not evaluate operators, nested calls and queries, and takes the value of a parameter only where no sign stands before it.

use lithe_base::ResultCode;
use lithe_catalog::CompileError;
use lithe_resolve::ir::{Call, Expr, UnaryOp, literal_value};
use lithe_value::{Encoding, Value, ValueRef};

use super::context::PlanContext;

/// The nesting of signs, casts and collations that are looked through.
const DEPTH_MAX: usize = 20;

/// The value of an expression in the place of a constant.
pub fn value_of<'a>(context: &PlanContext<'a>, expr: &Expr<'a>) -> Option<Value> {
    match expr {
        Expr::Parameter(parameter) => context.env.bound_value(parameter.number).cloned(),
        Expr::Boolean(_) => literal_value(expr),
        expr => constant(context, expr, true, DEPTH_MAX),
    }
}

/// The value of a literal or, if `calls` are allowed, of a call, perhaps with signs, casts and collations around it.
fn constant<'a>(context: &PlanContext<'a>, expr: &Expr<'a>, calls: bool, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match expr {
        Expr::Boolean(_) => None,
        Expr::Unary(UnaryOp::Plus, operand) | Expr::Collate(operand, _) => constant(context, operand, calls, depth),
        Expr::Unary(UnaryOp::Negate, operand) => match literal_value(expr) {
            Some(value) => Some(value),
            None => negated(constant(context, operand, calls, depth)?.as_ref()),
        },
        Expr::Cast(operand, affinity) => {
            let value = constant(context, operand, calls, depth)?;
            let mut result = Value::default();
            lithe_value::cast::cast(value.as_ref(), *affinity, encoding(context), &mut result);
            Some(result)
        }
        Expr::Function(call) if calls => result(context, call),
        expr => literal_value(expr),
    }
}

fn negated(value: ValueRef<'_>) -> Option<Value> {
    Some(match value {
        ValueRef::Null => Value::NULL,
        ValueRef::Integer(value) => value.checked_neg().map_or_else(|| Value::from(-(value as f64)), Value::from),
        ValueRef::Real(value) => Value::from(-value),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            let mut number = Value::default();
            lithe_value::cast::cast(value, lithe_value::Affinity::Numeric, Encoding::Utf8, &mut number);
            match number.as_ref() {
                ValueRef::Integer(_) | ValueRef::Real(_) => return negated(number.as_ref()),
                _ => Value::from(0i64),
            }
        }
    })
}

/// The result of a call whose arguments are constants or parameters. An error of the function is the statement's.
fn result<'a>(context: &PlanContext<'a>, call: &'a Call<'a>) -> Option<Value> {
    if let Some(value) = context.known_result(call) {
        return Some(value);
    }
    let evaluator = context.resolver.evaluator?;
    if !call.function.is_called_by_planner() {
        return None;
    }
    let argument = |expr: &Expr<'a>| match expr {
        Expr::Parameter(parameter) => context.env.bound_value(parameter.number).cloned(),
        expr => constant(context, expr, false, DEPTH_MAX),
    };
    let arguments = call.args.iter().map(argument).collect::<Option<Vec<Value>>>()?;
    let arguments: Vec<ValueRef<'_>> = arguments.iter().map(Value::as_ref).collect();
    let collation = context.env.collation(call.collation).ok()?;
    match evaluator.call(call.function, &arguments, &collation) {
        Ok(value) => {
            context.note_result(call, value.clone());
            Some(value)
        }
        Err(error) => {
            let code = ResultCode(error.code);
            let message = if error.message.is_empty() { code.text().into() } else { error.into_message() };
            context.fail(CompileError::new(message).with_code(code));
            None
        }
    }
}

fn encoding(context: &PlanContext<'_>) -> Encoding {
    context.env.encoding()
}
