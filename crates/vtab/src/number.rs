//! Values that a module interprets as numbers: a text is a number if the whole text is one.

use lithe_value::number::whole_number;
use lithe_value::{Numeric, ValueRef};

/// The number of a value; of a text if the whole text is a number.
pub fn as_number(value: ValueRef<'_>) -> Option<Numeric> {
    match value {
        ValueRef::Integer(integer) => Some(Numeric::Integer(integer)),
        ValueRef::Real(real) => Some(Numeric::Real(real)),
        ValueRef::Text(text) => whole_number(text),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// The integer of a value. A real is not an integer, even without a fraction.
pub fn as_integer(value: ValueRef<'_>) -> Option<i64> {
    match as_number(value)? {
        Numeric::Integer(integer) => Some(integer),
        Numeric::Real(_) => None,
    }
}

/// The rowid of a value: an integer, or a real that equals an integer.
pub fn as_rowid(value: ValueRef<'_>) -> Option<i64> {
    match as_number(value)? {
        Numeric::Integer(integer) => Some(integer),
        Numeric::Real(real) => Some(real as i64).filter(|integer| *integer as f64 == real),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_as_what_all_of_them_says() {
        check(ValueRef::Integer(5), Some(5), Some(5));
        check(ValueRef::Text(b"5"), Some(5), Some(5));
        check(ValueRef::Real(5.0), None, Some(5));
        check(ValueRef::Text(b"5.0"), None, Some(5));
        check(ValueRef::Real(5.5), None, None);
        check(ValueRef::Text(b"5x"), None, None);
        check(ValueRef::Blob(b"5"), None, None);
        check(ValueRef::Null, None, None);
    }

    fn check(value: ValueRef<'_>, integer: Option<i64>, rowid: Option<i64>) {
        assert_eq!((as_integer(value), as_rowid(value)), (integer, rowid), "{value:?}");
    }
}
