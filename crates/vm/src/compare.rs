//! Comparing registers.
//!
//! | operands | without NULL_EQ | with NULL_EQ |
//! | --- | --- | --- |
//! | one is NULL | unknown | not equal |
//! | both are NULL | unknown | equal; unless one is "never" |
//! | neither | by the affinity and the collation | the same |

use std::cmp::Ordering;

use lithe_btree::KeyInfo;
use lithe_value::bytes::compare_bytes;
use lithe_value::compare::compare_reals;
use lithe_value::{Affinity, Collation, NumberText, ValueRef};

use crate::keys::compare_column;
use crate::operand::CompareFlags;
use crate::register::Register;

/// Whether a comparison jumps.
#[inline(never)]
pub fn jumps(
    lhs: &Register,
    rhs: &Register,
    flags: CompareFlags,
    collation: &Collation,
    test: fn(Ordering) -> bool,
) -> bool {
    match try_order(lhs, rhs, flags, collation).or_else(|| outcome(lhs, rhs, flags, collation)) {
        Some(order) => test(order),
        None => flags.0 & CompareFlags::NULL_JUMPS != 0,
    }
}

/// The order of two numbers, or of two texts that are compared as bytes. `None`: the caller must use [`outcome`].
#[inline]
fn try_order(lhs: &Register, rhs: &Register, flags: CompareFlags, collation: &Collation) -> Option<Ordering> {
    match (lhs, rhs) {
        (Register::Real(lhs), Register::Real(rhs)) => Some(compare_reals(*lhs, *rhs)),
        (Register::Integer(lhs), Register::Integer(rhs)) => Some(lhs.cmp(rhs)),
        (Register::InlineText(_), rhs) if collation.is_binary() && keeps_texts(flags) => {
            Some(compare_bytes(lhs.text()?, rhs.text()?))
        }
        _ => None,
    }
}

/// Whether the affinity leaves texts as texts.
#[inline]
pub fn keeps_texts(flags: CompareFlags) -> bool {
    flags.0 & CompareFlags::AFFINITY_MASK <= Affinity::Text as u8
}

/// Whether a comparison with a value that is not NULL on its left jumps; `None` if the right one is NULL.
#[inline]
pub fn value_jumps(
    lhs: ValueRef<'_>,
    rhs: &Register,
    flags: CompareFlags,
    collation: &Collation,
    test: fn(Ordering) -> bool,
) -> Option<bool> {
    let rhs = if rhs.is_null() { return None } else { rhs.as_ref() };
    Some(test(compare_values(lhs, rhs, flags, collation)))
}

/// The order of two registers; `None` if a NULL makes it unknown.
#[inline]
pub fn outcome(lhs: &Register, rhs: &Register, flags: CompareFlags, collation: &Collation) -> Option<Ordering> {
    if lhs.is_null() || rhs.is_null() {
        return null_outcome(lhs, rhs, flags);
    }
    Some(compare_values(lhs.as_ref(), rhs.as_ref(), flags, collation))
}

/// The order of two values that are not NULL.
#[inline]
fn compare_values(lhs: ValueRef<'_>, rhs: ValueRef<'_>, flags: CompareFlags, collation: &Collation) -> Ordering {
    match (lhs, rhs, affinity_of(flags)) {
        // Two texts stay texts under TEXT affinity, and most columns that are compared with texts have it.
        (ValueRef::Text(lhs), ValueRef::Text(rhs), None | Some(Affinity::Text)) => collation.compare(lhs, rhs),
        (_, _, Some(affinity)) if is_text(lhs) || is_text(rhs) => compare_under(affinity, lhs, rhs, collation),
        _ => lithe_value::compare(lhs, rhs, collation),
    }
}

#[inline]
fn is_text(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Text(_))
}

fn null_outcome(lhs: &Register, rhs: &Register, flags: CompareFlags) -> Option<Ordering> {
    if flags.0 & CompareFlags::NULL_EQ == 0 {
        return None;
    }
    Some(compare_nulls(lhs, rhs))
}

/// The order of two registers of which one at least is NULL.
fn compare_nulls(lhs: &Register, rhs: &Register) -> Ordering {
    if matches!(lhs, Register::NullNever) || matches!(rhs, Register::NullNever) {
        return Ordering::Less;
    }
    rhs.is_null().cmp(&lhs.is_null())
}

/// The affinity in the flags, if it can make a difference.
#[inline]
fn affinity_of(flags: CompareFlags) -> Option<Affinity> {
    match flags.0 & CompareFlags::AFFINITY_MASK {
        0 => None,
        1 => Some(Affinity::Text),
        _ => Some(Affinity::Numeric),
    }
}

