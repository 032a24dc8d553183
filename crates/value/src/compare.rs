//! The order of values: NULL, then numbers, then text, then blobs.
//!
//! An integer and a real are compared exactly: neither is rounded to the other's type first, so
//! that 9007199254740993 is more than 9007199254740992.0.

use std::cmp::Ordering;

use crate::bytes::compare_bytes;
use crate::collation::Collation;
use crate::value_ref::ValueRef;

/// The order of two values, texts under `collation`. NULL equals NULL here, as in ORDER BY, DISTINCT and indexes;
/// operators that answer NULL for a NULL check that before.
#[inline]
pub fn compare(left: ValueRef<'_>, right: ValueRef<'_>, collation: &Collation) -> Ordering {
    use ValueRef::{Blob, Integer, Real, Text};
    match (left, right) {
        (Integer(left), Integer(right)) => left.cmp(&right),
        (Text(left), Text(right)) => collation.compare(left, right),
        (Real(left), Real(right)) => compare_reals(left, right),
        (Integer(left), Real(right)) => compare_integer_real(left, right),
        (Real(left), Integer(right)) => compare_integer_real(right, left).reverse(),
        (Blob(left), Blob(right)) => compare_bytes(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Whether two values are the same in an index or under DISTINCT.
#[inline]
pub fn equal(left: ValueRef<'_>, right: ValueRef<'_>, collation: &Collation) -> bool {
    match (left, right) {
        // The length is compared first, because most texts that differ have different lengths.
        (ValueRef::Text(left), ValueRef::Text(right)) if collation.is_binary() => left == right,
        (ValueRef::Blob(left), ValueRef::Blob(right)) => left == right,
        _ => compare(left, right, collation).is_eq(),
    }
}

/// The order of two reals. NaN, which no value contains, is less than all others.
#[inline]
pub fn compare_reals(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| right.is_nan().cmp(&left.is_nan()))
}

/// The order of an integer and a real, without rounding either.
#[inline]
pub fn compare_integer_real(integer: i64, real: f64) -> Ordering {
    /// 2^63: the first real that is greater than all integers. The last one below it is exact too.
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if real.is_nan() || real < -TWO_TO_63 {
        return Ordering::Greater;
    }
    if real >= TWO_TO_63 {
        return Ordering::Less;
    }
    // In this range the cast only truncates; between equals the truncated fraction decides.
    let truncated = real as i64;
    integer.cmp(&truncated).then_with(|| {
        if truncated == i64::MIN {
            return Ordering::Equal; // The real is -2^63 itself: reals that large have no fraction.
        }
        compare_reals(truncated as f64, real)
    })
}

/// Classes sort in this order; both kinds of numbers are one class.
#[inline]
fn rank(value: ValueRef<'_>) -> u8 {
    match value {
        ValueRef::Null => 0,
        ValueRef::Integer(_) | ValueRef::Real(_) => 1,
        ValueRef::Text(_) => 2,
        ValueRef::Blob(_) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_ascending_order() {
        let two_to_53 = 9_007_199_254_740_992.0;
        let ascending = [
            ValueRef::Null,
            ValueRef::Real(f64::NEG_INFINITY),
            ValueRef::Real(-9.3e18),
            ValueRef::Integer(i64::MIN),
            ValueRef::Integer(i64::MIN + 1),
            ValueRef::Real(-1.5),
            ValueRef::Integer(-1),
            ValueRef::Real(-0.5),
            ValueRef::Integer(0),
            ValueRef::Real(5e-324),
            ValueRef::Integer(1),
            ValueRef::Real(1.5),
            ValueRef::Real(two_to_53),
            ValueRef::Integer(9_007_199_254_740_993),
            ValueRef::Integer(i64::MAX),
            ValueRef::Real(9_223_372_036_854_775_808.0),
            ValueRef::Real(f64::INFINITY),
            ValueRef::Text(b""),
            ValueRef::Text(b"A"),
            ValueRef::Text(b"a"),
            ValueRef::Blob(b""),
            ValueRef::Blob(b"A"),
        ];
        for (i, left) in ascending.into_iter().enumerate() {
            for (j, right) in ascending.into_iter().enumerate() {
                assert_eq!(compare(left, right, &Collation::Binary), i.cmp(&j), "{left} {right}");
                assert_eq!(equal(left, right, &Collation::Binary), i == j, "{left} {right}");
            }
        }
    }

    #[test]
    fn equal_across_number_types() {
        for (integer, real) in [(0, 0.0), (0, -0.0), (-7, -7.0), (i64::MIN, -9_223_372_036_854_775_808.0)] {
            assert!(equal(integer.into(), real.into(), &Collation::Binary));
            assert!(equal(real.into(), integer.into(), &Collation::Binary));
        }
    }
}
