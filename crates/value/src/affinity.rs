//! Affinity: the storage class that a column prefers.
//!
//! | affinity | stored text that looks like a number | stored number |
//! | --- | --- | --- |
//! | BLOB | stays | stays |
//! | TEXT | stays | becomes text |
//! | NUMERIC, INTEGER | becomes a number, an integer if that loses nothing | a real becomes an integer if that loses nothing |
//! | REAL | becomes a real | an integer becomes a real |
//! | FLEXNUM | stays | as NUMERIC |
//!
//! "Looks like a number": the whole text is a number, except for spaces around it. Blobs and NULL never change.

use crate::number::{self, NumberText, Numeric};
use crate::value_ref::ValueRef;

/// A column's affinity. An expression may have none: then the type is `Option<Affinity>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Affinity {
    /// No preference; older documentation calls it NONE.
    #[default]
    Blob,
    /// Numbers become text.
    Text,
    /// Text becomes a number if it is one.
    Numeric,
    /// As NUMERIC; different only under CAST.
    Integer,
    /// As NUMERIC, and integers become reals.
    Real,
    /// As NUMERIC, but reals stay reals: for columns of compound queries whose first expression is a CAST to a number.
    FlexNum,
}

/// A declared type that contains one of these words has its affinity; the first word that fits counts.
const TYPE_WORDS: [(&[u8], Affinity); 8] = [
    (b"INT", Affinity::Integer),
    (b"CHAR", Affinity::Text),
    (b"CLOB", Affinity::Text),
    (b"TEXT", Affinity::Text),
    (b"BLOB", Affinity::Blob),
    (b"REAL", Affinity::Real),
    (b"FLOA", Affinity::Real),
    (b"DOUB", Affinity::Real),
];

impl Affinity {
    /// The affinity of a column declared with this type; without a type it is BLOB.
    pub fn of_type(declared: impl AsRef<[u8]>) -> Affinity {
        let declared = declared.as_ref();
        if declared.is_empty() { Affinity::Blob } else { Affinity::of_cast(declared) }
    }

    /// The affinity that `CAST(x AS declared)` casts to. As for a column, except that a type with an empty name counts
    /// as a type without a known word.
    pub fn of_cast(declared: impl AsRef<[u8]>) -> Affinity {
        let declared = declared.as_ref();
        let has = |word: &[u8]| declared.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        TYPE_WORDS.into_iter().find_map(|(word, affinity)| has(word).then_some(affinity)).unwrap_or(Affinity::Numeric)
    }

    /// The letter in EXPLAIN.
    pub fn letter(self) -> char {
        match self {
            Affinity::Blob => 'A',
            Affinity::Text => 'B',
            Affinity::Numeric => 'C',
            Affinity::Integer => 'D',
            Affinity::Real => 'E',
            Affinity::FlexNum => 'F',
        }
    }

    /// Whether a comparison with a column of this affinity makes texts numbers.
    #[inline]
    pub fn is_numeric(self) -> bool {
        match self {
            Affinity::Numeric | Affinity::Integer | Affinity::Real | Affinity::FlexNum => true,
            Affinity::Blob | Affinity::Text => false,
        }
    }

    /// Whether [`apply`](Self::apply) may change a value of the class of `value`. `false` is certain.
    #[inline]
    pub fn may_change(self, value: ValueRef<'_>) -> bool {
        match value {
            ValueRef::Null | ValueRef::Blob(_) => false,
            ValueRef::Integer(_) => matches!(self, Affinity::Text | Affinity::Real),
            ValueRef::Real(real) => real == 0.0 || !matches!(self, Affinity::Blob | Affinity::Real | Affinity::FlexNum),
            ValueRef::Text(_) => self.is_numeric(),
        }
    }

    /// The value under this affinity. A number that becomes text is written to `scratch`; nothing allocates.
    #[inline]
    pub fn apply<'a>(self, value: ValueRef<'a>, scratch: &'a mut NumberText) -> ValueRef<'a> {
        match (self, value) {
            (_, ValueRef::Null | ValueRef::Blob(_)) | (Affinity::Blob, _) => value,
            (Affinity::Text, ValueRef::Text(_)) => value,
            (Affinity::Text, ValueRef::Integer(integer)) => {
                *scratch = NumberText::from(integer);
                ValueRef::Text(scratch.as_bytes())
            }
            (Affinity::Text, ValueRef::Real(real)) => {
                *scratch = NumberText::of_real(real);
                ValueRef::Text(scratch.as_bytes())
            }
            _ => self.apply_numeric(value),
        }
    }

