//! The arithmetic and bit operators.
//!
//! NULL in, NULL out. Texts and blobs count as the number at their start. Two integers give an integer, or a real if
//! that would overflow; division by zero gives NULL.

use crate::buffer::OutOfMemory;
use crate::cast;
use crate::number::{NumberText, Numeric};
use crate::value::Value;
use crate::value_ref::ValueRef;

/// A number, or NULL: never a text or blob, so it borrows nothing.
pub type Number = ValueRef<'static>;

/// `left + right`
#[inline]
pub fn add(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    arithmetic(left, right, i64::checked_add, |a, b| a + b)
}

/// `left - right`
#[inline]
pub fn subtract(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    arithmetic(left, right, i64::checked_sub, |a, b| a - b)
}

/// `left * right`
#[inline]
pub fn multiply(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    arithmetic(left, right, i64::checked_mul, |a, b| a * b)
}

/// `left / right`: between integers the quotient is truncated.
#[inline]
pub fn divide(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    match (cast::to_number(left), cast::to_number(right)) {
        (Some(Numeric::Integer(left)), Some(Numeric::Integer(right))) => match (left, right) {
            (_, 0) => Number::Null,
            // The one quotient that overflows: -2^63 by -1.
            _ => left.checked_div(right).map_or(Number::Real(-(left as f64)), Number::Integer),
        },
        (Some(_), Some(_)) => match cast::to_real(right) {
            0.0 => Number::Null,
            divisor => Number::from(cast::to_real(left) / divisor),
        },
        _ => Number::Null,
    }
}

/// `left % right`: of the operands cast to integers; a real if one of them is a real.
#[inline]
pub fn remainder(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    // As integers the texts lose their exponents: '1e3' counts as 1 here, but it is a real for the class of the result.
    let is_integer = |number| matches!(number, Numeric::Integer(_));
    let (Some(left_number), Some(right_number)) = (cast::to_number(left), cast::to_number(right)) else {
        return Number::Null;
    };
    let remainder = match cast::to_integer(right) {
        0 => return Number::Null,
        divisor => cast::to_integer(left).wrapping_rem(divisor), // -2^63 % -1 is 0
    };
    if is_integer(left_number) && is_integer(right_number) {
        Number::Integer(remainder)
    } else {
        Number::Real(remainder as f64)
    }
}

/// `-operand`
#[inline]
pub fn negate(operand: ValueRef<'_>) -> Number {
    subtract(ValueRef::Integer(0), operand)
}

/// `left & right`
#[inline]
pub fn bit_and(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    bitwise(left, right, |a, b| a & b)
}

/// `left | right`
#[inline]
pub fn bit_or(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    bitwise(left, right, |a, b| a | b)
}

/// `~operand`
#[inline]
pub fn bit_not(operand: ValueRef<'_>) -> Number {
    if operand.is_null() { Number::Null } else { Number::Integer(!cast::to_integer(operand)) }
}

/// `left << right`
#[inline]
pub fn shift_left(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    bitwise(left, right, shift)
}

/// `left >> right`
#[inline]
pub fn shift_right(left: ValueRef<'_>, right: ValueRef<'_>) -> Number {
    // -2^63 has no negative; the next number shifts all bits out as well.
    bitwise(left, right, |a, b| shift(a, b.saturating_neg()))
}

/// The reason why a text or blob cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcatError {
    /// The value would be longer than the limit of the connection.
    TooBig,
    /// There is not enough memory.
    OutOfMemory,
}

impl From<OutOfMemory> for ConcatError {
    fn from(_: OutOfMemory) -> ConcatError {
        ConcatError::OutOfMemory
    }
}

/// `left || right`: a text of at most `length_max` bytes.
pub fn concat(left: ValueRef<'_>, right: ValueRef<'_>, length_max: usize, out: &mut Value) -> Result<(), ConcatError> {
    if left.is_null() || right.is_null() {
        out.set_null();
        return Ok(());
    }
    let (mut left_scratch, mut right_scratch) = (NumberText::default(), NumberText::default());
    let left = cast::to_bytes(left, &mut left_scratch);
    let right = cast::to_bytes(right, &mut right_scratch);
    let length = left.len().saturating_add(right.len());
    if length > length_max {
        return Err(ConcatError::TooBig);
    }
    let mut buffer = out.take_buffer();
    buffer.try_reserve(length)?;
    buffer.extend(left);
    buffer.extend(right);
    out.set_text_buffer(buffer);
    Ok(())
}