/// One operand at least is text.
fn compare_under(affinity: Affinity, lhs: ValueRef<'_>, rhs: ValueRef<'_>, collation: &Collation) -> Ordering {
    if affinity == Affinity::Numeric {
        return lithe_value::compare(number_if_text(lhs), number_if_text(rhs), collation);
    }
    let (mut left, mut right) = (NumberText::default(), NumberText::default());
    lithe_value::compare(affinity.apply(lhs, &mut left), affinity.apply(rhs, &mut right), collation)
}

fn number_if_text(value: ValueRef<'_>) -> ValueRef<'_> {
    if is_text(value) { Affinity::Numeric.apply_numeric(value) } else { value }
}

/// The order of two vectors under a key; NULLs are equal.
pub fn vectors(lhs: &[Register], rhs: &[Register], key: &KeyInfo) -> Ordering {
    let unequal = |((lhs, rhs), column): ((&Register, &Register), _)| {
        if matches!(lhs, Register::NullNever) || matches!(rhs, Register::NullNever) {
            return Ordering::Less;
        }
        compare_column(lhs.as_ref(), rhs.as_ref(), column)
    };
    lhs.iter().zip(rhs).zip(key.columns()).map(unequal).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_btree::KeyColumn;
    use lithe_format::db_header::TextEncoding;

    const NUMERIC: u8 = Affinity::Numeric as u8;
    const TEXT: u8 = Affinity::Text as u8;

    fn register<'a>(value: impl Into<ValueRef<'a>>) -> Register {
        let mut register = Register::Null;
        register.set(value.into());
        register
    }

    #[track_caller]
    fn check<'a>(lhs: impl Into<ValueRef<'a>>, rhs: impl Into<ValueRef<'a>>, flags: u8, expected: Option<Ordering>) {
        let (lhs, rhs) = (register(lhs), register(rhs));
        let flags = CompareFlags(flags);
        assert_eq!(outcome(&lhs, &rhs, flags, &Collation::NoCase), expected);
        let reversed = expected.map(Ordering::reverse);
        assert_eq!(outcome(&rhs, &lhs, flags, &Collation::NoCase), reversed);
        assert_eq!(jumps(&lhs, &rhs, flags, &Collation::NoCase, Ordering::is_lt), expected == Some(Ordering::Less));
    }

    #[test]
    fn affinities() {
        use Ordering::{Equal, Greater, Less};
        check(1, "1", 0, Some(Less));
        check(1, "1", NUMERIC, Some(Equal));
        check(1, "1.0", NUMERIC, Some(Equal));
        check(1, "1.0", TEXT, Some(Less));
        check(10, 9, TEXT, Some(Greater));
        check("10", 9, TEXT, Some(Less));
        check("x", 9, NUMERIC, Some(Greater));
        check("10", "9", NUMERIC, Some(Greater));
        check("abc", "ABC", 0, Some(Equal));
        check(ValueRef::Blob(b"1"), 1, NUMERIC, Some(Greater));
        check(1, 1.5, 0, Some(Less));
    }

    #[test]
    fn nulls() {
        use Ordering::{Equal, Less};
        check(ValueRef::Null, 1, 0, None);
        check(ValueRef::Null, ValueRef::Null, 0, None);
        check(ValueRef::Null, ValueRef::Null, CompareFlags::NULL_EQ, Some(Equal));
        check(ValueRef::Null, 1, CompareFlags::NULL_EQ, Some(Less));
        let jump = CompareFlags(CompareFlags::NULL_JUMPS);
        assert!(jumps(&Register::Null, &register(1), jump, &Collation::Binary, Ordering::is_eq));
        let equal = CompareFlags(CompareFlags::NULL_EQ);
        assert!(!jumps(&Register::NullNever, &Register::Null, equal, &Collation::Binary, Ordering::is_eq));
        assert!(!jumps(&Register::NullNever, &Register::NullNever, equal, &Collation::Binary, Ordering::is_eq));
    }

    #[test]
    fn vectors_under_a_key() {
        let descending = KeyColumn { descending: true, ..KeyColumn::default() };
        let key = KeyInfo::new(vec![KeyColumn::default(), descending], TextEncoding::Utf8);
        let row = |a: i64, b: i64| [register(a), register(b)];
        assert_eq!(vectors(&row(1, 2), &row(1, 2), &key), Ordering::Equal);
        assert_eq!(vectors(&row(1, 2), &row(1, 3), &key), Ordering::Greater);
        assert_eq!(vectors(&row(1, 2), &row(2, 1), &key), Ordering::Less);
        assert_eq!(vectors(&[Register::Null], &[Register::Null], &key), Ordering::Equal);
        assert_ne!(vectors(&[Register::NullNever], &[Register::Null], &key), Ordering::Equal);
    }
}