    /// The value under this affinity, if it is a numeric one; under the others the value does not change.
    #[inline]
    pub fn apply_numeric(self, value: ValueRef<'_>) -> ValueRef<'_> {
        match (self, value) {
            (Affinity::Numeric | Affinity::Integer | Affinity::FlexNum, ValueRef::Text(text)) => {
                text_to_number(text, value)
            }
            (Affinity::Numeric | Affinity::Integer, ValueRef::Real(real)) => {
                integer_if_exact(real).map_or(value, ValueRef::Integer)
            }
            (Affinity::Real, ValueRef::Integer(integer)) => ValueRef::Real(integer as f64),
            // The value is stored as an integer, in which -0.0 loses its sign.
            (Affinity::Real, ValueRef::Real(0.0)) => ValueRef::Real(0.0),
            (Affinity::Real, ValueRef::Text(text)) => match text_to_number(text, value) {
                ValueRef::Integer(integer) => ValueRef::Real(integer as f64),
                other => other,
            },
            _ => value,
        }
    }
}

/// The number that the whole text is, as an integer if that loses nothing; otherwise the text.
fn text_to_number<'a>(text: &'a [u8], unchanged: ValueRef<'a>) -> ValueRef<'a> {
    // A text that does not begin like a number is the common case in a column of names.
    let parsed = number::parse(text);
    if !parsed.is_whole {
        return unchanged;
    }
    match parsed.number {
        Numeric::Integer(integer) => ValueRef::Integer(integer),
        Numeric::Real(real) => integer_if_exact(real).map_or(ValueRef::Real(real), ValueRef::Integer),
    }
}

/// The integer that equals `real`, if there is one, and it is neither the first nor greater than the last.
///
/// -2^63 stays a real, as in SQLite.
#[inline]
pub fn integer_if_exact(real: f64) -> Option<i64> {
    let integer = real as i64; // saturates: both ends are refused below
    let is_exact = integer as f64 == real && i64::MIN < integer && integer < i64::MAX;
    is_exact.then_some(integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_type(declared: &str, expected: Affinity) {
        assert_eq!(Affinity::of_type(declared), expected, "{declared:?}");
    }

    #[test]
    fn declared_types() {
        check_type("", Affinity::Blob);
        check_type("INT", Affinity::Integer);
        check_type("unsigned big int", Affinity::Integer);
        check_type("FLOATING POINT", Affinity::Integer);
        check_type("CHARINT", Affinity::Integer);
        check_type("VARCHAR(10)", Affinity::Text);
        check_type("native character", Affinity::Text);
        check_type("BLOBTEXT", Affinity::Text);
        check_type("blob", Affinity::Blob);
        check_type("REALBLOB", Affinity::Blob);
        check_type("DOUBLE PRECISION", Affinity::Real);
        check_type("Float", Affinity::Real);
        check_type("STRING", Affinity::Numeric);
        check_type("DECIMAL(10,5)", Affinity::Numeric);
        check_type("ANY", Affinity::Numeric);
        assert_eq!(Affinity::of_cast(""), Affinity::Numeric);
    }

    #[track_caller]
    fn check(affinity: Affinity, value: impl Into<ValueRef<'static>>, expected: impl Into<ValueRef<'static>>) {
        let value = value.into();
        let mut scratch = NumberText::default();
        let applied = affinity.apply(value, &mut scratch);
        assert_eq!(applied, expected.into(), "{affinity:?} on {value}");
        assert!(applied == value || affinity.may_change(value));
    }

    #[test]
    fn applying() {
        check(Affinity::Text, 12, "12");
        check(Affinity::Text, 0.5, "0.5");
        check(Affinity::Numeric, " 12 ", 12);
        check(Affinity::Numeric, "12x", "12x");
        check(Affinity::Numeric, "1e3", 1000);
        check(Affinity::Numeric, "1.5", 1.5);
        check(Affinity::Numeric, 3.0, 3);
        check(Affinity::Integer, 3.5, 3.5);
        check(Affinity::Integer, -9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0);
        check(Affinity::Integer, "9223372036854775808", 9_223_372_036_854_775_808.0);
        check(Affinity::Real, 3, 3.0);
        let mut scratch = NumberText::default();
        let zero = Affinity::Real.apply(ValueRef::Real(-0.0), &mut scratch);
        assert!(matches!(zero, ValueRef::Real(real) if real.is_sign_positive()));
        check(Affinity::Real, "3", 3.0);
        check(Affinity::FlexNum, "3", 3);
        check(Affinity::FlexNum, 3.0, 3.0);
        check(Affinity::Blob, 3.0, 3.0);
    }
}