#[inline(always)]
fn arithmetic(
    left: ValueRef<'_>,
    right: ValueRef<'_>,
    integers: fn(i64, i64) -> Option<i64>,
    reals: fn(f64, f64) -> f64,
) -> Number {
    if let (ValueRef::Integer(left), ValueRef::Integer(right)) = (left, right) {
        return on_integers(left, right, integers, reals);
    }
    match (cast::to_number(left), cast::to_number(right)) {
        (Some(Numeric::Integer(left)), Some(Numeric::Integer(right))) => on_integers(left, right, integers, reals),
        // The texts themselves are read as reals: '-0' is an integer without a sign, but as a real it has one.
        (Some(_), Some(_)) => Number::from(reals(cast::to_real(left), cast::to_real(right))),
        _ => Number::Null,
    }
}

#[inline(always)]
fn on_integers(left: i64, right: i64, integers: fn(i64, i64) -> Option<i64>, reals: fn(f64, f64) -> f64) -> Number {
    match integers(left, right) {
        Some(integer) => Number::Integer(integer),
        None => Number::from(reals(left as f64, right as f64)),
    }
}

#[inline(always)]
fn bitwise(left: ValueRef<'_>, right: ValueRef<'_>, operation: fn(i64, i64) -> i64) -> Number {
    if left.is_null() || right.is_null() {
        return Number::Null;
    }
    Number::Integer(operation(cast::to_integer(left), cast::to_integer(right)))
}

/// Shifts left, or right by a negative count; then the sign bit fills from the left.
fn shift(integer: i64, count: i64) -> i64 {
    match count {
        64.. => 0,
        0..=63 => integer << count,
        -63..=-1 => integer >> -count,
        _ => integer >> 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Operator = fn(ValueRef<'_>, ValueRef<'_>) -> Number;

    #[track_caller]
    fn check<'a>(
        operator: Operator,
        left: impl Into<ValueRef<'a>>,
        right: impl Into<ValueRef<'a>>,
        expected: impl Into<Number>,
    ) {
        assert_eq!(operator(left.into(), right.into()), expected.into());
    }

    #[test]
    fn arithmetic() {
        check(add, 1, 2, 3);
        check(add, i64::MAX, 1, 9_223_372_036_854_775_808.0);
        check(add, "12abc", " 1.5", 13.5);
        check(add, 1, ValueRef::Null, ValueRef::Null);
        check(subtract, f64::INFINITY, f64::INFINITY, ValueRef::Null);
        assert!(matches!(multiply("-0".into(), 0.5.into()), Number::Real(zero) if zero.is_sign_negative()));
        check(multiply, i64::MIN, -1, 9_223_372_036_854_775_808.0);
        check(divide, 7, -2, -3);
        check(divide, 7.0, 2, 3.5);
        check(divide, 7, 0, ValueRef::Null);
        check(divide, 7, 0.0, ValueRef::Null);
        check(divide, i64::MIN, -1, 9_223_372_036_854_775_808.0);
        check(remainder, -7, 3, -1);
        check(remainder, 7.9, 3, 1.0);
        check(remainder, 7, 0.5, ValueRef::Null);
        check(remainder, i64::MIN, -1, 0);
        check(remainder, 7, "-1e400", 0.0);
        assert_eq!(negate(i64::MIN.into()), Number::Real(9_223_372_036_854_775_808.0));
    }

    #[test]
    fn bits() {
        check(bit_and, 12, "10.9", 8);
        check(bit_or, 12, 3.9, 15);
        check(shift_left, 1, 63, i64::MIN);
        check(shift_left, 1, 64, 0);
        check(shift_left, -8, -2, -2);
        check(shift_right, -8, 100, -1);
        check(shift_right, -8, i64::MIN, 0);
        check(shift_left, -8, i64::MIN, -1);
        assert_eq!(bit_not(ValueRef::Null), Number::Null);
        assert_eq!(bit_not("0".into()), Number::Integer(-1));
    }

    #[test]
    fn concatenation() {
        let mut out = Value::NULL;
        concat("a".into(), 1.5.into(), 4, &mut out).unwrap();
        assert_eq!(out, Value::from("a1.5"));
        assert_eq!(concat("ab".into(), 1.5.into(), 4, &mut out), Err(ConcatError::TooBig));
        concat("a".into(), ValueRef::Null, 4, &mut out).unwrap();
        assert!(out.is_null());
    }
}
