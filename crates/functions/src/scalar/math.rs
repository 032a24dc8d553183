//! The mathematical functions.
//!
//! They take numbers, and texts that are numbers as a whole. For other arguments, and if the result is not a number, they return
//! NULL.

use std::f64::consts::{LN_2, PI};

use lithe_value::number::Numeric;
use lithe_value::{ValueRef, cast};

use super::number::number_of;
use super::{arg, null, pure};
use crate::context::Context;
use crate::error::Result;
use crate::signature::Scalar;

pub(super) const FUNCTIONS: [Scalar; 30] = [
    pure("acos", 1, |context, args| real(context, args, f64::acos)),
    pure("acosh", 1, |context, args| real(context, args, acosh)),
    pure("asin", 1, |context, args| real(context, args, f64::asin)),
    pure("asinh", 1, |context, args| real(context, args, asinh)),
    pure("atan", 1, |context, args| real(context, args, f64::atan)),
    pure("atan2", 2, |context, args| two_reals(context, args, f64::atan2)),
    pure("atanh", 1, |context, args| real(context, args, atanh)),
    pure("ceil", 1, |context, args| integral(context, args, f64::ceil)),
    pure("ceiling", 1, |context, args| integral(context, args, f64::ceil)),
    pure("cos", 1, |context, args| real(context, args, f64::cos)),
    pure("cosh", 1, |context, args| real(context, args, f64::cosh)),
    pure("degrees", 1, |context, args| real(context, args, |x| x * (180.0 / PI))),
    pure("exp", 1, |context, args| real(context, args, f64::exp)),
    pure("floor", 1, |context, args| integral(context, args, f64::floor)),
    pure("ln", 1, |context, args| logarithm(context, args, f64::ln)),
    pure("log", 1, |context, args| logarithm(context, args, f64::log10)),
    pure("log", 2, log_to_base),
    pure("log10", 1, |context, args| logarithm(context, args, f64::log10)),
    pure("log2", 1, |context, args| logarithm(context, args, f64::log2)),
    pure("mod", 2, |context, args| two_reals(context, args, |x, y| x % y)),
    pure("pi", 0, pi),
    pure("pow", 2, |context, args| two_reals(context, args, f64::powf)),
    pure("power", 2, |context, args| two_reals(context, args, f64::powf)),
    pure("radians", 1, |context, args| real(context, args, |x| x * (PI / 180.0))),
    pure("sin", 1, |context, args| real(context, args, f64::sin)),
    pure("sinh", 1, |context, args| real(context, args, f64::sinh)),
    pure("sqrt", 1, |context, args| real(context, args, f64::sqrt)),
    pure("tan", 1, |context, args| real(context, args, f64::tan)),
    pure("tanh", 1, |context, args| real(context, args, f64::tanh)),
    pure("trunc", 1, |context, args| integral(context, args, f64::trunc)),
];

fn real(context: &mut Context<'_>, args: &[ValueRef<'_>], function: fn(f64) -> f64) -> Result {
    let Some(x) = number_of(arg(args, 0)) else { return null(context) };
    context.out.set_real(function(x.to_real()));
    Ok(())
}

fn two_reals(context: &mut Context<'_>, args: &[ValueRef<'_>], function: fn(f64, f64) -> f64) -> Result {
    let (Some(x), Some(y)) = (number_of(arg(args, 0)), number_of(arg(args, 1))) else { return null(context) };
    context.out.set_real(function(x.to_real(), y.to_real()));
    Ok(())
}

/// Integers are returned unchanged, as integers.
fn integral(context: &mut Context<'_>, args: &[ValueRef<'_>], function: fn(f64) -> f64) -> Result {
    match number_of(arg(args, 0)) {
        Some(Numeric::Integer(integer)) => context.out.set_integer(integer),
        Some(Numeric::Real(real)) => context.out.set_real(function(real)),
        None => context.out.set_null(),
    }
    Ok(())
}

/// NULL for numbers that are not positive.
fn logarithm(context: &mut Context<'_>, args: &[ValueRef<'_>], function: fn(f64) -> f64) -> Result {
    match number_of(arg(args, 0)).map(Numeric::to_real) {
        Some(x) if x > 0.0 => context.out.set_real(function(x)),
        _ => context.out.set_null(),
    }
    Ok(())
}

/// `log(base, x)`. A base that is not a number makes the result NULL; `x` is converted like a CAST to REAL.
fn log_to_base(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(base) = number_of(arg(args, 0)).map(Numeric::to_real) else { return null(context) };
    let x = cast::to_real(arg(args, 1));
    let base_logarithm = base.ln();
    // For a base of 1 or less, the result is NULL.
    if x <= 0.0 || base <= 0.0 || base_logarithm <= 0.0 {
        return null(context);
    }
    context.out.set_real(x.ln() / base_logarithm);
    Ok(())
}

fn pi(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_real(PI);
    Ok(())
}

/// Below this a square adds nothing to 1.
const TINY: f64 = 1.0 / (1u64 << 28) as f64;
/// Above this a square plus 1 is the square.
const HUGE: f64 = (1u64 << 28) as f64;

/// Computed as in the C library; the standard library's formula differs in the last digit.
fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x > HUGE {
        x.ln() + LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let above_1 = x - 1.0;
        (above_1 + (2.0 * above_1 + above_1 * above_1).sqrt()).ln_1p()
    }
}

/// Computed as in the C library.
fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    let result = if magnitude < TINY {
        magnitude
    } else if magnitude > HUGE {
        magnitude.ln() + LN_2
    } else if magnitude > 2.0 {
        (2.0 * magnitude + 1.0 / ((magnitude * magnitude + 1.0).sqrt() + magnitude)).ln()
    } else {
        let square = magnitude * magnitude;
        (magnitude + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// Computed as in the C library.
fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    let twice = magnitude + magnitude;
    let result = if magnitude < TINY {
        magnitude
    } else if magnitude < 0.5 {
        0.5 * (twice + twice * magnitude / (1.0 - magnitude)).ln_1p()
    } else {
        0.5 * (twice / (1.0 - magnitude)).ln_1p() // infinite at 1, NaN beyond
    };
    result.copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acosh_below_1_is_no_number() {
        // The sum of x and the root of its square vanishes for the last.
        assert!([0.5, -1.0, -9_223_372_036_854_775_808.0].into_iter().all(|x| acosh(x).is_nan()));
        assert_eq!((acosh(1.0), acosh(2.0)), (0.0, 1.316_957_896_924_816_6));
    }
}
