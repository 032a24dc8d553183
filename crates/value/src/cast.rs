//! CAST, and reading a value of any class as an integer, a real, a number, a truth value or a text.
//!
//! A text or blob is read as the number at its start; the rest is ignored.

use std::borrow::Cow;

use crate::affinity::Affinity;
use crate::buffer::{Buffer, OutOfMemory};
use crate::encoding::Encoding;
use crate::number::{self, NumberText, Numeric};
use crate::value::Value;
use crate::value_ref::ValueRef;

/// The value as an integer. A real is truncated; outside the range of integers it becomes the first or last of them;
/// NULL is 0.
#[inline]
pub fn to_integer(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Null => 0,
        ValueRef::Integer(integer) => integer,
        ValueRef::Real(real) => real as i64, // saturates
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => number::integer_prefix(bytes),
    }
}

/// The value as a real; NULL is 0.0.
#[inline]
pub fn to_real(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::Null => 0.0,
        ValueRef::Integer(integer) => integer as f64,
        ValueRef::Real(real) => real,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => number::text_to_real(bytes),
    }
}

/// The value as a number, as arithmetic operators read it; NULL has none.
#[inline]
pub fn to_number(value: ValueRef<'_>) -> Option<Numeric> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(integer) => Some(Numeric::Integer(integer)),
        ValueRef::Real(real) => Some(Numeric::Real(real)),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(number::parse(bytes).number),
    }
}

/// The value as a condition: whether it is a number other than zero. NULL is neither true nor false.
#[inline]
pub fn truth(value: ValueRef<'_>) -> Option<bool> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(integer) => Some(integer != 0),
        ValueRef::Real(real) => Some(real != 0.0),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(number::text_to_real(bytes) != 0.0),
    }
}

/// The value as text: the bytes of a text or blob, the digits of a number, nothing for NULL.
pub fn to_text(value: ValueRef<'_>) -> Cow<'_, [u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cow::Borrowed(bytes),
        other => Cow::Owned(to_bytes(other, &mut NumberText::default()).to_vec()),
    }
}

/// The value as text, like [`to_text`], without allocating: a number's digits are written to `scratch`.
#[inline]
pub fn to_bytes<'a>(value: ValueRef<'a>, scratch: &'a mut NumberText) -> &'a [u8] {
    match value {
        ValueRef::Null => b"",
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Integer(integer) => {
            *scratch = NumberText::from(integer);
            scratch.as_bytes()
        }
        ValueRef::Real(real) => {
            *scratch = NumberText::of_real(real);
            scratch.as_bytes()
        }
    }
}

/// A BLOB as the text that functions of texts read: in a database of UTF-16, its bytes are text of that encoding, written to
/// `out` in UTF-8.
pub fn blob_as_text<'a>(
    value: ValueRef<'a>,
    encoding: Encoding,
    out: &'a mut Buffer,
) -> Result<ValueRef<'a>, OutOfMemory> {
    let ValueRef::Blob(bytes) = value else { return Ok(value) };
    if encoding == Encoding::Utf8 {
        return Ok(value);
    }
    out.try_reserve(bytes.len().saturating_mul(2))?; // two bytes may become three
    encoding.decode(bytes, out);
    Ok(ValueRef::Text(out.as_slice()))
}

/// `CAST(value AS ...)` to a type of this affinity. NULL stays NULL.
///
/// `encoding` is the database's: between text and blob the bytes do not change, and text has the bytes of
/// the encoding it is stored in.
pub fn cast(value: ValueRef<'_>, affinity: Affinity, encoding: Encoding, out: &mut Value) {
    if value.is_null() {
        return out.set_null();
    }
    let mut text = Buffer::new();
    let value = match affinity {
        // A number is read from the text in the bytes of a BLOB.
        Affinity::Integer | Affinity::Real | Affinity::Numeric | Affinity::FlexNum => {
            blob_as_text(value, encoding, &mut text).unwrap_or(ValueRef::Null)
        }
        Affinity::Text | Affinity::Blob => value,
    };
    match affinity {
        Affinity::Integer => out.set_integer(to_integer(value)),
        Affinity::Real => out.set_real(to_real(value)),
        Affinity::Numeric | Affinity::FlexNum => cast_to_numeric(value, out),
        Affinity::Text => cast_to_text(value, encoding, out),
        Affinity::Blob => cast_to_blob(value, encoding, out),
    }
}

/// A text or blob becomes an integer if it is written as one, or as a small real without a fraction. A number does not
/// change.
fn cast_to_numeric(value: ValueRef<'_>, out: &mut Value) {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => match number::numeric_prefix(bytes) {
            Numeric::Integer(integer) => out.set_integer(integer),
            Numeric::Real(real) => out.set_real(real),
        },
        other => out.set(other),
    }
}

fn cast_to_text(value: ValueRef<'_>, encoding: Encoding, out: &mut Value) {
    match value {
        ValueRef::Blob(bytes) if encoding != Encoding::Utf8 => {
            let mut buffer = out.take_buffer();
            encoding.decode(bytes, &mut buffer);
            out.set_text_buffer(buffer);
        }
        value => out.set_text(to_bytes(value, &mut NumberText::default())),
    }
}

fn cast_to_blob(value: ValueRef<'_>, encoding: Encoding, out: &mut Value) {
    let mut scratch = NumberText::default();
    let is_blob = matches!(value, ValueRef::Blob(_));
    let bytes = to_bytes(value, &mut scratch);
    if is_blob || encoding == Encoding::Utf8 {
        return out.set_blob(bytes);
    }
    let mut buffer = out.take_buffer();
    encoding.encode(bytes, &mut buffer);
    out.set_blob_buffer(buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl Into<ValueRef<'static>>, affinity: Affinity, expected: impl Into<ValueRef<'static>>) {
        let mut out = Value::NULL;
        cast(value.into(), affinity, Encoding::Utf8, &mut out);
        assert_eq!(out.as_ref(), expected.into());
    }

    #[test]
    fn casts() {
        check("12abc", Affinity::Integer, 12);
        check("1e3", Affinity::Integer, 1);
        check(-7.9, Affinity::Integer, -7);
        check(9.9e18, Affinity::Integer, i64::MAX);
        check("1e3", Affinity::Real, 1000.0);
        check(1, Affinity::Real, 1.0);
        check("1e3", Affinity::Numeric, 1000);
        check("1e18", Affinity::Numeric, 1e18);
        check("2251799813685247.0", Affinity::Numeric, 2_251_799_813_685_247);
        check("2251799813685248.0", Affinity::Numeric, 2_251_799_813_685_248.0);
        check("-2251799813685248.0", Affinity::Numeric, -2_251_799_813_685_248);
        check(1.0, Affinity::Numeric, 1.0);
        check(1.0, Affinity::Text, "1.0");
        check(ValueRef::Blob(b"\xff1"), Affinity::Text, ValueRef::Text(b"\xff1"));
        check(15, Affinity::Blob, ValueRef::Blob(b"15"));
        check(ValueRef::Null, Affinity::Text, ValueRef::Null);
    }

    #[test]
    fn truths() {
        for (value, expected) in [
            (ValueRef::Null, None),
            (0.into(), Some(false)),
            ((-1).into(), Some(true)),
            (0.1.into(), Some(true)),
            ("0.1x".into(), Some(true)),
            ("x".into(), Some(false)),
            (ValueRef::Blob(b"1"), Some(true)),
        ] {
            assert_eq!(truth(value), expected, "{value}");
        }
    }
}
