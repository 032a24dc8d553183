//! Numbers: absolute value, sign, rounding, random numbers.

use lithe_value::number::{Decimal, Numeric, text_to_real, whole_number};
use lithe_value::{ValueRef, cast};

use super::{arg, null, pure};
use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::signature::{Arity, Beside, Flags, Scalar, Shortcut};

pub(super) const FUNCTIONS: [Scalar; 5] = [
    pure("abs", 1, abs).or_shortcut(Shortcut::Value(short_abs)),
    Scalar { name: "random", args: Arity::Exactly(0), flags: Flags::INNOCUOUS, eval: random, shortcut: None },
    pure("round", 1, round),
    pure("round", 2, round),
    pure("sign", 1, sign),
];

/// The numeric value of a number, or of a text that is a number as a whole; `None` for all other values.
pub(super) fn number_of(value: ValueRef<'_>) -> Option<Numeric> {
    match value {
        ValueRef::Integer(integer) => Some(Numeric::Integer(integer)),
        ValueRef::Real(real) => Some(Numeric::Real(real)),
        ValueRef::Text(text) => whole_number(text),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

fn abs(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match arg(args, 0) {
        ValueRef::Null => context.out.set_null(),
        ValueRef::Integer(integer) => match integer.checked_abs() {
            Some(absolute) => context.out.set_integer(absolute),
            None => return Err(FunctionError::new("integer overflow")),
        },
        other => {
            let real = cast::to_real(other);
            // Negative zero stays as it is.
            context.out.set_real(if real < 0.0 { -real } else { real });
        }
    }
    Ok(())
}

fn short_abs<'a>(args: &[ValueRef<'a>], _: Beside<'a>) -> Option<ValueRef<'a>> {
    match *args {
        [ValueRef::Integer(integer)] => integer.checked_abs().map(ValueRef::Integer),
        [ValueRef::Real(real)] => Some(ValueRef::Real(if real < 0.0 { -real } else { real })),
        _ => None,
    }
}

/// -1, 0 or 1; NULL if the argument is not a number.
fn sign(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(number) = number_of(arg(args, 0)) else { return null(context) };
    let real = number.to_real();
    context.out.set_integer(i64::from(real > 0.0) - i64::from(real < 0.0));
    Ok(())
}

/// A real rounded half away from zero to 0 to 30 digits after the point.
fn round(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    const DIGITS_MAX: i64 = 30;
    /// Reals of this magnitude and above have no fraction.
    const INTEGRAL_MIN: f64 = 4_503_599_627_370_496.0;
    let digits = match args.get(1) {
        Some(ValueRef::Null) => return null(context),
        Some(&digits) => cast::to_integer(digits).clamp(0, DIGITS_MAX),
        None => 0,
    };
    if arg(args, 0).is_null() {
        return null(context);
    }
    let real = cast::to_real(arg(args, 0));
    let rounded = if !(-INTEGRAL_MIN..=INTEGRAL_MIN).contains(&real) {
        real
    } else if digits == 0 {
        // The conversion to an integer makes -0.0 to 0.0.
        (real + if real < 0.0 { -0.5 } else { 0.5 }) as i64 as f64
    } else {
        round_decimal(real, digits as i32)
    };
    context.out.set_real(rounded);
    Ok(())
}

/// Rounds the exact decimal expansion: 2.675 as a real is slightly less than 2.675, and is rounded to 2.67.
fn round_decimal(real: f64, digits: i32) -> f64 {
    const SIGNIFICANT_MAX: i32 = 26;
    let decimal = Decimal::fixed(real, digits, SIGNIFICANT_MAX);
    let mut text = Vec::with_capacity(40);
    if real < 0.0 {
        text.push(b'-');
    }
    text.extend_from_slice(decimal.digits());
    text.extend_from_slice(format!("e{}", decimal.point() - decimal.digits().len() as i32).as_bytes());
    text_to_real(&text)
}

fn random(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    let mut bytes = [0; 8];
    context.connection.randomness(&mut bytes);
    context.out.set_integer(i64::from_le_bytes(bytes));
    Ok(())
}
